"""The functions of statistics: Python's own values, and the derivatives of the formulas in reals.

Python computes these sums of reals exactly, with fractions; the formula beside each value has its derivative.
The other functions of statistics are translated as they are.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

_INV_CDF: Any = vars(statistics)["_normal_dist_inv_cdf"]  # in C


def _sum(items: Any) -> Any:
    total = 0.0
    for item in items:
        total = total + item
    return total


def _squares(items: Any, center: Any) -> Any:
    middle = _sum(items) / len(items) if center is None else center
    total = 0.0
    for item in items:
        total = total + (item - middle) * (item - middle)
    return total


def _with_derivative(value: Any, formula: Any) -> Any:
    return prim("py.with-derivative", value, float(formula))


def mean_(data: Any) -> Any:
    """See statistics.mean."""
    items = prim("py.sequence", data)
    value = prim("py.standard", "statistics.mean", items)
    return _with_derivative(value, _sum(items) / len(items)) if isinstance(value, float) else value


def fmean_(data: Any, weights: Any = None) -> Any:
    """See statistics.fmean."""
    items = prim("py.sequence", data)
    if weights is None:
        value = prim("py.standard", "statistics.fmean", items)
        return _with_derivative(value, _sum(items) / len(items))
    factors = prim("py.sequence", weights)
    value = prim("py.standard", "statistics.fmean", items, factors)
    total = 0.0
    for i in range(len(items)):
        total = total + items[i] * factors[i]
    return _with_derivative(value, total / _sum(factors))


def geometric_mean_(data: Any) -> Any:
    """See statistics.geometric_mean."""
    items = prim("py.sequence", data)
    value = prim("py.standard", "statistics.geometric_mean", items)
    total = 0.0
    for item in items:
        total = total + math.log(item)
    return _with_derivative(value, math.exp(total / len(items)))


def harmonic_mean_(data: Any, weights: Any = None) -> Any:
    """See statistics.harmonic_mean."""
    items = prim("py.sequence", data)
    factors = [1.0 for _ in items] if weights is None else prim("py.sequence", weights)
    value = prim("py.standard", "statistics.harmonic_mean", items, weights)
    if not isinstance(value, float) or value == 0.0:
        return value
    total = 0.0
    for i in range(len(items)):
        total = total + factors[i] / items[i]
    return _with_derivative(value, _sum(factors) / total)


def pvariance_(data: Any, mu: Any = None) -> Any:
    """See statistics.pvariance."""
    items = prim("py.sequence", data)
    value = prim("py.standard", "statistics.pvariance", items, mu)
    return _with_derivative(value, _squares(items, mu) / len(items)) if isinstance(value, float) else value


def variance_(data: Any, xbar: Any = None) -> Any:
    """See statistics.variance."""
    items = prim("py.sequence", data)
    value = prim("py.standard", "statistics.variance", items, xbar)
    if not isinstance(value, float):
        return value
    return _with_derivative(value, _squares(items, xbar) / (len(items) - 1))


def pstdev_(data: Any, mu: Any = None) -> Any:
    """See statistics.pstdev."""
    items = prim("py.sequence", data)
    value = prim("py.standard", "statistics.pstdev", items, mu)
    return _with_derivative(value, math.sqrt(_squares(items, mu) / len(items)))


def stdev_(data: Any, xbar: Any = None) -> Any:
    """See statistics.stdev."""
    items = prim("py.sequence", data)
    value = prim("py.standard", "statistics.stdev", items, xbar)
    return _with_derivative(value, math.sqrt(_squares(items, xbar) / (len(items) - 1)))


def mode_(data: Any) -> Any:
    """See statistics.mode."""
    items = prim("py.sequence", data)
    return items[prim("py.standard", "statistics.mode", items)]


def multimode_(data: Any) -> Any:
    """See statistics.multimode."""
    items = prim("py.sequence", data)
    return [items[i] for i in prim("py.standard", "statistics.multimode", items)]


def inv_cdf_(p: Any, mu: Any, sigma: Any, /) -> Any:
    """Return the quantile of a normal distribution, as NormalDist.inv_cdf computes it.

    A step of Newton's from the constant solution has its first derivative; three have the first seven.
    """
    found = prim("py.standard", "statistics.inv_cdf", p, mu, sigma)
    x = found
    for _ in range(3):
        z = (x - mu) / (sigma * math.sqrt(2.0))
        density = math.exp(-z * z) / (sigma * math.sqrt(2.0 * math.pi))
        x = x - (0.5 * math.erfc(-z) - p) / density
    return _with_derivative(found, x)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    statistics.mean: mean_,
    statistics.fmean: fmean_,
    statistics.geometric_mean: geometric_mean_,
    statistics.harmonic_mean: harmonic_mean_,
    statistics.pvariance: pvariance_,
    statistics.variance: variance_,
    statistics.pstdev: pstdev_,
    statistics.stdev: stdev_,
    statistics.mode: mode_,
    statistics.multimode: multimode_,
    _INV_CDF: inv_cdf_,
}
