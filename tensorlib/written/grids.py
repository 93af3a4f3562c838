"""What NumPy writes with brackets: np.r_[...], np.c_[...], np.s_[...], np.mgrid[...], np.ogrid[...]; ndindex.

The index comes as one value. A step such as 5j, a number of points, comes as a tuple of that number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as


def s_(index: Any) -> Any:
    """See numpy.s_."""
    return index


def index_exp(index: Any) -> Any:
    """See numpy.index_exp."""
    return index if isinstance(index, tuple) else (index,)


# Arrays put together


def _range(part: Any) -> Any:
    """Return the elements that a slice stands for."""
    start = 0 if part.start is None else part.start
    if isinstance(part.step, tuple):
        return np.linspace(start, part.stop, num=int(part.step[0]))
    return np.arange(start, part.stop, 1 if part.step is None else part.step)


def _joined(index: Any, ndim: Any) -> Any:
    """Return the parts of an index joined along the last axis of `ndim` axes."""
    parts = []
    numbers = []
    for part in index_exp(index):
        if isinstance(part, str):
            raise refusal(
                "a text among the parts of np.r_ or np.c_ is not taken here: join them by np.concatenate"
            )
        if isinstance(part, slice):
            parts.append(_range(part))
        elif np.ndim(part) == 0:
            numbers.append(part)
            parts.append(None)
        else:
            parts.append(np.asarray(part))
    dtype = None
    for part in parts:
        if part is not None:
            dtype = part.dtype if dtype is None else np.promote_types(dtype, part.dtype)
    for number in numbers:
        dtype = np.asarray(number).dtype if dtype is None else np.result_type(dtype, number)
    found = []
    taken = 0
    for part in parts:
        array = np.asarray(numbers[taken]) if part is None else part
        taken = taken + (1 if part is None else 0)
        if ndim == 2 and array.ndim < 2:
            array = array.reshape((-1, 1))
        elif array.ndim == 0:
            array = array.reshape((1,))
        found.append(array.astype(dtype))
    return np.concatenate(found, axis=-1 if ndim == 2 else 0)


def r_(index: Any) -> Any:
    """See numpy.r_."""
    return _joined(index, 1)


def c_(index: Any) -> Any:
    """See numpy.c_."""
    return _joined(index, 2)


# Grids


def _points(part: Any) -> Any:
    """Return the first element, the step and the number of elements that a slice stands for."""
    start = 0 if part.start is None else part.start
    if isinstance(part.step, tuple):
        count = int(part.step[0])
        return start, (part.stop - start) / float(count - 1) if count != 1 else float(count), count
    step = 1 if part.step is None else part.step
    return start, step, int(np.ceil((part.stop - start) / (step * 1.0)))


def _axes(index: Any) -> Any:
    """Return the elements along each axis of a grid."""
    dtype: Any = "int64"
    for part in index:
        start, step, _ = _points(part)
        dtype = np.promote_types(dtype, np.result_type(start, part.stop, step))
    found = []
    for part in index:
        start, step, count = _points(part)
        found.append((np.arange(count).astype(dtype) * step + start).astype(dtype))
    return found


def _of_one(part: Any) -> Any:
    if isinstance(part.step, tuple):
        return _axes((part,))[0]
    return _range(part)


def mgrid(index: Any) -> Any:
    """See numpy.mgrid."""
    if not isinstance(index, tuple):
        return _of_one(index)
    axes = _axes(index)
    n = len(axes)
    shape = tuple([len(axis) for axis in axes])
    found = []
    for i in range(n):
        found.append(np.broadcast_to(axes[i].reshape((1,) * i + (-1,) + (1,) * (n - i - 1)), shape))
    return np.stack(found)


def ogrid(index: Any) -> Any:
    """See numpy.ogrid."""
    if not isinstance(index, tuple):
        return _of_one(index)
    axes = _axes(index)
    n = len(axes)
    return tuple([axes[i].reshape((1,) * i + (-1,) + (1,) * (n - i - 1)) for i in range(n)])


# Positions, one after another


def ndindex(*shape: Any) -> Any:
    """See numpy.ndindex; a list of all positions."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    found: Any = [()]
    for size in sizes:
        found = [(*index, i) for index in found for i in range(size)]
    return found


def ndenumerate(arr: Any) -> Any:
    """See numpy.ndenumerate; a list of all positions and elements."""
    return [(index, arr[index]) for index in ndindex(np.shape(arr))]


for _object, _function in (
    (np.s_, s_),
    (np.index_exp, index_exp),
    (np.r_, r_),
    (np.c_, c_),
    (np.mgrid, mgrid),
    (np.ogrid, ogrid),
    (np.ndindex, ndindex),
    (np.ndenumerate, ndenumerate),
):
    translated_as(_object, _function)
