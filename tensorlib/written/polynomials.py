"""Polynomials by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as


def poly(seq_of_zeros: Any) -> Any:
    """See numpy.poly."""
    zeros = np.atleast_1d(seq_of_zeros)
    if len(zeros.shape) == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0] != 0:
        zeros = np.linalg.eigvals(zeros)
    elif len(zeros.shape) != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if len(zeros) == 0:
        return 1.0
    zeros = zeros + 0.0
    found = np.ones((1,), dtype=zeros.dtype)
    for zero in zeros:
        found = np.convolve(found, np.stack([np.ones_like(zero), -zero]), mode="full")
    if np.iscomplexobj(found) and np.all(np.sort(zeros) == np.sort(np.conjugate(zeros))):
        return np.real(found)
    return found


def roots(p: Any) -> Any:
    """See numpy.roots."""
    p = np.atleast_1d(p) * 1.0
    used = np.nonzero(np.ravel(p))[0]
    if len(used) == 0:
        return np.array([])
    trailing = len(p) - int(used[-1]) - 1
    p = p[int(used[0]) : int(used[-1]) + 1]
    n = len(p)
    if n < 2:
        return np.zeros(trailing)
    companion = np.diag(np.ones(n - 2, p.dtype), -1)
    companion[0] = -p[1:] / p[0]
    found = np.linalg.eigvals(companion)
    return np.concatenate([found, np.zeros(trailing)]) if trailing else found


def _longer(a: Any, n: int) -> Any:
    """Return coefficients with zeros before them, so many in all."""
    missing = n - len(a)
    return np.concatenate([np.zeros(missing, a.dtype), a]) if missing > 0 else a


def polyadd(a1: Any, a2: Any) -> Any:
    """See numpy.polyadd."""
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    n = max(len(a), len(b))
    return _longer(a, n) + _longer(b, n)


def polysub(a1: Any, a2: Any) -> Any:
    """See numpy.polysub."""
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    n = max(len(a), len(b))
    return _longer(a, n) - _longer(b, n)


def polymul(a1: Any, a2: Any) -> Any:
    """See numpy.polymul."""
    return np.convolve(_without_zeros(np.atleast_1d(a1)), _without_zeros(np.atleast_1d(a2)))


def _without_zeros(a: Any) -> Any:
    """Return coefficients without the zeros before them, as NumPy makes a poly1d of them."""
    used = np.nonzero(a)[0]
    return a[int(used[0]) :] if len(used) else np.zeros(1, a.dtype)


def polydiv(u: Any, v: Any) -> Any:
    """See numpy.polydiv."""
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    dtype = (u[0] + v[0]).dtype
    quotient = np.zeros((max(m - n + 1, 1),), dtype)
    rest = u.astype(dtype)
    for k in range(m - n + 1):
        d = scale * rest[k]
        quotient[k] = d
        rest[k : k + n + 1] -= d * v
    while np.isclose(rest[0], 0.0, rtol=1e-14) and rest.shape[-1] > 1:
        rest = rest[1:]
    return quotient, rest


def polyder(p: Any, m: Any = 1) -> Any:
    """See numpy.polyder."""
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    """See numpy.polyint."""
    p = np.asarray(p)
    constants = np.zeros(m) if k is None else np.atleast_1d(k) + 0.0
    if len(constants) == 1 and m > 1:
        constants = constants[0] * np.ones(m)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        p = np.concatenate([p / np.arange(len(p), 0, -1), constants[i : i + 1]])
    return p


def polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False
) -> Any:
    """See numpy.polyfit."""
    order = int(deg) + 1
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    lhs, rhs = np.vander(x, order), y
    if w is not None:
        w = np.asarray(w) + 0.0
        lhs = lhs * w[:, np.newaxis]
        rhs = rhs * (w[:, np.newaxis] if rhs.ndim == 2 else w)
    scale = np.sqrt(np.sum(lhs * lhs, axis=0))
    c, residuals, rank, singular = np.linalg.lstsq(lhs / scale, rhs, rcond)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, singular, rcond
    if cov is False:
        return c
    inverse = np.linalg.inv(np.dot((lhs / scale).T, lhs / scale)) / np.outer(scale, scale)
    if cov == "unscaled":
        return c, inverse
    if len(x) <= order:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    share = residuals / (len(x) - order)
    return c, inverse * share if y.ndim == 1 else inverse[:, :, np.newaxis] * share


_FUNCTIONS: tuple[Any, ...] = (poly, roots, polyadd, polysub, polymul, polydiv, polyder, polyint, polyfit)
for _function in _FUNCTIONS:
    translated_as(getattr(np, _function.__name__), _function)
