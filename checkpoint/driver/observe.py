"""Who watches sweeps: progress bars, profiles. The driver tells them what it did; they cannot change it.

In: observers, for the length of a `with`. Out: whom a sweep tells. Only the outermost sweep is told of: what
runs within its steps, gradients of a program's own, is a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol, runtime_checkable

from checkpoint.driver.schedule import Action, Report, Schedule

REPORT_SECONDS = 0.1  # between two reports of the same long action


class Observer(Protocol):
    """Told of one sweep after another. What it raises ends the sweep."""

    def began(self, schedule: Schedule, report: Report) -> None:
        """A sweep stands at its start, by a schedule."""
        ...

    def acted(self, action: Action, report: Report) -> None:
        """An action was done; `report` is where the sweep stands now."""
        ...

    def running(self, step: int) -> None:
        """In the midst of a long Advance or Tape the run has come to a step; about every 0.1 s, or never."""
        ...

    def ended(self, finished: bool) -> None:
        """The sweep is over: finished, or left by an exception."""
        ...


class Sample(NamedTuple):
    """How far a sweep has come.

    step: where the run stands. end: where it ends; reversed_to: the step down to which it has been reversed;
    each None until that is known.
    """

    step: int
    end: int | None
    reversed_to: int | None


@runtime_checkable
class Sampler(Observer, Protocol):
    """An observer that can do without actions: sweeps that are quicker when they tell none tell samples."""

    def sampled(self, sample: Sample) -> None:
        """The sweep has come so far; about every 0.1 s, when the end is known, and when all is done."""
        ...


def adapted(pace: int, took: float, seconds: float) -> int:
    """Return how many steps to run at a time for a report each `seconds`, after `pace` steps took so long."""
    if took < seconds / 2:
        return 2 * pace
    return max(pace // 2, 1) if took > 2 * seconds else pace


_observers: ContextVar[tuple[Observer, ...]] = ContextVar("checkpoint.observers", default=())


def observers() -> tuple[Observer, ...]:
    """Whom the next sweep tells."""
    return _observers.get()


@contextmanager
def observed(by: tuple[Observer, ...]) -> Iterator[None]:
    """Sweeps within are told of to these and no others."""
    token = _observers.set(by)
    try:
        yield
    finally:
        _observers.reset(token)
