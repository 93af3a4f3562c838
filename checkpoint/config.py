"""Settings: checks between passes, listings of what they made, packages that are translated, memory, caches.

In: environment variables, or a scoped override. Out: Settings.

    CHECKPOINT_CHECK   0  nothing is checked between passes (what is assumed if it is not set)
                       1  after each pass its checker runs; passes that an engine leaves for later run too;
                          what the C compiler warns of in an executable is an error; operators of combinators
                          are tried on three items (checkpoint.arrays), in steps of the run; a warning
                          says where a reversal leaves accumulators of what the run has made
    CHECKPOINT_SHOW    names of SHOWN, with commas between: what these passes made is printed on standard
                       error whenever a program is compiled
    CHECKPOINT_CONVERT names of packages outside of the user's own code, with commas between, whose Python
                       functions are translated when they are called; checkpoint.translate adds to them
    CHECKPOINT_MEMORY  how much memory a run of the engine "c" may hold, like 512MiB or 2GiB: one that needs
                       more ends with MemoryError (if it is not set, there is no limit but the machine's)
    CHECKPOINT_JIT     when the engine "c" has a C compiler translate what runs long: in the background, while
                       the run goes on (if it is not set); "wait": at once, and the run waits; "off": never
    CHECKPOINT_KERNELS whose functions of networks (convolutions, norms, losses) work on NumPy's arrays: this
                       package's (if it is not set, or numpy), or PyTorch's on the same memory (pytorch);
                       read when the first of them is called, and fixed from then on
    CHECKPOINT_THREADS how many cores a run of the engine "c" may use, for lanes of vmap: all that this
                       process may use, if it is not set, and in a worker its share of them; the results
                       have the same bits for any number
    CHECKPOINT_BASE    how many steps checkpoint-*j and derivatives inside of Python programs tape at once:
                       10000, if it is not set; the results have the same bits for any number
    CHECKPOINT_CACHE   a folder for what was translated, instead of the one for checkpoint in the user's cache
                       (checkpoint/ctarget/translate/compile/cache.py)

The environment is read whenever settings are asked for; an unknown value is an error, not a default.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from threading import Lock
from typing import Any, Literal

from checkpoint.cores import cores
from checkpoint.dataclass import dataclass
from checkpoint.errors import CheckpointError
from checkpoint.locks import hold_at_fork

# The languages that can be printed: those of the passes (checkpoint.cps.passes), in their order.
SHOWN = ("core", "cps", "closures", "blocks", "adjoint")
# When what runs long is translated to C: see CHECKPOINT_JIT.
Translation = Literal["background", "wait", "off"]
MOST_THREADS = 256
BASE = 10_000  # steps that divide and conquer tapes at once, unless it is told
_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_CHECK = {"": False, "0": False, "1": True}
_TRANSLATION: dict[str, Translation] = {"": "background", "wait": "wait", "off": "off"}


class SettingError(CheckpointError):
    """An environment variable of this package has a value that means nothing."""


@dataclass(frozen=True, slots=True)
class Settings:
    """check: whether checkers run between passes. show: which languages are printed.
    convert: which packages outside of the user's code are translated.
    """

    check: bool = False
    show: tuple[str, ...] = ()
    convert: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.show:
            if name not in SHOWN:
                raise SettingError(f"there is nothing to show named {name!r}; there are: {', '.join(SHOWN)}")


_override: ContextVar[Settings | None] = ContextVar("checkpoint.config", default=None)


def current() -> Settings:
    """Return the settings that hold here."""
    return _override.get() or _from_environment()


def _from_environment() -> Settings:
    return _settings(
        _variable("CHECKPOINT_CHECK"), _variable("CHECKPOINT_SHOW"), _variable("CHECKPOINT_CONVERT")
    )


@cache
def _settings(check: str, shown: str, converted: str) -> Settings:
    """Return the settings that three variables have, by their texts."""
    if check not in _CHECK:
        raise SettingError(f"CHECKPOINT_CHECK is {check!r}; write 0 or 1")
    show = tuple([name for name in shown.split(",") if name])
    try:
        return Settings(_CHECK[check], show, tuple([name for name in converted.split(",") if name]))
    except SettingError as error:
        raise SettingError(f"CHECKPOINT_SHOW is {shown!r}: {error.message}") from None


def _variable(name: str) -> str:
    """Return an environment variable, "" if it is not set, for settings that are read at each run.

    Where it is not set, os.environ raises and catches two exceptions; the mapping under it is asked first.
    """
    known = getattr(os.environ, "_data", None)
    return "" if known is not None and _key(name) not in known else os.environ.get(name, "")


@cache
def _key(name: str) -> Any:
    return os.environ.encodekey(name)


def memory() -> int | None:
    """Return how many bytes a run may hold, or None; read at each run, so apart from Settings."""
    text = _variable("CHECKPOINT_MEMORY")
    if not text:
        return None
    found = size(text)
    if found is None:
        raise SettingError(f"CHECKPOINT_MEMORY is {text!r}; write a size, like 512MiB or 2GiB")
    return found


def translation() -> Translation:
    """Return when what runs long is translated to C; read at each run, so apart from Settings."""
    text = _variable("CHECKPOINT_JIT")
    if text not in _TRANSLATION:
        raise SettingError(f"CHECKPOINT_JIT is {text!r}; write wait or off, or leave it unset")
    return _TRANSLATION[text]


def base() -> int:
    """Return how many steps divide and conquer tapes at once inside of programs; read at each run."""
    text = _variable("CHECKPOINT_BASE")
    if not text:
        return BASE
    if not re.fullmatch("[1-9][0-9]{0,17}", text):
        raise SettingError(f"CHECKPOINT_BASE is {text!r}; write a number of steps, or leave it unset")
    return int(text)


_most_threads: ContextVar[int | None] = ContextVar("checkpoint.threads", default=None)


@contextmanager
def threads_at_most(count: int) -> Iterator[None]:
    """Within a `with`, have runs use no more than so many cores, whatever CHECKPOINT_THREADS says."""
    token = _most_threads.set(count)
    try:
        yield
    finally:
        _most_threads.reset(token)


def cores_allowed(there: int | None = None) -> int:
    """Return how many cores all runs within this `with` may use together.

    there: how many the process may use, where that was asked before; asking takes as long as a small run.
    """
    there, most = cores() if there is None else there, _most_threads.get()
    return there if most is None else min(there, most)


def threads_asked() -> tuple[str, int | None]:
    """Return what `threads` depends on; read at each run, so apart from Settings."""
    return _variable("CHECKPOINT_THREADS"), _most_threads.get()


def threads() -> int:
    """Return how many cores a run may use."""
    text, most = threads_asked()
    if text and (not re.fullmatch("[1-9][0-9]{0,2}", text) or int(text) > MOST_THREADS):
        raise SettingError(
            f"CHECKPOINT_THREADS is {text!r}; write a number from 1 to {MOST_THREADS}, or leave it unset"
        )
    count = int(text) if text else min(cores(), MOST_THREADS)
    return count if most is None else min(count, most)


def kernels() -> str:
    """Return whose functions of networks work on NumPy's arrays: "numpy" or "pytorch"."""
    text = os.environ.get("CHECKPOINT_KERNELS", "") or "numpy"
    if text not in ("numpy", "pytorch"):
        raise SettingError(f"CHECKPOINT_KERNELS is {text!r}; write numpy or pytorch, or leave it unset")
    return text


