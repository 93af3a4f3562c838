"""Shift and reset in Python functions: the values of texts, derivatives of all orders, places of failures."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint import control
from checkpoint.ad.values import Closure
from checkpoint.control import reset, reset_at, shift, shift_at
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.functions import closures
from checkpoint.lang.python.linking import methods, program
from tests.support.corpus import engine_name, usable_engines, value_of

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]


def twice(x: float) -> Any:
    return x + reset(lambda: 10.0 + shift(lambda k: k(k(100.0 * x)) + 1000.0))


def choose(xs: Any) -> Any:
    def each(k: Any) -> Any:
        total = 0.0
        for x in xs:
            total += k(x)
        return total

    return shift(each)


def choices(x: float) -> Any:
    return reset(lambda: choose([x, 2.0]) * checkpoint.stop_gradient(x) * choose((1.0, x, x * x)))


def tags(x: float) -> Any:
    return reset_at("a", lambda: 1.0 + reset_at("b", lambda: x * shift_at("a", lambda k: k(x) + k(3.0))))


def handlers(x: float) -> Any:
    def tried() -> Any:
        try:
            y = shift(lambda k: k(x) + k(-x))
            if y < 0.0:
                raise ValueError(y)
            return y * y
        except ValueError as error:
            return 3.0 * error.args[0]

    return reset(tried)


def middle(x: float, y: float) -> Any:
    return control.shift(lambda k: 0.5 * k(x) + 0.25 * k(y))


def loop(x: float) -> Any:
    def states() -> Any:
        total = 0.0
        for i in range(4):
            step = middle(x, float(i))
            while step > 1.0:
                step = step / 2.0
            total += step * x
        return total

    return control.reset(states)


class Tape:
    """Numbers of reverse mode by callbacks."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self.d = 0.0

    def __mul__(self, other: Any) -> Any:
        def back(k: Any) -> Any:
            y = Tape(self.x * other.x)
            k(y)
            self.d += other.x * y.d
            other.d += self.x * y.d

        return shift(back)

    def __add__(self, other: Any) -> Any:
        def back(k: Any) -> Any:
            y = Tape(self.x + other.x)
            k(y)
            self.d += y.d
            other.d += y.d

        return shift(back)


def slope_by_callbacks(x: float) -> Any:
    z = Tape(x)

    def run() -> Any:
        y = z * z * z + z * Tape(2.0)
        y.d = 1.0

    reset(run)
    return z.d


def slope_by_grad(x: float) -> Any:
    return checkpoint.grad(lambda z: z * z * z + z * 2.0)(x)


FUNCTIONS = (twice, choices, tags, handlers, loop, slope_by_callbacks)
EXPECTED: dict[Callable[..., Any], tuple[float, float]] = {
    twice: (1171.5, 101.0),
    tags: (8.75, 6.0),
    handlers: (1.5 * 1.5 - 4.5, 0.0),
    slope_by_callbacks: (3 * 1.5**2 + 2.0, 9.0),
}


@pytest.mark.parametrize("f", EXPECTED)
def test_values_and_gradients(f: Callable[..., Any], engine: Engine) -> None:
    assert checkpoint.value_and_grad(f, engine=engine.name)(1.5) == EXPECTED[f]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_engines_and_modes_agree(f: Callable[..., Any], engine: Engine) -> None:
    first = usable_engines()[0].name
    for name in ("value_and_grad", "jacfwd"):
        derivative = getattr(checkpoint, name)
        assert derivative(f, engine=engine.name)(1.5) == derivative(f, engine=first)(1.5)
    assert checkpoint.hvp(f, 1.5, 1.0, engine=engine.name) == checkpoint.hvp(f, 1.5, 1.0, engine=first)
    assert checkpoint.primops(f, 1.5, engine=engine.name) == checkpoint.primops(f, 1.5, engine=first)
    assert checkpoint.jvp(f, 1.5, 1.0, engine=engine.name)[1] == pytest.approx(
        checkpoint.grad(f, engine=engine.name)(1.5), rel=1e-12
    )


@pytest.mark.parametrize("f", FUNCTIONS)
def test_every_cut(f: Callable[..., Any], engine: Engine) -> None:
    steps = checkpoint.primops(f, 1.5, engine=engine.name)
    whole = checkpoint.value_and_grad(f, engine=engine.name)(1.5)[0]
    for cut in range(0, steps, 1 if engine.name == "c" else 37):
        capsule = checkpoint.interrupt(f, 1.5, cut, engine=engine.name)
        assert checkpoint.resume(capsule) == whole


def test_reverse_mode_by_callbacks_is_that_of_grad(engine: Engine) -> None:
    for f in (slope_by_callbacks, slope_by_grad):
        assert checkpoint.value_and_grad(f, engine=engine.name)(1.5) == (8.75, 9.0)
        assert checkpoint.hvp(f, 1.5, 1.0, engine=engine.name) == 6.0


def without_reset(x: float) -> Any:
    return x * shift(lambda k: k(x))


def through_grad(x: float) -> Any:
    return reset(lambda: checkpoint.grad(without_reset)(x))


def through_vmap(x: Any) -> Any:
    return reset(lambda: checkpoint.vmap(without_reset)(x).sum())


