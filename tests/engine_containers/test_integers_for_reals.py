"""Integers beside reals: they receive nothing that a real would get, and partials read their values."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from checkpoint import Bisection, engines, grad
from checkpoint.driver.schedule import Plain


def of_slice(x: float) -> float:
    xs = [x, 1.5]
    xs[0:1] = [2, 2]
    return sum(xs) + x


def of_insertion(x: float) -> float:
    xs = [x, 1.5]
    xs.insert(0, 2)
    return xs[0] * xs[0] * xs[1] + x


def of_nothing_else(x: float) -> float:
    xs = [x]
    xs[:] = [3]
    return xs[0] * 1.0 + x


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize(("f", "slope"), [(of_slice, 1.0), (of_insertion, 5.0), (of_nothing_else, 1.0)])
def test_gradients(f: Callable[[float], float], slope: float, engine: str) -> None:
    assert grad(f, engine=engine)(-1.3) == slope


LARGE = 2**70  # which C cannot represent


def of_arithmetic(x: float, n: int) -> float:
    total = x * n + math.sin(x) / n + x**2 * (n + LARGE)
    for i in range(40):
        total = total + x * (n - i) / LARGE
    return total + math.atan2(x, n)


@pytest.mark.parametrize("n", [LARGE, 12345 - LARGE])
def test_large_integers_scale_cotangents(n: int) -> None:
    """The partials beside an integer that C cannot represent are those of the nearest real."""
    for schedule in (Plain(), Bisection(base=50)):
        slopes = [grad(of_arithmetic, engine=name, schedule=schedule)(0.3, n) for name in engines.usable()]
        assert len({slope.hex() for slope in slopes}) == 1
        assert abs(slopes[0]) > LARGE / 2
