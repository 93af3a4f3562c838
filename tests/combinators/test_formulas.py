"""Operators that are formulas: their bits, derivatives and steps, on every engine and by threads."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays, config, engines
from checkpoint.ctarget import library
from checkpoint.functions.resumption import as_function
from checkpoint.scalars import formula_derivatives, formulas
from checkpoint.scalars.compiled import ByC, by_c
from checkpoint.scalars.definition import find

RNG = np.random.default_rng(0)
STEP = 0.125


def joined(p: Any, q: Any) -> Any:
    a, b = p
    c, d = q
    return a * c + STEP * b, (b - d) / (2 + c * c) - a


def joined_by_items(p: Any, q: Any) -> Any:
    """Return the same by steps that have no formula."""
    a, b = p
    c, d = q
    if int(a) > 10**9:
        return p
    return a * c + STEP * b, (b - d) / (2 + c * c) - a


def helped(x: Any, y: Any) -> Any:
    return -x + 3 * y


def scaled(scale: Any) -> Callable[..., Any]:
    return lambda p, q: [scale * p[0] * helped(q[0], p[1]), q[1] / scale]


def branching(a: Any, b: Any) -> Any:
    return a if a > b else b


def everything(op: Any, items: Any, at: Any) -> Any:
    return (
        arrays.map(op, items, items),
        arrays.reduce(op, items),
        arrays.scan(op, items),
        arrays.reduce_by_index(op, items, at, items),
    )


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    """Let operators be what they are: these are not associative."""
    with config.override(check=False):
        yield


def pairs(count: int) -> tuple[Any, Any]:
    return RNG.uniform(0.5, 1.5, count), RNG.uniform(-1.0, 1.0, count)


def bits(nest: Any) -> bytes:
    if isinstance(nest, list | tuple):
        return b"".join(map(bits, nest))
    return bytes(np.asarray(nest, float).tobytes())


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_values_are_those_of_lanes(count: int) -> None:
    items, at = pairs(count), np.random.default_rng(1).integers(0, count, count)
    found = {
        bits(as_function(everything).call((op, items, at), {}, engine).value())
        for op in (joined, joined_by_items)
        for engine in engines.usable()
    }
    assert len(found) == 1


def test_formulas_take_a_number_of_steps_that_items_do_not_change() -> None:
    def steps(op: Any, count: int) -> set[int]:
        def whole(items: Any) -> Any:
            return arrays.reduce(op, items)

        return {checkpoint.primops(whole, pairs(count), engine=engine) for engine in engines.usable()}

    assert steps(joined, 3) == steps(joined, 1000)
    assert len(steps(joined, 3)) == 1
    assert max(steps(joined_by_items, 3)) < min(steps(joined_by_items, 1000))


def loss(scale: Any, items: Any, at: Any) -> Any:
    total = 0.0
    for nest in everything(scaled(scale), list(items), at):
        total = total + np.sum(nest[0] ** 2) + np.sum(nest[1] * nest[0])
    return total


def loss_by_lanes(scale: Any, items: Any, at: Any) -> Any:
    def op(p: Any, q: Any) -> Any:
        return p if int(p[0]) > 10**9 else scaled(scale)(p, q)

    total = 0.0
    for nest in everything(op, list(items), at):
        total = total + np.sum(nest[0] ** 2) + np.sum(nest[1] * nest[0])
    return total


@pytest.mark.parametrize("count", [1, 6, 13])
def test_gradients_by_items_and_by_captured_reals(count: int) -> None:
    items, at = pairs(count), np.random.default_rng(1).integers(0, count, count)
    hows: list[dict[str, Any]] = [{"engine": engine} for engine in engines.usable()]
    hows += [{"schedule": "bisection"}, {"memory": 1_000_000}]
    found = [checkpoint.grad(loss, (0, 1), **how)(0.5, items, at) for how in hows]
    assert len(set(map(bits, found))) == 1
    want = checkpoint.grad(loss_by_lanes, (0, 1))(0.5, items, at)
    for got, of_lanes in zip(found[0][1], want[1], strict=True):
        assert np.allclose(got, of_lanes, rtol=1e-10)
    assert np.isclose(found[0][0], want[0], rtol=1e-10)
    along = tuple(map(np.ones_like, items))
    _, slope = checkpoint.jvp(lambda both: loss(both[0], both[1], at), (0.5, items), (0.25, along))
    assert np.isclose(slope, 0.25 * found[0][0] + sum(map(np.sum, found[0][1])), rtol=1e-10)


def test_second_derivatives() -> None:
    items, at = pairs(5), np.array([1, 0, 1, 4, 4])

    def slope(f: Any) -> Any:
        return checkpoint.grad(lambda s: np.sum(checkpoint.grad(f, 1)(s, items, at)[0]))(0.5)

    assert np.isclose(slope(loss), slope(loss_by_lanes), rtol=1e-9)


@dataclass
class Span:
    """A span of a line."""

    first: float
    length: float

    def joined(self, other: Span) -> Span:
        return Span(self.first * other.length, self.length + 0.5 * other.length)


@dataclass(frozen=True)
class FixedSpan:
    """The same, never changed."""

    first: float
    length: float

    def joined(self, other: FixedSpan) -> FixedSpan:
        return FixedSpan(self.first * other.length, self.length + 0.5 * other.length)


class Pair(NamedTuple):
    first: float
    length: float

    def joined(self, other: Any) -> Pair:
        return Pair(self.first * other.length, self.length + 0.5 * other.length)


@pytest.mark.parametrize("made", [Span, FixedSpan, Pair])
def test_items_are_objects(made: Any) -> None:
    def spans(op: Any, x: Any, y: Any) -> Any:
        whole, each = arrays.reduce(op, made(x, y)), arrays.map(op, made(x, y), made(y, x))
        assert isinstance(whole, made)
        assert isinstance(each, made)
        return whole.first + whole.length**2 + np.sum(each.first * each.length)

    def by_methods(a: Any, b: Any) -> Any:
        return a.joined(b)

    def by_lanes(a: Any, b: Any) -> Any:
        return a if int(a.first) > 10**9 else a.joined(b)

    ways = [checkpoint.value_and_grad(spans, (1, 2), engine=engine) for engine in engines.usable()]
    x, y = pairs(5)
    found = [[way(op, x, y) for way in ways] for op in (by_methods, by_lanes)]
    assert {bits(value) for each in found for value, _ in each} == {bits(found[0][0][0])}
    assert len({bits(slopes) for _, slopes in found[0]}) == 1
    assert np.allclose(found[0][0][1], found[1][0][1], rtol=1e-12)


def twice(pair: Any) -> Any:
    return pair, pair


CAPTURED: dict[str, Callable[[Any, Any], Any]] = {
    "tuple": lambda a, b: (a, b),
    "list": lambda a, b: [a, b, 3.0],
    "dict": lambda a, b: {0: a, 1: b},
    "object": Pair,
    "beside an array": lambda a, b: (a, b, np.ones(3)),
    "beside a function": lambda a, b: (a, b, lambda: a),
    "of many": lambda a, b: [a, b, *[0.5 for _ in range(300)]],
}


@pytest.mark.parametrize("kind", CAPTURED)
def test_captured_containers(kind: str) -> None:
    x, made = RNG.uniform(0.5, 1.5, 6), CAPTURED[kind]

    def by(scales: Any, x: Any, is_formula: Any) -> Any:
        own = made(scales[0], scales[1])
        pairs = twice(own)

        def op(v: Any, w: Any) -> Any:
            if is_formula:
                return v * pairs[0][0] * w + pairs[1][1] * own[0]
            return v if int(v) > 10**9 else v * pairs[0][0] * w + pairs[1][1] * own[0]

        return np.sum(arrays.map(op, x, x)) + arrays.reduce(op, x)

    found = [
        checkpoint.value_and_grad(by, (0, 1), engine=engine)((2.0, 3.0), x, True)
        for engine in engines.usable()
    ]
    assert len({bits(each) for each in found}) == 1
    value, (scales, items) = checkpoint.value_and_grad(by, (0, 1))((2.0, 3.0), x, False)
    assert np.isclose(found[0][0], value, rtol=1e-13)
    assert np.allclose(found[0][1][0], scales, rtol=1e-12)
    assert np.allclose(found[0][1][1], items, rtol=1e-12)


@pytest.mark.parametrize("kind", ["tuple", "list", "dict", "object", "beside an array"])
def test_reals_in_captured_containers_are_inputs(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = list[int]()

    def fill(xp: Any, text: str, *rest: Any) -> None:
        inputs.append(formulas.parsed(text).inputs)
        formulas.fill(xp, text, *rest)

    monkeypatch.setattr("tensorlib.layout.item_formulas.fill", fill)

    def by(scales: Any, x: Any) -> Any:
        own = made(scales[0], scales[1])
        return np.sum(arrays.map(lambda v: v * own[0] + own[1], x))

    made, both = CAPTURED[kind], checkpoint.value_and_grad(by)
    for a, b in ((2.0, 3.0), (2.5, 2.5)):  # the formula is kept, the reals are not
        assert both((a, b), np.array([1.0, 2.0])) == (3.0 * a + 2.0 * b, (3.0, 2.0))
    assert inputs[0] == 3


def test_an_array_in_a_captured_container_has_no_formula_and_its_derivative() -> None:
    x = RNG.uniform(0.5, 1.5, 4)

    def by(scales: Any) -> Any:
        return np.sum(arrays.map(lambda v: v * scales[0] + scales[1][1], x))

    assert np.allclose(checkpoint.grad(by)((2.0, np.array([0.5, 3.0])))[0], np.sum(x))
    assert np.allclose(checkpoint.grad(by)((2.0, np.array([0.5, 3.0])))[1], (0.0, 4.0))


def test_what_a_quotient_raises_is_raised() -> None:
    x = np.array([1.0, 2.0, 0.0])
    for engine in engines.usable():
        with pytest.raises(ZeroDivisionError) as caught:
            checkpoint.grad(lambda x: np.sum(arrays.map(lambda v: 1.0 / v, x)), engine=engine)(x)
        assert "in item 2 of map" in caught.value.__notes__


# Formulas themselves


STEPS = dict.fromkeys(formulas.CHOICES, 2) | {"choose": 3}
STEPS |= {name: find(name).arity for name in (*formulas.OPERATIONS, *formula_derivatives.functions())}


def random_formula(seed: int, inputs: int = 4) -> str:
    draw = random.Random(seed)
    maker = formulas.Maker(inputs)
    values = [*maker.inputs, maker.constant(-0.0), maker.constant(1.5)]
    for _ in range(draw.randrange(1, 30)):
        name = draw.choice([*formulas.OPERATIONS, "add", "multiply", draw.choice(sorted(STEPS))])
        values.append(maker.step(name, *[draw.choice(values) for _ in range(STEPS[name])]))
    return maker.finished([*values[-3:], draw.choice(values)]).text


@contextmanager
def by_threads(number: int) -> Iterator[None]:
    lib = library.runtime().lib
    lib.ck_wait_for_helpers(True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHECKPOINT_THREADS", str(number))
        try:
            yield
        finally:
            lib.ck_wait_for_helpers(False)


def columns(count: int, stride: int) -> list[Any]:
    """Return columns whose items are so many reals apart; 0: all of a column are the same one."""
    drawn = [np.random.default_rng(i).normal(size=count * abs(stride) or 1) for i in range(4)]
    return [x[::stride] if stride else np.broadcast_to(x, count) for x in drawn]


def filled(text: str, inputs: list[Any], stride: int) -> list[bytes]:
    room = len(inputs[0]) * (abs(stride) or 1)
    found = [np.zeros(room)[:: stride or 1] for _ in formulas.parsed(text).results]
    with np.errstate(all="ignore"):
        formulas.fill(np, text, inputs, found)
    return [np.where(np.isnan(x), np.nan, x).tobytes() for x in found]


CASES = [
    *itertools.product((1, 5, 127, 128, 129, 1000), (1, 2, 3)),
    *itertools.product((129, 33_001), (1, -3, 0)),
]


@pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))
@pytest.mark.parametrize("seed", range(4))
def test_c_has_the_bits_of_numpy(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    library.runtime()
    text = random_formula(seed)
    for each in (text, formula_derivatives.cotangents(text)):
        inputs = {case: [*columns(*case), *columns(*case)][: formulas.parsed(each).inputs] for case in CASES}
        found = {case: filled(each, inputs[case], case[1]) for case in CASES}
        with monkeypatch.context() as patch:
            patch.setattr(by_c, "formula", ByC().formula)
            assert found == {case: filled(each, inputs[case], case[1]) for case in CASES}


@pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(threads: int) -> None:
    text, inputs = random_formula(5), columns(400_003, 1)
    library.runtime()
    with by_threads(1):
        want = filled(text, inputs, 1)
    with by_threads(threads):
        assert filled(text, inputs, 1) == want


def test_a_quotient_that_is_not_finite_is_found() -> None:
    maker = formulas.Maker(2)
    text = maker.finished([maker.step(formulas.CHECKED, *maker.inputs)]).text
    for count in (1, 130, 300_000):
        x = [np.ones(count), np.ones(count)]
        filled(text, x, 1)
        x[1][-1] = 0.0
        with pytest.raises(formulas.NotFinite):
            filled(text, x, 1)


def test_texts_say_all() -> None:
    text = random_formula(1)
    assert formulas.parsed(text).text == text
    assert branching(1.0, 2.0) == arrays.reduce(branching, np.array([1.0, 2.0]))
