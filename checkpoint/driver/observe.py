"""Who watches sweeps: progress bars, profiles. The driver tells them what it did; they cannot change it.

In: observers, for the length of a `with`. Out: whom a sweep tells. Only the outermost sweep is told of: what
runs within its steps, gradients of a program's own, is a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from checkpoint.driver.schedule import Action, Report, Schedule


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
