"""Entering a lane in C (ctemplates/lanes): values, steps, births and gradients are hybrid's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget import library
from checkpoint.prims import lanes
from tests.support.sampling import THOROUGH, partly

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

XS = np.linspace(-1.0, 2.0, 7)
apart = lanes.apart


class Ball(NamedTuple):
    centre: tuple[float, float]
    size: float


@dataclass
class Spring:
    rest: float
    ends: list[float]


def of_tuples(x: float, shared: Any) -> Any:
    (a, b), ball = shared
    return a * x + ball.centre[0] * ball.size * b, ball.centre[1]


def of_lists(x: float, shared: Any) -> Any:
    total = 0.0
    for row in shared:
        for each in row:
            total += each * x
    return total


def of_objects(x: float, shared: Any) -> Any:
    return (x - shared.rest) * shared.ends[0] * shared.ends[-1]


def with_atoms(x: float, shared: Any) -> Any:
    name, count, flag, nothing, reals = shared
    return x * reals[0] * count if flag and nothing is None and name == "é" else x


def twice_the_same(x: float, shared: Any) -> Any:
    one, other = shared
    return x * one.rest * other.ends[0]


SAME = Spring(0.5, [2.0])
CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "tuples": (of_tuples, ((1.5, -0.0), Ball((2.0, 3.0), 0.25))),
    "lists": (of_lists, [[1.0, 2.0], [], [3.0], [0.5] * 40]),
    "objects": (of_objects, Spring(0.5, [1.0, 2.0, 3.0])),
    "atoms": (with_atoms, ("é", 3, True, None, (1.25,))),
    "the same object twice": (twice_the_same, (SAME, SAME)),
    "integers beside reals": (of_lists, [[1, 2.5, 3, 4.5], [2**70, 1.0]]),
}


def captured(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of what is shared, which lanes capture, by themselves and in a function."""

    def whole(shared: Any) -> Any:
        def again(x: float) -> Any:
            return f(x, shared)

        def lane(x: float) -> Any:
            one, other = again(x), f(x, shared)
            return one, other

        return sum([np.sum(part * XS) for part in leaves(checkpoint.vmap(lane)(XS))])

    return whole


def passed(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of what is shared, which lanes are passed."""
    return lambda shared: sum([np.sum(p * XS) for p in leaves(checkpoint.vmap(f, (0, None))(XS, shared))])


def leaves(found: Any) -> list[Any]:
    return [part for each in found for part in leaves(each)] if isinstance(found, tuple) else [found]


EACH = pytest.mark.parametrize(
    ("name", "how"),
    partly(
        [(name, how) for name in CASES for how in (passed, captured)],
        [*zip(CASES, [passed, captured] * len(CASES), strict=False)],
    ),
)


def bits(value: Any) -> Any:
    """Return all leaves with their types, floats as texts of their bits."""
    if isinstance(value, Spring):
        return bits((value.rest, value.ends))
    if isinstance(value, (list, tuple)):
        return [bits(part) for part in value]
    return float(value).hex() if isinstance(value, (float, np.floating)) else repr(value)


@EACH
def test_gradients_are_those_of_hybrid(name: str, how: Any) -> None:
    f, shared = CASES[name]
    want = bits(checkpoint.value_and_grad(how(f), engine="hybrid", schedule="plain")(shared))
    for schedule in ("plain", "bisection"):
        assert bits(checkpoint.value_and_grad(how(f), engine="c", schedule=schedule)(shared)) == want


@EACH
def test_births_and_steps_are_those_of_hybrid(name: str, how: Any) -> None:
    f, shared = CASES[name]
    whole = how(f)
    steps = checkpoint.primops(whole, shared, engine="c")
    assert steps == checkpoint.primops(whole, shared, engine="hybrid")
    for cut in range(steps // 2, steps, 29 if THOROUGH else 83):
        own, other = [checkpoint.interrupt(whole, shared, cut, engine=engine) for engine in ("c", "hybrid")]
        assert own.state.births == other.state.births
        assert bits(checkpoint.resume(own)) == bits(checkpoint.resume(other))


@EACH
def test_python_copies_nothing(name: str, how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "off")
    f, shared = CASES[name]
    gradient = checkpoint.value_and_grad(how(f), engine="c")
    asked: list[Any] = []

    def spy(value: Any) -> Any:
        asked.append(value)
        return apart(value)

    monkeypatch.setattr(lanes, "apart", spy)
    gradient(shared)
    assert len(asked) == 1  # for all lanes together


LEFT: dict[str, tuple[Callable[..., Any], Any]] = {
    "a dictionary": (lambda x, shared: shared["a"] * x, {"a": 2.0}),
    "an array": (lambda x, shared: shared[0][1] * x, (np.array([1.0, 2.0]),)),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_c_does_not_know_python_copies(name: str) -> None:
    f, shared = LEFT[name]
    want = checkpoint.value_and_grad(passed(f), engine="hybrid")(shared)
    found = checkpoint.value_and_grad(passed(f), engine="c")(shared)
    assert repr(found) == repr(want)


def test_what_is_a_part_of_itself() -> None:
    def f(x: float) -> Any:
        own: list[Any] = [x]
        own.append(own)
        return checkpoint.vmap(lambda each, given: each * given[0], (0, None))(XS, own)

    for engine in ("hybrid", "c"):
        with pytest.raises(checkpoint.CheckpointError, match="what is a part of itself"):
            checkpoint.value_and_grad(lambda x: np.sum(f(x)), engine=engine)(1.0)