def size(text: str) -> int | None:
    """Return the bytes, at least 1, that a text such as "512MiB" or "2 GB" stands for; None: it is no size.

    >>> size("1.5 KiB")
    1536
    """
    matched = re.fullmatch(r"([0-9]{1,20})(?:\.([0-9]{1,20}))?\s*([A-Za-z]*)", text.strip())
    if matched is None or matched[3].upper() not in _UNITS:
        return None
    decimals = matched[2] or ""
    return int(matched[1] + decimals) * _UNITS[matched[3].upper()] // 10 ** len(decimals) or None


@contextmanager
def override(
    *,
    check: bool | None = None,
    show: tuple[str, ...] | None = None,
    convert: tuple[str, ...] | None = None,
) -> Iterator[Settings]:
    """Use other settings inside a `with`; those left out stay as they are."""
    settings = current()
    if check is not None:
        settings = replace(settings, check=check)
    if show is not None:
        settings = replace(settings, show=show)
    if convert is not None:
        settings = replace(settings, convert=convert)
    token = _override.set(settings)
    try:
        yield settings
    finally:
        _override.reset(token)


_lock = Lock()
hold_at_fork(_lock)
_opened: Counter[str] = Counter()  # how often each package was opened and not yet closed
_packages: frozenset[str] = frozenset()


def open_packages(names: Iterable[str]) -> None:
    """Have the functions of packages translated, from now on."""
    global _packages  # noqa: PLW0603  (replaced as a whole, so that readers need no lock)
    with _lock:
        _opened.update(names)
        _packages = frozenset(+_opened)


def close_packages(names: Iterable[str]) -> None:
    """Undo one `open_packages` of these names."""
    global _packages  # noqa: PLW0603  (as above)
    with _lock:
        _opened.subtract(names)
        _packages = frozenset(+_opened)


def packages() -> frozenset[str]:
    """Return the packages that `open_packages` has opened; translations made for others are outdated."""
    return _packages
