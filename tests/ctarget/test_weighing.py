"""Sweeps of the driver in C: the bytes that they report as these come and go, bounds on them, observers."""

from __future__ import annotations

import gc
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ctarget import reporting
from checkpoint.ctarget.library import reason
from checkpoint.driver import execute
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Wanted
from checkpoint.driver.execute import outcome
from checkpoint.driver.observe import observed
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Bisection,
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
from checkpoint.functions import runs
from tests.ctarget.counters import handler_name
from tests.ctarget.test_driver import LONG, PROGRAMS, REBUILT, swept, used_by
from tests.ctarget.test_engine import CUT, closure, started
from tests.ctarget.test_held_tapes import Bounded, LastFirst, OnePass, Wavering
from tests.driver.test_schedules import Fixed

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))

ARRAYS = 8 * 10_000  # bytes of one array of `arrays`


class Watcher:
    """An observer that keeps its reports. fails: the report at which it raises."""

    def __init__(self, fails: str = "") -> None:
        self.told: list[Any] = []
        self.reports: list[Report] = []
        self.fails = fails

    def _tell(self, what: str, *more: Any) -> None:
        self.told.append((what, *more))
        if what == self.fails:
            raise LookupError(what)

    def began(self, schedule: Schedule, report: Report) -> None:
        self.reports.append(report)
        self._tell("began", schedule, report.step, report.finished)

    def acted(self, action: Action, report: Report) -> None:
        self.reports.append(report)
        self._tell("acted", action, report.step, report.finished)

    def running(self, step: int) -> None:
        self._tell("running", step)

    def ended(self, finished: bool) -> None:
        self._tell("ended", finished)


# Bytes


