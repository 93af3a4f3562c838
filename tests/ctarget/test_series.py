"""Series of actions by the driver in C: what the driver in Python does, one action at a time."""

from __future__ import annotations

import pytest

from checkpoint.ctarget.engine import C
from checkpoint.ctarget.library import reason
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import (
    Actions,
    Keep,
    Report,
    Reverse,
    Schedule,
    Tape,
)
from tests.ctarget.failing import every_allocation_fails_once, only_hostile
from tests.ctarget.test_driver import PROGRAMS, ByPython, swept, used_by
from tests.ctarget.test_engine import closure, started
from tests.driver.test_series import Strided
from tests.support.alone import check_alone, is_alone
from tests.support.same import difference

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))

SERIES = [
    Strided(steps, count, bytes)
    for steps, count, bytes in (
        (1, 7, 10**6),
        (3, 2, 10**6),
        (10, 100, 10**6),
        (40, 3, 10**6),
        (1000, 2, 10**6),
    )
]
CRAMPED = [
    *[Strided(steps, 5, bytes) for steps, bytes in ((5, 1), (40, 1), (40, 200))],
    Strided(3, 5, 10**6, enough=1),
]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("schedule", [*SERIES, *CRAMPED], ids=str)
def test_a_series_is_the_actions_that_it_stands_for(name: str, schedule: Schedule) -> None:
    _, start = started(PROGRAMS[name])
    mine, other = (swept(engine, start, schedule) for engine in (C(), ByPython()))
    assert difference(mine[2:], other[2:]) is None
    assert mine[0].advanced + mine[0].taped > 0
    if schedule in SERIES:  # the engines' tapes differ in bytes
        assert mine[:2] == other[:2]


def test_nothing_stays_behind() -> None:
    for schedule in (*SERIES, *CRAMPED):
        engine, start = started(PROGRAMS["loop"])
        used = used_by(engine, start)
        swept(engine, start, schedule)
        assert start.heap.bytes == used
        start.heap.check()


@only_hostile
def test_an_allocation_that_fails_leaves_nothing() -> None:
    schedule = Strided(3, 2, 10**6)
    every_allocation_fails_once(
        closure(PROGRAMS["loop"]), lambda engine, start: swept(engine, start, schedule)[2:]
    )


class Large:
    """One tape of the whole run; reports are kept."""

    weighs = True

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def actions(self) -> Actions:
        self.reports.append((yield Keep()))
        self.reports.append((yield Tape(None)))
        yield Reverse()


def test_new_memory_for_tapes_is_timed() -> None:
    """In a process of its own: another has memory of earlier tapes."""
    if not is_alone():
        check_alone(__file__, "new_memory_for_tapes")
        return
    text = "(define (loop i x) (if (= i 0) x (loop (- i 1) (+ (sin x) 0.5))))\n(lambda (x) (loop 4e5 x))"
    engine, start = started(text)
    schedule = Large()
    swept(engine, start, schedule)
    before, after = schedule.reports
    assert 0 <= after.faulting - before.faulting <= after.seconds
    assert after.faulting > before.faulting


def test_a_budget_is_the_same_in_series_and_one_by_one() -> None:
    text = "(define (loop i x) (if (= i 0) x (loop (- i 1) (+ (sin x) 0.5))))\n(lambda (x) (loop 1e5 x))"
    _, start = started(text)
    mine, other = (swept(engine, start, Budget("2MiB")) for engine in (C(), ByPython()))
    assert difference(mine[1:], other[1:]) is None
