"""Roots that SciPy finds, inside of programs: its values, and derivatives by implicit differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import checkpoint
from checkpoint.errors import SourceError
from tests.arrays.agreement import ENGINES
from tests.scipy_programs.support import agrees, refused


def kepler(angle: Any, eccentricity: Any, mean: Any) -> Any:
    return angle - eccentricity * math.sin(angle) - mean


def by_brackets(solve: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda p: math.cos(solve(kepler, 0.0, math.pi, args=(p[0], p[1]), xtol=1e-14, rtol=1e-14))


BRACKETS = [optimize.brentq, optimize.brenth, optimize.bisect, optimize.ridder, optimize.toms748]


@pytest.mark.parametrize("solve", BRACKETS, ids=lambda f: f.__name__)
def test_brackets(solve: Callable[..., Any]) -> None:
    agrees(by_brackets(solve), [0.3, 1.0])


def reported(p: Any) -> Any:
    root, report = optimize.brentq(lambda x: x**3 - p[0], 0.0, p[1], full_output=True)
    assert report.converged
    return root * report.iterations + report.root


def by_newton(p: Any) -> Any:
    x = optimize.newton(lambda x: math.exp(x) * p[0] - p[1] + x, 1.0, tol=1e-14)
    return optimize.newton(lambda y: y**3 - x, 1.0, fprime=lambda y: 3.0 * y**2, tol=1e-13) * x


def newton_with_a_list(p: Any) -> Any:
    """`newton` takes further arguments in anything that can be iterated over."""
    return optimize.newton(lambda x, *a: x**3 - a[0] * x - a[1], 1.5, args=[p[0], p[1]], tol=1e-13)


def many_by_newton(p: Any) -> Any:
    x = optimize.newton(lambda x: x**3 - p[0] * x - p[1], np.array([1.5, 2.0, -1.8]), tol=1e-13, maxiter=90)
    return np.sum(x * np.array([1.0, 2.0, 3.0]))


def scalar(p: Any) -> Any:
    found = optimize.root_scalar(
        lambda x, a: x * math.exp(x) - a, args=(p[0],), bracket=(0.0, 3.0), xtol=1e-14
    )
    other = optimize.root_scalar(
        lambda x: (x**2 - p[1], 2.0 * x), fprime=True, x0=1.0, method="newton", xtol=1e-14
    )
    third = optimize.root_scalar(lambda x: x**2 - p[1], x0=1.0, fprime=lambda x: 2.0 * x, xtol=1e-14)
    assert found.converged
    return found.root + other.root**3 + third.root


def fixed(p: Any) -> Any:
    return optimize.fixed_point(lambda x: np.sqrt(p[0] / (x + p[1])), 1.2, xtol=1e-13)


def crossing(x: Any, p: Any) -> Any:
    return [x[0] * np.cos(x[1]) - p[0], x[1] * x[0] - x[1] - p[1]]


def by_fsolve(p: Any) -> Any:
    x = optimize.fsolve(crossing, [1.0, 1.0], args=(p,), xtol=1e-13)
    y, _, status, _ = optimize.fsolve(crossing, np.ones(2), args=p, full_output=True, xtol=1e-13)
    return x[0] * x[1] + y[0] * status


def by_root(p: Any) -> Any:
    def slopes(x: Any, p: Any = None) -> Any:
        return np.array([[np.cos(x[1]), -x[0] * np.sin(x[1])], [x[1], x[0] - 1.0]])

    found = optimize.root(crossing, np.array([1.0, 1.0]), args=(p,), jac=slopes, tol=1e-13)
    other = optimize.root(lambda x: (np.array(crossing(x, p)), slopes(x)), [1.0, 1.0], jac=True, tol=1e-13)
    third = optimize.root(crossing, found.x, args=(p,), method="lm", tol=1e-13)
    return found.x[0] * other.x[1] + third.x[1] if found.success else 0.0


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (reported, [5.0, 4.0]),
        (by_newton, [0.5, 3.0]),
        (newton_with_a_list, [3.0, 0.5]),
        (many_by_newton, [3.0, 0.5]),
        (scalar, [1.5, 2.0]),
        (fixed, [1.5, 0.7]),
        (by_fsolve, [4.0, 5.0]),
        (by_root, [4.0, 5.0]),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_starting_points(f: Any, x: Any) -> None:
    agrees(f, x)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_order(engine: str) -> None:
    """The solution of x**3 = a is a**(1/3)."""

    def cube_root(a: Any) -> Any:
        return optimize.brentq(lambda x: x**3 - a, 0.0, 10.0, xtol=1e-15)

    def third(a: Any) -> Any:
        return checkpoint.grad(checkpoint.grad(checkpoint.grad(cube_root)))(a)

    def mixed(a: Any) -> Any:
        def slope(a: Any) -> Any:
            return checkpoint.jvp(cube_root, a, 1.0)[1]

        return checkpoint.jvp(checkpoint.grad(slope), a, 1.0)[1]

    expected = 10.0 / 27.0 * 8.0 ** (-8.0 / 3.0)
    assert checkpoint.vjp(third, 8.0, 0.0, engine=engine)[0] == pytest.approx(expected, rel=1e-12)
    assert checkpoint.vjp(mixed, 8.0, 0.0, engine=engine)[0] == pytest.approx(expected, rel=1e-12)
    fourth = -80.0 / 81.0 * 8.0 ** (-11.0 / 3.0)
    assert checkpoint.grad(third, engine=engine)(8.0) == pytest.approx(fourth, rel=1e-12)


def test_captured_values_of_all_kinds() -> None:
    """What the equation captures may be nested, and hold arrays."""

    def f(p: Any) -> Any:
        inner = {"a": p[0], "rest": [p[1], p]}

        def equation(x: Any) -> Any:
            return x**3 + inner["a"] * x - inner["rest"][0] - np.sum(inner["rest"][1]) - 1.0

        return optimize.brentq(equation, 0.0, 10.0, xtol=1e-14)

    agrees(f, [0.5, 2.0])


def test_a_root_that_has_not_converged() -> None:
    def f(p: Any) -> Any:
        return optimize.brentq(lambda x: x**3 - p[0], 0.0, 4.0, maxiter=3, disp=False)

    refused(f, [5.0], "brentq has not converged")


def test_a_singular_jacobian() -> None:
    def f(p: Any) -> Any:
        return optimize.root(lambda x: p[0] * (x - 1.0) ** 2 * np.ones(2), np.ones(2)).x[0]

    refused(f, [5.0], "Jacobian of the equations at it is singular")


@pytest.mark.parametrize("engine", ENGINES)
def test_what_solvers_and_equations_raise(engine: str) -> None:
    def no_bracket(p: Any) -> Any:
        return optimize.brentq(lambda x: x**2 + p, 0.0, 1.0)

    def too_slow(p: Any) -> Any:
        return optimize.brentq(lambda x: x**3 - p, 0.0, 4.0, maxiter=3)

    def own(p: Any) -> Any:
        return optimize.fsolve(lambda x: [math.log(x[0] - p)], [0.5])[0]

    def caught(p: Any) -> Any:
        try:
            return own(p)
        except ValueError:
            return 3.0 * p

    for f, error, text in (
        (no_bracket, ValueError, "must have different signs"),
        (too_slow, RuntimeError, "Failed to converge after 3 iterations"),
        (own, ValueError, "math domain error"),
    ):
        with pytest.raises(error, match=text):
            checkpoint.grad(f, engine=engine)(2.0)
    assert checkpoint.grad(caught, engine=engine)(2.0) == 3.0
    with pytest.raises(SourceError, match="print in the function instead"):
        checkpoint.grad(lambda p: optimize.root(lambda x: x - p, np.ones(1), callback=lambda x: None).x[0])(
            2.0
        )


def chatty(p: Any) -> Any:
    def equation(x: Any) -> Any:
        print("at", x)
        return x**2 - p

    return optimize.brentq(equation, 0.0, 4.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_equations_print_what_they_print_in_python(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    chatty(2.0)
    expected = capsys.readouterr().out
    checkpoint.grad(chatty, engine=engine)(2.0)
    assert capsys.readouterr().out == expected


def test_a_solver_within_a_loop() -> None:
    def f(p: Any) -> Any:
        x = p[0]
        for _ in range(30):
            x = optimize.brentq(lambda y, x: y + 0.1 * p[1] * y**3 - x, -2.0, 2.0, args=(x,), xtol=1e-14)
        return x

    agrees(f, [1.5, 0.3])
