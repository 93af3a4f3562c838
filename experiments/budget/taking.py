"""One gradient by a schedule, and one run without: what the tables of this experiment are made of.

In: a Subject (experiments/speed/subjects.py), a schedule. Out: counts, CPU seconds, and bytes, which are
taken from outside: the highest resident memory of the process beyond what it held just before (Linux only).
"""

from __future__ import annotations

import gc
import time
from dataclasses import asdict, dataclass
from typing import Any

from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts
from checkpoint.driver.schedule import Actions, Report, Schedule
from experiments import common
from experiments.speed.subjects import Subject


@dataclass
class Told:
    """A schedule, and what its sweep was told that it holds at most, in bytes, after any of its actions.

    tapes, cotangent: parts of `held` when it was highest; done: how many actions there were.
    """

    schedule: Schedule
    weighs: bool = True
    held: int = 0
    tapes: int = 0
    cotangent: int = 0
    done: int = 0

    def actions(self) -> Actions:
        """Those of the schedule."""
        actions = self.schedule.actions()
        action = next(actions)
        while True:
            report = yield action
            self._note(report)
            try:
                action = actions.send(report)
            except StopIteration:
                return

    def _note(self, report: Report) -> None:
        self.done += 1
        if report.held > self.held:
            self.held, self.tapes, self.cotangent = report.held, report.tapes, report.cotangent


@dataclass(frozen=True)
class Taken:
    """What a gradient took, or a run.

    steps: of a run. digits: value and gradient, or the value. heap: the most that engine c's own heap held.
    """

    steps: int
    advanced: int
    taped: int
    kept: int
    seconds: float
    bytes: int
    heap: int
    digits: str

    def row(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def taken(subject: Subject, schedule: Schedule) -> Taken:
    """Take the gradient by a schedule."""
    start, counts = subject.start(), Counts()
    gc.collect()
    before = common.fresh_peak()
    began = time.process_time()
    value, gradient = subject.gradient(schedule, start, counts)
    seconds = time.process_time() - began
    bytes = common.peak() - before
    done = counts.advanced, counts.taped, counts.most_kept
    return Taken(0, *done, seconds, bytes, heap_peak(start), repr((value, gradient)))


def ran(subject: Subject) -> Taken:
    """Run without a gradient."""
    start = subject.start()
    gc.collect()
    before = common.fresh_peak()
    began = time.process_time()
    end = subject.engine.advance(start, None, Effects())
    seconds = time.process_time() - began
    bytes = common.peak() - before
    return Taken(end.steps, end.steps, 0, 0, seconds, bytes, heap_peak(start), repr(end.value))


def heap_peak(start: Any) -> int:
    """The most that the heap of a state of engine c ever held; 0 on other engines."""
    heap = getattr(start, "heap", None)
    return 0 if heap is None else int(heap.peak)
