"""Derivatives of gradients: what nobody wants has no tangents, and what no reversal reads is not kept."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.support.corpus import engine_name, usable_engines

ENGINES = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)


@ENGINES
def test_an_array_by_which_no_gradient_is_taken_has_no_tangent(engine: Any) -> None:
    """A zero tangent times an infinite slope would be no number."""

    def f(z: Any, exponents: Any) -> Any:
        return np.sum(z * z / np.exp(exponents))

    def slope(z: Any) -> Any:
        return checkpoint.grad(f)(z, np.array([0.0, 1000.0]))

    with np.errstate(over="ignore"):
        gradient, along = checkpoint.jvp(slope, np.array([3.0, 4.0]), np.ones(2), engine=engine.name)
    assert (gradient.tolist(), along.tolist()) == ([6.0, 0.0], [2.0, 0.0])


@ENGINES
def test_a_value_whose_cotangent_has_no_tangent_is_not_reversed(engine: Any) -> None:
    """The slope of `steep` is constant, so its derivative is 0; 0 times the slope would be no number."""
    factors = np.array([np.inf, 2.0])

    def steep(z: Any) -> Any:
        return np.sum(z * factors)

    def slope(z: Any) -> Any:
        return checkpoint.grad(steep)(z)

    def pulled(z: Any) -> Any:
        return checkpoint.vjp(lambda x: x * factors, z, np.ones(2))[1]

    x = np.array([3.0, 4.0])
    for f in (slope, pulled):
        gradient, along = checkpoint.jvp(f, x, np.ones(2), engine=engine.name)
        assert (gradient.tolist(), along.tolist()) == ([np.inf, 2.0], [0.0, 0.0])
    product = checkpoint.hvp(steep, x, np.ones(2), engine=engine.name)
    assert product.tolist() == [0.0, 0.0]


@ENGINES
def test_gradients_by_all_arguments_have_all_tangents(engine: Any) -> None:
    def f(z: Any, w: Any) -> Any:
        return np.sum(z * z * w)

    def slopes(z: Any) -> Any:
        return checkpoint.grad(f, argnums=(0, 1))(z, z * 2.0), checkpoint.grad(f, argnums=1)(z, z)

    _, ((by_z, by_w), again) = checkpoint.jvp(slopes, np.array([3.0]), np.ones(1), engine=engine.name)
    assert (by_z.tolist(), by_w.tolist(), again.tolist()) == ([24.0], [6.0], [6.0])


@ENGINES
def test_an_array_that_is_passed_twice(engine: Any) -> None:
    """It is no constant where one of the two arguments is wanted."""

    def cubed(z: Any) -> Any:
        return checkpoint.grad(lambda a, b: np.sum(a * a * b), argnums=1)(z, z)

    x = np.array([3.0, 2.0])
    assert checkpoint.vjp(cubed, x, np.ones(2), engine=engine.name)[0].tolist() == [9.0, 4.0]
    assert checkpoint.jvp(cubed, x, np.ones(2), engine=engine.name)[1].tolist() == [6.0, 4.0]


@ENGINES
def test_arrays_that_no_rule_reads_are_not_kept(engine: Any) -> None:
    """A chain of 60 sums, whose reversal reads no elements, keeps few of its arrays of 80 kB."""

    def chain(x: Any) -> Any:
        y = x
        for _ in range(60):
            y = y + x
        return np.sum(y * y)

    def slope(x: Any) -> Any:
        return checkpoint.grad(chain)(x)

    x = np.ones(10_000)
    checkpoint.jvp(slope, x, x, engine=engine.name)
    tracemalloc.start()
    try:
        _, along = checkpoint.jvp(slope, x, x, engine=engine.name)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert along[0] == 2.0 * 61.0**2
    assert engine.name != "c" or peak < 20 * x.nbytes
