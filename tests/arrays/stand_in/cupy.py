"""A stand-in for CuPy: its arrays are NumPy's elements under another type, which NumPy's arrays cannot meet.

It has of CuPy what tensorlib.cupy_arrays asks for, as CuPy documents it: arrays of shape () for scalars, no
implicit conversion between the host and a device. It says nothing about CuPy's kernels, memory or streams.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np


class Device:
    """A device, as a context."""

    def __init__(self, id: int = 0) -> None:
        self.id = id

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the device."""


class ndarray(np.ndarray[Any, Any]):
    """An array on a device."""

    device: Any = Device(0)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        _check(inputs)
        out = named.get("out")
        if out is not None:
            named["out"] = tuple([None if x is None else x.view(np.ndarray) for x in out])
        found = getattr(ufunc, method)(*map(_bare, inputs), **named)
        return out[0] if out is not None and out[0] is not None else _device(found)

    def __array_function__(self, function: Any, types: Any, args: Any, named: Any) -> Any:
        return _applied(function, args, named)

    def __getitem__(self, index: Any) -> Any:
        return _device(self.view(np.ndarray)[_bare(index)])


def _check(operands: Any) -> None:
    for each in operands:
        if type(each) is np.ndarray and each.ndim:
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        if isinstance(each, list | tuple):
            _check(each)


def _bare(operand: Any) -> Any:
    if isinstance(operand, ndarray):
        return operand.view(np.ndarray)
    if isinstance(operand, list | tuple) and any(isinstance(part, ndarray) for part in operand):
        return type(operand)([_bare(part) for part in operand])
    return operand


def _device(found: Any) -> Any:
    if isinstance(found, list | tuple):
        return type(found)([_device(part) for part in found])
    return np.asarray(found).view(ndarray) if isinstance(found, np.ndarray | np.generic) else found


def _applied(function: Any, args: Any, named: Any) -> Any:
    _check(args)
    bare = {name: _bare(value) for name, value in named.items()}
    return _device(function(*[_bare(each) for each in args], **bare))


def asnumpy(data: Any) -> Any:
    """Return a copy on the host."""
    return np.array(_bare(data))


def asarray(data: Any, dtype: Any = None) -> Any:
    """Return an array on the device, of one on the host or of numbers."""
    return np.array(_bare(data), dtype).view(ndarray)


array = asarray
cuda = SimpleNamespace(Device=Device)


def _function(found: Any) -> Any:
    """Return a function with the name and arguments of one of NumPy's."""

    def applied(*args: Any, **named: Any) -> Any:
        return _applied(found, args, named)

    applied.__name__ = applied.__qualname__ = found.__name__
    applied.__module__ = "cupy"
    if isinstance(found, np.ufunc):
        applied.at = lambda x, index, *rest: found.at(_bare(x), _bare(index), *map(_bare, rest))  # type: ignore[attr-defined]  # as a ufunc has it
    return applied


def _functions(module: Any, into: dict[str, Any]) -> None:
    """Put in a namespace what a module of NumPy's has, but what is there already."""
    for name, found in vars(module).items():
        if name in into or name.startswith("_"):
            continue
        if name in ("linalg", "fft"):
            into[name] = SimpleNamespace()
            _functions(found, vars(into[name]))
        elif hasattr(found, "__name__") and callable(found) and not isinstance(found, type):
            into[name] = _function(found)
        else:
            into[name] = found


_functions(np, globals())
