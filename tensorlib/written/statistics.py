"""Statistics along axes: those without NaNs, correlations, histograms of several variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as
from tensorlib.written.calling import apply_along_axis


def nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """See numpy.nancumsum."""
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis, dtype=dtype)


def nancumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """See numpy.nancumprod."""
    return np.cumprod(np.where(np.isnan(a), 1, a), axis=axis, dtype=dtype)


def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """See numpy.nanprod."""
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis, dtype=dtype, keepdims=keepdims)


def nanvar(a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """See numpy.nanvar."""
    missing = np.isnan(a)
    filled = np.where(missing, 0.0, a)
    counts = np.sum(np.logical_not(missing), axis=axis, keepdims=True)
    mean = (np.sum(filled, axis=axis, keepdims=True) / counts).astype(filled.dtype)
    deviations = np.where(missing, 0.0, filled - mean)
    is_complex = np.iscomplexobj(deviations)
    squares = np.real(deviations * np.conj(deviations)) if is_complex else np.square(deviations)
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    degrees = np.sum(np.logical_not(missing), axis=axis, keepdims=keepdims) - ddof
    return np.where(degrees <= 0, np.nan, (total / degrees).astype(squares.dtype))[()]


def nanstd(a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """See numpy.nanstd."""
    return np.sqrt(nanvar(a, axis, dtype, ddof, keepdims))


def _kept(found: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """Return quantiles along one axis, or of all elements, with the axes as asked for."""
    if not keepdims:
        return found
    if axis is None:
        return np.reshape(found, (1,) * np.ndim(a))
    return np.expand_dims(found, axis)


def nanmedian(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """See numpy.nanmedian; of one axis, or of all."""
    a = np.asarray(a)
    found = _present(np.ravel(a)) if axis is None else apply_along_axis(_present, axis, a)
    return _kept(found, a, axis, keepdims)


def _present(line: Any) -> Any:
    """Return the median of what is no NaN; it rounds otherwise than the quantile at a half does."""
    present = line[np.logical_not(np.isnan(line))]
    return np.median(present) if len(present) else np.nan


def nanpercentile(a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False) -> Any:
    """See numpy.nanpercentile; of one axis, or of all."""
    return nanquantile(a, np.divide(q, 100), axis, method, keepdims)


def nanquantile(a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False) -> Any:
    """See numpy.nanquantile; of one axis, or of all."""
    a = np.asarray(a)

    def of_line(line: Any) -> Any:
        present = line[np.logical_not(np.isnan(line))]
        if len(present) == 0:
            return np.full(np.shape(q), np.nan)
        return np.quantile(present, q, method=method)

    if axis is None:
        return _kept(of_line(np.ravel(a)), a, axis, keepdims)
    found = apply_along_axis(of_line, axis, a)
    if np.ndim(q):
        found = np.moveaxis(found, axis, 0)
        return np.expand_dims(found, axis + 1 if axis >= 0 else axis) if keepdims else found
    return _kept(found, a, axis, keepdims)


def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Any:
    """See numpy.cov."""
    x = _doubled(np.atleast_2d(m))
    if not rowvar and np.ndim(m) != 1:
        x = x.T
    if y is not None:
        other = _doubled(np.atleast_2d(y))
        x = np.concatenate([x, other.T if not rowvar and other.shape[0] != 1 else other])
    lost = (0 if bias else 1) if ddof is None else ddof
    w = None
    if fweights is not None:
        w = np.asarray(fweights) + 0.0
    if aweights is not None:
        w = np.asarray(aweights) + 0.0 if w is None else w * aweights
    if w is None:
        centred = x - np.mean(x, axis=1)[:, np.newaxis]
        return _products(centred, centred.T, x.shape[1] - lost)
    total = np.sum(w)
    if lost == 0:
        degrees = total
    elif aweights is None:
        degrees = total - lost
    else:
        degrees = total - lost * np.sum(w * aweights) / total
    centred = x - np.average(x, axis=1, weights=w)[:, np.newaxis]
    return _products(centred, (centred * w).T, degrees)


def _doubled(x: Any) -> Any:
    """Return an array in the precision in which NumPy takes covariances."""
    return x.astype(np.result_type(x.dtype, np.float64))


def _products(x: Any, y: Any, degrees: Any) -> Any:
    other = np.conj(y) if np.iscomplexobj(y) else y
    return np.squeeze(np.dot(x, other) * np.true_divide(1, degrees if degrees > 0 else 0.0))


def corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    """See numpy.corrcoef."""
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    deviations = np.sqrt(np.diag(c))
    return np.clip(c / deviations[:, np.newaxis] / deviations[np.newaxis, :], -1.0, 1.0)


for _function in (
    nancumsum,
    nancumprod,
    nanprod,
    nanvar,
    nanstd,
    nanmedian,
    nanpercentile,
    nanquantile,
    cov,
    corrcoef,
):
    translated_as(getattr(np, _function.__name__), _function)
