"""The distributions of scipy.stats: what their methods are translated as, frozen ones, many variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, stats

from checkpoint.prims.arrays import prim, solver, translated_as
from tensorlib.scipy import distributions as of
from tensorlib.scipy.distributions import continuous, discrete

# The names of the shapes, the logarithm of the density, and where shapes begin to change the cdf.
CONTINUOUS: dict[str, tuple[tuple[str, ...], Any, float | None]] = {
    "norm": ((), of.norm, None),
    "expon": ((), of.expon, None),
    "uniform": ((), of.uniform, None),
    "cauchy": ((), of.cauchy, None),
    "laplace": ((), of.laplace, None),
    "logistic": ((), of.logistic, None),
    "halfnorm": ((), of.halfnorm, None),
    "rayleigh": ((), of.rayleigh, None),
    "gumbel_r": ((), of.gumbel_r, None),
    "gamma": (("a",), of.gamma, 0.0),
    "chi2": (("df",), of.chi2, 0.0),
    "beta": (("a", "b"), of.beta, 0.0),
    "t": (("df",), of.t, 0.0),
    "f": (("dfn", "dfd"), of.f, 0.0),
    "lognorm": (("s",), of.lognorm, 0.0),
    "weibull_min": (("c",), of.weibull_min, 0.0),
    "pareto": (("b",), of.pareto, 1.0),
    "invgamma": (("a",), of.invgamma, 0.0),
}
DISCRETE: dict[str, tuple[tuple[str, ...], Any]] = {
    "poisson": (("mu",), of.poisson),
    "binom": (("n", "p"), of.binom),
    "bernoulli": (("p",), of.bernoulli),
    "geom": (("p",), of.geom),
    "nbinom": (("n", "p"), of.nbinom),
}
METHODS = ("cdf", "logcdf", "sf", "logsf", "ppf", "isf")


@dataclass(frozen=True)
class Frozen:
    """A distribution with its parameters. density: the logarithm of the density or of the probability."""

    name: str
    density: Any
    anchor: Any
    names: Any
    is_discrete: bool
    args: Any
    kwds: Any

    def _found(self, method: Any, x: Any) -> Any:
        if self.is_discrete:
            return discrete(self.name, method, self.density, self.names, x, self.args, self.kwds)
        return continuous(self.name, method, self.density, self.anchor, self.names, x, self.args, self.kwds)

    def pdf(self, x: Any) -> Any:
        return self._found("pdf", x)

    def logpdf(self, x: Any) -> Any:
        return self._found("logpdf", x)

    def pmf(self, k: Any) -> Any:
        return self._found("pmf", k)

    def logpmf(self, k: Any) -> Any:
        return self._found("logpmf", k)

    def cdf(self, x: Any) -> Any:
        return self._found("cdf", x)

    def logcdf(self, x: Any) -> Any:
        return self._found("logcdf", x)

    def sf(self, x: Any) -> Any:
        return self._found("sf", x)

    def logsf(self, x: Any) -> Any:
        return self._found("logsf", x)

    def ppf(self, q: Any) -> Any:
        return self._found("ppf", q)

    def isf(self, q: Any) -> Any:
        return self._found("isf", q)


def _of_density(name: str, method: str, names: tuple[str, ...], density: Any, anchor: float | None) -> Any:
    def function(x: Any, *args: Any, **kwds: Any) -> Any:
        return continuous(name, method, density, anchor, names, x, args, kwds)

    return function


def _of_mass(name: str, method: str, names: tuple[str, ...], mass: Any) -> Any:
    def function(x: Any, *args: Any, **kwds: Any) -> Any:
        return discrete(name, method, mass, names, x, args, kwds)

    return function


def _freezing(
    name: str, names: tuple[str, ...], density: Any, anchor: float | None, is_discrete: bool
) -> Any:
    def freeze(*args: Any, **kwds: Any) -> Any:
        return Frozen(name, density, anchor, names, is_discrete, args, kwds)

    return freeze


# Many variables


@solver("scipy.stats.multivariate_normal")
def _multivariate(method: str, x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    return getattr(stats.multivariate_normal, method)(x, mean, cov, allow_singular)


def _log_of_many(x: Any, mean: Any, cov: Any) -> Any:
    """Return the logarithm of the density of many variables that are normal together."""
    x = np.asarray(x)
    size = 1
    if mean is not None and np.ndim(mean) > 0:
        size = len(mean)
    elif np.ndim(cov) > 0:
        size = len(cov)
    x = np.reshape(x, (*x.shape, 1)) if size == 1 and (x.ndim == 0 or x.shape[-1] != 1) else x
    apart = x - (0.0 if mean is None else mean)
    spread = np.asarray(cov) * 1.0
    if spread.ndim == 0:
        spread = spread * np.eye(size)
    elif spread.ndim == 1:
        spread = np.diag(spread)
    factor = linalg.cholesky(spread, lower=True)
    rows = np.reshape(apart, (-1, size)).T
    scaled = linalg.solve_triangular(factor, rows, lower=True)
    found = (
        -0.5 * np.sum(scaled**2, axis=0) - np.sum(np.log(np.diag(factor))) - 0.5 * size * np.log(2.0 * np.pi)
    )
    return np.reshape(found, apart.shape[:-1])


def _of_many(method: Any, x: Any, mean: Any, cov: Any, allow_singular: Any) -> Any:
    value = prim("py.solver", "scipy.stats.multivariate_normal", (), (method, x, mean, cov, allow_singular))

    def formula(operands: Any) -> Any:
        found = _log_of_many(operands[0], operands[1], operands[2])
        return np.reshape(found if method == "logpdf" else np.exp(found), np.shape(value))

    return prim("py.attached", value, formula, (x, mean, cov))


def logpdf_of_many(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    """See scipy.stats.multivariate_normal.logpdf."""
    return _of_many("logpdf", x, mean, cov, allow_singular)


def pdf_of_many(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    """See scipy.stats.multivariate_normal.pdf."""
    return _of_many("pdf", x, mean, cov, allow_singular)


@dataclass(frozen=True)
class FrozenOfMany:
    """A multivariate_normal with its parameters."""

    mean: Any
    cov: Any
    allow_singular: Any

    def logpdf(self, x: Any) -> Any:
        return _of_many("logpdf", x, self.mean, self.cov, self.allow_singular)

    def pdf(self, x: Any) -> Any:
        return _of_many("pdf", x, self.mean, self.cov, self.allow_singular)


def frozen_of_many(mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    """See scipy.stats.multivariate_normal."""
    return FrozenOfMany(mean, cov, allow_singular)


for _name, (_names, _density, _anchor) in CONTINUOUS.items():
    _distribution = getattr(stats, _name)
    translated_as(_distribution, _freezing(_name, _names, _density, _anchor, False))
    for _method in ("pdf", "logpdf", *METHODS):
        translated_as(getattr(_distribution, _method), _of_density(_name, _method, _names, _density, _anchor))
for _name, (_names, _density) in DISCRETE.items():
    _distribution = getattr(stats, _name)
    translated_as(_distribution, _freezing(_name, _names, _density, None, True))
    for _method in ("pmf", "logpmf", *METHODS):
        translated_as(getattr(_distribution, _method), _of_mass(_name, _method, _names, _density))
translated_as(stats.multivariate_normal, frozen_of_many)
translated_as(stats.multivariate_normal.logpdf, logpdf_of_many)
translated_as(stats.multivariate_normal.pdf, pdf_of_many)
