"""Sums, greatest and least elements along a short last axis of NumPy's arrays, and products of vectors there.

NumPy's own loops over rows of a few elements spend most of their time between rows, and its `cross` copies
its operands first. The functions here work column by column, and have NumPy's bits: fewer than eight elements
are added one after another, from 0.0 on, by NumPy as well, which is tested once for each length. Where engine
c is loaded, its loops add along any short axis, and find extremes. Of zeros among which an extreme is, NumPy
chooses by the layout, so it is asked.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from checkpoint.scalars.kernels import kernel_of

MOST = 7  # elements, of which NumPy adds one after another
FEWEST_ROWS = 64
_REDUCED: Any = np.add.reduce  # which np.sum ends in
_CHOOSING = {"max": np.maximum, "min": np.minimum}


def is_short(a: Any, axis: Any) -> bool:
    """Return whether an array is one of float64, in one piece, and an axis its last, which is short."""
    return (
        type(a) is np.ndarray
        and type(axis) is int
        and a.ndim > 1
        and (axis == -1 or axis == a.ndim - 1)
        and 1 < a.shape[-1] <= MOST
        and a.size >= FEWEST_ROWS * a.shape[-1]
        and a.dtype == np.float64
        and a.flags.c_contiguous
    )


def added_up(xp: Any, a: Any, axis: Any, keepdims: bool = False) -> Any:
    """Return the sum of an array along axes."""
    if type(a) is not np.ndarray:
        return xp.sum(a, axis=axis, keepdims=keepdims)
    found = None
    if axis is None and not keepdims and (loop := kernel_of("total")) is not None:
        found = loop(a)
    elif type(axis) is int and (loop := kernel_of("sum")) is not None:
        found = loop(a, axis, keepdims)
    if found is not None:
        return found
    if is_short(a, axis) and _is_in_order(a.shape[-1]):
        return _kept(_added(a), keepdims)
    return _REDUCED(a, axis=axis, keepdims=keepdims)


def extreme(xp: Any, name: str, a: Any, axis: Any, keepdims: bool) -> Any:
    """Return the greatest or the least elements of an array along axes. name: that of the function."""
    if name in _CHOOSING and is_short(a, axis):
        found = None if (loop := kernel_of(name)) is None else loop(a)
        if found is not None:
            return _kept(found, keepdims)
        found = _chosen(_CHOOSING[name], a)
        if not found.all():
            found[found == 0.0] = getattr(np, name)(a[found == 0.0], axis=-1)
        return _kept(found, keepdims)
    return getattr(xp, name)(a, axis=axis, keepdims=keepdims)


def crossed(xp: Any, a: Any, b: Any, *axes: Any) -> Any:
    """Return the cross products of vectors. axes: those that np.cross takes, which are -1 where left out."""
    are_plain = _are_vectors(a) and _are_vectors(b) and a.shape == b.shape
    if are_plain and all(axis is None or axis == -1 for axis in axes):
        loop = kernel_of("cross")
        found = None if loop is None else loop(a, b)
        return _crossed(a, b) if found is None else found
    return xp.cross(a, b, *axes)


def _are_vectors(a: Any) -> bool:
    return type(a) is np.ndarray and a.ndim > 0 and a.shape[-1] == 3 and a.dtype == np.float64


def _crossed(a: Any, b: Any) -> Any:
    found = np.empty(a.shape)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[..., j], b[..., k], out=found[..., i])
        found[..., i] -= a[..., k] * b[..., j]
    return found


def _added(a: Any) -> Any:
    total = a[..., 0] + a[..., 1]
    for column in range(2, a.shape[-1]):
        total += a[..., column]
    total += 0.0  # a sum that begins with 0.0 is never -0.0
    return total


def _chosen(choose: Any, a: Any) -> Any:
    found = choose(a[..., 0], a[..., 1])
    for column in range(2, a.shape[-1]):
        choose(found, a[..., column], out=found)
    return found


def _kept(found: Any, keepdims: bool) -> Any:
    return found[..., None] if keepdims else found


@functools.cache
def _is_in_order(length: int) -> bool:
    """Return whether NumPy adds rows of so many elements as `_added` does."""
    rng = np.random.default_rng(length)
    sample = rng.normal(size=(FEWEST_ROWS, length))
    sample[::4] = rng.choice((0.0, -0.0), size=sample[::4].shape)
    sample[0] = -0.0
    return bool(np.sum(sample, axis=1).tobytes() == _added(sample).tobytes())
