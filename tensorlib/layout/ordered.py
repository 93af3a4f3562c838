"""Arrays with a given order of their elements in memory, and copies, where NumPy is asked for them.

The order is that in which reductions add, so it decides the last bits of results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import prim, translated_as, translated_in_full
from tensorlib.layout.creation import (
    ARRAY,
    ASARRAY,
    COPIED,
    COPY,
    EMPTY,
    EMPTY_LIKE,
    FULL,
    FULL_LIKE,
    ONES,
    ONES_LIKE,
    ZEROS,
    ZEROS_LIKE,
)
from tensorlib.layout.moving import linear, viewed
from tensorlib.layout.shapes import ASTYPE


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(3, 4))
    return [
        (x, None, "F", None),
        (x.T, None, "C", True),
        (x.T, np.dtype(float), "K", None),
        ([[1.5, 2.5], [0.5, 1.0]], None, "F", True),
    ]


AS_ARRAY = linear(
    "tensorlib.as-array",
    lambda xp, a, dtype, order, copy: viewed(xp.asarray(a, dtype, order, copy=copy), a),
    lambda xp, g, y, a, *rest: g,
    needs=((0,),),
    views=True,
    shape="that of the nested list",
    samples=_samples,
)


def asarray(
    a: Any, dtype: Any = None, order: Any = None, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    """See numpy.asarray."""
    return prim("tensorlib.as-array", a, dtype, order, copy)


def array(
    object: Any,
    dtype: Any = None,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: Any = 0,
    like: Any = None,
) -> Any:
    """See numpy.array."""
    found = prim("tensorlib.as-array", object, dtype, order, copy)
    return found if np.ndim(found) >= ndmin else np.array(found, None, ndmin=ndmin)


def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """See numpy.ascontiguousarray."""
    return np.atleast_1d(prim("tensorlib.as-array", a, dtype, "C", None))


def asfortranarray(a: Any, dtype: Any = None) -> Any:
    """See numpy.asfortranarray."""
    return np.atleast_1d(prim("tensorlib.as-array", a, dtype, "F", None))


def require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    """See numpy.require."""
    wanted = [requirements] if isinstance(requirements, str) else requirements or []
    order = None
    for each in wanted:
        if each in ("C", "C_CONTIGUOUS", "CONTIGUOUS"):
            order = "C"
        if each in ("F", "F_CONTIGUOUS", "FORTRAN"):
            order = "F"
    return prim("tensorlib.as-array", a, dtype, order, None)


def copy(a: Any, order: Any = "K", subok: Any = False) -> Any:
    """See numpy.copy."""
    return prim("tensorlib.as-array", a, None, order, True)


def copied(a: Any, order: Any = "C") -> Any:
    """See numpy.ndarray.copy."""
    return prim("tensorlib.as-array", a, None, order, True)


def astype(
    x: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, copy: Any = True
) -> Any:
    """See numpy.ndarray.astype."""
    if not np.can_cast(x.dtype, dtype, casting):
        kinds = f"from {x.dtype!r} to {np.dtype(dtype)!r}"
        raise TypeError(f"Cannot cast array data {kinds} according to the rule '{casting}'")
    return prim("tensorlib.as-array", x, dtype, order, True if copy else None)


# Of one number


def zeros(shape: Any, dtype: Any = "float64", order: Any = "C", device: Any = None, like: Any = None) -> Any:
    """See numpy.zeros."""
    return prim("tensorlib.as-array", np.zeros(shape, dtype), None, order, None)


def ones(shape: Any, dtype: Any = None, order: Any = "C", device: Any = None, like: Any = None) -> Any:
    """See numpy.ones."""
    return prim("tensorlib.as-array", np.ones(shape, dtype), None, order, None)


def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", device: Any = None, like: Any = None
) -> Any:
    """See numpy.full."""
    return prim("tensorlib.as-array", np.full(shape, fill_value, dtype), None, order, None)


def zeros_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, device: Any = None
) -> Any:
    """See numpy.zeros_like."""
    return prim("tensorlib.as-array", np.zeros_like(a, dtype, shape=shape), None, order, None)


def ones_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, device: Any = None
) -> Any:
    """See numpy.ones_like."""
    return prim("tensorlib.as-array", np.ones_like(a, dtype, shape=shape), None, order, None)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
    device: Any = None,
) -> Any:
    """See numpy.full_like."""
    if shape is None:
        found = np.full_like(a, fill_value, dtype)
    else:
        found = np.full(shape, fill_value, a.dtype if dtype is None else dtype)
    return prim("tensorlib.as-array", found, None, order, None)


for _record, _function in (
    (ARRAY, array),
    (ASARRAY, asarray),
    (COPY, copy),
    (COPIED, copied),
    (ASTYPE, astype),
    (ZEROS, zeros),
    (EMPTY, zeros),
    (ONES, ones),
    (FULL, full),
    (ZEROS_LIKE, zeros_like),
    (EMPTY_LIKE, zeros_like),
    (ONES_LIKE, ones_like),
    (FULL_LIKE, full_like),
):
    translated_in_full(_record, _function)
translated_as(np.ascontiguousarray, ascontiguousarray)
translated_as(np.asfortranarray, asfortranarray)
translated_as(np.require, require)
