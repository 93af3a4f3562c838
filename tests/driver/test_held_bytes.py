"""The bytes that a sweep counts as held on the engines in Python: states, and the cotangent."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest

from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Action, Actions, Bisection, Report, Schedule
from checkpoint.functions.python_functions import run_of
from tests.driver.large import ENGINES, RUNS, large_run, started
from tests.support.corpus import engine_name

on_each_engine = pytest.mark.parametrize("engine", ENGINES, ids=engine_name)


class Weighing:
    """A schedule that samples the bytes held, and keeps the reports."""

    weighs = True

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.told: list[tuple[Action, Report]] = []

    def actions(self) -> Actions:
        inner = self.schedule.actions()
        action = next(inner)
        while True:
            report = yield action
            self.told.append((action, report))
            try:
                action = inner.send(report)
            except StopIteration:
                return


@on_each_engine
@pytest.mark.parametrize("name", RUNS)
def test_a_sweep_is_told_what_it_holds_and_ends_where_it_began(name: str, engine: Engine) -> None:
    start, step = large_run(name, engine)
    schedule = Weighing(Bisection(step // 3))
    each = Sweep(engine, Effects(), lambda end: engine.seed(end, 1.0))
    each.run(start, schedule)
    reports = [report for _, report in schedule.told]
    states = [report.held - report.tapes - report.cotangent for report in reports]
    assert all(report.tapes >= report.bytes and report.cotangent >= 0 for report in reports)
    assert max(states) > 10 * states[0], "states of the run hold its large thing"
    assert states[-1] == states[0], "the start alone is kept, as at first"
    assert [report.seconds for report in reports] == sorted(report.seconds for report in reports)


@on_each_engine
@pytest.mark.parametrize("name", ["of_arrays", "of_list"])
def test_the_bytes_of_a_cotangent(name: str, engine: Engine) -> None:
    """The bytes reported for a cotangent are near those of tracemalloc where these are largest."""
    f: Any = {"of_arrays": sums_of_arrays, "of_list": sum_of_list}[name]
    start = started(engine, run_of(f, (0.3,), {}, engine.name).u)
    cotangents_of(engine, start)  # what is compiled or imported at first is no part of a cotangent
    small, most, held = cotangents_of(engine, start)
    assert 0 <= small < 1000
    assert held / 2 <= most <= 2 * held


def cotangents_of(engine: Engine, start: Any) -> tuple[int, int, int]:
    """Return what is reported for the first and the largest cotangent, and what tracemalloc says of this."""
    length = engine.advance(start, None, Effects()).steps
    states = [engine.advance(start, length * k // 8, Effects()) for k in range(8)]
    tapes = [engine.tape(state, length * (k + 1) // 8, Effects()) for k, state in enumerate(states)]
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        cotangent = engine.seed(tapes[-1].end, 1.0)
        small = engine.cotangent_bytes(cotangent)
        most, held = 0, 0
        while tapes:
            cotangent = engine.reverse(tapes.pop(), cotangent)
            gc.collect()
            now, found = tracemalloc.get_traced_memory()[0] - before, engine.cotangent_bytes(cotangent)
            if now > held:
                most, held = found, now
    finally:
        tracemalloc.stop()
    return small, most, held


def sum_of_list(x: float) -> float:
    found = []
    for i in range(1000):
        found.append(x * i)
    total = 0.0
    for each in found:
        total += each * each
    return total


def sums_of_arrays(x: float) -> float:
    found = []
    for i in range(20):
        found.append(np.zeros(1000) + x * i)
    total = 0.0
    for each in found:
        total += float(np.sum(each * each))
    return total
