"""The executor on real engines does what the model says: counts, ends, rests, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.values import Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Actions, Bisection, Keep, Plain, Restore, Reverse, Schedule, Tape
from checkpoint.errors import InternalError
from tests.driver.model import Model
from tests.driver.test_schedules import Fixed
from tests.support.corpus import engine_name, usable_engines, value_of

pytestmark = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)

LOOP = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 9) y (loop (+ i 1) (sin (* x y))))))"
SCHEDULES = [Plain(), *(Bisection(base) for base in (1, 2, 3, 10, 49, 100, 10_000))]


def sweep(engine: Engine, schedule: Schedule, start: Any) -> tuple[Counts, Any, Any]:
    """Reverse a run from a state: what was done, the end, and the cotangent of the start."""
    each = Sweep(engine, Effects(), lambda end: engine.seed(end, 1.0))
    end, cotangent = each.run(start, schedule)
    return each.counts, end, cotangent


def start_of(text: str, x: Any, engine: Engine) -> Any:
    return engine.start(0, enter(Pair(value_of(text, engine), x)), 0)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_counts_are_those_of_the_model(schedule: Schedule, engine: Engine) -> None:
    start = start_of(LOOP, 0.7, engine)
    length = engine.advance(start, None, Effects()).steps
    counts, end, _ = sweep(engine, schedule, start)
    assert counts == Model(length).follow(schedule).counts
    assert end.steps == length
    assert end.finished


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_a_rest_counts_from_where_it_starts(schedule: Schedule, engine: Engine) -> None:
    start = start_of(LOOP, 0.7, engine)
    length = engine.advance(start, None, Effects()).steps
    rest = engine.advance(start, 31, Effects())
    counts, end, _ = sweep(engine, schedule, rest)
    assert counts == Model(length - 31, 31).follow(schedule).counts
    assert end.steps == length


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("last", [0, 1, 30, 99])
def test_a_run_may_be_taken_to_end_early(last: int, schedule: Schedule, engine: Engine) -> None:
    start = start_of(LOOP, 0.7, engine)
    each = Sweep(
        engine, Effects(), lambda end: engine.seed_capsule(end, [0.0] * _components(end, engine)), last
    )
    end, _ = each.run(start, schedule)
    assert each.counts == Model(last).follow(schedule).counts
    assert (end.steps, end.finished) == (last, False)


def _components(end: Any, engine: Engine) -> int:
    """Return the number of components of an unfinished state's cotangent: the numbers of its capsule."""
    return len(numbers(engine.capsule(end)))


def test_reversing_without_a_tape_is_our_bug(engine: Engine) -> None:
    for schedule in (Fixed(Keep(), Reverse()), Fixed(Keep(), Tape(None), Keep(), Reverse())):
        with pytest.raises(InternalError, match="the schedule reversed without a tape"):
            sweep(engine, schedule, start_of(LOOP, 0.7, engine))


def test_never_reversing_is_our_bug(engine: Engine) -> None:
    with pytest.raises(InternalError, match="the schedule never reversed the end of the run"):
        sweep(engine, Fixed(Keep(), Tape(None)), start_of(LOOP, 0.7, engine))


class Restoring:
    """A schedule that tapes twice from the start. tapes: the bytes after the first, and after `Restore`."""

    weighs = True

    def __init__(self) -> None:
        self.tapes: list[int] = []

    def actions(self) -> Actions:
        start = yield Keep()
        for action in (Tape(30), Restore(start.step)):
            report = yield action
            self.tapes.append(report.tapes)
        yield Tape(None)
        yield Reverse()


def test_a_restored_state_drops_the_tape(engine: Engine) -> None:
    schedule = Restoring()
    sweep(engine, schedule, start_of(LOOP, 0.7, engine))
    assert schedule.tapes[0] > 0
    assert schedule.tapes[1] == 0
