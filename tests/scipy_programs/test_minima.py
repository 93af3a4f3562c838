"""Minima that SciPy finds, inside of programs: its values, and derivatives of where and what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize

import checkpoint
from checkpoint.errors import SourceError
from tests.scipy_programs.support import agrees, refused

T = np.linspace(0.0, 1.0, 8)


def valley(x: Any, a: Any, b: Any) -> Any:
    return (a - x[0]) ** 2 + b * (x[1] - x[0] ** 2) ** 2


def slopes(x: Any, a: Any, b: Any) -> Any:
    return np.array([-2.0 * (a - x[0]) - 4.0 * b * x[0] * (x[1] - x[0] ** 2), 2.0 * b * (x[1] - x[0] ** 2)])


def smooth(p: Any) -> Any:
    found = optimize.minimize(valley, [0.5, 0.5], args=(p[0], p[1]), tol=1e-11, jac=slopes)
    assert found.success
    return found.x[0] * found.x[1] + found.fun


def pair(p: Any) -> Any:
    def both(x: Any) -> Any:
        return valley(x, p[0], p[1]) + 0.1 * x[0] * x[1], slopes(x, p[0], p[1]) + 0.1 * x[::-1]

    found = optimize.minimize(
        both, np.ones(2), jac=True, method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-11}
    )
    return found.x[0] ** 2 + found.fun


def product(x: Any, v: Any, a: Any, b: Any) -> Any:
    return checkpoint.jvp(lambda x: slopes(x, a, b), x, v)[1]


def newton(p: Any) -> Any:
    found = optimize.minimize(
        valley, [0.5, 0.5], (p[0], p[1]), "Newton-CG", slopes, hessp=product, options={"xtol": 1e-12}
    )
    return found.x[1]


def inside_of_bounds(p: Any) -> Any:
    found = optimize.minimize(
        lambda x: np.sum((x - p) ** 2 * np.array([1.0, 2.0])),
        np.zeros(2),
        bounds=[(0, 9), (None, 9)],
        tol=1e-14,
    )
    return found.x[0] * found.x[1]


def scalar(p: Any) -> Any:
    found = optimize.minimize_scalar(lambda x, a: (x - a) ** 2 + p[1] * x**4, args=(p[0],), tol=1e-12)
    other = optimize.minimize_scalar(lambda x: (x - p[0]) ** 2, bounds=(0.0, 4.0), method="bounded")
    return found.x + found.fun + other.x**2


def squares(p: Any) -> Any:
    def left(x: Any) -> Any:
        return x[0] * np.exp(-x[1] * T) - np.cos(p[0] * T) * p[1]

    def by_x(x: Any) -> Any:
        e = np.exp(-x[1] * T)
        return np.stack([e, -x[0] * T * e], axis=1)

    found = optimize.least_squares(left, [1.0, 1.0], jac=by_x, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    return found.x[0] * found.x[1] + found.cost + found.fun[2]


def robust(p: Any) -> Any:
    total = 0.0
    for loss in ("soft_l1", "huber", "cauchy", "arctan"):
        found = optimize.least_squares(
            lambda x: np.array([x[0] - p[0], 2.0 * x[0] - p[1], x[0] ** 2 - 9.0]),
            [1.0],
            loss=loss,
            f_scale=0.7,
            gtol=1e-12,
            xtol=1e-12,
            ftol=1e-12,
        )
        total += found.x[0] * found.cost
    return total


def fit(p: Any) -> Any:
    def model(t: Any, a: Any, b: Any) -> Any:
        return a * np.exp(-b * t)

    def by_parameters(t: Any, a: Any, b: Any) -> Any:
        return np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], axis=1)

    data = np.cos(p[0] * T) * p[1]
    one, covariance = optimize.curve_fit(
        model, T, data, p0=[1.0, 1.0], jac=by_parameters, ftol=1e-14, xtol=1e-14
    )
    other, spread = optimize.curve_fit(
        model, T * p[0], data, [1.0, 1.0], 0.5 + T, True, jac=by_parameters, ftol=1e-14, xtol=1e-14
    )
    return one[0] * one[1] + 10.0 * covariance[0, 1] + other[1] * spread[1, 1]


@pytest.mark.parametrize(
    ("f", "rtol"),
    [
        (smooth, 1e-5),
        (pair, 1e-4),
        (newton, 1e-5),
        (inside_of_bounds, 1e-4),
        (scalar, 1e-3),
        (squares, 1e-4),
        (robust, 1e-3),
        (fit, 1e-3),
    ],
)
def test_minima(f: Any, rtol: float) -> None:
    agrees(
        f, [1.5, 2.0], rtol=rtol, step=1e-3 if f is scalar else 1e-4, second=f in (smooth, newton, squares)
    )


def test_a_closed_form() -> None:
    """The nearest point to p on a circle's tangent: x = p / (1 + w), whose derivatives are known."""

    def f(w: Any) -> Any:
        return optimize.minimize(lambda x: np.sum((x - 3.0) ** 2) + w * np.sum(x**2), np.zeros(2)).x[0]

    assert checkpoint.grad(f)(0.5) == pytest.approx(-3.0 / 1.5**2, rel=1e-6)
    assert checkpoint.grad(checkpoint.grad(f))(0.5) == pytest.approx(6.0 / 1.5**3, rel=1e-6)


def at_a_bound(p: Any) -> Any:
    return optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), bounds=[(0, 1), (0, 1)]).x[0]


SUM = {"type": "eq", "fun": lambda x: x[0] + x[1] - 1.0}


def constrained(p: Any) -> Any:
    return optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), constraints=SUM).x[0]


def unfinished(p: Any) -> Any:
    return optimize.minimize(valley, [0.5, 0.5], args=(p[0], p[1]), options={"maxiter": 2}).x[0]


def squares_at_a_bound(p: Any) -> Any:
    return optimize.least_squares(lambda x: x - p, np.full(2, 0.5), bounds=(0.0, 1.0)).x[0]


def fit_at_a_bound(p: Any) -> Any:
    return optimize.curve_fit(lambda t, a: a * t, T, p[0] * T, [0.5], bounds=(0.0, 1.0))[0][0]


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (at_a_bound, "a bound is active"),
        (constrained, "it has constraints"),
        (unfinished, "it has not converged"),
        (squares_at_a_bound, "a bound is active"),
        (fit_at_a_bound, "a bound is active"),
    ],
)
def test_minima_without_derivatives(f: Any, text: str) -> None:
    refused(f, [1.5, 2.0], text)


def test_what_is_not_taken() -> None:
    with pytest.raises(SourceError, match="pass where to start"):
        checkpoint.grad(lambda p: optimize.curve_fit(lambda t, a: a * t, T, p * T)[0][0])(1.0)
    with pytest.raises(SourceError, match="print in the function instead"):
        checkpoint.grad(
            lambda p: optimize.minimize(lambda x: (x[0] - p) ** 2, [0.0], callback=lambda x: None).x[0]
        )(1.0)
