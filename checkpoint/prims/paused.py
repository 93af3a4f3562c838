"""Sweeps that wait between the end of their run and its reversal, which may happen more than once.

In: a sweep that pauses, the state where its run starts, a schedule. Out: the end of the run; cotangents of
its start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.activity import unwanted, without
from checkpoint.driver.engine import State
from checkpoint.driver.execute import Sweep
from checkpoint.driver.observe import each_alone, observed
from checkpoint.driver.schedule import Schedule


class PausedSweep:
    """A sweep that has reached the end of its run, and waits until it is reversed or closed.

    end: the end state. The sweep holds its states and tapes; its observers are those it began with.
    is_over: whether it has been used up by being reversed, or closed.
    """

    __slots__ = ("_halves", "_observers", "_unwanted", "end", "is_over")

    def __init__(self, sweep: Sweep, start: State, schedule: Schedule) -> None:
        """Run from a state to the end, as the schedule says; the sweep must be one that pauses."""
        self._observers = each_alone()
        self._unwanted = unwanted()
        self.is_over = False
        self._halves = sweep.halves(start, schedule, self._observers)
        self.end: State = self._observed(lambda: next(self._halves), ends=False)

    def reverse(self, is_last: bool = False) -> Any:
        """Reverse the run; return the cotangent of the state that it started from.

        is_last: whether tapes may be used up by it, since it is closed afterwards.
        """
        with without(self._unwanted):
            return self._observed(lambda: self._cotangent(is_last), ends=True)

    def _cotangent(self, is_last: bool) -> Any:
        try:
            return self._halves.send(is_last)
        except StopIteration as stop:
            self.is_over = True
            return stop.value[1]

    def close(self) -> None:
        """Release all states and tapes."""
        self.is_over = True
        self._halves.close()
        self._end(False)

    def _observed(self, half: Callable[[], Any], ends: bool) -> Any:
        """Return the outcome of one half, which runs without observers of sweeps within it."""
        if not self._observers:
            return half()
        finished = False
        try:
            with observed(()):
                found = half()
            finished = True
        finally:
            if ends or not finished:
                self._end(finished)
        return found

    def _end(self, finished: bool) -> None:
        found, self._observers = self._observers, ()
        for observer in found:
            observer.ended(finished)
