"""NumPy's arrays and scalars as values of programs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from checkpoint.ad.array_library import library_of
from checkpoint.errors import RunError, refusal
from checkpoint.prims.arrays import ArrayLibrary, chosen_kernels, defaults, install
from tensorlib.numpy_elements import NumPyElements

WRITEABLE = 0x400  # the bit of flags.num; flags.writeable warns for results of np.broadcast_arrays

# The classes of kinds of dtypes, which np.issubdtype takes.
_BASE = attrgetter("base")
_ABSTRACT = (
    np.generic,
    np.number,
    np.inexact,
    np.integer,
    np.signedinteger,
    np.unsignedinteger,
    np.floating,
    np.complexfloating,
)
_ACTING = ("raise", "call")
_SCALARS: set[type] = {np.bool_, *np.sctypeDict.values()}


class Kernels:
    """The functions of networks that work on NumPy's arrays in place of the package's own, if any do.

    Which they are is asked once (CHECKPOINT_KERNELS): a process has the same ones throughout.
    """

    def __init__(self) -> None:
        self.chosen: str | None = None

    def choose(self) -> str:
        """Return whose functions they are; RunError if PyTorch's are not there."""
        if self.chosen is None:
            chosen = chosen_kernels()
            if chosen == "pytorch" and importlib.util.find_spec("torch") is None:
                raise RunError("CHECKPOINT_KERNELS is pytorch, and PyTorch is not installed")
            self.chosen = chosen
        return self.chosen

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        function = None
        if self.choose() != "numpy":
            # Loaded where it is asked for: PyTorch takes a second.
            from tensorlib.pytorch import of_numpy  # noqa: PLC0415

            function = of_numpy.found(name)
        setattr(self, name, function)
        return function


KERNELS = Kernels()


class NumPyArrays(ArrayLibrary):
    """Arrays of NumPy, or of a library whose arrays have their attributes."""

    elements = NumPyElements()

    def holder(self, data: Any) -> Any:
        """Return the array that has the elements: that which another one is a view of, or itself."""
        base = getattr(data, "base", None)
        while base is not None and hasattr(base, "nbytes"):
            data, base = base, getattr(base, "base", None)
        return data

    def holders(self, datas: Sequence[Any]) -> list[Any]:
        """Return `holder` of each of many arrays: most have their own elements."""
        try:
            bases = list(map(_BASE, datas))
        except AttributeError:  # of a library whose arrays have none
            return list(map(self.holder, datas))
        if set(map(type, bases)) == {type(None)}:  # arrays cannot be compared with None
            return list(datas)
        return [data if base is None else self.holder(data) for data, base in zip(datas, bases, strict=True)]

    def is_view(self, data: Any) -> bool:
        return getattr(data, "base", data) is not None

    def bytes_of(self, holder: Any) -> int:
        return int(holder.nbytes)

    def on_host(self, data: Any) -> Any:
        return self.namespace.array(data)

    def received(self, data: Any, dtype: Any, device: Any) -> Any:
        """Return an array as NumPy's; ValueError for any device but the CPU."""
        if device is not None and str(device) != "cpu":
            raise refusal(
                f"arrays of {self.name} are on the CPU, not on {str(device)!r}: pass a dtype of a library "
                f"that has that device, too: to(x, torch.float32, {str(device)!r})"
            )
        if type(data) not in self.types:
            data = library_of(data).on_host(data)
        return data if dtype is None or dtype == data.dtype else data.astype(dtype)

    def read_only_copy(self, data: Any) -> Any:
        """Return a read-only copy of an array that is read-only, as np.diag(x); None for any other."""
        flags = getattr(data, "flags", None)
        if flags is None or flags.num & WRITEABLE:
            return None
        copy = self.namespace.array(data)
        copy.flags.writeable = False
        return copy

    def dtype_of(self, value: Any) -> Any:
        """Return the dtype that a class means (np.float32, float), or a dtype itself; None for anything else.

        Abstract classes of scalars (np.floating), which np.issubdtype takes, mean themselves.
        """
        if isinstance(value, np.dtype):
            return value
        if any(value is each for each in _ABSTRACT):
            return value
        is_class = isinstance(value, type) and (value in _SCALARS or value in (float, int, bool, complex))
        return np.dtype(value) if is_class else None

    def modes(self) -> tuple[str, ...]:
        """Return the kinds of errors in numbers that raise or call (others change no result), and kernels."""
        acting = [f"NumPy's {kind}={how!r}" for kind, how in np.geterr().items() if how in _ACTING]
        return (*acting, *(["PyTorch's kernels on NumPy's arrays"] if KERNELS.choose() == "pytorch" else []))

    def remembered(self) -> Callable[[], None]:
        return _remembered_modes() if _MODES is None else partial(_set_modes, _MODES.get())

    def silently(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")


# Where NumPy 2 has its modes of errors, which reads faster than geterr.
_MODES: Any = getattr(getattr(getattr(np, "_core", None), "umath", None), "_extobj_contextvar", None)


def _set_modes(before: Any) -> None:
    if _MODES.get() is not before:
        _MODES.set(before)


def _remembered_modes() -> Callable[[], None]:
    before = np.geterr()

    def restore() -> None:
        np.seterr(**before)

    return restore


_TYPES = (np.ndarray, *[each for each in _SCALARS if issubclass(each, np.bool_ | np.number)])

NUMPY = NumPyArrays("NumPy", np, _TYPES)
NUMPY.kernels = KERNELS
install(NUMPY)
defaults.append(np)
