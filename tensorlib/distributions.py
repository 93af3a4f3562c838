"""Distributions of numpy.random.Generator and RandomState whose numbers depend on parameters of shape.

In: the parameters, reals or arrays. Out: NumPy's own numbers, to the last bit: its algorithms
(numpy/random/src/distributions/distributions.c, and legacy/legacy-distributions.c where RandomState has
others) on its uniform, normal and exponential numbers. So the
numbers are differentiable by all parameters, at the draws that were made: where a number is drawn again
because it was rejected, which one is accepted counts as constant.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def standard_gamma(rng: Any, shape: Any) -> Any:
    """Return a number of the gamma distribution of scale 1 (Marsaglia and Tsang)."""
    if shape == 1.0:
        return rng.standard_exponential()
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            u, v = rng.random(), rng.standard_exponential()
            if u <= 1.0 - shape:
                x = u ** (1.0 / shape)
                if x <= v:
                    return x
            else:
                y = -math.log((1.0 - u) / shape)
                x = (1.0 - shape + shape * y) ** (1.0 / shape)
                if x <= v + y:
                    return x
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * b)
    while True:
        x = rng.standard_normal()
        v = 1.0 + c * x
        while v <= 0.0:
            x = rng.standard_normal()
            v = 1.0 + c * x
        v = v * v * v
        u = rng.random()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if u == 0.0 or math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
            return b * v


def beta(rng: Any, a: Any, b: Any) -> Any:
    """Return a number of the beta distribution (Johnk; above 1 of two gamma numbers)."""
    if a > 1.0 or b > 1.0:
        first = standard_gamma(rng, a)
        second = standard_gamma(rng, b)
        return first / (first + second)
    while True:
        u, v = rng.random(), rng.random()
        x, y = u ** (1.0 / a), v ** (1.0 / b)
        total = x + y
        if total <= 1.0 and u + v > 0.0:
            if total > 0.0:
                return x / total
            x, y = math.log(u) / a, math.log(v) / b
            greater = x if x > y else y
            x, y = x - greater, y - greater
            return math.exp(x - math.log(math.exp(x) + math.exp(y)))


def _chisquare(rng: Any, df: Any) -> Any:
    return 2.0 * standard_gamma(rng, df / 2.0)


def _f(rng: Any, dfnum: Any, dfden: Any) -> Any:
    above = _chisquare(rng, dfnum) * dfden
    return above / (_chisquare(rng, dfden) * dfnum)


def _standard_t(rng: Any, df: Any) -> Any:
    above = rng.standard_normal()
    below = standard_gamma(rng, df / 2.0)
    return math.sqrt(df / 2.0) * above / math.sqrt(below)


def _triangular(rng: Any, left: Any, mode: Any, right: Any) -> Any:
    base, low = right - left, mode - left
    u = rng.random()
    if u <= low / base:
        return left + math.sqrt(u * (low * base))
    return right - math.sqrt((1.0 - u) * ((right - mode) * base))


def _weibull(rng: Any, a: Any) -> Any:
    return 0.0 if a == 0.0 else rng.standard_exponential() ** (1.0 / a)


def _cauchy(rng: Any) -> Any:
    above = rng.standard_normal()
    return above / rng.standard_normal()


def _check(name: str, value: Any, may_be_zero: Any = False) -> None:
    """Raise NumPy's error for a parameter that is not positive."""
    if np.any(np.less(value, 0.0) if may_be_zero else np.less_equal(value, 0.0)):
        raise ValueError(f"{name} < 0" if may_be_zero else f"{name} <= 0")


