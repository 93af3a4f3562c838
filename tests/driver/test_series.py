"""Series of actions, and the budgets that use them: small tapes where steps are fast, new memory is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, ClassVar

import pytest

from checkpoint.driver.budget import Budget
from checkpoint.driver.online import HALVINGS
from checkpoint.driver.schedule import (
    Actions,
    ActionsInSeries,
    Advance,
    Drop,
    Hold,
    Keep,
    Report,
    Restore,
    Reverse,
    Stride,
    Tape,
    Unwind,
)
from checkpoint.driver.series import one_by_one, single_actions
from tests.driver.conftest import CACHE
from tests.driver.model import Model

SMALL = CACHE // 2
FAST, RECORD = 4e-9, 24  # of a turn of a loop in translated code: seconds, bytes
STATE = 400  # bytes
LAYER = 416  # steps


def fast(length: int, memory: int, cost: Any = FAST, fault: float = 0.0, **more: Any) -> Model:
    """Return the model of a run of fast steps, within a budget."""
    given: dict[str, Any] = {
        "size": RECORD,
        "state": lambda step: STATE,
        "cotangent": lambda step: STATE,
        "look_every": 1024,
        **more,
    }
    model = Model(length, cost=cost, fault=fault, **given)
    model.follow(Budget(memory))
    assert model.most_held <= memory
    return model


@dataclass(frozen=True)
class Strided:
    """States at even distances, then a tape of at most `bytes` for each; a larger one is made again."""

    steps: int
    count: int
    bytes: int
    held: int = 2**40
    enough: int = 2**40
    weighs: ClassVar[bool] = True

    def actions(self) -> Actions:
        return one_by_one(self.in_series())

    def in_series(self) -> ActionsInSeries:
        start = report = yield Keep()
        kept: list[int] = []
        while not report.finished:
            before = report.step
            report = yield Stride(self.steps, self.count, self.held, self.enough)
            kept += range(before + self.steps, report.step + (not report.finished), self.steps)
            if not report.finished and report.step not in kept:
                report = yield Advance(None)
        yield from self._back(start, kept)

    def _back(self, start: Report, kept: list[int]) -> ActionsInSeries:
        to: int | None = None
        while kept:
            report = yield Unwind(tuple(kept[::-1]), to, self.bytes, self.held)
            passed = [step for step in kept if report.bytes == 0 or step >= report.step]
            kept = kept[: len(kept) - len(passed)]
            to = passed[0] if passed else to
            if kept:  # its tape was too large
                yield Restore(kept[-1])
                yield Tape(to)
                yield Reverse()
                to = kept.pop()
                yield Drop(to)
        yield Restore(start.step)
        yield Tape(to)
        yield Reverse()


# Series


def test_a_series_is_the_same_actions_one_by_one() -> None:
    start, state = Keep(), Keep()
    found = Model(10).follow(Strided(3, 2, 100)).actions
    assert found == [
        *(start, Advance(3, 2**40), state, Advance(6, 2**40), state, Advance(9, 2**40), state),
        Advance(12, 2**40),
        *(Restore(9), Tape(None, 100), Reverse(), Drop(9)),
        *(Restore(6), Tape(9, 100), Reverse(), Drop(6)),
        *(Restore(3), Tape(6, 100), Reverse(), Drop(3)),
        *(Restore(0), Tape(3), Reverse()),
    ]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 6, 7, 50])
@pytest.mark.parametrize(("steps", "count"), [(1, 1), (1, 100), (3, 2), (7, 3), (100, 5)])
@pytest.mark.parametrize("bytes", [1, 25, 1000])
def test_series_that_end_early_leave_the_rest_to_the_schedule(
    length: int, steps: int, count: int, bytes: int
) -> None:
    for size in (0, 10, lambda step: 40 * (step % 5 == 0)):
        Model(length, size=size).follow(Strided(steps, count, bytes))


def test_a_series_ends_where_the_sweep_holds_too_much() -> None:
    schedule = Strided(10, 5, 10**6, held=1000)
    model = Model(100, size=10, state=lambda step: 300).follow(schedule)
    assert Advance(None) in model.actions
    assert sum(isinstance(action, Keep) for action in model.actions) == 3
    tapes = [action.bytes for action in model.actions if isinstance(action, Tape)]
    assert tapes[0] == 100  # what is left beside the states


def test_a_series_ends_with_the_state_with_which_the_sweep_holds_too_much() -> None:
    actions = single_actions(Stride(10, 5, 2000, enough=1000), Report(0, False, held=900))
    assert next(actions) == Advance(10, 2000)
    assert actions.send(Report(10, False, held=990)) == Keep()
    assert actions.send(Report(10, False, held=1000)) == Advance(20, 2000)
    assert actions.send(Report(20, False, held=1100)) == Keep()
    with pytest.raises(StopIteration):
        actions.send(Report(20, False, held=1100))


# Budgets


def _growing(large: int, step: int) -> int:
    return large if step > 200_000 else STATE


def test_states_that_grow_do_not_outgrow_the_budget_in_series() -> None:
    for large in (2**14, 2**16):
        states = partial(_growing, large)
        fast(10**6, 2**22, state=states, fault=1e-9, look_every=2**16)


@pytest.mark.parametrize(("memory", "length"), [(2**22, 10**6), (2**24, 10**6), (2**30, 2 * 10**6)])
def test_fast_steps_are_reversed_by_small_tapes(memory: int, length: int) -> None:
    model = fast(length, memory, fault=1e-9)
    assert model.counts.advanced <= length
    sizes = Counter(RECORD * (high - low) // SMALL for low, high in model.reversed)
    assert sizes[0] + sizes[1] > 0.9 * sizes.total()
    assert model.counts.taped <= 1.01 * length


@pytest.mark.parametrize("had", [2**25, 2**27])
def test_memory_that_was_left_does_not_say_what_new_memory_costs(had: int) -> None:
    dear = fast(8 * 10**6, 2**30, fault=1e-9, had=had)
    assert had < dear.most_taped <= had + 2**23
    cheap = fast(8 * 10**6, 2**30, fault=1e-12, had=had)
    assert cheap.counts.advanced == 0


def test_memory_that_costs_nothing_is_taped_once() -> None:
    model = fast(10**6, 2**26)
    assert model.counts.advanced == 0
    assert model.counts.taped == 10**6


def test_the_beginning_is_taped_until_it_is_known_what_memory_costs() -> None:
    model = fast(10**6, 2**30, fault=1e-9)
    head = model.reversed[-1][1] * RECORD
    assert 2**20 <= head <= 2**21
    cheap = fast(10**6, 2**30, fault=1e-12)
    assert cheap.counts.advanced == 0


def test_tapes_of_dear_memory_use_what_was_had() -> None:
    """Also where none is small, since many lanes run at once: they do not double as those before do."""
    memory = 2**28
    model = fast(10**7, memory, fault=1e-9, strips=True)
    assert model.counts.advanced <= model.length
    assert model.counts.taped <= 1.01 * model.length
    assert model.largest <= memory >> HALVINGS
    assert model.most_held <= 2 * memory >> HALVINGS


def test_slow_steps_are_taped_once_whatever_memory_costs() -> None:
    model = fast(10**5, 2**26, cost=1e-6, fault=1e-9)
    assert model.counts.advanced == 0


def _at_layers(there: float, elsewhere: float, step: int) -> float:
    return there if step % LAYER == 300 else elsewhere


def test_steps_that_record_more_than_is_small_are_hardly_taped_in_vain() -> None:
    layers, large = 60, 2 * SMALL + 1000
    sizes, costs = partial(_at_layers, large, RECORD), partial(_at_layers, 1e-3, 1e-7)
    model = fast(LAYER * layers, 18 * large, costs, size=sizes, look_every=1)
    held = sum(isinstance(action, Hold) for action in model.actions)
    assert any(isinstance(action, Advance) for action in model.actions)
    assert model.outgrown <= held + 3
    assert model.counts.taped <= 1.1 * model.length


@pytest.mark.parametrize("seed", range(6))
def test_budgets_hold_where_steps_and_states_differ(seed: int) -> None:
    random = Random(seed)
    length, memory = random.randrange(40_000, 120_000), random.choice((2**21, 2**22))
    changes = sorted(random.sample(range(length), 3))

    def of(amounts: Sequence[float]) -> Any:
        return lambda step: amounts[sum(step >= change for change in changes)]

    sizes = [float(random.choice((24, 48, 200, 400))) for _ in range(4)]
    costs = [random.choice((FAST, 5 * FAST, 50 * FAST)) for _ in range(4)]
    states = [random.choice((200, 2000, 6000)) for _ in range(4)]
    fast(length, memory, of(costs), 1e-9, size=of(sizes), state=of(states), look_every=8)
