"""Held tapes: reversing a run from them gives gradients that are equal in every bit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.values import Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Drop,
    Hold,
    Keep,
    Plain,
    Release,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
)
from checkpoint.errors import InternalError
from checkpoint.functions.python_functions import run_of
from tests.driver.model import Model
from tests.driver.test_schedules import Fixed
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.same import same_bits

pytestmark = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)

LOOP = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 40) y (loop (+ i 1) (sin (* x y))))))"
PAIRS = """
(lambda (x)
  (let build ((i 0) (all '()))
    (if (< i 20)
        (build (+ i 1) (cons (* x i) all))
        (let sum ((rest all) (total x))
          (if (null? rest) total (sum (cdr rest) (+ (* total x) (car rest))))))))
"""
CALLS = "(lambda (x) (let f ((n 12) (y x)) (if (= n 0) y (* x (sin (f (- n 1) (+ y x)))))))"


def in_place(x: float) -> float:
    """A list, a dictionary, an array, changed all the time."""
    found, sums, whole = [x], {}, np.zeros(5)
    for i in range(12):
        found.append(found[i] * x)
        sums[i % 3] = found[i] + i
        whole[i % 5] = whole[(i + 1) % 5] * x + sums[i % 3]
        found[0] = found[0] + math.sin(x)
    return found[0] + found[11] + sums[2] + float(np.sum(whole * whole))


PROGRAMS: dict[str, Any] = {"loop": LOOP, "pairs": PAIRS, "calls": CALLS, "in place": in_place}


def argument_of(name: str, engine: Engine) -> Any:
    """Return the value that a run of a program starts from."""
    what = PROGRAMS[name]
    if isinstance(what, str):
        return enter(Pair(value_of(what, engine), 0.7))
    return run_of(what, (0.7,), {}, engine.name).u


def swept(engine: Engine, schedule: Schedule, u: Any) -> tuple[Counts, list[float], float]:
    """Reverse a run: what was done, the cotangents of its argument, its value."""
    start = engine.start(0, u, 0)
    each = Sweep(engine, Effects(), lambda end: engine.seed(end, 1.0))
    end, cotangent = each.run(start, schedule)
    return each.counts, engine.argument_cotangents(start, cotangent, numbers(u)), end.value


def length_of(u: Any, engine: Engine) -> int:
    return engine.advance(engine.start(0, u, 0), None, Effects()).steps


@dataclass(frozen=True)
class InPieces:
    """Tape a run in pieces, hold all, reverse them from the end.

    released: the pieces, by their number, whose tapes are given up, and taped again when they are due.
    weighs: as checkpoint.driver.schedule.weighs has it.
    """

    piece: int
    released: tuple[int, ...] = ()
    weighs: bool = False

    def actions(self) -> Actions:
        starts, reached = [(yield Keep()).step], None
        while reached is None or not reached.finished:
            low = starts[-1]
            reached = yield Tape(low + self.piece)
            yield Hold()
            starts.append(reached.step)
            if not reached.finished and len(starts) - 1 in self.released:
                yield Keep()
        end = starts.pop()
        for number in self._among(starts):
            yield Release(starts[number])
        for number in reversed(range(len(starts))):
            low = starts[number]
            if number in self._among(starts):
                yield Restore(low)
                yield Tape(end)
                yield Reverse()
                if number:
                    yield Drop(low)
            else:
                yield Reverse(low)
            end = low

    def _among(self, starts: list[int]) -> list[int]:
        return [number for number in self.released if number < len(starts)]


SCHEDULES = [
    *(InPieces(piece) for piece in (1, 7, 50, 10_000)),
    *(InPieces(7, released) for released in ((0,), (1,), (0, 1, 2, 3), (2, 5))),
    InPieces(50, (0, 1), weighs=True),
    InPieces(7, weighs=True),
]


@pytest.mark.engines_in_turn
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_tapes_that_are_held(name: str, schedule: InPieces, engine: Engine) -> None:
    u = argument_of(name, engine)
    length = length_of(u, engine)
    _, plain, value = swept(engine, Plain(), u)
    counts, found, again = swept(engine, schedule, u)
    assert counts == Model(length).follow(schedule).counts
    assert same_bits(value, again)
    assert len(found) == len(plain)
    assert all(map(same_bits, found, plain))
    assert any(each != 0.0 for each in plain)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_state_after_a_held_tape_is_kept_and_resumed(name: str, engine: Engine) -> None:
    """The state at a held tape's end outlives the tape's release, and that tape's reversal."""
    u = argument_of(name, engine)
    length = length_of(u, engine)
    _, plain, value = swept(engine, Plain(), u)
    first, second = length // 3, 2 * length // 3
    actions: list[Action] = [
        *(Keep(), Tape(first), Hold(), Keep(), Advance(second), Keep(), Tape(None), Hold()),
        *(Restore(first), Tape(second), Hold(), Release(first), Reverse(second), Drop(second)),
        *(Restore(first), Tape(second), Reverse(), Drop(first), Reverse(0)),
    ]
    _, found, again = swept(engine, Fixed(*actions), u)
    assert same_bits(value, again)
    assert all(map(same_bits, found, plain))


def test_the_last_tape_is_not_the_last_once_it_is_held(engine: Engine) -> None:
    for actions in ((Keep(), Tape(None), Hold(), Reverse()), (Keep(), Hold())):
        with pytest.raises(InternalError, match="the schedule reversed without a tape"):
            swept(engine, Fixed(*actions), argument_of("loop", engine))


class Told:
    """A schedule that weighs, and its reports."""

    weighs = True

    def __init__(self, *actions: Action) -> None:
        self._actions = actions
        self.reports: list[Report] = []

    def actions(self) -> Actions:
        for action in self._actions:
            self.reports.append((yield action))


def test_tapes_that_are_held_are_told_of(engine: Engine) -> None:
    u = argument_of("loop", engine)
    schedule = Told(
        *(
            Keep(),
            Tape(60),
            Hold(),
            Keep(),
            Tape(100),
            Hold(),
            Release(60),
            Tape(None),
            Reverse(),
            Restore(60),
        ),
        *(Tape(100), Reverse(), Drop(60), Reverse(0)),
    )
    swept(engine, schedule, u)
    tapes = [report.tapes for report in schedule.reports]
    last = [report.bytes for report in schedule.reports]
    assert [size > 0 for size in last] == [
        *(False, True, False, False, True, False, False, True, False, False),
        *(True, False, False, False),
    ]
    assert tapes[2] == tapes[1] >= last[1] > 0
    assert tapes[4] == tapes[5] >= tapes[1] + last[4]
    assert tapes[6] == tapes[1]
    assert tapes[7] >= tapes[1] + last[7]
    assert tapes[8] == tapes[12] == tapes[1]
    assert tapes[13] == 0
