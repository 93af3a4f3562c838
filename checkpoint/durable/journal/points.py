"""The durable points of one sweep: what it takes out of the sweep, and when.

In: the actions of a sweep, before and after each. Out: the state that the first pass has just reached, or the
state down to which the run has just been reversed, with its cotangent, whenever one of these is due. Where a
tape is made while one is due the state that it starts from is retained until the tape has been reversed.
"""

from __future__ import annotations

from typing import Any, Protocol

from checkpoint.driver.engine import State
from checkpoint.driver.observe import AtWork
from checkpoint.driver.schedule import Advance, Drop, Hold, Keep, Reverse, Stride, Tape, Unwind
from checkpoint.durable.journal.pace import Pace
from checkpoint.durable.journal.reports import Reports


class Durable(Protocol):
    """Makes points of a sweep durable."""

    def reached(self, state: State) -> None:
        """Receive the state that the first pass has reached."""

    def reversed_to(self, state: State, cotangent: Any) -> None:
        """Receive the state down to which the run has been reversed, and the cotangent of it."""


class DurablePoints:
    """See checkpoint.driver.observe.Points.

    first: the step at which the sweep begins. runs: whether it has a first pass that goes on to the end.
    """

    def __init__(self, durable: Durable, pace: Pace, reports: Reports, first: int, runs: bool) -> None:
        self._durable = durable
        self._pace = pace
        self._reports = reports
        self._first = first
        self._runs = runs
        self._kept: set[int] = set()
        self._from: State | None = None  # where the tape begins that is reversed next

    def before(self, action: Any, sweep: AtWork) -> None:
        """Retain the state at which a tape begins, if a durable point is due."""
        kind = type(action)
        if kind is Tape or kind is Unwind:
            is_due = self._pace.is_due()
            at = None if kind is Tape else action.states[-1]
            self._from = sweep.state(at) if is_due else None
        elif kind is Hold:
            self._from = None
        elif kind is Reverse and action.step is not None:
            self._from = sweep.state(action.step) if action.step in self._kept else None
        elif kind is Drop:
            self._kept.discard(action.step)

    def after(self, action: Any, sweep: AtWork) -> None:
        """Make durable what a sweep has reached, if that is due."""
        kind, to = type(action), sweep.reversed_to
        if to is None:
            if kind in (Keep, Advance, Stride):
                self._reached(action, sweep)
        elif kind is Reverse or kind is Unwind:
            begun, self._from = self._from, None
            self._reports.backward(to)
            if begun is not None and begun.steps == to > self._first and self._pace.is_due():
                self._durable.reversed_to(begun, sweep.cotangent)

    def _reached(self, action: Any, sweep: AtWork) -> None:
        state: State | None = sweep.state(None)
        if state is None:
            return
        if type(action) is Keep:
            self._kept.add(state.steps)
        if not self._runs:
            return
        self._reports.forward(state.steps)
        if not state.finished and state.steps > self._first and self._pace.is_due():
            self._durable.reached(state)
