"""The calls of C that a sweep makes: how many steps one has, and what is done between two.

In: a sweep (checkpoint.ctarget.sweep), between its calls of C. Out: calls of its observers
    (checkpoint.driver.observe); steps counted for the watch, which samples the run
    (checkpoint.ctarget.translate.watch); and the pace: how many steps a call of C makes, adapted to how
    long calls take.
"""

from __future__ import annotations

from time import perf_counter

from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Held
from checkpoint.ctarget.translate.watch import Watch
from checkpoint.driver.observe import REPORT_SECONDS, Observer, Sample, Sampler, adapted
from checkpoint.driver.schedule import Action, Report, Schedule
from checkpoint.interp.hybrid.code import NEVER

# Steps of one call of C while there are observers.
MIN_PACE, MAX_PACE = 1000, 1_000_000
SLICE_SECONDS = 0.01  # of a call of C, for a sweep that follows its own schedule


class Reporter:
    """Reports each action of a sweep, and the step reached within a long one, every REPORT_SECONDS."""

    __slots__ = ("_called", "_held", "_most", "_observers", "_pace", "_reported")

    def __init__(self, held: Held, observers: tuple[Observer, ...]) -> None:
        self._held = held
        self._observers = observers
        self._pace = MIN_PACE
        self._most = MAX_PACE
        self._begin_action()

    def began(self, schedule: Schedule, report: Report) -> None:
        """Report the start of the sweep."""
        for observer in self._observers:
            observer.began(schedule, report)
        self._begin_action()

    def acted(self, action: Action, report: Report) -> None:
        """Report an action that is done."""
        for observer in self._observers:
            observer.acted(action, report)
        self._begin_action()

    def _begin_action(self) -> None:
        self._called = self._reported = perf_counter()
        self._set_pace(max(self._pace // 4, MIN_PACE))

    def _set_pace(self, pace: int) -> None:
        self._pace = max(1, min(pace, MAX_PACE))
        runtime().lib.ck_sweep_pace(self._held, self.pace)

    @property
    def pace(self) -> int:
        """Return the current number of steps per call of C."""
        return min(self._pace, self._most)

    def bound_pace(self, most: int) -> None:
        """Let a call make at most this many steps: another part of the program needs control after these."""
        self._most = most
        runtime().lib.ck_sweep_pace(self._held, self.pace)

    def sliced(self) -> None:
        """Adapt the pace after a call, and report the step reached when it is time."""
        now = perf_counter()
        took, self._called = now - self._called, now
        pace = adapted(self._pace, took, REPORT_SECONDS)
        if pace != self._pace:
            self._set_pace(pace)
        at = runtime().lib.ck_machine_position(self._held)
        if now - self._reported >= REPORT_SECONDS and at.block:
            self._reported = now
            for observer in self._observers:
                observer.running(at.steps)

    def over(self) -> None:
        """Report the end of the sweep's own schedule."""


class SamplingReporter(Reporter):
    """Reports samples of a sweep that follows its own schedule."""

    __slots__ = ("_was_known",)

    def _begin_action(self) -> None:
        self._was_known = False
        super()._begin_action()

    def sliced(self) -> None:
        """Adapt the pace after a call, which may have done many actions, and report when it is time."""
        now = perf_counter()
        took, self._called = now - self._called, now
        if took < SLICE_SECONDS:
            self._set_pace(2 * self._pace)
        elif took > 4 * SLICE_SECONDS:
            self._set_pace(self._pace // 2)
        is_known = runtime().lib.ck_sweep_counts(self._held).end >= 0
        if now - self._reported >= REPORT_SECONDS or is_known != self._was_known:
            self._reported, self._was_known = now, is_known
            self.over()

    def over(self) -> None:
        """Report a sample: the present step, the end if it is known, and the step reversed to."""
        lib = runtime().lib
        at, found = lib.ck_machine_position(self._held), lib.ck_sweep_counts(self._held)
        step = at.steps if at.block else lib.ck_sweep_report(self._held).step
        end, reversed_to = (None if each < 0 else each for each in (found.end, found.reversed_to))
        for observer in self._observers:
            assert isinstance(observer, Sampler)
            observer.sampled(Sample(step, end, reversed_to))


class Pacing:
    """The calls of one sweep. reporter, watch: those of the sweep, or None."""

    __slots__ = ("_held", "_lib", "reporter", "watch")

    def __init__(self, held: Held, reporter: Reporter | None, watch: Watch | None) -> None:
        self._lib = runtime().lib
        self._held = held
        self.reporter = reporter
        self.watch = watch

    def bound(self) -> None:
        """Bound the steps of a call by the slice of the watch and by the observers' interval."""
        if self.watch is None:
            return
        if self.reporter is None:
            self._lib.ck_sweep_pace(self._held, self.watch.slice)
        else:
            self.reporter.bound_pace(self.watch.slice)

    def sliced(self, was_quiet: bool) -> None:
        """Do what is due between two calls; was_quiet: whether the last one ended with a reversal."""
        watched, reporter = self.watch, self.reporter
        pace = NEVER if reporter is None else reporter.pace
        if reporter is not None:
            reporter.sliced()
        if watched is None:
            return
        if was_quiet:
            done = max(0, self._steps() - watched.steps)
        else:  # a call of many steps may have ended before, by the clock
            done = min(watched.slice, pace, self._lib.ck_sweep_counts(self._held).called)
        watched.sliced(self._held, done)
        self.bound()

    def ran(self) -> None:
        """Count the steps of an action that has made some."""
        if self.watch is not None:
            self.watch.ended(self._steps())
            self.bound()

    def _steps(self) -> int:
        """Return the number of forward steps made so far."""
        counts = self._lib.ck_sweep_counts(self._held)
        return int(counts.advanced + counts.taped)