class Noted:
    """A schedule whose reports are kept."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.weighs = True
        self.found: list[Report] = []

    def actions(self) -> Actions:
        actions = self.schedule.actions()
        action = next(actions)
        while True:
            report = yield action
            self.found.append(report)
            try:
                action = actions.send(report)
            except StopIteration:
                return


def noted(start: Any, *actions: Action) -> list[Report]:
    schedule = Noted(Fixed(*actions))
    swept(engines.get("c"), start, schedule)
    return schedule.found


def test_tapes_are_reported_wherever_they_are() -> None:
    _, start = started(REBUILT)
    end = 200
    found = noted(
        start, *(Keep(), Tape(end), Hold(), Tape(None), Hold(), Release(0), Restore(0), Tape(end)),
        *(Hold(), Reverse(end), Reverse(0)),
    )  # fmt: skip
    _, first, held, second, both, one, _, again, all_held, reversed_one, none = found
    assert first.tapes == held.tapes >= first.bytes > 0 == held.bytes == both.bytes
    assert second.tapes == both.tapes >= first.tapes + second.bytes
    assert one.tapes == both.tapes - first.tapes >= second.bytes
    assert first.held - found[0].held > first.tapes  # the state at its end besides
    assert both.held - one.held >= first.bytes
    assert again.tapes == all_held.tapes == both.tapes
    assert reversed_one.tapes == first.tapes
    assert none.tapes == 0
    assert reversed_one.cotangent > 0
    assert all(earlier.seconds <= later.seconds for earlier, later in pairwise(found))
    assert all(report.held >= report.tapes + report.cotangent for report in found)


def test_what_is_held_ends_where_it_began() -> None:
    _, start = started(REBUILT)
    for schedule in (OnePass(50, keeps=True), LastFirst(), Wavering(), Bisection(30)):
        swept(engines.get("c"), start, schedule)
        used = start.heap.bytes
        watcher = Watcher()
        with observed((watcher,)):
            runs.vjp_values(closure(REBUILT), 0.7, 1.0, engines.get("c"), schedule)
        assert watcher.reports[0].held < max(report.held for report in watcher.reports)
        swept(engines.get("c"), start, schedule)
        assert start.heap.bytes == used
        start.heap.check()


def test_states_are_held_and_let_go() -> None:
    _, start = started("(define (grow n xs) (if (= n 0) (car xs) (grow (- n 1) (cons 1.5 xs))))"
                       "(lambda (x) (grow 1000 (cons x '())))")  # fmt: skip
    found = noted(start, Keep(), Advance(1000), Keep(), Restore(0), Drop(1000), Tape(None), Reverse())
    began, ran, kept, restored, dropped = found[:5]
    assert ran.held > began.held + 200 * 16
    assert abs(kept.held - restored.held) < 1000  # nothing more than the state, which both hold
    assert dropped.held < kept.held - 200 * 16
    assert abs(dropped.held - began.held) < 1000


def arrays(x: float) -> Any:
    """One array lives at a time, and one is recorded by each step but additions."""
    a = x * np.ones(10_000)
    for _ in range(30):
        a = np.sin(a) + 0.5
    return np.sum(a)


def test_arrays_are_held() -> None:
    watcher = Watcher()
    with observed((watcher,)):
        found = checkpoint.vjp(arrays, 0.7, engine="c", schedule=Plain())
    assert found == checkpoint.vjp(arrays, 0.7, engine="hybrid", schedule=Plain())
    began, _, taped, reversed_all = watcher.reports
    assert began.held < ARRAYS
    assert 30 * ARRAYS < taped.held < 70 * ARRAYS
    assert reversed_all.held < 10 * ARRAYS


@pytest.mark.parametrize("schedule", [OnePass(20), Bisection(40), Binomial(snapshots=4)], ids=str)
def test_arrays_of_states_are_held(schedule: Schedule) -> None:
    watcher = Watcher()
    with observed((watcher,)):
        checkpoint.vjp(arrays, 0.7, engine="c", schedule=schedule)
    assert max(report.held for report in watcher.reports) > 3 * ARRAYS
    assert watcher.reports[-1].held < 10 * ARRAYS


def test_arrays_are_reported_that_are_gone_at_the_end_of_a_run() -> None:
    watcher = Watcher()
    schedule = Fixed(Keep(), Advance(None), Restore(0), Tape(None), Reverse())
    with observed((watcher,)):
        checkpoint.vjp(arrays, 0.7, engine="c", schedule=schedule)
    _, kept, advanced, _, taped, _ = watcher.reports
    assert kept.passing == 0
    assert 2 * ARRAYS <= advanced.passing < 4 * ARRAYS  # of a step, its operand and its result
    assert taped.passing < 3 * ARRAYS


def one_list(x: float) -> Any:
    """All arrays are in one list, which is no part of the value."""
    found = []
    for _ in range(12):
        found.append(x * np.ones(10_000))
    return np.sum(np.sin(found[5]))


def short_lists(x: float) -> Any:
    """Each turn has a list of its own, to which nothing leads after it."""
    total = 0.0
    for _ in range(12):
        own = []
        for _ in range(3):
            own.append(x * np.ones(10_000))
        total = total + np.sum(np.sin(own[2]))
    return total


@pytest.mark.parametrize("f", [one_list, short_lists])
def test_nothing_is_held_for_states_that_do_not_reach_it(f: Any) -> None:
    """A dropped state, or the end of the run, leaves no content of a list to the states before it."""
    watcher = Watcher()
    with observed((watcher,)):
        checkpoint.vjp(f, 0.7, engine="c", schedule=OnePass(7))
    assert max(report.held for report in watcher.reports) > 3 * ARRAYS
    assert watcher.reports[-1].held < 2 * ARRAYS


def test_cotangents_tell_their_bytes() -> None:
    for text in (REBUILT, CUT["deep"], CUT["reverse"]):
        engine, start = started(text)
        recording = engine.tape(start, None, Effects())
        before = start.heap.bytes
        cotangent = engine.seed(recording.end, 1.0)
        told = engine.cotangent_bytes(cotangent)[0]
        assert 0 < told <= start.heap.bytes - before < told + 500  # rounded, and what large blocks need
        engine.reverse(recording, cotangent)
        assert engine.cotangent_bytes(cotangent)[0] > told
        del cotangent, recording
        start.heap.check()


# A bound on what is held


GROWING = """
(define (grow n xs) (if (= n 0) xs (grow (- n 1) (cons (* 1.01 (car xs)) xs))))
(define (total xs s) (if (null? xs) s (total (cdr xs) (+ s (car xs)))))
(lambda (x) (total (grow 20000 (cons x '())) 0.0))
"""


@pytest.mark.parametrize("more", [1, 100_000, 300_000])
def test_a_run_stops_where_it_holds_more(more: int) -> None:
    f = closure(GROWING)
    expected = runs.vjp_values(f, 0.7, 1.0, engines.get("c"), Plain())
    schedule = Bounded(more)
    assert runs.vjp_values(f, 0.7, 1.0, engines.get("c"), schedule) == expected
    assert len(schedule.cuts) > (100 if more == 1 else 2)
    assert len(set(schedule.cuts)) == len(schedule.cuts)


def test_it_is_found_soon() -> None:
    _, start = started(GROWING)
    found = noted(start, Keep(), Advance(None, 200_000), Restore(0), Tape(None), Reverse())
    assert not found[1].finished
    assert 190_000 < found[1].held < 220_000  # what only a machine needs is gone by then


# Observers


OBSERVED: list[Schedule] = [
    *(Plain(), Bisection(3), Binomial(snapshots=2, base=5)),
    *(OnePass(4), LastFirst(), Wavering()),
]


@pytest.mark.parametrize("schedule", OBSERVED, ids=lambda schedule: type(schedule).__name__)
@pytest.mark.parametrize("name", PROGRAMS)
def test_observers_are_told_the_same_on_every_engine(
    name: str, schedule: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All reports agree but `running`, which long actions alone send: here none is long, on any machine."""
    monkeypatch.setattr(reporting, "REPORT_SECONDS", math.inf)
    monkeypatch.setattr(execute, "REPORT_SECONDS", math.inf)
    told, values = [], []
    for engine in ("c", "hybrid", "interp"):
        watcher = Watcher()
        f = closure(PROGRAMS[name], engine)
        with observed((watcher,)):
            values.append(runs.vjp_values(f, 0.7, 1.0, engines.get(engine), schedule))
        told.append(watcher.told)
    assert told[0] == told[1] == told[2]
    assert told[0][0][0] == "began"
    assert told[0][-1] == ("ended", True)
    assert values[0] == values[1] == values[2]
    f = closure(PROGRAMS[name])
    assert runs.vjp_values(f, 0.7, 1.0, engines.get("c"), schedule) == values[0]


@pytest.mark.parametrize("schedule", [Bisection(300, 2000), Bisection(7), Plain()], ids=str)
def test_nothing_depends_on_who_looks(schedule: Schedule, monkeypatch: pytest.MonkeyPatch) -> None:
    """The observer is called between all calls, each of as few steps as possible, and changes no result."""
    monkeypatch.setattr(reporting, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(reporting, "MIN_PACE", 3)
    log: list[Action] = []
    _, start = started(REBUILT)
    mine = swept(engines.get("c"), start, schedule, log)
    watcher = Watcher()
    counts = Counts()
    engine: Any = engines.get("c")
    wanted = Wanted(engine, Effects(), lambda end: engine.seed(end, 1.0), counts=counts)
    halves = engine.sweep(wanted, start, schedule, (watcher,))
    end, _ = outcome(halves)
    acted = [told[1] for told in watcher.told if told[0] == "acted"]
    assert acted == log or not log  # C's own log, where it has one
    assert (counts, end.steps) == mine[:2]
    running = [told[1] for told in watcher.told if told[0] == "running"]
    assert running
    assert all(0 < step <= end.steps for step in running)


@pytest.mark.parametrize("fails", ["began", "acted", "running"])
@pytest.mark.parametrize("program", [LONG, "nested"])
def test_what_an_observer_raises_ends_the_sweep(
    fails: str, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(reporting, "MIN_PACE", 1)
    engine, start = started(PROGRAMS.get(program, program))
    used = used_by(engine, start)
    wanted = Wanted(engine, Effects(), lambda end: engine.seed(end, 1.0))
    halves = engine.sweep(wanted, start, Bisection(1000), (Watcher(fails),))
    with pytest.raises(LookupError, match=fails):
        outcome(halves)
    assert start.heap.bytes == used
    assert gc.isenabled()
    start.heap.check()
    assert handler_name() == "default_allocator"
