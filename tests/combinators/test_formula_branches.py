"""Formulas that branch on what they compute: their bits, derivatives and errors, on every engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays, config, engines
from checkpoint.scalars import formulas

X = np.concatenate([np.random.default_rng(4).uniform(-1.5, 1.5, 140), [0.0, -0.0, 0.5, 1.0]])


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    """Let operators be what they are: these are not associative."""
    with config.override(check=False):
        yield


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts of all formulas that are applied from now on."""
    found = list[str]()

    def fill(xp: Any, text: str, *rest: Any) -> None:
        found.append(text)
        formulas.fill(xp, text, *rest)

    monkeypatch.setattr("tensorlib.layout.item_formulas.fill", fill)
    return found


def nested(v: float) -> float:
    if v > 0.5:
        w = math.sqrt(v - 0.5) if v < 1.25 else v * v
    elif v > 0.0 and not v > 0.25:
        w = math.log(v)
    else:
        w = -v
    return w * v if w <= 1.0 else w


def between(v: float) -> float:
    return 3.0 * v if -0.5 < v <= 0.5 or v == 1.0 else v / 2.0


def joined(v: float) -> float:
    low, high = (v, 1.0) if v < 0.0 else (0.25 * v, v)
    return low * high


BRANCHES: dict[str, Callable[[float], float]] = {
    "extremes": lambda v: max(v, 0.25) * min(v, 0.5, 2.0 * v),
    "clipped": lambda v: max(-1.0, min(1.0, v)) * v,
    "root": lambda v: math.sqrt(v - 0.5) if v > 0.5 else 0.0,
    "root of nothing": lambda v: math.sqrt(v) * v if v > 0.0 else v,
    "quotient": lambda v: 1.0 / v if v != 0.0 else 7.0,
    "power": lambda v: v**0.5 if v >= 0.0 else (-v) ** 1.5,
    "nested": nested,
    "between": between,
    "joined": joined,
}


def with_an_integer(f: Callable[[float], float]) -> Callable[[float], float]:
    """Return the same function, without a formula."""
    return lambda v: v if int(v) > 10**9 else f(v)


@pytest.mark.parametrize("name", BRANCHES)
def test_values_and_derivatives(name: str, texts: list[str]) -> None:
    def whole(f: Any) -> Callable[..., Any]:
        return lambda x: np.sum(arrays.map(f, x) * x) + np.sum(arrays.map(lambda v: f(v) * v, x) ** 2)

    f = BRANCHES[name]
    found = [checkpoint.value_and_grad(whole(f), engine=engine)(X) for engine in engines.usable()]
    assert any("choose" in text for text in texts)
    value, gradient = checkpoint.value_and_grad(whole(with_an_integer(f)))(X)
    for own, slopes in found:
        assert own == value
        assert slopes.tobytes() == found[0][1].tobytes()
        assert np.allclose(slopes, gradient, rtol=1e-10, atol=1e-12)
    _, slope = checkpoint.jvp(whole(f), X[:-4], np.ones(140))
    assert np.isclose(slope, np.sum(gradient[:-4]), rtol=1e-10)

    def curvature(f: Any) -> Any:
        return checkpoint.grad(lambda s: np.sum(checkpoint.grad(whole(f))(s * X[:9])))(1.0)

    assert np.isclose(curvature(f), curvature(with_an_integer(f)), rtol=1e-9)


def greater(p: Any, q: Any) -> Any:
    return q if q[0] > p[0] else p


def greater_without(p: Any, q: Any) -> Any:
    return q if int(q[0] > p[0]) else p


def test_the_greatest_item_and_its_place() -> None:
    x, at = X.copy(), np.arange(float(len(X)))
    x[[3, 70]] = 9.0

    def by(op: Any) -> Callable[..., Any]:
        def total(x: Any) -> Any:
            (best, place), (running, _) = arrays.reduce(op, (x, at)), arrays.scan(op, (x, at))
            return best * place + np.sum(running)

        return total

    found = [checkpoint.value_and_grad(by(greater), engine=engine)(x) for engine in engines.usable()]
    want = checkpoint.value_and_grad(by(greater_without))(x)
    for value, gradient in found:
        assert value == want[0]
        assert gradient.tobytes() == want[1].tobytes()
    assert found[0][1][70] == 0.0


def test_what_is_not_taken_has_no_derivative_even_where_it_is_not_finite() -> None:
    x = np.array([-math.inf, 2.0, math.inf])

    def small(v: Any) -> Any:
        return v * v * 0.5 - v if abs(v) < 9.0 else 0.0 * max(v, -1.0, 1.0)

    def by(x: Any) -> Any:
        return arrays.map(small, x)[1]

    for engine in engines.usable():
        assert checkpoint.grad(by, engine=engine)(x).tolist() == [0.0, 1.0, 0.0]


def test_nan_is_not_greater() -> None:
    x = np.array([math.nan, 1.0, math.nan])
    for engine in engines.usable():
        found = checkpoint.vmap(lambda v: 1.0 if v > 0.0 else 2.0 * v, engine=engine)(x)
        own = checkpoint.value_and_grad(
            lambda x: np.sum(arrays.map(lambda v: v if v > 0.0 else 3.0, x)), engine=engine
        )
        assert np.isnan(found).tolist() == [True, False, True]
        assert own(x)[0] == 7.0
        assert own(x)[1].tolist() == [0.0, 1.0, 0.0]


def test_what_the_side_that_is_taken_raises_is_raised() -> None:
    for engine in engines.usable():
        slope = checkpoint.grad(
            lambda x: np.sum(arrays.map(lambda v: math.sqrt(v) if v < 0.5 else v, x)), engine=engine
        )
        assert slope(np.array([0.25, 1.0])).tolist() == [1.0, 1.0]
        with pytest.raises(ValueError, match="math domain error") as caught:
            slope(np.array([1.0, -1.0]))
        assert "in item 1 of map" in caught.value.__notes__


def stopped(v: float) -> float:
    if v > 1.0:
        raise ValueError("too much")
    return v * 2.0


OTHERS: dict[str, Callable[[float], Any]] = {
    "an integer": lambda v: 0 if v < 0.0 else v,
    "truths": lambda v: v > 0.5,
    "raises": stopped,
    "a product with a truth": lambda v: v * (v > 0.5),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_has_no_formula_runs_item_by_item(name: str, texts: list[str]) -> None:
    x = np.array([-0.5, 0.75, 1.0])
    for engine in engines.usable():
        found = checkpoint.value_and_grad(lambda x: np.sum(x * arrays.map(OTHERS[name], x)), engine=engine)(x)
        assert np.isclose(found[0], sum([v * OTHERS[name](v) for v in x]))
    assert not texts


def test_branches_on_what_was_captured() -> None:
    def by(limit: Any, x: Any) -> Any:
        bounds = {"low": -limit, "high": limit}

        def clipped(v: Any) -> Any:
            if v < bounds["low"]:
                return bounds["low"]
            return bounds["high"] if v > bounds["high"] else v

        return np.sum(arrays.map(clipped, x))

    for engine in engines.usable():
        slopes = checkpoint.grad(by, (0, 1), engine=engine)(1.0, np.array([-2.0, 0.5, 3.0, 4.0]))
        assert slopes[0] == 1.0
        assert slopes[1].tolist() == [0.0, 1.0, 0.0, 0.0]
