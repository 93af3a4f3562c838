"""Schedules by the symbolic model: every rule, the bounds of bisection, and exact sequences of actions."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Bisection,
    Drop,
    Keep,
    Plain,
    Report,
    Restore,
    Reverse,
    Tape,
)
from tests.driver.model import BrokenRule, Model

BASES = (1, 2, 3, 7, 10, 50, 299, 10_000)
LARGE = [
    *((20_000, 1), (2**20, 128), (2**20 - 1, 128), (2**20 + 1, 128), (999_999, 777)),
    *((10**9, 10**6), (10**12, 10**8 + 1)),
]


def doublings(length: int, base: int) -> int:
    """Return the logarithm to base 2 of length / base, rounded up; 0 for what is no longer than base."""
    count = 0
    while base << count < length:
        count += 1
    return count


def check_bisection(length: int, base: int, start: int = 0) -> None:
    """Check the bounds that Bisection states, and that base cases are no longer than the base."""
    model = Model(length, start).follow(Bisection(base))
    again = model.counts.advanced + model.counts.taped - length
    assert model.counts.most_kept <= 2 + doublings(length, base)
    assert again <= length * (1 + doublings(length, base))
    assert all(last - first <= base for first, last in model.reversed)
    if length <= base:
        assert again == 0
        assert model.counts.most_kept == 1
    else:
        # No step is taped twice, but for the first base case, which found that the run continues.
        assert model.counts.taped == length + base


@pytest.mark.parametrize("base", BASES)
def test_bisection_of_every_length(base: int) -> None:
    for length in range(301):
        check_bisection(length, base)


@pytest.mark.parametrize(("length", "base"), LARGE)
def test_bisection_of_long_runs(length: int, base: int) -> None:
    check_bisection(length, base)


@pytest.mark.parametrize("start", [1, 17, 10**9])
def test_a_rest_is_reversed_like_a_run_from_0(start: int) -> None:
    for length in range(60):
        check_bisection(length, 7, start)
        here, there = (Model(length, s).follow(Bisection(7)) for s in (0, start))
        assert here.counts == there.counts
        assert [(a + start, b + start) for a, b in here.reversed] == there.reversed


def test_bisection_keeps_one_state_more_for_a_run_twice_as_long() -> None:
    kept = [Model(100 * 2**k).follow(Bisection(100)).counts.most_kept for k in range(1, 12)]
    assert [later - earlier for earlier, later in pairwise(kept)] == [1] * 10


@pytest.mark.parametrize("length", [0, 1, 2, 1000, 10**9])
def test_plain_runs_everything_once_on_one_tape(length: int) -> None:
    model = Model(length).follow(Plain())
    assert model.actions == [Keep(), Tape(None), Reverse()]
    assert (model.counts.advanced, model.counts.taped, model.counts.most_kept) == (0, length, 1)


@pytest.mark.parametrize("base", [0, -1, None, "10"])
def test_a_base_is_at_least_one_step(base: Any) -> None:
    with pytest.raises(ValueError, match=rf"Bisection\(base={base!r}\): base must be at least 1 step"):
        Bisection(base)


# Exact sequences

SHORT = "keep tape:10 reverse"
SEQUENCES = {
    (0, 10): SHORT,
    (9, 10): SHORT,
    (10, 10): SHORT,
    (11, 10): (
        "keep tape:10 advance:end restore:0 advance:5 keep restore:5 tape:11 reverse drop:5 "
        "restore:0 tape:5 reverse"
    ),
    (25, 10): (
        "keep tape:10 advance:end restore:0 advance:12 keep restore:12 advance:18 keep "
        "restore:18 tape:25 reverse drop:18 restore:12 tape:18 reverse drop:12 "
        "restore:0 advance:6 keep restore:6 tape:12 reverse drop:6 restore:0 tape:6 reverse"
    ),
    (4, 1): (
        "keep tape:1 advance:end restore:0 advance:2 keep restore:2 advance:3 keep restore:3 tape:4 reverse "
        "drop:3 restore:2 tape:3 reverse drop:2 restore:0 advance:1 keep restore:1 tape:2 reverse drop:1 "
        "restore:0 tape:1 reverse"
    ),
}


def written(action: Action) -> str:
    match action:
        case Advance(to) | Tape(to):
            return f"{type(action).__name__.lower()}:{'end' if to is None else to}"
        case Restore(step) | Drop(step):
            return f"{type(action).__name__.lower()}:{step}"
        case _:
            return type(action).__name__.lower()


@pytest.mark.parametrize(("length", "base"), SEQUENCES)
def test_exact_sequence(length: int, base: int) -> None:
    model = Model(length).follow(Bisection(base))
    assert " ".join(map(written, model.actions)) == SEQUENCES[length, base]


# The model refuses what no schedule may do


class Fixed:
    """A schedule of these actions, whatever happens."""

    def __init__(self, *actions: Action) -> None:
        self._actions = actions

    def actions(self) -> Actions:
        yield from (action for action in self._actions)  # a generator takes what is sent


BROKEN: dict[str, list[Action]] = {
    "the start is kept first": [Tape(None), Reverse()],
    "only a kept state is restored": [Keep(), Advance(3), Restore(3)],
    "only a kept state is dropped": [Keep(), Drop(1)],
    "a run goes forward": [Keep(), Advance(3), Advance(2)],
    "only a tape is reversed": [Keep(), Tape(None), Keep(), Reverse()],
    "a tape is reversed that ends where reversal stands": [Keep(), Tape(5), Reverse()],
    "after Reverse there is no current state": [Keep(), Tape(None), Reverse(), Keep()],
    "everything is reversed": [Keep(), Advance(4), Tape(None), Reverse()],
    "nothing is kept but the start": [Keep(), Advance(1), Keep(), Restore(0), Tape(None), Reverse()],
}


@pytest.mark.parametrize("rule", BROKEN)
def test_the_model_refuses_broken_rules(rule: str) -> None:
    with pytest.raises(BrokenRule, match=f"^{rule}$"):
        Model(10).follow(Fixed(*BROKEN[rule]))


def test_the_model_tells_a_schedule_where_the_run_stands() -> None:
    told: list[Report] = []

    class Curious:
        def actions(self) -> Actions:
            for action in (Keep(), Advance(4), Restore(0), Tape(99), Reverse()):
                told.append((yield action))

    Model(10).follow(Curious())
    assert [(report.step, report.finished) for report in told[:4]] == [
        (0, False),
        (4, False),
        (0, False),
        (10, True),
    ]
