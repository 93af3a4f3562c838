"""The record of a sweep, made from the driver's reports: counts, peaks, times, and its actions.

In: the reports to an observer (checkpoint.driver.observe). Out: Totals, and the actions in columns.

What always holds: the steps of the run are those run or taped for the first time; a time belongs to the
action that ends with it; a peak is the largest value after any action, so what an action holds
only while it works is not counted.
"""

from __future__ import annotations

from array import array
from dataclasses import asdict, fields
from enum import IntEnum
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.driver import memory
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Again,
    Drop,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
    weighs,
)
from checkpoint.driver.spill.transfers import Fetch, Spill, Wait
from checkpoint.errors import InternalError


class Kind(IntEnum):
    """The kind of an action, as it is stored."""

    BEGIN = 0
    KEEP = 1
    RESTORE = 2
    DROP = 3
    ADVANCE = 4
    TAPE = 5
    HOLD = 6
    RELEASE = 7
    REVERSE = 8


@dataclass(slots=True)
class Totals:
    """The totals of one sweep, or of several: then counts and times are sums, peaks are maxima.

    forward, recomputed: steps run without a tape, for the first time and again.
    taped, taped_again: steps run with one, likewise.
    most_kept: the most states kept at once.
    peak_*: bytes, after an action: all that the sweep held; its tapes; the cotangent without results;
    results, the cotangents of arrays that are returned, which are no part of what it held; and what is none
    of these, the capsules that are kept with the current state (in engine c also what tapes have in reserve).
    *_seconds: the time of each of these, of reversing, and in all.
    """

    sweeps: int = 0
    actions: int = 0
    forward: int = 0
    recomputed: int = 0
    taped: int = 0
    taped_again: int = 0
    most_kept: int = 0
    peak_bytes: int = 0
    peak_tape_bytes: int = 0
    peak_capsule_bytes: int = 0
    peak_cotangent_bytes: int = 0
    peak_result_bytes: int = 0
    forward_seconds: float = 0.0
    recomputed_seconds: float = 0.0
    taped_seconds: float = 0.0
    taped_again_seconds: float = 0.0
    reversing_seconds: float = 0.0
    seconds: float = 0.0

    @property
    def run(self) -> int:
        """Number of steps of the run."""
        return self.forward + self.taped

    @property
    def executed(self) -> int:
        """Number of steps executed, a step that ran again counted each time."""
        return self.run + self.recomputed + self.taped_again

    def add(self, other: Totals) -> None:
        """Add the totals of other sweeps."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            most = each.name.startswith(("most", "peak"))
            setattr(self, each.name, max(mine, theirs) if most else mine + theirs)

    def summary(self) -> dict[str, Any]:
        """Return all numbers by name."""
        return {"run": self.run, "executed": self.executed, **asdict(self)}


class Actions:
    """Actions in columns, one row for each: 57 bytes a row.

    kind: a Kind. low, high: the steps that an Advance, a Tape or a Reverse covers, or the tape of a Hold or a
    Release; of other kinds both are the step concerned. seconds: when it was done, since the sweep began.
    held, tapes, cotangent: bytes, as in Report.
    """

    def __init__(self) -> None:
        self.kind = array("b")
        self.low, self.high = array("q"), array("q")
        self.seconds = array("d")
        self.held, self.tapes, self.cotangent = array("q"), array("q"), array("q")

    def __len__(self) -> int:
        return len(self.kind)

    def append(self, kind: Kind, low: int, high: int, report: Report) -> None:
        self.kind.append(kind)
        self.low.append(low)
        self.high.append(high)
        self.seconds.append(report.seconds)
        self.held.append(report.held)
        self.tapes.append(report.tapes)
        self.cotangent.append(report.cotangent)


class SweepRecord:
    """The record of one sweep so far.

    schedule: the schedule that it follows. budget: the bytes that it may hold, if the schedule has a bound.
    start: the step it began from. finished: whether its schedule reached its end. totals: its Totals.
    actions: the beginning, and the first `room` of its actions.
    """

    def __init__(self, schedule: Schedule, report: Report, room: int) -> None:
        self.schedule = schedule
        self.budget = budget_of(schedule)
        self.start = report.step
        self.finished = False
        self.totals = Totals(sweeps=1)
        self.actions = Actions()
        self.room = room
        self._here = self._reached = report.step
        self._seconds = report.seconds
        self._kept: set[int] = set()
        self._last = (report.step, report.step)  # what the last tape covers
        self._held: dict[int, tuple[int, int]] = {}
        self._store(Kind.BEGIN, report.step, report.step, report)

    @property
    def complete(self) -> bool:
        """True if all actions are stored."""
        return len(self.actions) == self.totals.actions + 1

    def acted(self, action: Action, report: Report) -> None:
        """Record one action."""
        totals = self.totals
        elapsed = report.seconds - self._seconds
        kind, low, high = self._done(action, report.step, elapsed)
        self._seconds = report.seconds
        totals.actions += 1
        totals.seconds += elapsed
        totals.most_kept = max(totals.most_kept, len(self._kept))
        self._measure(report)
        if len(self.actions) <= self.room:
            self._store(kind, low, high, report)

    def _store(self, kind: Kind, low: int, high: int, report: Report) -> None:
        self.actions.append(kind, low, high, report)

    def _measure(self, report: Report) -> None:
        totals = self.totals
        totals.peak_bytes = max(totals.peak_bytes, report.held)
        totals.peak_tape_bytes = max(totals.peak_tape_bytes, report.tapes)
        totals.peak_cotangent_bytes = max(totals.peak_cotangent_bytes, report.cotangent)
        totals.peak_result_bytes = max(totals.peak_result_bytes, report.results)
        capsules = report.states
        totals.peak_capsule_bytes = max(totals.peak_capsule_bytes, capsules)

    def _done(self, action: Action, step: int, elapsed: float) -> tuple[Kind, int, int]:
        """Count an action; return its kind and the steps it covers. step: the current step of the run."""
        match action:
            case Keep():
                self._kept.add(self._here)
                return Kind.KEEP, self._here, self._here
            case Restore(where):
                self._here = where
                return Kind.RESTORE, where, where
            case Drop(where):
                self._kept.discard(where)
                return Kind.DROP, where, where
            case Advance():
                return Kind.ADVANCE, *self._moved(step, elapsed, "forward", "recomputed")
            case Tape():
                self._last = self._moved(step, elapsed, "taped", "taped_again")
                return Kind.TAPE, *self._last
            case Hold():
                self._held[self._last[0]] = self._last
                return Kind.HOLD, *self._last
            case Release(where):
                return Kind.RELEASE, *self._held.pop(where)
            case Reverse(where):
                self.totals.reversing_seconds += elapsed
                return Kind.REVERSE, *(self._last if where is None else self._held.pop(where))
            case Again():
                raise InternalError("a run that is observed is reversed once")
            case Spill() | Fetch() | Wait():
                raise InternalError("observers do not hear of what moves between memory and a disk")

    def _moved(self, step: int, elapsed: float, first: str, again: str) -> tuple[int, int]:
        """Count a move of the run to `step`; return its first and last step.

        first, again: the names in Totals of steps that ran for the first time and again.
        """
        low, self._here = self._here, step
        new = max(0, step - max(low, self._reached))
        self._reached = max(self._reached, step)
        # A segment that is partly new has its time shared out by steps.
        share = new / (step - low) if step > low else 1.0
        self._count(first, new, share * elapsed)
        self._count(again, step - low - new, (1.0 - share) * elapsed)
        return low, step

    def _count(self, name: str, steps: int, seconds: float) -> None:
        totals = self.totals
        setattr(totals, name, getattr(totals, name) + steps)
        name += "_seconds"
        setattr(totals, name, getattr(totals, name) + seconds)


def budget_of(schedule: Schedule) -> int | None:
    """Return the bytes that a schedule such as Budget may hold, resolved now; None if it has no bound."""
    asked: Any = schedule
    return memory.resolve(asked.memory) if weighs(schedule) and hasattr(asked, "memory") else None
