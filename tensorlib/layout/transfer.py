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
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call
from tensorlib.rules import is_scalar

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
