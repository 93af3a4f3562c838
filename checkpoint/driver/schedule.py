"""Schedules: which states to keep, which stretches to run again, and when to tape and reverse.

A schedule is a coroutine of actions. It knows no engine: after each action it is told where the run
stands (a Report), and it answers with the next one. The executor (checkpoint.driver.execute) and the
symbolic model in the tests both follow it.

What always holds of a schedule's actions, for a run of t steps that starts at step s:
- a state is kept at s first; Restore, Drop name steps at which a state is kept;
- Tape runs forward from the current state and records; Reverse takes the last tape, whose end must be
  the step down to which the run has been reversed (at first: the end of the run);
- when the coroutine ends, everything down to s has been reversed, and nothing is kept but s.

Source: Siskind & Pearlmutter 2018, section 3 (bisection); Griewank 1992 for the vocabulary.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep the current state, under its step."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Make the state that is kept at a step the current one."""

    step: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Forget the state that is kept at a step."""

    step: int


@dataclass(frozen=True, slots=True)
class Advance:
    """Run on to a step, or (None) to the end of the run."""

    to: int | None


@dataclass(frozen=True, slots=True)
class Tape:
    """Run on as Advance does, recording. An earlier tape that was not reversed is dropped."""

    to: int | None


@dataclass(frozen=True, slots=True)
class Reverse:
    """Reverse the last tape."""


Action = Keep | Restore | Drop | Advance | Tape | Reverse


@dataclass(frozen=True, slots=True)
class Report:
    """Where the run stands after an action: the current state's step, and whether that is the end."""

    step: int
    finished: bool


Actions = Generator[Action, Report, None]


class Schedule(Protocol):
    """How to reverse a run. Instances hold parameters only; `actions` starts one sweep."""

    def actions(self) -> Actions:
        """The coroutine of one sweep."""
        ...


@dataclass(frozen=True)
class Plain:
    """Plain reverse mode: one tape of the whole run, memory linear in its length.

    >>> next(Plain().actions())
    Keep()
    """

    def actions(self) -> Actions:
        yield Keep()
        yield Tape(None)
        yield Reverse()


@dataclass(frozen=True)
class Bisection:
    """Divide and conquer: reverse the second half of a stretch, then the first, down to `base` steps.

    A run of t steps keeps at most 2 + ceil(log2(t / base)) states and the tape of `base` steps, and
    runs at most t (1 + ceil(log2(t / base))) steps again.

    >>> Bisection(base=1000)
    Bisection(base=1000)
    """

    base: int = 10_000

    def __post_init__(self) -> None:
        if self.base < 1:
            raise ValueError(f"Bisection(base={self.base}): base must be at least 1 step")

    def actions(self) -> Actions:
        start = (yield Keep()).step
        reached = yield Tape(start + self.base)
        if reached.finished:
            yield Reverse()
            return
        end = (yield Advance(None)).step
        yield from self._stretch(start, end)

    def _stretch(self, low: int, high: int) -> Actions:
        """Reverse the steps from `low`, where a state is kept, to `high`."""
        yield Restore(low)
        if high - low <= self.base:
            yield Tape(high)
            yield Reverse()
            return
        middle = (low + high) // 2
        yield Advance(middle)
        yield Keep()
        yield from self._stretch(middle, high)
        yield Drop(middle)
        yield from self._stretch(low, middle)
