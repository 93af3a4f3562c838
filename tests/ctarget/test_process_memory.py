"""The bytes that sweeps in C report as held, compared with those that tracemalloc finds; bounds on tapes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import engines
from checkpoint.ad.numbers import one
from checkpoint.ctarget.library import reason
from checkpoint.driver.effects import Effects
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Bisection,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
)
from checkpoint.functions.python_functions import run_of
from tests.support.tracing import traced

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))

NUMBERS, ROW = 4_000, 1_000  # elements of containers; of arrays


def lists(x: float) -> float:
    xs = [x]
    for i in range(NUMBERS):
        xs.append(0.5 * xs[-1] + i)
    total = 0.0
    while xs:
        total = 0.999 * total + xs.pop()
    return total


def dictionaries(x: float) -> float:
    known = {}
    for i in range(NUMBERS // 4):
        known[i] = x * i
    for i in range(NUMBERS // 4):
        known[i] = known[i] + 0.5 * known[(7 * i) % (NUMBERS // 4)]
    return known[3] + known[NUMBERS // 4 - 1]


def pairs(x: float) -> float:
    xs: Any = None
    for i in range(NUMBERS):
        xs = (x * i, xs)
    total = 0.0
    while xs is not None:
        total = 0.999 * total + xs[0]
        xs = xs[1]
    return total


def arrays(x: float) -> float:
    rows = []
    for i in range(60):
        rows.append(np.sin(x * np.arange(float(ROW)) + i))
    total = np.zeros(ROW)
    for row in rows:
        total = total + row * row
    return np.sum(total)


def calls(x: float, depth: int = NUMBERS) -> float:
    return x if depth == 0 else 0.999 * calls(x, depth - 1) + x


PROGRAMS = (lists, dictionaries, pairs, arrays, calls)
# The bytes that one step may add to a tape just below its bound: arrays and their objects, or a record.
ONE_STEP: dict[Any, int] = {arrays: 4 * 8 * ROW + 2_000}
SLABS = 500_000  # bytes that the heap has in hand, and Python for code that was taped for the first time
LEAST = 3_000  # bytes: a tape's first chunks, and the record of a step


class Noted:
    """A schedule, whose actions and reports are observed."""

    weighs = True

    def __init__(self, schedule: Schedule, tell: Callable[[Action, Report], object]) -> None:
        self.schedule = schedule
        self.tell = tell

    def actions(self) -> Actions:
        """Yield the actions of the schedule, and note the report of each."""
        actions = self.schedule.actions()
        action = next(actions)
        while True:
            report = yield action
            self.tell(action, report)
            try:
                action = actions.send(report)
            except StopIteration:
                return


class Stretches:
    """A schedule that tapes the run in pieces of a size in bytes, all held before the last is reversed."""

    def __init__(self, bytes: int) -> None:
        self.bytes = bytes

    def actions(self) -> Actions:
        """Keep, tape and hold; then tape once more what was released, to reverse it."""
        starts, report = [0], (yield Keep())
        while not report.finished:
            report = yield Tape(None, self.bytes)
            starts.append(report.step)
            yield Hold()
        yield Release(0)
        yield Restore(0)
        yield Tape(starts[1])
        yield Hold()
        for start in reversed(starts[:-1]):
            yield Reverse(start)


def gradient(function: Callable[[float], Any], schedule: Schedule) -> Any:
    call = run_of(function, (0.7,), {}, "c")
    engine = engines.get("c")
    start = engine.start(0, call.u, call.tags)
    sweep = Sweep(engine, Effects(), seed=lambda end: engine.seed(end, one(end.value)))
    return sweep.run(start, schedule)


@pytest.mark.parametrize("bytes", [20_000, 100_000, 1_000_000])
@pytest.mark.parametrize("function", PROGRAMS)
def test_no_tape_has_much_more_than_its_bound(function: Callable[[float], Any], bytes: int) -> None:
    found: list[tuple[int, int]] = []

    def tell(action: Action, report: Report) -> None:
        if isinstance(action, Tape):
            found.append((report.tapes, report.bytes))

    gradient(function, Noted(Bisection(1_000_000, bytes), tell))
    most = bytes + ONE_STEP.get(function, 0) + LEAST
    assert found
    assert all(of_it <= most for _, of_it in found)
    assert all(with_spare <= most + bytes // 8 for with_spare, _ in found)


@pytest.mark.parametrize("bytes", [20_000, 1_000_000])
@pytest.mark.parametrize("function", PROGRAMS)
def test_where_most_is_held_tracemalloc_finds_as_much(function: Callable[[float], Any], bytes: int) -> None:
    gradient(function, Stretches(bytes))  # what is made once
    found: list[tuple[int, int]] = []

    def tell(action: Action, report: Report) -> None:
        found.append((report.held, tracemalloc.get_traced_memory()[0]))

    with traced():
        gradient(function, Noted(Stretches(bytes), tell))
    held, traced_then = max(found)
    more, traced_more = held - found[0][0], traced_then - found[0][1]
    assert more > 100_000
    # Memory of earlier tapes that is kept for reuse is reported to tracemalloc alone.
    assert -0.1 * more - SLABS <= traced_more - more <= 0.1 * more + SLABS + bytes
