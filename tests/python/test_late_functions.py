"""Functions in the data of a program that are translated when a run uses them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint.functions import closures
from checkpoint.lang.python.linking import program


def helper(x: float) -> float:
    return math.sin(x)


def scaled(factor: float) -> Callable[[float], float]:
    def f(x: float) -> float:
        return factor * helper(x)

    return f


class Point:
    def __init__(self, x: float) -> None:
        self.x = x

    def twice(self) -> float:
        return 2.0 * self.x


def point(x: float) -> Point:
    return Point(x)


def with_option(x: float, option: float = 2.0) -> float:
    return x * option


def negative(x: float) -> float:
    return -x


REGISTRY: dict[str, Any] = {
    **{f"scaled {i}": scaled(float(i)) for i in range(40)},
    "point": point,
    "with option": with_option,
    "negative": negative,
}
OTHERS: list[Any] = [with_option, negative, *[eval(f"lambda x: x + {i}") for i in range(40)]]


def registered(x: float) -> float:
    name = "scaled 3" if x < 1.0 else "scaled 5"
    made: float = REGISTRY[name](x) + REGISTRY["with option"](x, option=3.0)
    return made + len(REGISTRY) * float(REGISTRY["point"](x).twice())


def compared(x: float) -> float:
    total = 0.0
    for f in OTHERS[:6]:
        total += 1.0 * (f is negative) + 10.0 * (with_option == f) + 100.0 * (f in (with_option, negative))
        total += 1000.0 * (f in OTHERS and callable(f))
    return total * x


def stored(x: float) -> tuple[float, Any]:
    return 2.0 * x, REGISTRY["negative"]


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the functions that are translated, as they are."""
    found: list[Any] = []
    link = program.link

    def noted(function: Any, *args: Any) -> Any:
        found.append(function)
        return link(function, *args)

    monkeypatch.setattr(program, "link", noted)
    monkeypatch.setattr(closures, "_programs", program.Programs())
    return found


def test_few_of_many_functions_are_translated(links: list[Any], engine: str) -> None:
    value = checkpoint.value_and_grad(registered, engine=engine)
    y, slope = value(0.5)
    assert y == registered(0.5)
    assert slope == pytest.approx(3.0 * math.cos(0.5) + 2.0 * len(REGISTRY) + 3.0)
    assert len({id(f) for f in links}) == 4  # with `registered` itself
    count = len(links)
    assert value(0.5) == (y, slope)
    assert len(links) == count
    assert value(1.5)[0] == registered(1.5)


def test_they_are_compared_as_in_python(links: list[Any], engine: str) -> None:
    assert checkpoint.value_and_grad(compared, engine=engine)(1.0) == (compared(1.0), compared(1.0))


def test_they_can_leave_the_program(engine: str) -> None:
    value = checkpoint.vjp(stored, 1.5, (1.0, None), engine=engine)
    assert value[0] == (3.0, negative)
    assert value[1] == 2.0


def test_a_derivative_of_one(engine: str) -> None:
    def f(x: float) -> float:
        slope: float = checkpoint.grad(REGISTRY["scaled 7"])(x)
        return slope * x

    assert checkpoint.value_and_grad(f, engine=engine)(0.5) == (
        7.0 * math.cos(0.5) * 0.5,
        pytest.approx(7.0 * (math.cos(0.5) - 0.5 * math.sin(0.5))),
    )