def test_a_shift_without_a_reset(engine: Engine) -> None:
    for f, x in ((without_reset, 1.5), (through_grad, 1.5)):
        with pytest.raises(Exception, match="this shift has no reset in what runs as a whole here") as caught:
            checkpoint.grad(f, engine=engine.name)(x)
        notes = caught.value.__notes__
        assert "return x * shift(lambda k: k(x))" in notes[0]
    assert "reset(lambda: checkpoint.grad(without_reset)(x))" in notes[1]


def test_a_shift_does_not_leave_a_lane(engine: Engine) -> None:
    numpy = pytest.importorskip("numpy")
    with pytest.raises(Exception, match="this shift has no reset in what runs as a whole here") as caught:
        checkpoint.grad(through_vmap, engine=engine.name)(numpy.ones(3))
    assert "in lane 0 of vmap" in caught.value.__notes__


@pytest.mark.parametrize("f", FUNCTIONS)
def test_large_programs(f: Callable[..., Any], engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that are translated when a run reaches them may be the ones that shift."""
    expected = checkpoint.value_and_grad(f, engine=engine.name)(1.5)
    monkeypatch.setattr(methods, "LIMIT", 0)
    monkeypatch.setattr(closures, "_programs", program.Programs())
    assert checkpoint.value_and_grad(f, engine=engine.name)(1.5) == expected


def reads_in_jvp(x: float) -> Any:
    def product(z: Any) -> Any:
        held = [z, {"square": z * z}]
        y = shift(lambda k: k(held[0]))
        return held[1]["square"] * y

    return reset(lambda: checkpoint.jvp(product, x, 1.0))


def receiver_changes(x: float) -> Any:
    def product(z: Any) -> Any:
        held = [z]

        def five(k: Any) -> Any:
            held[0] = 5.0
            return k(1.0)

        return shift(five) * held[0] * z

    return reset(lambda: checkpoint.jvp(product, x, 1.0))


def rest_changes(x: float) -> Any:
    def product(z: Any) -> Any:
        held = []
        y = shift(lambda k: k(2.0))
        held.append(y * z)
        return held[0]

    return reset(lambda: checkpoint.jvp(product, x, 1.0))


def test_what_a_captured_jvp_refers_to(engine: Engine) -> None:
    """A change would have no tangent, or be lost outside: there are copies, which nobody may change."""
    read = checkpoint.interrupt(reads_in_jvp, 3.0, 0, engine=engine.name)
    assert checkpoint.resume(read) == (27.0, 18.0)
    for f in (receiver_changes, rest_changes):
        with pytest.raises(RunError, match=r"came in as an argument .* and cannot be changed"):
            checkpoint.resume(checkpoint.interrupt(f, 3.0, 0, engine=engine.name))


def test_texts_have_the_same_values(engine: Engine) -> None:
    text = "(lambda (x) (+ x (reset (+ 10 (shift k (+ (k (k (* 100 x))) 1000))))))"
    assert isinstance(value_of(text, engine), Closure)
    assert checkpoint.read(text)(1.5) == checkpoint.value_and_grad(twice, engine=engine.name)(1.5)[0]


def test_outside_of_programs_they_are_refused(engine: Engine) -> None:
    calls: tuple[Callable[[], Any], ...] = (
        lambda: reset(lambda: 1.0),
        lambda: shift(lambda k: k(1.0)),
        lambda: reset_at("a", lambda: 1.0),
        lambda: shift_at("a", lambda k: k(1.0)),
    )
    for call in calls:
        with pytest.raises(RunError, match="shift and reset are for functions that run as programs: write"):
            call()


def called(h: Any, x: float) -> Any:
    return 2.0 * h(x)


def called_within(h: Any, x: float) -> Any:
    return reset(lambda: sum([2.0 * g(x) for g in [h, h]]))


def test_a_function_among_the_arguments(engine: Engine) -> None:
    """Its program is another one; the reset may be in either, but must be there."""
    derivative = checkpoint.value_and_grad(called_within, argnums=1, engine=engine.name)
    assert derivative(without_reset, 1.5) == (2.0 * 2.25 * 2.0, 12.0)
    with pytest.raises(Exception, match="this shift has no reset in what runs as a whole here"):
        checkpoint.grad(called, argnums=1, engine=engine.name)(without_reset, 1.5)


def in_order_of_choices(x: float) -> Any:
    """Sort by keys of which each is chosen from two."""

    def total() -> Any:
        found = sorted([x, 3.0, x * x], key=lambda v: v * choose((1.0, -1.0)))
        return found[1] + 2.0 * found[2]

    return reset(total)


def test_a_key_of_sorted_may_shift(engine: Engine) -> None:
    """Each run of a continuation has keys of its own, in whichever order they are resumed."""
    want, slope = 0.0, 0.0
    for signs in itertools.product((1.0, -1.0), repeat=3):
        items = [(2.0 * signs[0], 2.0, 1.0), (3.0 * signs[1], 3.0, 0.0), (4.0 * signs[2], 4.0, 4.0)]
        (_, one, by_one), (_, two, by_two) = sorted(items)[1:]
        want, slope = want + one + 2.0 * two, slope + by_one + 2.0 * by_two
    derivative = checkpoint.value_and_grad(in_order_of_choices, engine=engine.name)
    assert derivative(2.0) == (want, slope)
