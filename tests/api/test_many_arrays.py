"""Arguments that hold many arrays: they enter and leave together, with the meaning of each by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import RunError, engines, grad, value_and_grad, vjp

COUNT = 30
ENGINES = engines.usable()


def rows(count: int = COUNT) -> list[Any]:
    return [np.array([1.0 + i, 2.0]) for i in range(count)]


def total(weights: Any, x: float) -> Any:
    found = 0.0
    for i in range(0, len(weights), 3):
        found = found + x * np.sum(weights[i] ** 2)
    return found


def of_dict(weights: Any, x: float) -> Any:
    return x * np.sum(weights["k3"] ** 2) + np.sum(weights["k4"] * weights["k3"])


def of_nest(weights: Any, x: float) -> Any:
    return total(weights["a"], x) + of_dict(weights["b"][1], x) + np.sum(weights["c"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [list, tuple])
def test_of_a_list_or_tuple(kind: Any, engine: str) -> None:
    weights = kind(rows())
    found = grad(total, engine=engine)(weights, 0.5)
    assert type(found) is kind
    assert len({id(each) for each in found}) == COUNT
    for i, (each, weight) in enumerate(zip(found, weights, strict=True)):
        assert type(each) is np.ndarray
        assert np.array_equal(each, weight if i % 3 == 0 else np.zeros(2))
        each[:] = 1.0  # they are the caller's own
    assert grad(total, argnums=1, engine=engine)(weights, 0.5) == sum(
        float(np.sum(weights[i] ** 2)) for i in range(0, COUNT, 3)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_of_a_dict_and_of_a_nest(engine: str) -> None:
    weights = {f"k{i}": row for i, row in enumerate(rows())}
    found = grad(of_dict, engine=engine)(weights, 0.5)
    assert list(found) == list(weights)
    assert np.array_equal(found["k3"], weights["k3"] + weights["k4"])
    assert np.array_equal(found["k4"], weights["k3"])
    assert not found["k0"].any()
    nest = {"a": rows(), "b": (1, weights), "c": np.ones(3)}
    value, gradient = value_and_grad(of_nest, engine=engine)(nest, 0.5)
    assert value == of_nest(nest, 0.5)
    assert np.array_equal(gradient["a"][3], nest["a"][3])  # type: ignore[index]
    assert gradient["b"][0] is None
    assert np.array_equal(gradient["b"][1]["k4"], weights["k3"])
    assert np.array_equal(gradient["c"], np.ones(3))


@pytest.mark.parametrize("engine", ENGINES)
def test_one_array_at_several_places(engine: str) -> None:
    x = np.array([1.0, 2.0])
    found = grad(lambda xs: np.sum(xs[0] * xs[1]) + np.sum(xs[9]), engine=engine)([x] * COUNT)
    assert np.array_equal(found[0], x)
    assert np.array_equal(found[1], x)
    assert np.array_equal(found[9], np.ones(2))
    assert not found[2].any()


@pytest.mark.parametrize("engine", ENGINES)
def test_arrays_of_several_kinds(engine: str) -> None:
    mixed = [*rows(), np.float64(2.0), np.arange(2), np.ones(2, np.float32), 1.5, None, "s"]
    found = grad(lambda xs: np.sum(xs[0] * xs[30] * xs[31]) + np.sum(xs[32]) * xs[33], engine=engine)(mixed)
    assert np.array_equal(found[0], [0.0, 2.0])
    assert type(found[30]) is np.float64
    assert found[31] is None
    assert found[32].dtype == np.float32
    assert found[33] == 2.0
    assert found[34] is None
    scalars = [np.float64(i) for i in range(COUNT)]
    assert type(grad(lambda xs: xs[2] * xs[3], engine=engine)(scalars)[2]) is np.float64
    with pytest.raises(RunError, match="holds no real to differentiate"):
        grad(lambda xs: np.sum(xs[0]), engine=engine)([np.arange(3) for _ in range(COUNT)])


def test_reals_of_a_long_list_are_locations_of_their_own() -> None:
    one = 1.5
    assert grad(lambda xs: xs[0] * xs[1] * xs[2])([one] * COUNT)[:4] == [2.25, 2.25, 2.25, 0.0]


def changed(weights: Any) -> Any:
    weights[1][0] = 5.0
    weights[2] *= weights[1]
    return np.sum(weights[1]) + np.sum(weights[2]) + np.sum(weights[3])


@pytest.mark.parametrize("engine", ENGINES)
def test_one_of_many_may_be_changed(engine: str) -> None:
    weights = rows()
    (value, state), found = value_and_grad(changed, has_state=True, engine=engine)(weights)
    assert value == 7.0 + 19.0 + 6.0
    assert np.array_equal(state.args[0][2], [15.0, 4.0])
    assert np.array_equal(found[1], [0.0, 3.0])
    assert np.array_equal(found[2], [5.0, 2.0])
    with pytest.raises(RunError, match="came in as an argument"):
        grad(changed, engine=engine)(weights)


@pytest.mark.parametrize("engine", ENGINES)
def test_cotangents_that_are_passed_in(engine: str) -> None:
    y, found = vjp(lambda xs: [x * x for x in xs], rows(), rows(), engine=engine)
    assert np.array_equal(y[4], rows()[4] ** 2)
    assert np.array_equal(found[4], 2.0 * rows()[4] ** 2)


def calls_of(action: Callable[..., Any], *args: Any) -> int:
    """Return how many functions of Python and of C a call calls."""
    found = [0]

    def count(frame: Any, event: str, argument: Any) -> None:
        found[0] += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        action(*args)
    finally:
        sys.setprofile(None)
    return found[0]


def first(weights: Any, x: float) -> Any:
    return np.sum(weights[0]) * x


@pytest.mark.parametrize("by", [0, 1])
def test_few_functions_are_called_for_each_array(by: int) -> None:
    gradient = grad(first, by)
    counts = []
    for weights in (rows(1000), rows(3000)):
        gradient(weights, 1.0)
        counts.append(calls_of(gradient, weights, 1.0))
    each = (counts[1] - counts[0]) / 2000
    assert each <= (12 if by == 0 else 8)
