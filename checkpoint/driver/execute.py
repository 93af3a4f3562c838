"""The executor, which performs the actions of a schedule on an engine.

What comes in: an engine, a state, the run's effects, a schedule. What goes out: the end of the run and
the cotangent of the state it started from. The executor holds what the schedule keeps, one current
state, the last tape and those that are held. An engine with a driver of its own does all that itself.

A sweep is a generator, so that it can pause between its two halves, at the end of the run (PausedSweep).
There it may be reversed any number of times, where its schedule can do that and nobody observes it.
"""

from __future__ import annotations

import warnings
from time import perf_counter, process_time
from typing import Any, cast

from checkpoint import config
from checkpoint.ad.library import silently
from checkpoint.collector import Paused
from checkpoint.driver.calls import Calls
from checkpoint.driver.engine import Halves, Recording, Reporting, State, Wanted, driver_of
from checkpoint.driver.first_reads import FirstReads
from checkpoint.driver.footprint import Footprint
from checkpoint.driver.levels import level_of
from checkpoint.driver.observe import REPORT_SECONDS, Observer, adapted, observed, observers
from checkpoint.driver.schedule import (
    Action,
    Actions,
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
    repeatable,
    weighs,
)
from checkpoint.driver.spill.level import on_disk
from checkpoint.driver.spill.transfers import Fetch, Spill, Transfer, Wait
from checkpoint.errors import InternalError

WITHOUT_TAPE = "the schedule reversed without a tape"
NOT_HELD = "the schedule named a tape that is not held"
LEFT_OVER = "{} accumulators of objects that the run has made are left after its reversal"
NEVER_REVERSED = "the schedule never reversed the end of the run"
FIRST_PACE = 256  # with observers: steps that are run at a time, at first


class Sweep(Wanted):
    """One reversal of a run."""

    def run(self, start: State, schedule: Schedule) -> tuple[State, Any]:
        """Reverse the run from `start`; return its end state and the cotangent of `start`."""
        found = observers()
        if not found:
            return self._checked(start, outcome(self.halves(start, schedule, found)))
        finished = False
        try:
            with observed(()):
                result = outcome(self.halves(start, schedule, found))
            finished = True
        finally:
            for observer in found:
                observer.ended(finished)
        return self._checked(start, result)

    def _checked(self, start: State, result: tuple[State, Any]) -> tuple[State, Any]:
        """Return what a sweep returns; warn of what CHECKPOINT_CHECK finds left after the reversal."""
        left = self.engine.left_over(result[1], start) if config.current().check else 0
        if left:
            warnings.warn(LEFT_OVER.format(left), ResourceWarning, stacklevel=2)
        return result

    def halves(self, start: State, schedule: Schedule, observers: tuple[Observer, ...]) -> Halves:
        """Return the sweep as a generator."""
        own = driver_of(self.engine)
        if own is not None:
            return own.sweep(self, start, schedule, observers)
        return _Followed(self, start, schedule, observers).follow()


def reversals_of(schedule: Schedule, pauses: bool, observers: tuple[Observer, ...]) -> Actions | None:
    """Return the actions of a sweep that reverses its run any number of times; None if it does so once."""
    found = repeatable(schedule) if pauses and not observers else None
    return None if found is None else found.reversals()


def outcome(halves: Halves) -> tuple[State, Any]:
    """Return what a sweep returns that does not pause, or that goes on after its pause."""
    try:
        next(halves)
    except StopIteration as stop:
        found: tuple[State, Any] = stop.value
        return found
    raise InternalError("a sweep paused more than once")


