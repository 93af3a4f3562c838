"""The bytes that a sweep counts as held on the engines in Python: states, and the cotangent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Action, Actions, Bisection, Report, Schedule
from tests.driver import cotangent_memory
from tests.driver.large import ENGINES, RUNS, large_run
from tests.support.corpus import engine_name

ROOT = Path(__file__).parents[2]
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
@pytest.mark.parametrize("name", cotangent_memory.RUNS)
def test_the_bytes_of_a_cotangent(name: str, engine: Engine) -> None:
    """The bytes reported for a cotangent are near those of tracemalloc where these are largest."""
    command = [sys.executable, "-m", "tests.driver.cotangent_memory", name, engine.name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    small, most, held = map(int, done.stdout.split())
    assert 0 <= small < 1000
    assert held / 2 <= most <= 2 * held
