"""scipy.integrate inside of programs: steps of solve_ivp bit for bit, integrals of values, derivatives."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import checkpoint
from checkpoint.errors import SourceError
from tests.arrays.agreement import ENGINES
from tests.scipy_programs.support import agrees
from tests.support.sampling import in_turn, sample

METHODS = ["RK23", "RK45", "DOP853"]
POINT = np.array([0.7, 1.3])


def rate(t: Any, y: Any, k: Any, c: Any) -> Any:
    """A pendulum that is driven."""
    return np.array([y[1], -k * np.sin(y[0]) - c * y[1] + 0.1 * np.cos(t)])


def plain(p: Any, method: Any) -> Any:
    return solve_ivp(rate, (0.0, 3.0), [1.0, p[0]], method=method, args=(p[1], 0.1))


def at_times(p: Any, method: Any) -> Any:
    times = np.linspace(0.0, 3.0, 7)

    def linear(t: Any, y: Any) -> Any:
        return [y[1], -p[1] * y[0]]

    return solve_ivp(linear, (0.0, 3.0), np.array([p[0], 0.5]), method, times, rtol=1e-4, atol=1e-6)


def backwards(p: Any, method: Any) -> Any:
    times = np.linspace(3.0, 0.0, 7)
    y0 = np.array([p[0], 0.5])
    return solve_ivp(rate, (3.0, 0.0), y0, method, times, args=p, max_step=0.3, first_step=0.05)


def dense(p: Any, method: Any) -> Any:
    return solve_ivp(rate, (p[0], 3.0), [p[0], 0.5], method, dense_output=True, args=(p[0], p[1]))


def dense_backwards(p: Any, method: Any) -> Any:
    return solve_ivp(rate, (3.0, 1), [p[0], 0.5], method, dense_output=True, args=(p[0], p[1]), atol=1e-9)


def vectorized(p: Any, method: Any) -> Any:
    return solve_ivp(lambda t, y: -p[0] * y, (0, 1), [1.0, p[1]], method, vectorized=True, atol=[1e-6, 1e-9])


PROBLEMS = [plain, at_times, backwards, dense, dense_backwards, vectorized]


def reported(found: Any) -> Any:
    """Return all that a result says, in parts."""
    between: Any = ()
    if found.sol is not None:
        between = (found.sol(1.234), found.sol(np.array([2.9, 1.1, 1.3])), found.sol(found.t[1]))
    return (found.t, found.y, found.nfev, found.status, found.message, found.success, *between)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_steps_are_those_of_scipy(problem: Callable[..., Any], method: str) -> None:
    def f(p: Any) -> Any:
        return reported(problem(p, method))

    expected = f(POINT)
    for engine in in_turn(ENGINES):
        found = checkpoint.jvp(f, POINT, np.zeros(2), engine=engine)[0]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
            assert type(one) is type(other)


@pytest.mark.parametrize(("problem", "method"), sample(product(PROBLEMS, METHODS), 2))
def test_derivatives_of_steps(problem: Callable[..., Any], method: str) -> None:
    def f(p: Any) -> Any:
        found = problem(p, method)
        total = np.sum(found.y[:, -1] * np.array([1.0, 2.0]))
        return (
            total
            if found.sol is None
            else total + found.sol(1.7)[0] + np.sum(found.sol(np.array([2.1, 1.2])))
        )

    agrees(f, POINT, rtol=1e-5, second=problem is plain)


def test_the_time_of_an_event() -> None:
    """A falling body reaches the ground at sqrt(2 h / g)."""

    def f(p: Any) -> Any:
        found = solve_ivp(lambda t, y: [y[1], -p[0]], (0.0, 3.0), [p[1], 0.0], dense_output=True, rtol=1e-8)
        return brentq(lambda t: found.sol(t)[0], 0.0, 3.0, xtol=1e-13)

    agrees(f, [9.81, 5.0], rtol=1e-5)
    assert f([9.81, 5.0]) == pytest.approx((2.0 * 5.0 / 9.81) ** 0.5, rel=1e-10)


def test_nothing_to_integrate() -> None:
    def f(y: Any) -> Any:
        return solve_ivp(lambda t, y: y, (1.0, 1.0), [y]).y[0, -1]

    assert checkpoint.grad(f)(2.0) == 1.0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda y: solve_ivp(rate, (0, 1), [y, y], "Radau", args=(1, 1)), SourceError, "for stiff"),
        (lambda y: solve_ivp(rate, (0, 1), [y, y], "RK4", args=(1, 1)), ValueError, "must be one of"),
        (lambda y: solve_ivp(rate, (0, 1), [[y, y]], args=(1, 1)), ValueError, "must be 1-dimensional"),
        (
            lambda y: solve_ivp(rate, (0, 1), [y, y], args=(1, 1), t_eval=[2.0]),
            ValueError,
            "not within `t_span`",
        ),
        (
            lambda y: solve_ivp(rate, (0, 1), [y, y], args=(1, 1), t_eval=[0.5, 0.1]),
            ValueError,
            "not properly sorted",
        ),
        (lambda y: solve_ivp(rate, (0, 1), [y, y], args=(1, 1), first_step=2.0), ValueError, "exceeds"),
        (
            lambda y: solve_ivp(rate, (0, 1), [y, y], args=(1, 1), events=[rate]),
            SourceError,
            "brentq",
        ),
        (lambda y: integrate.odeint(rate, [y, y], [0.0, 1.0]), SourceError, "use solve_ivp"),
    ],
)
def test_what_is_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        checkpoint.grad(lambda y: call(y).y[0, -1])(1.0)


X = np.array([0.0, 0.3, 0.7, 1.1, 1.8, 2.0])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "f",
    [
        lambda y: integrate.trapezoid(y, X),
        lambda y: integrate.trapezoid(y.reshape(2, 3), dx=0.5, axis=0),
        lambda y: integrate.trapezoid(y.reshape(2, 3), np.cumsum(y.reshape(2, 3) ** 2, axis=1)),
        lambda y: integrate.cumulative_trapezoid(y, X, initial=0),
        lambda y: integrate.cumulative_trapezoid(y.reshape(3, 2), axis=0),
        lambda y: integrate.simpson(y, x=X),
        lambda y: integrate.simpson(y[:-1], x=np.cumsum(y[:-1] ** 2)),
        lambda y: integrate.simpson(y, dx=0.5),
        lambda y: integrate.simpson(y.reshape(3, 2), axis=0, dx=0.5),
        lambda y: integrate.simpson(y.reshape(3, 2), x=X[:3], axis=0),
        lambda y: integrate.simpson(y[:2], x=X[:2]),
    ],
)
def test_integrals_of_values(f: Any, engine: str) -> None:
    y = np.array([0.3, -0.9, 0.5, 0.7, 0.2, 0.65])
    ybar, along = np.cos(np.arange(np.size(f(y)))).reshape(np.shape(f(y))), np.sin(np.arange(6.0))
    value, cotangent = checkpoint.vjp(f, y, ybar, engine=engine)
    np.testing.assert_array_equal(value, f(y))
    expected = np.sum(ybar * (f(y + 1e-6 * along) - f(y - 1e-6 * along))) / 2e-6
    assert np.sum(cotangent * along) == pytest.approx(expected, rel=1e-5, abs=1e-7)
