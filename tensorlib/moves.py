"""Arrays with their axes or elements in another order: what NumPy's functions return, in fewer calls.

In: the functions of an array's library, and an array. Out: the elements that the function of that name gives,
as a view where it gives a view. NumPy's own functions of this kind are written in Python, and take longer for
a small array than all else that a rule does. Other arrays, and what is not plain, are left to the library.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def moved(xp: Any, x: Any, source: Any, target: Any) -> Any:
    """Return an array with one axis at another place, as moveaxis does."""
    if type(x) is not np.ndarray or not (_is_axis(source, x.ndim) and _is_axis(target, x.ndim)):
        return xp.moveaxis(x, source, target)
    order = list(range(x.ndim))
    order.insert(target % x.ndim, order.pop(source % x.ndim))
    return x.transpose(order)


def flipped(xp: Any, x: Any, axis: Any) -> Any:
    """Return an array with the elements along an axis in the opposite order, as flip does."""
    if type(x) is not np.ndarray or not _is_axis(axis, x.ndim):
        return xp.flip(x, axis)
    return x[(slice(None),) * (axis % x.ndim) + (slice(None, None, -1),)]


def rolled(xp: Any, x: Any, shift: Any, axis: Any) -> Any:
    """Return an array whose elements have moved on by `shift`, the last to the front, as roll does."""
    is_plain = type(x) is np.ndarray and x.ndim == 1 and type(shift) is int and x.size
    if not is_plain or not (axis is None or _is_axis(axis, 1)):
        return xp.roll(x, shift, axis)
    start = -shift % len(x)
    return np.concatenate((x[start:], x[:start]))


def raised(xp: Any, x: Any, axis: Any) -> Any:
    """Return an array with an axis of length 1 more, as expand_dims does."""
    if type(x) is not np.ndarray or not _is_axis(axis, x.ndim + 1):
        return xp.expand_dims(x, axis)
    return x[(slice(None),) * (axis % (x.ndim + 1)) + (None,)]


def spread(xp: Any, x: Any, shape: Any) -> Any:
    """Return an array that is broadcast to a shape: itself, if it has that shape."""
    if type(x) is np.ndarray and x.shape == shape:
        return x
    found = _shown(np.asarray(x), shape) if type(x) is np.ndarray or type(x) is np.float64 else None
    return xp.broadcast_to(x, shape) if found is None else found


def _shown(x: Any, shape: Any) -> Any:
    """Return an array with its elements repeated, which nobody may change; None: the library is to do it."""
    more = len(shape) - x.ndim
    if more < 0 or not x.flags.c_contiguous:
        return None
    strides = [0] * more
    for own, wanted, stride in zip(x.shape, shape[more:], x.strides, strict=True):
        if own not in (wanted, 1):
            return None
        strides.append(stride if own == wanted else 0)
    found: Any = np.ndarray(shape, x.dtype, x, 0, strides)
    found.flags.writeable = False
    return found


def _is_axis(axis: Any, ndim: int) -> bool:
    return type(axis) is int and -ndim <= axis < ndim
