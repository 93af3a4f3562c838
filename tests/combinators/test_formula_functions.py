"""Functions of scalars within formulas: their bits, derivatives and errors, on every engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays, config, engines
from checkpoint.scalars import formula_derivatives, formulas


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    """Let operators be what they are: these are not associative."""
    with config.override(check=False):
        yield


def bits(nest: Any) -> bytes:
    if isinstance(nest, tuple):
        return b"".join(map(bits, nest))
    return bytes(np.asarray(nest, float).tobytes())


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "root": lambda v: math.sqrt(v * v + 2.0 * v),
    "exponential": lambda v: math.exp(-v) + math.expm1(v),
    "logarithm": lambda v: math.log(v) * math.log1p(v) + math.log(v, 2.0),
    "angles": lambda v: math.sin(v) * math.cos(v) - math.atan2(v, 0.5) * math.acos(v),
    "hyperbolic": lambda v: math.tanh(v) + math.asinh(v),
    "logistic": lambda v: 1.0 / (1.0 + math.exp(-v)),
    "square": lambda v: v**2 + v**0.5,
    "power of an item": lambda v: 2**v * v**v,
    "absolute": lambda v: abs(v - 0.5) * v,
    "error": lambda v: math.erf(v) * 0.5 * math.pi,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_scalars(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, x = list[str](), np.random.default_rng(3).uniform(0.2, 0.9, 131)

    def fill(xp: Any, text: str, *rest: Any) -> None:
        texts.append(text)
        formulas.fill(xp, text, *rest)

    monkeypatch.setattr("tensorlib.layout.item_formulas.fill", fill)

    def whole(f: Any) -> Callable[..., Any]:
        def within(a: Any, b: Any) -> Any:
            return 0.3 + 0.1 * math.tanh(f(a) + b)

        return lambda x: np.sum(arrays.map(f, x) ** 2) + arrays.reduce(within, x)

    def by_lanes(v: Any) -> Any:
        return v if int(v) > 10**9 else FUNCTIONS[name](v)

    found = [checkpoint.value_and_grad(whole(FUNCTIONS[name]), engine=each)(x) for each in engines.usable()]
    assert len({bits(each) for each in found}) == 1
    assert any("!" in text or "abs" in text or "tanh" in text or "erf" in text for text in texts)
    value, gradient = checkpoint.value_and_grad(whole(by_lanes))(x)
    assert bits(found[0][0]) == bits(value)
    assert np.allclose(found[0][1], gradient, rtol=1e-10)
    _, slope = checkpoint.jvp(whole(FUNCTIONS[name]), x, np.ones_like(x))
    assert np.isclose(slope, np.sum(gradient), rtol=1e-10)

    def curvature(f: Any) -> Any:
        return checkpoint.grad(lambda s: np.sum(checkpoint.grad(whole(f))(s * x[:5])))(1.0)

    assert np.isclose(curvature(FUNCTIONS[name]), curvature(by_lanes), rtol=1e-9)


def test_kinks_have_the_derivatives_of_scalars() -> None:
    for engine in engines.usable():
        slope = checkpoint.grad(lambda x: np.sum(arrays.map(abs, x)), engine=engine)
        assert slope(np.array([-1.0, 0.0, 2.0])).tolist() == [-1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("f", "x", "error"),
    [(math.sqrt, -1.0, ValueError), (math.exp, 1e3, OverflowError), (math.log, 0.0, ValueError)],
)
def test_what_a_function_raises_is_raised(f: Any, x: float, error: type[Exception]) -> None:
    for engine in engines.usable():
        with pytest.raises(error) as caught:
            checkpoint.grad(lambda x: np.sum(arrays.map(f, x)), engine=engine)(np.array([1.0, x]))
        assert "in item 1 of map" in caught.value.__notes__


def test_a_partial_that_is_infinite_does_not_matter_where_the_cotangent_is_zero() -> None:
    def whole(x: Any) -> Any:
        return arrays.map(lambda v: 0.0 * math.sqrt(v), x)[1]

    for engine in engines.usable():
        assert checkpoint.grad(whole, engine=engine)(np.zeros(2)).tolist() == [0.0, 0.0]


def test_what_depends_on_constants_alone_is_no_step() -> None:
    maker = formulas.Maker(1)
    square = maker.finished([maker.step("float_power!", maker.inputs[0], 2.0)]).text
    slope = formulas.parsed(formula_derivatives.cotangents(square))
    assert {name for name, _ in slope.steps} == {"multiply", "equal", "choose"}
    assert maker.step("divide", 1.0, 0.0).number == maker.constant(math.inf).number
    assert maker.step("choose", maker.step("less", 1.0, 2.0), 3.0, maker.inputs[0]).number[0] == "constant"
