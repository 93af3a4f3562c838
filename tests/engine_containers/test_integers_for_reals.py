"""An integer in the place of a real receives nothing that the real would get."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from checkpoint import engines, grad


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
