"""Arrays of another dtype, on another device, of another library: a step whose cotangents go back.

from tensorlib import to
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import (
    ArrayLibrary,
    dtype_kind,
    installed,
    libraries,
    library_of,
    namespace_of_dtype,
)
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.layout.moving import call
from tensorlib.rules import discrete, is_scalar

# What reads as a call in functions that are written in Python.


def place_of(x: Any) -> str:
    """Return the name of the library and of the device of an array, as `placed` takes it."""
    library = library_of(_array(x))
    return f"{library.name}@{library.device_of(x)}"


def moved(x: Any, place: str) -> Any:
    """Return x as an array of the library and on the device that `place_of` has named, of its own dtype."""
    return _moved(None, x, place)


def placed(x: Any, place: Any) -> Any:
    """Return x itself, whose cotangent is not copied, where it is there already; else `moved(x, place)`."""
    return x if place_of(x) == place else moved(x, place)


def beside(x: Any, other: Any) -> Any:
    """Return x as an array of the library and on the device of another one, of its own dtype."""
    return placed(x, place_of(other))


def cast(x: Any, kind: Any) -> Any:
    """Return x with the dtype that has a name, in its own library, or that another array has."""
    return _cast(None, x, kind)


def is_real(x: Any) -> bool:
    """Return whether the elements of an array are floating-point numbers, and so is a float."""
    return isinstance(x, float) if is_scalar(x) else dtype_kind(x.dtype) == "f"


_PYTHON = (float, int, bool, complex)


def to(x: Any, dtype: Any = None, device: Any = None) -> Any:
    """Return an array of another dtype and on another device, differentiably; both may be left out.

    A dtype of another library makes the array one of that library. In place of either there may be an array
    of the same library: its dtype and its device are meant.
    """
    return _to(None, x, dtype, device)


def _to(xp: Any, x: Any, dtype: Any = None, device: Any = None) -> Any:
    data = x if type(x) in libraries else np.asarray(x)
    dtype, device = _kinds(library_of(data), (dtype, device))
    return _target(data, dtype, device).received(data, dtype, device)


def _kinds(own: ArrayLibrary, given: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the dtype and the device that are meant, in whichever order they are given."""
    dtype = device = None
    for each in given:
        if type(each) in libraries:
            dtype, device = dtype or each.dtype, device or library_of(each).device_of(each)
            continue
        found = _dtype(own, each)
        if found is None and each is not None:
            device = each
        dtype = dtype or found
    return dtype, device


def _dtype(own: ArrayLibrary, given: Any) -> Any:
    """Return the dtype that an object means; None if it means none."""
    if isinstance(given, str):
        return None
    if any(given is each for each in _PYTHON):
        return own.namespace.dtype(given)
    return next((found for each in installed if (found := each.dtype_of(given)) is not None), None)


def _target(data: Any, dtype: Any, device: Any) -> ArrayLibrary:
    """Return the library that the result is of: that of the dtype, unless the array's has the same dtypes.

    Of several with the same dtypes it is the one that has the device.
    """
    own = library_of(data)
    if dtype is None or namespace_of_dtype(dtype) is namespace_of_dtype(data.dtype):
        kind = str(device).partition(":")[0]
        alike = [each for each in installed if each.is_apart and kind in each.devices()]
        return own if own.kinds or not alike else alike[0]
    return next(each for each in installed if each.namespace is namespace_of_dtype(dtype))


def _saves(
    xp: Any, wanted: tuple[int, ...], x: Any, dtype: Any = None, device: Any = None
) -> tuple[Any, tuple[Any, ...]]:
    home = library_of(x) if type(x) in libraries else None
    return _to(xp, x, dtype, device), (home, home and home.device_of(x))


def _pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: tuple[Any, ...],
    x: Any,
    dtype: Any = None,
    device: Any = None,
) -> tuple[Any]:
    if is_scalar(x):
        return (float(g.item()),)
    home, where = saved
    if dtype_kind(g.dtype) == "c" and dtype_kind(x.dtype) == "f":
        g = library_of(g).namespace.real(g)
    return (home.received(g, x.dtype, where),)


def _jvp(t: Any, y: Any, x: Any, dtype: Any = None, device: Any = None) -> Any:
    return call("tensorlib.to", t, dtype, device)


TO = tensor(
    "tensorlib.to",
    _to,
    saves=_saves,
    pull=_pull,
    jvps=(_jvp, None, None),
    needs=((), (), ()),
    views=True,
    implements=(to,),
    shape="that of the array",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), np.dtype(np.float32)),
        (rng.normal(size=3), None, "cpu"),
        (rng.normal(size=3).astype("f4"), float),
        (rng.normal(size=3).astype("f4"), rng.normal(size=2)),
    ],
)


# Beside another array, of a dtype by its name


def _array(x: Any) -> Any:
    return x if type(x) in libraries else np.asarray(x)


def _moved(xp: Any, x: Any, place: Any) -> Any:
    data = _array(x)
    if place == place_of(data):
        return data
    name, _, device = place.partition("@")
    library = next(each for each in installed if each.name == name)
    return library.received(data, None, None if device == "None" else device)


def _cast(xp: Any, x: Any, kind: Any) -> Any:
    data = _array(x)
    library = library_of(data)
    dtype = getattr(library.namespace, kind, None) if isinstance(kind, str) else _array(kind).dtype
    if dtype is None:
        raise refusal(f"arrays of {library.name} have no elements of type {kind}")
    return library.received(data, dtype, None)


def _saving(value: Any) -> Any:
    """Return the `saves` of a record that moves an array to where `value` has it."""

    def saves(xp: Any, wanted: tuple[int, ...], x: Any, other: Any) -> tuple[Any, tuple[Any, ...]]:
        home = library_of(x) if type(x) in libraries else None
        return value(xp, x, other), (home, home and home.device_of(x))

    return saves


def _returned(
    xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: tuple[Any, ...], x: Any, other: Any
) -> tuple[Any]:
    home, where = saved
    if home is library_of(g) and g.dtype == x.dtype and home.device_of(g) == where:
        return (g,)
    return _pull(xp, wanted, g, y, saved, x)


PLACE_OF = discrete(
    "tensorlib.place_of",
    lambda xp, x: place_of(x),
    implements=(place_of,),
    shape="a text",
    samples=lambda rng: [(rng.normal(size=2),)],
)
MOVED = tensor(
    "tensorlib.moved",
    _moved,
    saves=_saving(_moved),
    pull=_returned,
    jvps=(lambda t, y, x, place: call("tensorlib.moved", t, place), None),
    needs=((), ()),
    views=True,
    implements=(moved,),
    shape="that of the array",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), place_of(rng.normal(size=1))),
        (rng.normal(size=3).astype("f4"), place_of(rng.normal(size=1))),
    ],
)
CAST = tensor(
    "tensorlib.cast",
    _cast,
    saves=_saving(_cast),
    pull=_returned,
    jvps=(lambda t, y, x, kind: call("tensorlib.cast", t, kind), None),
    needs=((), ()),
    views=True,
    implements=(cast,),
    shape="that of the array",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), "float32"),
        (rng.normal(size=3).astype("f4"), rng.normal(size=2)),
    ],
)
IS_REAL = discrete(
    "tensorlib.is_real",
    lambda xp, x: is_real(x),
    implements=(is_real,),
    shape="a boolean",
    samples=lambda rng: [(rng.normal(size=2),), (rng.integers(0, 5, 3),)],
)
for _function in (beside, placed):
    translated_as(_function, _function)
