"""Observers of sweeps: progress bars, profiles. The driver reports to them; they cannot change a sweep.

In: observers, for the length of a `with`. Out: the observers of a sweep. Only the outermost sweep is
reported: what runs within its steps, gradients of a program's own, is a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol, runtime_checkable

from checkpoint.driver.schedule import Action, Report, Schedule

REPORT_SECONDS = 0.1  # between two reports of the same long action


class Observer(Protocol):
    """Receives reports on one sweep after another. An exception that it raises ends the sweep."""

    def began(self, schedule: Schedule, report: Report) -> None:
        """Receive the start of a sweep, and its schedule."""
        ...

    def acted(self, action: Action, report: Report) -> None:
        """Receive an action that was done, and the state of the sweep after it."""
        ...

    def running(self, step: int) -> None:
        """Receive the step that a long Advance or Tape has reached; about every 0.1 s, or never."""
        ...

    def ended(self, finished: bool) -> None:
        """Receive the end of the sweep: finished, or left by an exception."""
        ...


class Sample(NamedTuple):
    """The progress of a sweep.

    step: the current step. end: where the run ends. reversed_to: the step down to which it has been
    reversed. The last two are None until known.
    """

    step: int
    end: int | None
    reversed_to: int | None


@runtime_checkable
class Sampler(Observer, Protocol):
    """An observer that needs no actions: sweeps that are faster without reporting them report samples."""

    def sampled(self, sample: Sample) -> None:
        """Receive a sample: about every 0.1 s, when the end is known, and when all is done."""
        ...


@runtime_checkable
class Divided(Observer, Protocol):
    """An observer of several sweeps, of which one may pause while others run."""

    def alone(self) -> Observer:
        """Return an observer of one sweep, which reports to this one."""
        ...


class AtWork(Protocol):
    """A sweep between two of its actions.

    cotangent: of the state down to which the run has been reversed. reversed_to: its step; None before.
    """

    cotangent: Any

    @property
    def reversed_to(self) -> int | None: ...

    def state(self, step: int | None) -> Any:
        """Return the state that is kept at a step, or (None) the current one, if one is off any tape."""
        ...


class Points(Protocol):
    """Takes states and cotangents out of a sweep, to make them durable; it cannot change the sweep."""

    def before(self, action: Any, sweep: AtWork) -> None:
        """Receive an action or a series before it is done."""
        ...

    def after(self, action: Any, sweep: AtWork) -> None:
        """Receive an action or a series after it was done."""
        ...


def each_alone() -> tuple[Observer, ...]:
    """Return the observers of a sweep that may pause."""
    return tuple([each.alone() if isinstance(each, Divided) else each for each in observers()])


def adapted(pace: int, took: float, seconds: float) -> int:
    """Return how many steps to run at a time for a report each `seconds`, after `pace` steps took so long."""
    if took < seconds / 2:
        return 2 * pace
    return max(pace // 2, 1) if took > 2 * seconds else pace


_observers: ContextVar[tuple[Observer, ...]] = ContextVar("checkpoint.observers", default=())


def observers() -> tuple[Observer, ...]:
    """Return the observers of the next sweep."""
    return _observers.get()


@contextmanager
def observed(by: tuple[Observer, ...]) -> Iterator[None]:
    """Report sweeps within a `with` to these observers and no others."""
    token = _observers.set(by)
    try:
        yield
    finally:
        _observers.reset(token)
