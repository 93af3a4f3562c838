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


def spread(xp: Any, x: Any, shape: Any) -> Any:
    """Return an array that is broadcast to a shape: itself, if it has that shape."""
    return x if type(x) is np.ndarray and x.shape == shape else xp.broadcast_to(x, shape)


def _is_axis(axis: Any, ndim: int) -> bool:
    return type(axis) is int and -ndim <= axis < ndim
