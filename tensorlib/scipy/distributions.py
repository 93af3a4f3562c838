"""Distributions of scipy.stats: densities, their sums and integrals, and the inverses of these.

In a program these are translated. Values are SciPy's. Derivatives are those of formulas for the logarithm
of the density, by the variable, the location, the scale and the shapes:

    cdf, sf     the integral of the density from where it was to where it is, and that of its derivatives by
    shapes ppf, isf    Newton's steps for the inverse, from its value: three, which are exact for seven
    orders discrete    the cdf is the sum of what is below

Outside of the support, and at what has no density, derivatives are 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import betaln, gammaln, xlog1py, xlogy

from checkpoint.prims.arrays import prim, solver
from tensorlib.scipy.quadrature import END, tanh_sinh

_LOG_ROOT = 0.5 * math.log(2.0 * math.pi)
_RULE = tanh_sinh()
CROWDED = tuple([(float(s), float(w)) for s, w in zip(_RULE[0][0], _RULE[1], strict=True)])


@solver("scipy.stats")
def _of_scipy(name: str, method: str, x: Any, values: tuple[Any, ...], is_discrete: bool) -> Any:
    """Return a value, whether there is a density, a point that has one, and the greatest whole number."""
    distribution = getattr(stats, name)
    found = getattr(distribution, method)(x, *values)
    at = found if method in ("ppf", "isf") else x
    if is_discrete:
        return found, np.isfinite(distribution.logpmf(np.floor(at), *values)), 1.0, int(np.max(at, initial=0))
    middle = distribution.ppf(0.5, *[np.mean(value) for value in values[:-2]])
    return found, np.isfinite(distribution.logpdf(at, *values)), float(middle), 0


def _arranged(names: Any, args: Any, kwds: Any, is_discrete: Any) -> Any:
    """Return the shapes, the location and the scale, from the arguments of a call."""
    known = [*names, "loc"] if is_discrete else [*names, "loc", "scale"]
    for name in kwds:
        if name not in known:
            raise TypeError(f"got an unexpected keyword argument '{name}'")
    if len(args) > len(known):
        raise TypeError(
            f"takes at most {len(known)} parameters of a distribution, but {len(args)} were given"
        )
    values = [*args]
    for name in known[len(args) :]:
        if name in kwds:
            values.append(kwds[name])
        elif name == "loc":
            values.append(0)
        elif name == "scale":
            values.append(1)
        else:
            raise TypeError(f"missing the parameter '{name}' of the distribution")
    return values


def _area(density: Any, start: Any, end: Any) -> Any:
    """Return the integral of a density from the value of its end to the end, exactly up to the order 15."""
    moved = end - start
    return moved * sum([w * density(end - s * moved) for s, w in END])


def _rise(log_density: Any, shapes: Any, anchor: Any, start: Any, z: Any, less: Any) -> Any:
    """Return how much the cdf grows to what it is at z, divided by exp(less).

    start: the value of z. anchor: the point up to which no shape changes the cdf; None where there is no
    shape.
    """

    def density(u: Any) -> Any:
        return np.exp(log_density(u, shapes) - less)

    grown = _area(density, start, z)
    if anchor is None:
        return grown
    width = start - anchor
    below = width * sum([w * density(anchor + s * width) for s, w in CROWDED])
    return grown + (below - prim("py.stop", below))


def continuous(
    name: Any, method: Any, log_density: Any, anchor: Any, names: Any, x: Any, args: Any, kwds: Any
) -> Any:
    """Return what a method of a distribution with a density gives."""
    values = _arranged(names, args, kwds, False)
    x = np.asarray(x)
    value, inside, middle, _ = prim("py.solver", "scipy.stats", (), (name, method, x, tuple(values), False))

    def formula(operands: Any) -> Any:
        x, values = operands
        shapes, loc, scale = values[:-2], values[-2], values[-1]
        if method in ("ppf", "isf"):
            q = x - prim("py.stop", x)
            q = q if method == "ppf" else -q
            start = (value - prim("py.stop", loc)) / prim("py.stop", scale)
            start = np.where(inside, start, middle)
            z = start
            for _ in range(3):
                rise = _rise(log_density, shapes, anchor, start, z, 0.0)
                z = z - (rise - q) / np.exp(log_density(z, shapes))
            return np.where(inside, loc + scale * z, loc + 0.0 * scale)
        z = np.where(inside, (x - loc) / scale, middle)
        if method in ("logpdf", "pdf"):
            found = log_density(z, shapes) - np.log(scale)
            return np.where(inside, found if method == "logpdf" else np.exp(found), 0.0)
        less = value if method in ("logcdf", "logsf") else 0.0
        grown = _rise(log_density, shapes, anchor, prim("py.stop", z), z, np.where(inside, less, 0.0))
        grown = -grown if method in ("sf", "logsf") else grown
        return np.where(inside, np.log1p(grown) if method in ("logcdf", "logsf") else grown, 0.0)

    return prim("py.attached", value, formula, (x, tuple(values)))


def discrete(name: Any, method: Any, log_mass: Any, names: Any, x: Any, args: Any, kwds: Any) -> Any:
    """Return what a method of a distribution of whole numbers gives."""
    values = _arranged(names, args, kwds, True)
    x = np.asarray(x)
    found = prim("py.solver", "scipy.stats", (), (name, method, x, tuple(values), True))
    value, inside, middle, most = found
    if method in ("ppf", "isf"):
        return value

    def formula(operands: Any) -> Any:
        shapes = [np.asarray(shape) for shape in operands[:-1]]
        k = np.floor(x - operands[-1])
        if method in ("logpmf", "pmf"):
            total = log_mass(np.where(inside, k, middle), shapes)
            return np.where(inside, total if method == "logpmf" else np.exp(total), 0.0)
        total = 0.0
        for j in range(most + 1):
            term = np.exp(log_mass(np.asarray(float(j)), shapes)) if j > 0 or name != "geom" else 0.0
            total = total + np.where(k >= j, term, 0.0)
        total = total if method in ("cdf", "logcdf") else 1.0 - total
        return np.log(total) if method in ("logcdf", "logsf") else total

    return prim("py.attached", value, formula, tuple(values))


# Logarithms of densities and of probabilities


def norm(z: Any, shapes: Any) -> Any:
    return -(z**2) / 2.0 - _LOG_ROOT


def expon(z: Any, shapes: Any) -> Any:
    return -z


def uniform(z: Any, shapes: Any) -> Any:
    return 0.0 * z


def gamma(z: Any, shapes: Any) -> Any:
    return (shapes[0] - 1.0) * np.log(z) - z - gammaln(shapes[0])


def chi2(z: Any, shapes: Any) -> Any:
    half = shapes[0] / 2.0
    return (half - 1.0) * np.log(z) - z / 2.0 - gammaln(half) - half * math.log(2.0)


def beta(z: Any, shapes: Any) -> Any:
    return (shapes[0] - 1.0) * np.log(z) + (shapes[1] - 1.0) * np.log1p(-z) - betaln(shapes[0], shapes[1])


def t(z: Any, shapes: Any) -> Any:
    df = shapes[0]
    constant = gammaln((df + 1.0) / 2.0) - gammaln(df / 2.0) - 0.5 * np.log(df * math.pi)
    return constant - (df + 1.0) / 2.0 * np.log1p(z**2 / df)


def f(z: Any, shapes: Any) -> Any:
    n, m = shapes[0] / 2.0, shapes[1] / 2.0
    powers = n * np.log(n) + m * np.log(m) + (n - 1.0) * np.log(z)
    return powers - (n + m) * np.log(m + n * z) - betaln(n, m)


def lognorm(z: Any, shapes: Any) -> Any:
    s = shapes[0]
    return -(np.log(z) ** 2) / (2.0 * s**2) - np.log(s * z) - _LOG_ROOT


def cauchy(z: Any, shapes: Any) -> Any:
    return -math.log(math.pi) - np.log1p(z**2)


def laplace(z: Any, shapes: Any) -> Any:
    return -np.abs(z) - math.log(2.0)


def logistic(z: Any, shapes: Any) -> Any:
    return -np.abs(z) - 2.0 * np.log1p(np.exp(-np.abs(z)))


def halfnorm(z: Any, shapes: Any) -> Any:
    return 0.5 * math.log(2.0 / math.pi) - z**2 / 2.0


def rayleigh(z: Any, shapes: Any) -> Any:
    return np.log(z) - z**2 / 2.0


def gumbel_r(z: Any, shapes: Any) -> Any:
    return -z - np.exp(-z)


def weibull_min(z: Any, shapes: Any) -> Any:
    return np.log(shapes[0]) + (shapes[0] - 1.0) * np.log(z) - np.exp(shapes[0] * np.log(z))


def pareto(z: Any, shapes: Any) -> Any:
    return np.log(shapes[0]) - (shapes[0] + 1.0) * np.log(z)


def invgamma(z: Any, shapes: Any) -> Any:
    return -(shapes[0] + 1.0) * np.log(z) - gammaln(shapes[0]) - 1.0 / z


def poisson(k: Any, shapes: Any) -> Any:
    return xlogy(k, shapes[0]) - gammaln(k + 1.0) - shapes[0]


def binom(k: Any, shapes: Any) -> Any:
    n, p = shapes[0] * 1.0, shapes[1]
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return ways + xlogy(k, p) + xlog1py(n - k, -p)


def bernoulli(k: Any, shapes: Any) -> Any:
    return xlogy(k, shapes[0]) + xlog1py(1.0 - k, -shapes[0])


def geom(k: Any, shapes: Any) -> Any:
    return np.log(shapes[0]) + (k - 1.0) * np.log1p(-shapes[0])


def nbinom(k: Any, shapes: Any) -> Any:
    n, p = shapes[0] * 1.0, shapes[1]
    return gammaln(k + n) - gammaln(k + 1.0) - gammaln(n) + n * np.log(p) + xlog1py(k, -p)
