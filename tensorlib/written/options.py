"""Functions of NumPy with all their parameters, for calls with arguments that their records lack."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_in_full
from tensorlib.elementwise.selection import CLIP
from tensorlib.layout.indexing import INDICES
from tensorlib.layout.ranges import MESHGRID
from tensorlib.layout.shapes import FLATTEN, RAVEL, RESHAPE, RESHAPE_METHOD
from tensorlib.linear.linalg import MATRIX_RANK
from tensorlib.linear.singular import PINV
from tensorlib.reductions.extremes import ALL, ANY, MAX, MIN
from tensorlib.reductions.missing import NANMEAN, NANSUM
from tensorlib.reductions.scans import DIFF
from tensorlib.reductions.sums import AVERAGE, MEAN, STD, VAR
from tensorlib.signals.calculus import INTERP
from tensorlib.ufuncs.partial_sums import sum_where

# Reductions


def _count(a: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    return np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims)


def mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    """See numpy.mean."""
    a = np.asarray(a)
    return np.divide(sum_where(a, axis, dtype, keepdims, 0, where), _count(a, axis, keepdims, where))


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """See numpy.var."""
    a = np.asarray(a)
    lost = ddof if correction is None else correction
    if mean is None:
        mean = np.divide(sum_where(a, axis, dtype, True, 0, where), _count(a, axis, True, where))
    total = sum_where(np.square(a - mean), axis, dtype, keepdims, 0, where)
    return np.divide(total, np.maximum(_count(a, axis, keepdims, where) - lost, 0))


def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """See numpy.std."""
    return np.sqrt(var(a, axis, dtype, ddof, keepdims, where, mean, correction))


def max(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """See numpy.max."""
    if where is not True:
        if initial is None:
            raise ValueError(
                "reduction operation 'maximum' does not have an identity, so to use a where mask one has to "
                "specify 'initial'"
            )
        a = np.where(where, a, initial)
    if initial is None:
        return np.max(a, axis, keepdims)
    if np.size(a) == 0:
        return np.sum(a, axis, keepdims=keepdims) * 0 + initial
    return np.maximum(np.max(a, axis, keepdims), initial)


def min(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """See numpy.min."""
    if where is not True:
        if initial is None:
            raise ValueError(
                "reduction operation 'minimum' does not have an identity, so to use a where mask one has to "
                "specify 'initial'"
            )
        a = np.where(where, a, initial)
    if initial is None:
        return np.min(a, axis, keepdims)
    if np.size(a) == 0:
        return np.sum(a, axis, keepdims=keepdims) * 0 + initial
    return np.minimum(np.min(a, axis, keepdims), initial)


def any(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    """See numpy.any."""
    return np.any(np.logical_and(a, where), axis, keepdims)


def all(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    """See numpy.all."""
    return np.all(np.logical_or(a, np.logical_not(where)), axis, keepdims)


def nansum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = 0, where: Any = True
) -> Any:
    """See numpy.nansum."""
    return sum_where(np.where(np.isnan(a), 0, a), axis, dtype, keepdims, initial, where)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    """See numpy.nanmean."""
    present = np.logical_and(np.logical_not(np.isnan(a)), where)
    total = sum_where(np.where(np.isnan(a), 0, a), axis, dtype, keepdims, 0, where)
    return np.divide(total, np.sum(present, axis, keepdims=keepdims))


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    """See numpy.average."""
    found = np.average(a, axis, weights, keepdims=keepdims)
    if not returned:
        return found
    if weights is None:
        share = np.size(a) / np.size(found)
        return found, np.zeros_like(found) + share
    weights = np.asarray(weights)
    if weights.shape != np.shape(a):
        weights = np.broadcast_to(weights, np.shape(np.moveaxis(np.asarray(a), axis, -1)))
        weights = np.moveaxis(weights, -1, axis)
    return found, np.broadcast_to(np.sum(weights, axis, keepdims=keepdims), np.shape(found)).copy()


# Elements


def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """See numpy.clip."""
    return np.clip(a, min if a_min is None else a_min, max if a_max is None else a_max)


def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """See numpy.diff."""
    a = np.asarray(a)
    shape = tuple([1 if i == axis % a.ndim else m for i, m in enumerate(a.shape)])
    parts = [a]
    if prepend is not None:
        parts = [np.broadcast_to(prepend, shape) if np.ndim(prepend) == 0 else np.asarray(prepend), *parts]
    if append is not None:
        parts = [*parts, np.broadcast_to(append, shape) if np.ndim(append) == 0 else np.asarray(append)]
    return np.diff(np.concatenate(parts, axis=axis), n, axis)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """See numpy.interp."""
    if period is None:
        return np.interp(x, xp, fp, left, right)
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = np.absolute(period)
    x, xp, fp = np.remainder(x, period), np.remainder(xp, period), np.asarray(fp)
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return np.interp(x, xp, np.concatenate([fp[-1:], fp, fp[:1]]))


def indices(dimensions: Any, dtype: Any = "int64", sparse: Any = False) -> Any:
    """See numpy.indices."""
    if not sparse:
        return np.indices(dimensions).astype(dtype)
    n = len(dimensions)
    return tuple(
        [
            np.arange(m).astype(dtype).reshape((1,) * i + (m,) + (1,) * (n - i - 1))
            for i, m in enumerate(dimensions)
        ]
    )


def meshgrid(*xi: Any, indexing: Any = "xy", sparse: Any = False) -> Any:
    """See numpy.meshgrid."""
    n = len(xi)
    found = []
    sizes = [np.size(x) for x in xi]
    if indexing == "xy" and n > 1:
        sizes = [sizes[1], sizes[0], *sizes[2:]]
    for i, x in enumerate(xi):
        place = 1 - i if indexing == "xy" and n > 1 and i < 2 else i
        part = np.asarray(x).reshape((1,) * place + (-1,) + (1,) * (n - place - 1))
        found.append(part if sparse else np.broadcast_to(part, tuple(sizes)).copy())
    return tuple(found)


# The order of elements in memory


def reshape(a: Any, shape: Any, order: Any = "C") -> Any:
    """See numpy.reshape."""
    if order == "C" or order is None:
        return np.reshape(a, shape)
    if order != "F":
        raise refusal("the order of elements of reshape is C or F here")
    sizes = tuple(shape)[::-1] if isinstance(shape, list | tuple) else (shape,)
    return np.transpose(np.reshape(np.transpose(a), sizes))


def reshape_method(a: Any, *shape: Any, order: Any = "C") -> Any:
    """See numpy.ndarray.reshape."""
    return reshape(a, shape[0] if len(shape) == 1 else shape, order)


def ravel(a: Any, order: Any = "C") -> Any:
    """See numpy.ravel."""
    if order == "C" or order is None:
        return np.ravel(a)
    if order != "F":
        raise refusal("the order of elements of ravel is C or F here")
    return np.ravel(np.transpose(a))


def flatten(a: Any, order: Any = "C") -> Any:
    """See numpy.ndarray.flatten."""
    return np.array(ravel(a, order))


# Matrices


def pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    """See numpy.linalg.pinv."""
    return np.linalg.pinv(a, rcond if rtol is None else rtol, hermitian)


def matrix_rank(A: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    """See numpy.linalg.matrix_rank."""
    if rtol is None:
        return np.linalg.matrix_rank(A, tol, hermitian)
    return np.linalg.matrix_rank(A, rtol * np.max(np.linalg.svd(A, False, False), axis=-1), hermitian)


for _record, _function in (
    (MEAN, mean),
    (VAR, var),
    (STD, std),
    (MAX, max),
    (MIN, min),
    (ANY, any),
    (ALL, all),
    (NANSUM, nansum),
    (NANMEAN, nanmean),
    (AVERAGE, average),
    (CLIP, clip),
    (DIFF, diff),
    (INTERP, interp),
    (INDICES, indices),
    (MESHGRID, meshgrid),
    (RESHAPE, reshape),
    (RESHAPE_METHOD, reshape_method),
    (RAVEL, ravel),
    (FLATTEN, flatten),
    (PINV, pinv),
    (MATRIX_RANK, matrix_rank),
):
    translated_in_full(_record, _function)