class _Followed:
    """A sweep that follows a schedule; the head of this file says what it holds."""

    def __init__(
        self, sweep: Sweep, start: State, schedule: Schedule, observers: tuple[Observer, ...]
    ) -> None:
        self.sweep = sweep
        self.engine = sweep.engine
        self.schedule = schedule
        self.observers = observers
        self.began, self.busy = perf_counter(), process_time()
        self.footprint = Footprint(start) if observers or weighs(schedule) else None
        self.current = start
        self.counted: State | None = start
        self.left = False  # after a reversal there is no current state
        if self.footprint is not None:
            self.footprint.keep(start)
        self.kept = level_of(schedule, self.footprint, self._again)
        self.disk = on_disk(self.kept)
        self.last: Recording | None = None
        self.last_from = 0
        self.held: dict[int, Recording] = {}
        self.reversed_to: int | None = None
        self.cotangent: Any = None
        self.seeded = False
        self.is_last = False  # no tape is kept: there is no further reversal
        self.end: State | None = None
        self.reporting = cast(Reporting, self.engine)
        finals = sweep.finals
        self.first_reads = None if finals is None else FirstReads(self.reporting, start, finals)

    def follow(self) -> Halves:
        """Follow the schedule; return as `_follow` does, with nothing left on a disk."""
        try:
            return (yield from self._follow())
        finally:
            if self.disk is not None:
                self.disk.close()

    def _follow(self) -> Halves:
        """Follow the schedule to its end; return the end of the run and the cotangent of its start."""
        for observer in self.observers:
            observer.began(self.schedule, self._report())
        actions = reversals_of(self.schedule, self.sweep.pauses, self.observers) or self.schedule.actions()
        action, points = next(actions), self.sweep.points
        while True:
            if type(action) is Again:
                self.is_last = bool((yield self.cotangent))
            if self.end is None and type(action) is Reverse:
                self.end = self._recorded(action.step).detached()
                if self.sweep.pauses:
                    self.is_last = bool((yield self.end))
            if points is not None:
                points.before(action, self)
            self._perform(action)
            if points is not None:
                points.after(action, self)
            report = self._report()
            if not isinstance(action, Transfer):
                for observer in self.observers:
                    observer.acted(action, report)
            try:
                action = actions.send(report)
            except StopIteration:
                break
        if self.end is None:
            raise InternalError(NEVER_REVERSED)
        return self.end, self.cotangent

    def state(self, step: int | None) -> State | None:
        """See AtWork."""
        if step is not None:
            return self.kept.restore(step)
        return None if self.left or self.last is not None else self.current

    def _report(self) -> Report:
        if self.disk is not None:
            self.disk.settle()
            return self.disk.completed(self._report_of_memory())
        return self._report_of_memory()

    def _report_of_memory(self) -> Report:
        current = self.current
        finished = current.finished or current.steps == self.sweep.last
        last = 0 if self.last is None else self.last.bytes
        if self.footprint is None:
            return Report(current.steps, finished, last)
        self._count_current(self.footprint)
        tapes = last + sum(tape.bytes for tape in self.held.values())
        cotangent, accumulated = (
            (0, 0) if self.cotangent is None else self.engine.cotangent_bytes(self.cotangent)
        )
        results = min(accumulated, self.sweep.outside.results)
        cotangent += accumulated - results
        held = self.footprint.bytes + tapes + cotangent + self.sweep.outside.entered
        return Report(
            current.steps,
            finished,
            last,
            held,
            tapes,
            cotangent,
            results=results,
            seconds=perf_counter() - self.began,
            busy=process_time() - self.busy,
            least=self.sweep.outside.least,
        )

    def _count_current(self, footprint: Footprint) -> None:
        """Count the bytes of the current state as those of a kept one."""
        here = None if self.left else self.current
        if here is not None and here is not self.counted:
            footprint.keep(here)
        if self.counted is not None and here is not self.counted:
            footprint.drop(self.counted)
        self.counted = here

    def _again(self, state: State, step: int) -> State:
        """Run from a state to a later step, which the run has reached before."""
        found = self.engine.advance(state, step, self.sweep.effects, None)
        self.sweep.counts.advanced += step - state.steps
        return found

    def _perform(self, action: Action) -> None:
        match action:
            case Keep():
                self._keep(self._untaped())
            case Restore(step):
                self.current, self.left, self.last = self.kept.restore(step), False, None
            case Drop(step):
                self.kept.drop(step)
            case Advance(to, _, calls):
                self._advance(self._untaped(), to, calls)
            case Tape(to, bytes):
                self._tape(self._untaped(), to, bytes)
            case Hold():
                self._hold()
            case Release(step):
                if self.held.pop(step, None) is None and not self.is_last:
                    raise InternalError(NOT_HELD)
            case Reverse(step, keeps):
                first = self.last_from if step is None else step
                self._reverse(self._taken(step), first, keeps and not self.is_last)
            case Again():
                self.cotangent, self.seeded = None, False
            case Spill() | Fetch() | Wait():
                if self.disk is not None:
                    self.disk.perform(action)

    def _keep(self, state: State) -> None:
        counts = self.sweep.counts
        self.kept.keep(state)
        counts.most_kept = max(counts.most_kept, len(self.kept))

    def _advance(self, state: State, to: int | None, calls: Calls | None) -> None:
        to = self._clip(to)
        if self.observers or self.is_sampled:
            self.current = self._advanced_in_slices(state, to, calls)
        else:
            self.current = self.engine.advance(state, to, self.sweep.effects, calls)
        self.sweep.counts.advanced += self.current.steps - state.steps
        self._reached()

    @property
    def is_sampled(self) -> bool:
        """Return whether it is sampled what the run reads of the arguments: in the first pass."""
        return self.first_reads is not None and not self.seeded

    def _advanced_in_slices(self, state: State, to: int | None, calls: Calls | None) -> State:
        """Advance in slices, between which observers are called about every REPORT_SECONDS.

        What is read of the arguments is sampled between them, too, when that is asked for.
        """
        pace, reported_at = FIRST_PACE, perf_counter()
        while not state.finished and (to is None or state.steps < to):
            began = perf_counter()
            here = state.steps + pace
            here = here if to is None else min(here, to)
            state = self.engine.advance(state, here, self.sweep.effects, calls)
            if state.steps < here:
                break
            now = perf_counter()
            if self.first_reads is not None and not self.seeded:
                self.first_reads.reached(state)
            else:
                pace = adapted(pace, now - began, REPORT_SECONDS)
            if now - reported_at >= REPORT_SECONDS and state.steps == here:
                reported_at = now
                for observer in self.observers:
                    observer.running(here)
        return state

    def _tape(self, state: State, to: int | None, bytes: int | None) -> None:
        with Paused():
            self.last = self.engine.tape(
                state, self._clip(to), self.sweep.effects, bytes, self.sweep.outside.given
            )
        self.last_from = state.steps
        self.current = self.last.end
        self.sweep.counts.taped += self.current.steps - state.steps
        self._reached()

    def _reached(self) -> None:
        if self.first_reads is not None:
            self.first_reads.reached(self.current)

    def _untaped(self) -> State:
        """Return the current state off its tape; the last tape is dropped."""
        if self.last is not None:
            self._detach(self.last)
            self.last = None
        return self.current

    def _detach(self, recording: Recording) -> None:
        if self.current is recording.end:
            self.current = recording.detached()

    def _hold(self) -> None:
        recording = self._taken(None)
        self._detach(recording)
        self.held[self.last_from] = recording

    def _recorded(self, step: int | None) -> Recording:
        """Return the tape that is held from a step, or the last one."""
        recording = self.last if step is None else self.held[step]
        if recording is None:
            raise InternalError(WITHOUT_TAPE)
        return recording

    def _taken(self, step: int | None) -> Recording:
        """Remove and return the tape that is held from a step, or the last one."""
        if step is not None:
            return self.held.pop(step)
        recording = self._recorded(None)
        self.last = None
        return recording

    def _clip(self, to: int | None) -> int | None:
        last = self.sweep.last
        return last if to is None or (last is not None and to > last) else to

    def _reverse(self, recording: Recording, first: int, keeps: bool) -> None:
        self.left, self.reversed_to = True, first
        if keeps:
            self._detach(recording)
            self.held[first] = recording
        if not self.seeded:
            self.seeded, self.cotangent = True, self.sweep.seed(recording.end)
        with silently(), Paused():
            self.cotangent = self.engine.reverse(recording, self.cotangent, keeps)
        finals = self.sweep.finals
        if finals is not None and self.first_reads is not None:
            self.first_reads.begin_finals()
            finals.reversed_to(first, self.reporting.received(recording, self.cotangent))
