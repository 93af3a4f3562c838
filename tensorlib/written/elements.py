"""Functions of arrays that are a few calls of others: parts of numbers, differences, logs, sums, sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import scimath

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as
from tensorlib.elementwise.exponents import exponents_of


def divmod(x1: Any, x2: Any) -> Any:
    """See numpy.divmod."""
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


def complex128(x: Any) -> Any:
    """See numpy.complex128, of a number or an array."""
    return np.asarray(x).astype(complex)[()]


def modf(x: Any) -> Any:
    """See numpy.modf."""
    x = np.multiply(x, 1.0)
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), 0.0, np.subtract(x, whole)), x), whole


def frexp(x: Any) -> Any:
    """See numpy.frexp."""
    exponents = exponents_of(x)
    return np.ldexp(x, -exponents), exponents


def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 6.283185307179586) -> Any:
    """See numpy.unwrap."""
    p = np.moveaxis(np.asarray(p), axis, -1)
    steps = np.diff(p)
    if discont is None:
        discont = period / 2
    high = period / 2
    low = -high
    wrapped = np.remainder(steps - low, period) + low
    wrapped = np.where(np.logical_and(wrapped == low, steps > 0), high, wrapped)
    correction = np.where(np.absolute(steps) < discont, 0.0, wrapped - steps)
    found = np.concatenate([p[..., :1], p[..., 1:] + np.cumsum(correction, axis=-1)], axis=-1)
    return np.moveaxis(found, -1, axis)


def trim_zeros(filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    """See numpy.trim_zeros; of one axis."""
    if np.ndim(filt) != 1:
        raise refusal("trim_zeros: only arrays of one axis are taken here")
    used = np.nonzero(np.asarray(filt))[0]
    if len(used) == 0:
        return filt[:0]
    first = int(used[0]) if "f" in trim.lower() else 0
    last = int(used[-1]) + 1 if "b" in trim.lower() else len(filt)
    return filt[first:last]


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """See numpy.ediff1d."""
    line = np.ravel(ary)
    parts = [line[1:] - line[:-1]]
    if to_begin is not None:
        parts = [np.ravel(to_begin).astype(line.dtype), *parts]
    if to_end is not None:
        parts = [*parts, np.ravel(to_end).astype(line.dtype)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def cumulative_sum(x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    """See numpy.cumulative_sum."""
    x = np.atleast_1d(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    found = np.cumsum(x, axis=axis, dtype=dtype)
    if not include_initial:
        return found
    return np.concatenate([np.zeros_like(np.take(found, [0], axis)), found], axis=axis)


def cumulative_prod(x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    """See numpy.cumulative_prod."""
    x = np.atleast_1d(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    found = np.cumprod(x, axis=axis, dtype=dtype)
    if not include_initial:
        return found
    return np.concatenate([np.ones_like(np.take(found, [0], axis)), found], axis=axis)


def real_if_close(a: Any, tol: Any = 100) -> Any:
    """See numpy.real_if_close."""
    a = np.asarray(a)
    if not np.iscomplexobj(a):
        return a
    if tol > 1:
        tol = 2.220446049250313e-16 * tol
    return np.real(a) if np.all(np.absolute(np.imag(a)) < tol) else a


def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None) -> Any:
    """See numpy.geomspace; of real ends."""
    if np.any(np.equal(start, 0)) or np.any(np.equal(stop, 0)):
        raise ValueError("Geometric sequence cannot include zero")
    sign = np.sign(start)
    first, last = np.divide(start, sign), np.divide(stop, sign)
    found = np.logspace(np.log10(first), np.log10(last), num, endpoint=endpoint, base=10.0)
    if num > 0:
        found[0] = first
        if num > 1 and endpoint:
            found[-1] = last
    found = found * sign
    return found if dtype is None else found.astype(dtype)


def array_equiv(a1: Any, a2: Any) -> Any:
    """See numpy.array_equiv."""
    a, b = np.asarray(a1), np.asarray(a2)
    for i in range(1, min(a.ndim, b.ndim) + 1):
        if a.shape[-i] != b.shape[-i] and a.shape[-i] != 1 and b.shape[-i] != 1:
            return False
    return bool(np.all(a == b))


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """See numpy.asarray_chkfinite."""
    a = np.asarray(a, dtype=dtype)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def matvec(x1: Any, x2: Any) -> Any:
    """See numpy.matvec."""
    return np.matmul(x1, np.asarray(x2)[..., np.newaxis])[..., 0]


def vecmat(x1: Any, x2: Any) -> Any:
    """See numpy.vecmat."""
    return np.matmul(np.conjugate(np.asarray(x1))[..., np.newaxis, :], x2)[..., 0, :]


# Sets: which elements are in them is constant


def union1d(ar1: Any, ar2: Any) -> Any:
    """See numpy.union1d."""
    return np.unique(np.concatenate([np.ravel(ar1), np.ravel(ar2)]))


def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False) -> Any:
    """See numpy.intersect1d."""
    a, b = np.ravel(ar1), np.ravel(ar2)
    at_a, at_b = np.arange(len(a)), np.arange(len(b))
    if not assume_unique:
        a, at_a = np.unique(a, return_index=True)
        b, at_b = np.unique(b, return_index=True)
    both = np.concatenate([a, b])
    order = np.argsort(both, kind="stable")
    both = both[order]
    found = np.nonzero(both[1:] == both[:-1])[0]
    if not return_indices:
        return both[found]
    return both[found], at_a[order[found]], at_b[order[found + 1] - len(a)]


def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """See numpy.setdiff1d."""
    a = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return a[np.isin(a, ar2, invert=True)]


def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """See numpy.setxor1d."""
    a = np.ravel(ar1) if assume_unique else np.unique(ar1)
    b = np.ravel(ar2) if assume_unique else np.unique(ar2)
    both = np.sort(np.concatenate([a, b]))
    if both.size == 0:
        return both
    differs = np.concatenate([np.array([True]), both[1:] != both[:-1], np.array([True])])
    return both[np.logical_and(differs[1:], differs[:-1])]


# Parts and norms of matrices


def linalg_diagonal(x: Any, offset: Any = 0) -> Any:
    """See numpy.linalg.diagonal."""
    return np.diagonal(x, offset, -2, -1)


def matrix_norm(x: Any, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    """See numpy.linalg.matrix_norm."""
    return np.linalg.norm(x, ord, (-2, -1), keepdims)


def vector_norm(x: Any, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    """See numpy.linalg.vector_norm; along one axis, or of all elements."""
    x = np.asarray(x)
    if axis is not None:
        return np.linalg.norm(x, ord, axis, keepdims)
    found = np.linalg.norm(np.ravel(x), ord)
    return np.reshape(found, (1,) * x.ndim) if keepdims else found


def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """See numpy.fft.hfft."""
    swapped: Any = "forward" if norm is None or norm == "backward" else norm
    swapped = "backward" if norm == "forward" else swapped
    return np.fft.irfft(np.conjugate(a), n, axis, swapped)


def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """See numpy.fft.ihfft."""
    swapped: Any = "forward" if norm is None or norm == "backward" else norm
    swapped = "backward" if norm == "forward" else swapped
    return np.conjugate(np.fft.rfft(a, n, axis, swapped))


# Functions that give complex numbers where there is no real one


def _widened(x: Any, is_outside: Any) -> Any:
    return x.astype(complex) if not np.iscomplexobj(x) and np.any(is_outside) else x


def emath_sqrt(x: Any) -> Any:
    """See numpy.emath.sqrt."""
    x = np.asarray(x)
    return np.sqrt(_widened(x, np.real(x) < 0))


def emath_log(x: Any) -> Any:
    """See numpy.emath.log."""
    x = np.asarray(x)
    return np.log(_widened(x, np.real(x) < 0))


def emath_log10(x: Any) -> Any:
    """See numpy.emath.log10."""
    x = np.asarray(x)
    return np.log10(_widened(x, np.real(x) < 0))


def emath_log2(x: Any) -> Any:
    """See numpy.emath.log2."""
    x = np.asarray(x)
    return np.log2(_widened(x, np.real(x) < 0))


def emath_logn(n: Any, x: Any) -> Any:
    """See numpy.emath.logn."""
    return emath_log(x) / emath_log(n)


def emath_arcsin(x: Any) -> Any:
    """See numpy.emath.arcsin."""
    x = np.asarray(x)
    return np.arcsin(_widened(x, np.abs(x) > 1))


def emath_arccos(x: Any) -> Any:
    """See numpy.emath.arccos."""
    x = np.asarray(x)
    return np.arccos(_widened(x, np.abs(x) > 1))


def emath_arctanh(x: Any) -> Any:
    """See numpy.emath.arctanh."""
    x = np.asarray(x)
    return np.arctanh(_widened(x, np.abs(x) > 1))


def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> Any:
    """See numpy.seterr: within programs, as for numpy.errstate, nothing is changed."""
    return {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def emath_power(x: Any, p: Any) -> Any:
    """See numpy.emath.power."""
    x = np.asarray(x)
    return np.power(_widened(x, np.real(x) < 0), p)


for _function in (
    divmod,
    modf,
    frexp,
    unwrap,
    trim_zeros,
    ediff1d,
    cumulative_sum,
    cumulative_prod,
    real_if_close,
    geomspace,
    array_equiv,
    asarray_chkfinite,
    matvec,
    vecmat,
    union1d,
    intersect1d,
    setdiff1d,
    setxor1d,
):
    translated_as(getattr(np, _function.__name__), _function)
translated_as(np.complex128, complex128)
translated_as(np.seterr, seterr)
translated_as(np.linalg.diagonal, linalg_diagonal)
translated_as(np.linalg.matrix_norm, matrix_norm)
translated_as(np.linalg.vector_norm, vector_norm)
translated_as(np.fft.hfft, hfft)
translated_as(np.fft.ihfft, ihfft)
translated_as(scimath.sqrt, emath_sqrt)
translated_as(scimath.log, emath_log)
translated_as(scimath.log10, emath_log10)
translated_as(scimath.log2, emath_log2)
translated_as(scimath.logn, emath_logn)
translated_as(scimath.arcsin, emath_arcsin)
translated_as(scimath.arccos, emath_arccos)
translated_as(scimath.arctanh, emath_arctanh)
translated_as(scimath.power, emath_power)
