"""Telling observers of a sweep of the C engine how far it has come (checkpoint.ctarget.sweep).

In: a sweep, between its calls in C. Out: what observers are told (checkpoint.driver.observe); how many steps
a call in C makes meanwhile, which follows what a call has taken.
"""

from __future__ import annotations

from time import perf_counter

from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Held
from checkpoint.driver.observe import Observer, Sample, Sampler
from checkpoint.driver.schedule import Action, Report, Schedule

# Where somebody observes: steps of one call in C, at first and at most, and how often he is told, in seconds.
FIRST_PACE, LAST_PACE, TOLD_AFTER = 1000, 1_000_000, 0.1
SLICE_SECONDS = 0.01  # of a call of a sweep that follows its own schedule


class Telling:
    """Telling observers what was done, and how far a long action has come.

    pace: how many steps a call in C makes meanwhile; what it takes follows TOLD_AFTER.
    """

    __slots__ = ("_called", "_held", "_most", "_observers", "_pace", "_told")

    def __init__(self, held: Held, observers: tuple[Observer, ...]) -> None:
        self._held = held
        self._observers = observers
        self._pace = FIRST_PACE
        self._most = LAST_PACE
        self._begin_action()

    def began(self, schedule: Schedule, report: Report) -> None:
        """The sweep stands at its start."""
        for observer in self._observers:
            observer.began(schedule, report)
        self._begin_action()

    def acted(self, action: Action, report: Report) -> None:
        """An action was done."""
        for observer in self._observers:
            observer.acted(action, report)
        self._begin_action()

    def _begin_action(self) -> None:
        self._called = self._told = perf_counter()
        self._set_pace(max(self._pace // 4, FIRST_PACE))

    def _set_pace(self, pace: int) -> None:
        self._pace = max(1, min(pace, LAST_PACE))
        runtime().lib.ck_sweep_pace(self._held, self.pace)

    @property
    def pace(self) -> int:
        """How many steps a call in C makes now."""
        return min(self._pace, self._most)

    def bound_pace(self, most: int) -> None:
        """Somebody else wants to be told after so many steps at the latest."""
        self._most = most
        runtime().lib.ck_sweep_pace(self._held, self.pace)

    def sliced(self) -> None:
        """A call has made as many steps as it was to."""
        now = perf_counter()
        took, self._called = now - self._called, now
        if 2 * took < TOLD_AFTER:
            self._set_pace(2 * self._pace)
        elif took > 2 * TOLD_AFTER:
            self._set_pace(self._pace // 2)
        at = runtime().lib.ck_machine_standing(self._held)
        if now - self._told >= TOLD_AFTER and at.block:
            self._told = now
            for observer in self._observers:
                observer.running(at.steps)

    def over(self) -> None:
        """The sweep's own schedule has ended."""


class Sampling(Telling):
    """Telling observers how far a sweep has come that follows its own schedule."""

    __slots__ = ("_was_known",)

    def _begin_action(self) -> None:
        self._was_known = False
        super()._begin_action()

    def sliced(self) -> None:
        """A call has made as many steps as it was to; it may have come through many actions."""
        now = perf_counter()
        took, self._called = now - self._called, now
        if took < SLICE_SECONDS:
            self._set_pace(2 * self._pace)
        elif took > 4 * SLICE_SECONDS:
            self._set_pace(self._pace // 2)
        is_known = runtime().lib.ck_sweep_counts(self._held).end >= 0
        if now - self._told >= TOLD_AFTER or is_known != self._was_known:
            self._told, self._was_known = now, is_known
            self.over()

    def over(self) -> None:
        """Tell how far it has come."""
        lib = runtime().lib
        at, found = lib.ck_machine_standing(self._held), lib.ck_sweep_counts(self._held)
        step = at.steps if at.block else lib.ck_sweep_report(self._held).step
        end, reversed_to = (None if each < 0 else each for each in (found.end, found.reversed_to))
        for observer in self._observers:
            assert isinstance(observer, Sampler)
            observer.sampled(Sample(step, end, reversed_to))
