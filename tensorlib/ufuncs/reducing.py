"""The methods reduce, accumulate, reduceat and outer of NumPy's functions element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.library import implementation
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.elementwise.pointwise import MULTIPLY, SUBTRACT
from tensorlib.layout.moving import as_axes, call, linear
from tensorlib.reductions.axes import kept, on_lists
from tensorlib.reductions.sums import SHAPE
from tensorlib.rules import discrete, stacked, tangent_array
from tensorlib.ufuncs.partial_sums import prod_where, sum_where

# Reduce


def add_reduce(
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """See numpy.add.reduce."""
    if initial is None and where is True:
        return np.sum(array, axis, dtype, keepdims=keepdims)
    return sum_where(array, axis, dtype, keepdims, 0 if initial is None else initial, where)


def multiply_reduce(
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """See numpy.multiply.reduce."""
    if initial is None and where is True:
        return np.prod(array, axis, dtype, keepdims=keepdims)
    return prod_where(array, axis, dtype, keepdims, 1 if initial is None else initial, where)


def maximum_reduce(
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """See numpy.maximum.reduce."""
    return np.max(array, axis, keepdims=keepdims, initial=initial, where=where)


def minimum_reduce(
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """See numpy.minimum.reduce."""
    return np.min(array, axis, keepdims=keepdims, initial=initial, where=where)


def all_reduce(array: Any, axis: Any = 0, keepdims: Any = False) -> Any:
    """See numpy.logical_and.reduce."""
    return np.all(array, axis, keepdims=keepdims)


def any_reduce(array: Any, axis: Any = 0, keepdims: Any = False) -> Any:
    """See numpy.logical_or.reduce."""
    return np.any(array, axis, keepdims=keepdims)


for _ufunc, _function in (
    (np.add, add_reduce),
    (np.multiply, multiply_reduce),
    (np.maximum, maximum_reduce),
    (np.minimum, minimum_reduce),
    (np.logical_and, all_reduce),
    (np.logical_or, any_reduce),
):
    translated_as(_ufunc.reduce, _function)


def _shares(xp: Any, a: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    """Return the derivative of logaddexp.reduce by each element, 0 where there is none."""
    whole = kept(xp, y, a.ndim, axis, keepdims)
    with np.errstate(all="ignore"):
        return xp.where(xp.isneginf(whole), 0.0, xp.exp(a - whole))


LOGADDEXP_REDUCE = tensor(
    "np.logaddexp.reduce",
    lambda xp, array, axis=0, dtype=None, keepdims=False: xp.logaddexp.reduce(
        array, axis=axis, dtype=dtype, keepdims=keepdims
    ),
    vjps=(
        on_lists(
            lambda xp, g, y, a, axis=0, dtype=None, keepdims=False: (
                kept(xp, g, a.ndim, axis, keepdims) * _shares(xp, a, y, axis, keepdims)
            )
        ),
        None,
        None,
        None,
    ),
    jvps=(
        lambda t, y, a, axis=0, dtype=None, keepdims=False: call(
            "np.sum",
            MULTIPLY(
                tangent_array(t),
                call(
                    "np.exp",
                    SUBTRACT(stacked(a), call("np.logaddexp.reduce", stacked(a), axis, dtype, True)),
                ),
            ),
            axis,
            None,
            keepdims,
        ),
        None,
        None,
        None,
    ),
    implements=(np.logaddexp.reduce,),
    shape=SHAPE,
    samples=lambda rng: [
        (rng.normal(size=5),),
        (rng.normal(size=(3, 4)), 1),
        (rng.normal(size=(3, 4)), (0, 1), None, True),
        ([1.0, 2.5], 0),
    ],
)


def _of_integers(ufunc: Any) -> None:
    name = ufunc.__name__
    discrete(
        f"np.{name}.reduce",
        lambda xp, array, axis=0, dtype=None, keepdims=False: getattr(xp, name).reduce(
            array, axis=axis, dtype=dtype, keepdims=keepdims
        ),
        4,
        implements=(ufunc.reduce,),
        shape=SHAPE,
        samples=lambda rng: [(rng.integers(0, 9, (3, 4)), 1), (rng.integers(0, 9, 4),)],
    )


for _each in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor, np.gcd, np.lcm):
    _of_integers(_each)

# Accumulate


def add_accumulate(array: Any, axis: Any = 0, dtype: Any = None) -> Any:
    """See numpy.add.accumulate."""
    return np.cumsum(array, axis, dtype)


def multiply_accumulate(array: Any, axis: Any = 0, dtype: Any = None) -> Any:
    """See numpy.multiply.accumulate."""
    return np.cumprod(array, axis, dtype)


def running_extreme(array: Any, axis: Any, is_greatest: Any, ignores_nan: Any = False) -> Any:
    """Return the positions along an axis of the greatest elements so far, or of the least ones.

    ignores_nan: whether a NaN counts only where there is nothing else so far, rather than before all numbers.
    """
    lines = np.moveaxis(np.asarray(array), axis, -1)
    greatest, least = (np.fmax, np.fmin) if ignores_nan else (np.maximum, np.minimum)
    so_far = (greatest if is_greatest else least).accumulate(lines, axis=-1)
    before = so_far[..., :-1]
    is_new = np.ones(lines.shape, bool)
    here = lines[..., 1:]
    better = here > before if is_greatest else here < before
    first, second = (before, here) if ignores_nan else (here, before)
    is_new[..., 1:] = better | (np.isnan(first) & ~np.isnan(second))
    places = np.maximum.accumulate(np.where(is_new, np.arange(lines.shape[-1]), 0), axis=-1)
    return np.moveaxis(places, -1, axis)


RUNNING_EXTREME = discrete(
    "tensorlib.running_extreme",
    lambda xp, array, axis, is_greatest, ignores_nan=False: running_extreme(
        array, axis, is_greatest, ignores_nan
    ),
    4,
    implements=(running_extreme,),
    shape="that of the array",
    samples=lambda rng: [(rng.normal(size=(3, 4)), 1, True), (np.array([3.0, np.nan, 1.0]), 0, False)],
)


def maximum_accumulate(array: Any, axis: Any = 0) -> Any:
    """See numpy.maximum.accumulate; of equal elements the first one counts."""
    array = np.asarray(array)
    return np.take_along_axis(array, running_extreme(array, axis, True), axis)


def minimum_accumulate(array: Any, axis: Any = 0) -> Any:
    """See numpy.minimum.accumulate; of equal elements the first one counts."""
    array = np.asarray(array)
    return np.take_along_axis(array, running_extreme(array, axis, False), axis)


def fmax_accumulate(array: Any, axis: Any = 0) -> Any:
    """See numpy.fmax.accumulate; of equal elements the first one counts."""
    array = np.asarray(array)
    return np.take_along_axis(array, running_extreme(array, axis, True, True), axis)


def fmin_accumulate(array: Any, axis: Any = 0) -> Any:
    """See numpy.fmin.accumulate; of equal elements the first one counts."""
    array = np.asarray(array)
    return np.take_along_axis(array, running_extreme(array, axis, False, True), axis)


def _running(function: Any, array: Any, axis: Any) -> Any:
    """Return the results of a function of two elements, each of the result before and the next element."""
    array = np.moveaxis(np.asarray(array), axis, 0)
    found = list(array[:1])
    for row in array[1:]:
        found.append(function(found[-1], row))
    return np.moveaxis(np.stack(found), 0, axis) if found else array


def subtract_accumulate(array: Any, axis: Any = 0) -> Any:
    """See numpy.subtract.accumulate."""
    return _running(np.subtract, array, axis)


def divide_accumulate(array: Any, axis: Any = 0) -> Any:
    """See numpy.divide.accumulate."""
    return _running(np.divide, array, axis)


def logaddexp_accumulate(array: Any, axis: Any = 0) -> Any:
    """See numpy.logaddexp.accumulate."""
    return _running(np.logaddexp, array, axis)


translated_as(np.add.accumulate, add_accumulate)
translated_as(np.subtract.accumulate, subtract_accumulate)
translated_as(np.divide.accumulate, divide_accumulate)
translated_as(np.logaddexp.accumulate, logaddexp_accumulate)
translated_as(np.multiply.accumulate, multiply_accumulate)
translated_as(np.maximum.accumulate, maximum_accumulate)
translated_as(np.minimum.accumulate, minimum_accumulate)
translated_as(np.fmax.accumulate, fmax_accumulate)
translated_as(np.fmin.accumulate, fmin_accumulate)

# Reduceat


def _segments(indices: Any, length: int) -> tuple[Any, Any]:
    """Return for each element that is summed its position, and the sum that it belongs to."""
    starts = np.asarray(indices)
    ends = np.append(starts[1:], length)
    ends = np.where(ends > starts, ends, starts + 1)
    counts = ends - starts
    sums = np.repeat(np.arange(len(starts)), counts)
    offsets = np.arange(len(sums)) - np.repeat(np.cumsum(counts) - counts, counts)
    return starts[sums] + offsets, sums


def _reduceat_vjp(xp: Any, g: Any, y: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    axis = as_axes(axis, g.ndim)[0]
    positions, sums = _segments(indices, array.shape[axis])
    whole = zeros_beside(g, array.shape, g.dtype)
    at = (slice(None),) * axis
    xp.add.at(whole, (*at, positions), g[(*at, sums)])
    return whole


ADD_REDUCEAT = linear(
    "np.add.reduceat",
    lambda xp, array, indices, axis=0, dtype=None: xp.add.reduceat(array, indices, axis, dtype),
    _reduceat_vjp,
    needs=((1,),),
    implements=(np.add.reduceat,),
    shape="that of the array, with an element for each index along the axis",
    samples=lambda rng: [
        (rng.normal(size=6), np.array([0, 2, 4])),
        (rng.normal(size=6), [0, 4, 1, 5]),
        (rng.normal(size=(6, 2)), np.array([0, 3])),
        (rng.normal(size=(2, 6)), np.array([1, 3]), 1),
        (rng.normal(size=(2, 6)), np.array([1, 3]), -1),
    ],
)


def _reduced_at(function: Any, array: Any, indices: Any, axis: Any) -> Any:
    array = np.moveaxis(np.asarray(array), axis, 0)
    starts = np.asarray(indices).tolist()
    found = []
    for k in range(len(starts)):
        start = starts[k]
        end = starts[k + 1] if k + 1 < len(starts) else len(array)
        found.append(function(array[start : max(end, start + 1)], 0))
    return np.moveaxis(np.stack(found), 0, axis)


def multiply_reduceat(array: Any, indices: Any, axis: Any = 0) -> Any:
    """See numpy.multiply.reduceat."""
    return _reduced_at(np.prod, array, indices, axis)


def maximum_reduceat(array: Any, indices: Any, axis: Any = 0) -> Any:
    """See numpy.maximum.reduceat."""
    return _reduced_at(np.max, array, indices, axis)


def minimum_reduceat(array: Any, indices: Any, axis: Any = 0) -> Any:
    """See numpy.minimum.reduceat."""
    return _reduced_at(np.min, array, indices, axis)


translated_as(np.multiply.reduceat, multiply_reduceat)
translated_as(np.maximum.reduceat, maximum_reduceat)
translated_as(np.minimum.reduceat, minimum_reduceat)

# Outer


def _outer(ufunc: Any) -> Callable[[Any, Any], Any]:
    def outer(A: Any, B: Any) -> Any:
        first = np.asarray(A)
        return ufunc(first.reshape(first.shape + (1,) * np.ndim(B)), B)

    outer.__doc__ = f"""See numpy.{ufunc.__name__}.outer."""
    return outer


for _binary in [*vars(np).values()]:  # `dir` names modules, too, that NumPy loads when they are asked for
    if type(_binary) is np.ufunc and (_binary.nin, _binary.nout) == (2, 1) and implementation(_binary):
        translated_as(_binary.outer, _outer(_binary))
