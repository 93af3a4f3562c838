"""Integrals by quad inside of programs: SciPy's values, and derivatives by limits and by what is captured."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import fixed_quad, quad

import checkpoint
from tests.arrays.agreement import ENGINES
from tests.scipy_programs.support import agrees, refused

INTEGRALS: dict[str, Callable[[Any], Any]] = {
    "decay": lambda p: quad(lambda x: math.exp(-p[0] * x) * math.sin(p[1] * x), 0.0, p[1])[0],
    "both limits": lambda p: quad(lambda x, a: np.exp(-a * x * x), -p[1], p[0], args=(p[1],))[0],
    "to infinity": lambda p: quad(lambda x: np.exp(-p[0] * x * x), p[1], np.inf)[0],
    "from infinity": lambda p: quad(lambda x: np.exp(p[0] * x), -np.inf, p[1])[0],
    "a root at the end": lambda p: quad(lambda x: p[0] * math.sqrt(x), 0.0, p[1])[0],
    "backwards": lambda p: quad(lambda x: p[0] * x * x, p[1], 0.0)[0],
    "points": lambda p: quad(lambda x: abs(x - 0.5) * p[0], 0.0, p[1], points=[0.5])[0],
    "tolerances": lambda p: quad(lambda x: p[0] / (x * x + p[1]), -9.0, 9.0, epsabs=1e-12, limit=200)[0],
    "a kink that moves": lambda p: quad(lambda x: max(x, p[1]) * p[0], 0.0, 1.5)[0],
    "a kink": lambda p: quad(lambda x: max(x, 0.3) ** 2 * p[0], 0.0, p[1])[0],
    "all that is reported": lambda p: sum(quad(lambda x: x * p[0], 0.0, p[1], full_output=True)[:1]),
    "fixed_quad": lambda p: fixed_quad(lambda x: np.cos(p[0] * x), 0.0, p[1])[0],
}


@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals(name: str) -> None:
    agrees(
        INTEGRALS[name],
        [0.7, 1.3],
        rtol=1e-5,
        second=name in ("decay", "both limits", "to infinity", "points"),
    )


def whole_line(p: Any) -> Any:
    return quad(lambda x: np.exp(-p[0] * (x - p[1]) ** 2), -np.inf, np.inf)[0]


def singular(p: Any) -> Any:
    return quad(lambda x: p[0] / math.sqrt(x) + math.log(x), 0.0, p[1])[0]


def double(p: Any) -> Any:
    return quad(lambda x: quad(lambda y: x * y * p[0], 0.0, x)[0], 0.0, p[1])[0]


@pytest.mark.parametrize("f", [whole_line, singular, double])
def test_long_integrals(f: Any) -> None:
    agrees(f, [0.7, 1.3], rtol=1e-5, second=False, engines=ENGINES[-1:])


def test_limits_that_are_equal() -> None:
    """The slope by a limit is the integrand there."""
    slope = checkpoint.grad(lambda b: quad(math.exp, 1.0, b)[0])(1.0)
    assert slope == pytest.approx(math.e, rel=1e-13)


def weighted(p: Any) -> Any:
    return quad(lambda x: math.exp(p[0] * x), 0.0, 1.0, weight="cos", wvar=3.0)[0]


def test_a_weight() -> None:
    refused(weighted, [0.5], "substitute a variable")


@pytest.mark.parametrize("engine", ENGINES)
def test_what_integrands_raise(engine: str) -> None:
    with pytest.raises(ValueError, match="math domain error"):
        checkpoint.grad(lambda p: quad(lambda x: math.log(x - p), 0.0, 1.0)[0], engine=engine)(0.5)


def chatty(p: Any) -> Any:
    def integrand(x: Any) -> Any:
        print("at", x)
        return x**2 - p

    return quad(integrand, 0.0, 4.0)[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_integrands_print_what_they_print_in_python(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    chatty(2.0)
    expected = capsys.readouterr().out
    checkpoint.grad(chatty, engine=engine)(2.0)
    assert capsys.readouterr().out == expected
