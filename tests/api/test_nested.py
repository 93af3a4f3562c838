"""Derivatives that were made outside of a program and are called inside it."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines, grad, hvp, jacfwd, jacrev, jvp, primops, value_and_grad
from checkpoint.ad.numbers import Tape

pytestmark = pytest.mark.engines_in_turn


def fifth(x: float) -> float:
    """Its derivatives at 2 are 80, 160, 240."""
    return x**5


slope: Any = grad(fifth)


def newton(x: float) -> float:
    """Three steps to the minimum; each takes a quarter of x away."""
    for _ in range(3):
        x = x - slope(x) / grad(slope)(x)
    return x


def applied(f: Any, x: float) -> Any:
    return f(x)


def with_aux(xs: list[float]) -> Any:
    return xs[0] ** 2 * xs[1], "aux"


def slope_by_star(*a: float) -> Any:
    return grad(fifth)(*a)


def bend_by_star(*a: float) -> Any:
    return grad(slope_by_star)(*a)


@pytest.mark.parametrize("schedule", ["plain", "bisection"])
def test_three_levels_of_reverse_mode(engine: str, schedule: str) -> None:
    """Cold and hot code agree: what runs step by step at first has compiled functions later."""
    for _ in range(5):
        assert grad(bend_by_star, engine=engine, schedule=schedule)(2.0) == 240.0
        assert grad(grad(slope), engine=engine, schedule=schedule)(2.0) == 240.0


def test_derivatives_of_derivatives(engine: str) -> None:
    assert grad(slope, engine=engine)(2.0) == 160.0
    assert value_and_grad(slope, engine=engine)(2.0) == (80.0, 160.0)
    assert jvp(slope, 2.0, 1.0, engine=engine) == (80.0, 160.0)
    assert jacfwd(jacrev(fifth), engine=engine)(2.0) == jacrev(jacfwd(fifth), engine=engine)(2.0) == 160.0
    assert hvp(slope, 2.0, 1.0, engine=engine) == jvp(grad(slope), 2.0, 1.0, engine=engine)[1]
    assert primops(slope, 2.0, engine=engine) > 10


def test_as_a_variable_of_the_module_and_as_an_argument(engine: str) -> None:
    assert grad(newton, engine=engine)(2.0) == pytest.approx(0.75**3, rel=1e-14)
    assert grad(applied, argnums=1, engine=engine)(slope, 2.0) == 160.0


def test_with_something_beside_the_value(engine: str) -> None:
    hessian = jacfwd(grad(with_aux, has_aux=True), engine=engine)([2.0, 3.0])
    assert hessian == ([[6.0, 4.0], [4.0, 0.0]], None)


@pytest.mark.parametrize("engine", engines.usable())
def test_arguments_that_are_not_differentiated_change_no_second_derivative(engine: str) -> None:
    """Their cotangents are left out of inner gradients; what is asked for has the same bits."""
    points, centers = np.arange(12.0).reshape(4, 3) / 7.0, np.ones((2, 3)) * [[0.25], [0.75]]

    def f(centers: Any, points: Any) -> Any:
        weights = np.exp(np.sum(points, axis=1))[:, None]
        return np.sum(np.min((points @ centers.T) ** 2 + weights, axis=1))

    def of_one(z: Any) -> Any:
        return checkpoint.grad(f)(z, points)

    def of_both(z: Any) -> Any:
        return checkpoint.grad(f, (0, 1))(z, points)[0]

    def along(slope: Any) -> Any:
        return lambda z: np.sum(checkpoint.jvp(slope, z, np.ones_like(z))[1] ** 2)

    for one, both in ((of_one, of_both), (along(of_one), along(of_both))):
        found = [checkpoint.jvp(g, centers, np.sin(points[:2]), engine=engine)[1] for g in (one, both)]
        assert np.asarray(found[0]).tobytes() == np.asarray(found[1]).tobytes()
    slopes = [checkpoint.grad(along(g), engine=engine)(centers) for g in (of_one, of_both)]
    assert slopes[0].tobytes() == slopes[1].tobytes()


def test_arrays_of_a_derivative_within_another_wait_for_no_collector() -> None:
    """Find that what the tapes of its steps hold is let go at once."""

    def slope_of(x: Any) -> Any:
        return grad(lambda y: np.sum(np.sin(y) * y))(x)

    x = np.linspace(0.0, 1.0, 5)
    jvp(slope_of, x, x)
    gc.collect()
    gc.disable()
    try:
        jvp(slope_of, x, x)
        assert not [each for each in gc.get_objects() if type(each) is Tape]
    finally:
        gc.enable()
