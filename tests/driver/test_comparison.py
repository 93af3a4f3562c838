"""Individual and RightBranching: exact sequences, by the model and on all engines, and their gradients."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import pytest

from checkpoint import Individual, RightBranching, check, engines, grad, profile, value_and_grad
from checkpoint.driver.schedule import Actions, Drop, Reverse, Schedule
from tests.driver.model import Model
from tests.driver.test_schedules import written


def layer(x: float, w: float) -> float:
    return x + w * math.sin(x)


def layers(x: float, n: int) -> float:
    for i in range(n):
        x = layer(x, 0.1 * i)
    return x * x


# By the model

SEQUENCES: dict[tuple[int, tuple[int, ...]], str] = {
    (10, ()): "keep advance:end restore:0 tape:10 reverse",
    (10, (3, 8)): (
        "keep advance:end keep advance:end keep advance:end restore:8 tape:10 reverse drop:8 "
        "restore:3 tape:8 reverse drop:3 restore:0 tape:3 reverse"
    ),
}


@pytest.mark.parametrize(("length", "calls"), SEQUENCES)
def test_a_state_for_each_call(length: int, calls: tuple[int, ...]) -> None:
    model = Model(length, calls=calls).follow(Individual(layer))
    assert " ".join(map(written, model.actions)) == SEQUENCES[length, calls]
    assert model.counts.most_kept == 1 + len(calls)
    assert model.counts.advanced == model.counts.taped == length


PIECES: dict[tuple[int, RightBranching], str] = {
    (9, RightBranching()): (
        "keep advance:end restore:0 advance:3 keep advance:6 keep advance:9 restore:6 tape:9 reverse drop:6 "
        "restore:3 tape:6 reverse drop:3 restore:0 tape:3 reverse"
    ),
    (5, RightBranching(2)): (
        "keep advance:end restore:0 advance:3 keep advance:6 restore:3 tape:5 reverse drop:3 "
        "restore:0 tape:3 reverse"
    ),
    (5, RightBranching(base=4)): (
        "keep advance:4 keep advance:8 restore:4 tape:5 reverse drop:4 restore:0 tape:4 reverse"
    ),
}


@pytest.mark.parametrize(("length", "schedule"), PIECES)
def test_pieces_from_the_left(length: int, schedule: RightBranching) -> None:
    model = Model(length).follow(schedule)
    assert " ".join(map(written, model.actions)) == PIECES[length, schedule]


@pytest.mark.parametrize("start", [0, 5])
def test_pieces_of_every_length(start: int) -> None:
    for length in range(200):
        by_root = Model(length, start).follow(RightBranching())
        assert by_root.counts.most_kept <= math.isqrt(max(length - 1, 0)) + 1
        assert by_root.counts.advanced == 2 * length
        for pieces in (1, 2, 7, 300):
            model = Model(length, start).follow(RightBranching(pieces))
            assert model.counts.most_kept <= pieces
            assert all(high - low <= -(-length // pieces) or not low - start for low, high in model.reversed)
            assert model.counts.taped == length
        by_base = Model(length, start).follow(RightBranching(base=10))
        assert by_base.counts.advanced == by_base.counts.taped == length


# On engines


class Logged:
    """A schedule that records each action of another, with the step that it reached."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.log: list[tuple[str, int]] = []

    def actions(self) -> Actions:
        actions = self.schedule.actions()
        action = next(actions)
        while True:
            report = yield action
            self.log.append((written(action), -1 if isinstance(action, Reverse | Drop) else report.step))
            try:
                action = actions.send(report)
            except StopIteration:
                return


class Layer:
    """A layer with a weight."""

    def __init__(self, w: float) -> None:
        self.w = w

    def __call__(self, x: float) -> float:
        return layer(x, self.w)


def network(x: float, n: int) -> float:
    made = [Layer(0.1 * i) for i in range(n)]
    for each in made:
        x = each(x)
    return x * x


def alike(x: float, n: int) -> float:
    for _ in range(n):
        x = layer(x, 0.001)
    return x * x


def recursive(x: float, n: int) -> float:
    return x if n == 0 else layer(recursive(layer(x, 0.2), n - 1), 0.3)


def tail(x: float, n: int) -> float:
    return x if n == 0 else tail(x * x - 0.1 * x, n - 1)


def passed(x: float, n: int) -> float:
    def each(y: float, i: int) -> float:
        return layer(y, 0.1 * i)

    return functools.reduce(each, range(n), x)


square: Callable[[float], float] = lambda x: x * x - 0.3  # noqa: E731


def mapped(x: float, n: int) -> float:
    for _ in range(n):
        x = square(square(x))
    return x + sum(map(square, [x, 2.0 * x]))


CASES: list[tuple[Callable[..., float], Any, int, int]] = [
    (layers, layer, 7, 7),
    (network, Layer.__call__, 5, 5),
    (network, Layer(0.5).__call__, 5, 5),
    (network, layer, 5, 5),
    (recursive, layer, 4, 8),
    (tail, tail, 6, 7),
    (mapped, square, 3, 8),
    (passed, layer, 4, 4),
    (layers, recursive, 4, 0),
    (layers, layers, 4, 1),
]


@pytest.mark.parametrize(("f", "called", "n", "calls"), CASES)
def test_calls_are_the_same_on_all_engines(f: Callable[..., float], called: Any, n: int, calls: int) -> None:
    assert not check(f, 0.7, n)
    logs = []
    expected = value_and_grad(f, schedule="plain", engine="interp")(0.7, n)
    for engine in engines.available():
        logged = Logged(Individual(calls_of=called))
        assert value_and_grad(f, schedule=logged, engine=engine)(0.7, n) == expected
        logs.append(logged.log)
        with profile() as found:
            assert value_and_grad(f, schedule=Individual(called), engine=engine)(0.7, n) == expected
        assert found.total.executed == 2 * found.total.run
        assert found.total.most_kept == 1 + calls
    assert all(log == logs[0] for log in logs)
    assert sum(name.startswith("keep") for name, _ in logs[0]) == 1 + calls


@pytest.mark.parametrize("engine", engines.available())
def test_a_call_is_seen_in_a_run_that_is_translated(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    calls = 1_500 if engine == "c" else 200  # the engines in Python translate nothing
    expected = value_and_grad(alike, schedule="plain", engine=engine)(0.7, calls)
    with profile() as found:
        assert value_and_grad(alike, schedule=Individual(layer), engine=engine)(0.7, calls) == expected
    assert found.total.most_kept == 1 + calls


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="calls_of takes a Python function or method, not <built-in"):
        Individual(math.sin)
    with pytest.raises(ValueError, match="give pieces or base, not both"):
        RightBranching(pieces=2, base=3)
    with pytest.raises(ValueError, match="pieces must be at least 1 piece"):
        RightBranching(0)
    assert grad(layers, schedule=RightBranching())(0.7, 3) == grad(layers, schedule="plain")(0.7, 3)