def _each(rng: Any, one: Any, size: Any, parameters: Any) -> Any:
    """Return an array of numbers, or one number; one: draws it, of the generator and its parameters."""
    shapes = [np.shape(p) for p in parameters]
    if size is None and all(shape == () for shape in shapes):
        return one(rng, *parameters)
    shape: Any = ()
    for each in shapes:
        shape = np.broadcast_shapes(shape, each)
    if size is not None:
        shape = (size,) if isinstance(size, int) else tuple(size)
    flat = [np.ravel(np.broadcast_to(np.asarray(p), shape)) for p in parameters]
    count = math.prod(shape)
    if not flat:
        return np.reshape(np.array([one(rng) for _ in range(count)]), shape)
    return np.reshape(np.array([one(rng, *[float(p[i]) for p in flat]) for i in range(count)]), shape)


class Shaped:
    """The methods of a Generator for these distributions."""

    def standard_exponential(self: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.standard_exponential."""
        return self._drawn("standard_exponential", (), size)

    def standard_gamma(self: Any, shape: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.standard_gamma."""
        _check("shape", shape, may_be_zero=True)
        return _each(self, standard_gamma, size, (shape,))

    def gamma(self: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.gamma."""
        _check("shape", shape, may_be_zero=True)
        _check("scale", scale, may_be_zero=True)
        return _each(self, lambda rng, k, s: s * standard_gamma(rng, k), size, (shape, scale))

    def beta(self: Any, a: Any, b: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.beta."""
        _check("a", a)
        _check("b", b)
        return _each(self, beta, size, (a, b))

    def chisquare(self: Any, df: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.chisquare."""
        _check("df", df)
        return _each(self, _chisquare, size, (df,))

    def f(self: Any, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.f."""
        _check("dfnum", dfnum)
        _check("dfden", dfden)
        return _each(self, _f, size, (dfnum, dfden))

    def standard_t(self: Any, df: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.standard_t."""
        _check("df", df)
        return _each(self, _standard_t, size, (df,))

    def standard_cauchy(self: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.standard_cauchy."""
        return _each(self, _cauchy, size, ())

    def lognormal(self: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.lognormal."""
        _check("sigma", sigma, may_be_zero=True)
        return _each(self, lambda rng, m, s: math.exp(m + s * rng.standard_normal()), size, (mean, sigma))

    def rayleigh(self: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.rayleigh."""
        _check("scale", scale, may_be_zero=True)
        return _each(self, lambda rng, s: s * math.sqrt(2.0 * rng.standard_exponential()), size, (scale,))

    def weibull(self: Any, a: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.weibull."""
        _check("a", a, may_be_zero=True)
        return _each(self, _weibull, size, (a,))

    def pareto(self: Any, a: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.pareto."""
        _check("a", a)
        return _each(self, lambda rng, k: math.expm1(rng.standard_exponential() / k), size, (a,))

    def power(self: Any, a: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.power."""
        _check("a", a)
        return _each(self, lambda rng, k: (-math.expm1(-rng.standard_exponential())) ** (1.0 / k), size, (a,))

    def triangular(self: Any, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.triangular."""
        if np.any(np.greater(left, mode)):
            raise ValueError("left > mode")
        if np.any(np.greater(mode, right)):
            raise ValueError("mode > right")
        if np.any(np.equal(left, right)):
            raise ValueError("left == right")
        return _each(self, _triangular, size, (left, mode, right))


class LegacyShaped(Shaped):
    """The methods of a RandomState for these distributions."""

    def rayleigh(self: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.RandomState.rayleigh."""
        _check("scale", scale, may_be_zero=True)
        return _each(
            self, lambda rng, s: s * math.sqrt(-2.0 * math.log1p(-rng.random_sample())), size, (scale,)
        )

    def pareto(self: Any, a: Any, size: Any = None) -> Any:
        """See numpy.random.RandomState.pareto."""
        _check("a", a)
        return _each(self, lambda rng, k: math.exp(rng.standard_exponential() / k) - 1.0, size, (a,))

    def power(self: Any, a: Any, size: Any = None) -> Any:
        """See numpy.random.RandomState.power."""
        _check("a", a)
        return _each(
            self, lambda rng, k: (1.0 - math.exp(-rng.standard_exponential())) ** (1.0 / k), size, (a,)
        )
