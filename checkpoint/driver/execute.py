"""The executor: follows a schedule on an engine, and the few runs that need no schedule.

What comes in: an engine, a state, the run's effects, a schedule. What goes out: the end of the run and
the cotangent of the state it started from. The executor holds what the schedule keeps, one current
state, and at most one tape. An engine with a driver of its own does all that itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from checkpoint.ad.library import silently
from checkpoint.driver.collector import Paused
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine, Recording, State, driver_of
from checkpoint.driver.schedule import Action, Advance, Drop, Keep, Report, Restore, Schedule, Tape
from checkpoint.errors import InternalError

WITHOUT_TAPE = "the schedule reversed without a tape"
NEVER_REVERSED = "the schedule never reversed the end of the run"


@dataclass
class Sweep:
    """One reversal of a run.

    seed: gives the cotangent of the end state, once it is known.
    last: the step at which the run is taken to end; None: when it has its value.
    """

    engine: Engine
    effects: Effects
    seed: Callable[[State], Any]
    last: int | None = None
    counts: Counts = field(default_factory=Counts)

    def run(self, start: State, schedule: Schedule) -> tuple[State, Any]:
        """Reverse the run from `start`: its end state, and the cotangent of `start`."""
        own = driver_of(self.engine)
        if own is not None:
            return own.sweep(start, schedule, self.effects, self.seed, self.last, self.counts)
        return self._follow(start, schedule)

    def _follow(self, start: State, schedule: Schedule) -> tuple[State, Any]:
        self._current = start
        self._kept: dict[int, State] = {}
        self._recording: Recording | None = None
        self._cotangent: Any = None
        self._end: State | None = None
        actions = schedule.actions()
        action = next(actions)
        while True:
            self._perform(action)
            try:
                action = actions.send(self._report())
            except StopIteration:
                break
        if self._end is None:
            raise InternalError(NEVER_REVERSED)
        return self._end, self._cotangent

    def _report(self) -> Report:
        current, recording = self._current, self._recording
        finished = current.finished or current.steps == self.last
        return Report(current.steps, finished, 0 if recording is None else recording.bytes)

    def _perform(self, action: Action) -> None:
        current = self._current
        match action:
            case Keep():
                current = self._untaped()
                self._kept[current.steps] = current
                self.counts.most_kept = max(self.counts.most_kept, len(self._kept))
            case Restore(step):
                self._current = self._kept[step]
            case Drop(step):
                del self._kept[step]
            case Advance(to):
                self._current = self.engine.advance(self._untaped(), self._clip(to), self.effects)
                self.counts.advanced += self._current.steps - current.steps
            case Tape(to, bytes):
                state = self._untaped()
                with Paused():
                    self._recording = self.engine.tape(state, self._clip(to), self.effects, bytes)
                self._current = self._recording.end
                self.counts.taped += self._current.steps - current.steps
            case _:
                self._reverse()

    def _untaped(self) -> State:
        """The current state without a tape; a recording that led to it is given up."""
        if self._recording is not None:
            if self._current is self._recording.end:
                self._current = self._recording.detached()
            self._recording = None
        return self._current

    def _clip(self, to: int | None) -> int | None:
        return self.last if to is None or (self.last is not None and to > self.last) else to

    def _reverse(self) -> None:
        recording = self._recording
        if recording is None:
            raise InternalError(WITHOUT_TAPE)
        if self._end is None:
            self._end = recording.detached()
            self._cotangent = self.seed(recording.end)
        self._recording = None
        with silently(), Paused():
            self._cotangent = self.engine.reverse(recording, self._cotangent)
