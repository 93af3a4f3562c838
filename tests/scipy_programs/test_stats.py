"""Distributions of scipy.stats inside of programs: SciPy's values, and derivatives by every parameter."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import checkpoint
from tensorlib.scipy.statistics import CONTINUOUS, DISCRETE, METHODS
from tests.arrays.agreement import ENGINES
from tests.support.sampling import sample

SHAPES = {"n": 6, "p": 0.4, "mu": 2.5, "b": 2.2, "df": 4.5, "s": 0.8}


def parameters(names: tuple[str, ...]) -> list[Any]:
    return [SHAPES.get(name, 1.7 + 0.4 * i) for i, name in enumerate(names)]


def agree(f: Any, values: Any, rtol: float) -> None:
    """Assert that a function of a list of reals has its value in Python and the slopes of differences."""
    values = list(map(float, values))
    expected = []
    for i in range(len(values)):
        sides = [[v + side * (i == j) for j, v in enumerate(values)] for side in (1e-5, -1e-5)]
        expected.append((f(sides[0]) - f(sides[1])) / 2e-5)
    found = [checkpoint.value_and_grad(f, engine=engine)(values) for engine in ENGINES[-1:]]
    for value, gradient in found:
        assert value == f(values)
        assert gradient == found[0][1]
        np.testing.assert_allclose(gradient, expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize(
    ("name", "method"), sample(product(CONTINUOUS, ["pdf", "logpdf", *METHODS]), every=3)
)
def test_densities(name: str, method: str) -> None:
    distribution, shapes = getattr(stats, name), parameters(CONTINUOUS[name][0])
    points = (
        np.array([0.2, 0.45, 0.8]) if method in ("ppf", "isf") else distribution.ppf([0.2, 0.5, 0.9], *shapes)
    )
    call = getattr(distribution, method)
    along = np.array([1.0, 0.5, 2.0])

    def f(p: Any) -> Any:
        return np.sum(call(points * 1.1 + 0.1 * p[0], *p[1:-2], p[-2], scale=p[-1]) * along)

    agree(f, [0.0, *shapes, 0.05, 1.1], rtol=2e-5)


@pytest.mark.parametrize("method", ["pmf", "logpmf", *METHODS])
@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities(name: str, method: str) -> None:
    distribution, names = getattr(stats, name), DISCRETE[name][0]
    call = getattr(distribution, method)
    points: Any = np.array([0.3, 0.8]) if method in ("ppf", "isf") else np.array([1, 2])
    if name == "bernoulli" and method not in ("ppf", "isf"):
        points = np.array([0, 1]) if method in ("pmf", "logpmf") else np.array([0, 0])

    def f(p: Any) -> Any:
        if names[0] == "n":
            return np.sum(call(points, 6, p[-1]) * np.array([1.0, 2.0]))
        return np.sum(call(points, *p) * np.array([1.0, 2.0]))

    agree(f, parameters(names)[-1:], rtol=1e-5)


def test_frozen_distributions() -> None:
    def f(p: Any) -> Any:
        normal, counts = stats.norm(p[0], scale=p[1]), stats.poisson(mu=p[1])
        total = normal.logpdf(0.3) + normal.cdf(0.2) + normal.sf(0.1) * normal.ppf(0.7) + normal.isf(0.1)
        total += stats.beta(a=p[1], b=2.0).pdf(0.4) + stats.t(df=5.0, loc=p[0]).logcdf(-1.0)
        return total + counts.logpmf(3) + counts.cdf(2.0) + counts.sf(1)

    agree(f, [0.7, 1.3], rtol=1e-5)


def test_second_derivatives() -> None:
    def f(p: Any) -> Any:
        x = np.array([0.3, 0.9]) + p[0]
        found = (
            stats.gamma.cdf(x, p[1])
            + stats.norm.logcdf(-3.0 * x, 0.0, p[1])
            + stats.beta.ppf(x / 3.0, p[1], 2.0)
        )
        return np.sum(found) + stats.t.logpdf(p[0], p[1])

    x = np.array([0.4, 1.6])
    step = 1e-5 * np.eye(2)
    expected = [(checkpoint.grad(f)(x + e) - checkpoint.grad(f)(x - e)) / 2e-5 for e in step]
    np.testing.assert_allclose(checkpoint.hessian(f)(x), expected, rtol=1e-5)


def test_tails_and_what_is_outside() -> None:
    def tail(x: Any) -> Any:
        return stats.norm.logcdf(x)

    assert checkpoint.value_and_grad(tail)(-40.0) == pytest.approx((tail(-40.0), 40.0249688), rel=1e-8)
    assert checkpoint.grad(lambda x: stats.expon.pdf(x, 0.0))(-1.0) == 0.0
    slope = checkpoint.grad(lambda x: np.sum(stats.uniform.cdf(np.stack([x - 3.0, x, x + 3.0]))))(0.5)
    assert slope == pytest.approx(1.0, rel=1e-14)


def test_closed_forms() -> None:
    assert checkpoint.grad(lambda x: stats.norm.cdf(x, 0.0))(0.7) == pytest.approx(
        stats.norm.pdf(0.7), rel=1e-13
    )
    expected = 1.0 / stats.norm.pdf(stats.norm.ppf(0.9))
    assert checkpoint.grad(lambda q: stats.norm.ppf(q, 0.0))(0.9) == pytest.approx(expected, rel=1e-13)
    slope = checkpoint.grad(lambda c: stats.weibull_min.cdf(0.7, c))(1.5)
    assert slope == pytest.approx(np.exp(-(0.7**1.5)) * 0.7**1.5 * np.log(0.7), rel=1e-9)


def test_many_variables() -> None:
    x, a = np.array([[0.3, 0.2], [1.0, -0.5], [0.0, 0.4]]), np.array([[1.2, 0.3], [0.3, 0.8]])

    def f(p: Any) -> Any:
        spread = a * p[1]
        both = stats.multivariate_normal(np.array([p[0], 0.1]), spread)
        total = np.sum(stats.multivariate_normal.logpdf(x, np.array([p[0], 0.1]), cov=spread)) + both.pdf(
            x[0]
        )
        return total + stats.multivariate_normal.logpdf(x[1] * p[0], cov=p[1] * np.eye(2)) + both.logpdf(x[2])

    agree(f, [0.7, 1.3], rtol=1e-5)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda x: stats.gamma.pdf(x, loc=0.0), "missing the parameter 'a'"),
        (lambda x: stats.norm.pdf(x, sigma=1.0), "unexpected keyword argument 'sigma'"),
        (lambda x: stats.norm.pdf(x, 1.0, 2.0, 3.0), "at most 2 parameters"),
    ],
)
def test_wrong_calls(f: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        checkpoint.grad(f)(0.5)
