"""Polynomials of numpy.polynomial by their coefficients, the lowest degree first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from checkpoint.prims.arrays import translated_as

# Powers


def power_polyval(x: Any, c: Any, tensor: Any = True) -> Any:
    """See numpy.polynomial.polynomial.polyval."""
    c = np.array(c, ndmin=1) + 0.0
    x = np.asarray(x)
    if tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    found = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        found = c[-i] + found * x
    return found


def polyvalfromroots(x: Any, r: Any, tensor: Any = True) -> Any:
    """See numpy.polynomial.polynomial.polyvalfromroots."""
    r, x = np.array(r, ndmin=1) + 0.0, np.asarray(x)
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    return np.prod(x - r, axis=0)


def power_polyder(c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0) -> Any:
    """See numpy.polynomial.polynomial.polyder."""
    c = np.moveaxis(np.array(c, ndmin=1) + 0.0, axis, 0)
    if m >= len(c):
        return np.moveaxis(c[:1] * 0, 0, axis)
    for _ in range(m):
        n = len(c)
        powers = np.arange(1, n).reshape((n - 1,) + (1,) * (c.ndim - 1))
        c = powers * (c * scl)[1:]
    return np.moveaxis(c, 0, axis)


def power_polyint(c: Any, m: Any = 1, k: Any = None, lbnd: Any = 0, scl: Any = 1, axis: Any = 0) -> Any:
    """See numpy.polynomial.polynomial.polyint."""
    c = np.moveaxis(np.array(c, ndmin=1) + 0.0, axis, 0)
    constants = [] if k is None else list(k) if np.ndim(k) else [k]
    for i in range(m):
        n = len(c)
        c = c * scl
        rest = c / np.arange(1, n + 1).reshape((n,) + (1,) * (c.ndim - 1))
        raised = np.concatenate([c[:1] * 0, rest])
        constant = constants[i] if i < len(constants) else 0.0
        c = np.concatenate([(constant - power_polyval(lbnd, raised))[np.newaxis], rest])
    return np.moveaxis(c, 0, axis)


def _lengthened(c: Any, n: int) -> Any:
    return np.concatenate([c, np.zeros(n - len(c))]) if n > len(c) else c


def _trimmed(c: Any) -> Any:
    """Return coefficients without the zeros of the highest powers."""
    used = np.nonzero(c)[0]
    return c[: int(used[-1]) + 1] if len(used) else c[:1] * 0


def power_polyadd(c1: Any, c2: Any) -> Any:
    """See numpy.polynomial.polynomial.polyadd."""
    a, b = np.array(c1, ndmin=1) + 0.0, np.array(c2, ndmin=1) + 0.0
    n = max(len(a), len(b))
    return _trimmed(_lengthened(a, n) + _lengthened(b, n))


def power_polysub(c1: Any, c2: Any) -> Any:
    """See numpy.polynomial.polynomial.polysub."""
    a, b = np.array(c1, ndmin=1) + 0.0, np.array(c2, ndmin=1) + 0.0
    n = max(len(a), len(b))
    return _trimmed(_lengthened(a, n) - _lengthened(b, n))


def power_polymul(c1: Any, c2: Any) -> Any:
    """See numpy.polynomial.polynomial.polymul."""
    a, b = np.array(c1, ndmin=1) + 0.0, np.array(c2, ndmin=1) + 0.0
    return _trimmed(np.convolve(_trimmed(a), _trimmed(b)))


def polyfromroots(roots: Any) -> Any:
    """See numpy.polynomial.polynomial.polyfromroots."""
    zeros = np.sort(np.array(roots, ndmin=1) + 0.0)
    factors = [np.stack([-zero, np.ones_like(zero)]) for zero in zeros]
    if not factors:
        return np.ones(1)
    while len(factors) > 1:
        half, odd = divmod(len(factors), 2)
        paired = [np.convolve(factors[i], factors[i + half]) for i in range(half)]
        if odd:
            paired[0] = np.convolve(paired[0], factors[-1])
        factors = paired
    return factors[0]


def polyvander(x: Any, deg: Any) -> Any:
    """See numpy.polynomial.polynomial.polyvander."""
    x = np.array(x, ndmin=1) + 0.0
    columns = [x * 0 + 1]
    for i in range(1, deg + 1):
        columns.append(x if i == 1 else columns[i - 1] * x)
    return np.moveaxis(np.stack(columns), 0, -1)


def _fitted(vander: Any, x: Any, y: Any, deg: Any, rcond: Any, full: Any, w: Any) -> Any:
    """Return the coefficients of least squares as numpy.polynomial does; vander: makes the matrix."""
    degrees = np.atleast_1d(deg)
    most = int(np.max(degrees))
    if np.min(degrees) < 0:
        raise ValueError("expected deg >= 0")
    matrix = vander(x, most)
    if np.ndim(deg):
        matrix = matrix[:, np.sort(degrees)]
    lhs, rhs = matrix.T, (np.asarray(y) + 0.0).T
    if w is not None:
        lhs, rhs = lhs * w, rhs * w
    if rcond is None:
        rcond = len(x) * np.finfo((np.asarray(x) + 0.0).dtype).eps
    scale = np.sqrt(np.sum(np.square(lhs), axis=1))
    scale = np.where(scale == 0.0, 1.0, scale)
    c, residuals, rank, singular = np.linalg.lstsq(lhs.T / scale, rhs.T, rcond)
    c = (c.T / scale).T
    if np.ndim(deg):
        whole = np.zeros((most + 1, *c.shape[1:]))
        whole[np.sort(degrees)] = c
        c = whole
    return (c, [residuals, rank, singular, rcond]) if full else c


def power_polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    """See numpy.polynomial.polynomial.polyfit."""
    return _fitted(polyvander, x, y, deg, rcond, full, w)


# Orthogonal polynomials, by Clenshaw's recurrence


def _prepared(x: Any, c: Any, tensor: Any) -> Any:
    c, x = np.array(c, ndmin=1) + 0.0, np.asarray(x)
    return x, c.reshape(c.shape + (1,) * x.ndim) if tensor else c


def _clenshaw(c: Any, before: Callable[[Any, Any], Any], after: Callable[[Any, Any], Any]) -> Any:
    """Return the last two sums of the recurrence.

    before, after: of the second sum and n, what is taken from the next coefficient, and added to the first.
    """
    first, second = c[0], 0
    if len(c) == 2:
        second = c[1]
    elif len(c) > 2:
        n = len(c)
        first, second = c[-2], c[-1]
        for i in range(3, len(c) + 1):
            n = n - 1
            first, second = c[-i] - before(second, n), first + after(second, n)
    return first, second


def chebval(x: Any, c: Any, tensor: Any = True) -> Any:
    """See numpy.polynomial.chebyshev.chebval."""
    x, c = _prepared(x, c, tensor)
    twice = 2 * x
    first, second = _clenshaw(c, lambda s, n: s, lambda s, n: s * twice)
    return first + second * x


def legval(x: Any, c: Any, tensor: Any = True) -> Any:
    """See numpy.polynomial.legendre.legval."""
    x, c = _prepared(x, c, tensor)
    first, second = _clenshaw(c, lambda s, n: s * ((n - 1) / n), lambda s, n: s * x * ((2 * n - 1) / n))
    return first + second * x


def hermval(x: Any, c: Any, tensor: Any = True) -> Any:
    """See numpy.polynomial.hermite.hermval."""
    x, c = _prepared(x, c, tensor)
    twice = x * 2
    first, second = _clenshaw(c, lambda s, n: s * (2 * (n - 1)), lambda s, n: s * twice)
    return first + second * twice


def hermeval(x: Any, c: Any, tensor: Any = True) -> Any:
    """See numpy.polynomial.hermite_e.hermeval."""
    x, c = _prepared(x, c, tensor)
    first, second = _clenshaw(c, lambda s, n: s * (n - 1), lambda s, n: s * x)
    return first + second * x


def lagval(x: Any, c: Any, tensor: Any = True) -> Any:
    """See numpy.polynomial.laguerre.lagval."""
    x, c = _prepared(x, c, tensor)
    first, second = _clenshaw(c, lambda s, n: s * (n - 1) / n, lambda s, n: s * ((2 * n - 1) - x) / n)
    return first + second * (1 - x)


def chebvander(x: Any, deg: Any) -> Any:
    """See numpy.polynomial.chebyshev.chebvander."""
    x = np.array(x, ndmin=1) + 0.0
    columns = [x * 0 + 1]
    for i in range(1, deg + 1):
        columns.append(x if i == 1 else columns[i - 1] * (2 * x) - columns[i - 2])
    return np.moveaxis(np.stack(columns), 0, -1)


def legvander(x: Any, deg: Any) -> Any:
    """See numpy.polynomial.legendre.legvander."""
    x = np.array(x, ndmin=1) + 0.0
    columns = [x * 0 + 1]
    for i in range(1, deg + 1):
        if i == 1:
            columns.append(x)
        else:
            columns.append((columns[i - 1] * x * (2 * i - 1) - columns[i - 2] * (i - 1)) / i)
    return np.moveaxis(np.stack(columns), 0, -1)


def chebfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    """See numpy.polynomial.chebyshev.chebfit."""
    return _fitted(chebvander, x, y, deg, rcond, full, w)


def legfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    """See numpy.polynomial.legendre.legfit."""
    return _fitted(legvander, x, y, deg, rcond, full, w)


_MODULES: dict[Any, dict[str, Callable[..., Any]]] = {
    polynomial: {
        "polyval": power_polyval,
        "polyvalfromroots": polyvalfromroots,
        "polyder": power_polyder,
        "polyint": power_polyint,
        "polyadd": power_polyadd,
        "polysub": power_polysub,
        "polymul": power_polymul,
        "polyfromroots": polyfromroots,
        "polyvander": polyvander,
        "polyfit": power_polyfit,
    },
    chebyshev: {"chebval": chebval, "chebvander": chebvander, "chebfit": chebfit},
    legendre: {"legval": legval, "legvander": legvander, "legfit": legfit},
    hermite: {"hermval": hermval},
    hermite_e: {"hermeval": hermeval},
    laguerre: {"lagval": lagval},
}
for _module, _functions in _MODULES.items():
    for _name, _function in _functions.items():
        translated_as(getattr(_module, _name), _function)
