"""Schedules: which states to keep, which segments to run again, and when to tape and reverse.

A schedule is a coroutine of actions. It knows no engine: after each action it receives a Report of the
sweep's state, and answers with the next action. The executor (checkpoint.driver.execute) and the
symbolic model in the tests both follow it.

What always holds of a schedule's actions, for a run of t steps that starts at step s:
- a state is kept at s first; Restore, Drop name steps at which a state is kept;
- Tape runs forward from the current state and records; Hold sets that tape aside, under the step it starts
  from; Reverse takes the last tape, or one that is held. Its end must be the step down to which the run has
  been reversed (at first: the end of the run);
- after Reverse there is no current state until the next Restore;
- Spill names a state that is kept in memory, Fetch one that was spilled; one that is restored is in memory
  again. Only schedules that have `spill` (checkpoint.driver.spill) may name these and Wait;
- when the coroutine ends, everything down to s has been reversed, and nothing is kept but s, nothing held.

A run whose value is known may be reversed more than once, for other cotangents each time. A schedule that
spares it from being run again has `reversals`: a coroutine whose action Again divides one reversal from the
next. What is kept and held then is what it lets stay. It ends only where all that is used up.

A base case is bounded in steps by `base`, and in bytes by `tape_bytes` (None: no bound): one step may
record more than a million others. A tape that outgrows the bound stops there and then, after at least
one step. The state that it reached is kept, off the tape; the rest of the base case is reversed from it;
then the piece that fitted is taped again. No rest is taped at once that is longer than what has just
fitted (BaseCase). So what is taped within it is at most half as long as the base case, and cuts within
cuts nest no deeper than the logarithm of `base`. The very first tape is of a run whose length is not
known: if it outgrows the bound the run is counted and reversed like a segment, and nothing was kept.

Source: Siskind & Pearlmutter 2018, section 3 (bisection); Griewank 1992 for the vocabulary.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import fields
from typing import Any, NamedTuple, Protocol, cast

from checkpoint.config import BASE
from checkpoint.dataclass import dataclass
from checkpoint.driver.calls import Calls
from checkpoint.driver.spill.transfers import NO_DISK, Disk, Transfer


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep the current state, under its step."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Make the state that is kept at a step the current one."""

    step: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Drop the state that is kept at a step."""

    step: int


@dataclass(frozen=True, slots=True)
class Advance:
    """Run on to a step, or (None) to the end of the run.

    held: the run stops early, after at least one step, where the sweep is found to hold more bytes than this
    (by engines that measure it; see Report).
    calls: the run stops early where it enters the body of the function of these calls, after at least one
    step; None: it does not.
    most: as of Tape.
    """

    to: int | None
    held: int | None = None
    calls: Calls | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Tape:
    """Run on as Advance does, recording. An earlier tape that was neither reversed nor held is dropped.

    bytes: the run stops early, after at least one step, where the tape is found larger than this.
    most: it stops early, too, where one more step like the largest so far might have the sweep hold more
    bytes than this (by engines that measure it: after each step on arrays, also within a block).
    """

    to: int | None
    bytes: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """Set the last tape aside, under the step that it starts from. The current state stays."""


@dataclass(frozen=True, slots=True)
class Release:
    """Drop the tape that is held from a step."""

    step: int


@dataclass(frozen=True, slots=True)
class Reverse:
    """Reverse the last tape, or the one that is held from a step.

    keeps: the tape is not used up; it is held afterwards, under the step that it starts from.
    """

    step: int | None = None
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """Hand out the cotangent of the start, to which all has been reversed; all is to be reversed again."""


@dataclass(frozen=True, slots=True)
class Stride:
    """A series: `count` times, run on by so many steps and keep the state (checkpoint.driver.series).

    held: as of Advance. The series ends early where a run stops early, and at the end of the run; the state
    there is not kept.
    enough: it ends early, too, with a kept state with which the sweep holds more bytes than this.
    """

    steps: int
    count: int
    held: int
    enough: int


@dataclass(frozen=True, slots=True)
class Unwind:
    """A series: reverse the segments from kept states on, each by a tape of its own, and drop the states.

    states: the steps of the last of the kept states, the last first.
    to: the step down to which the run has been reversed; None, before it has been.
    bytes, held: the series ends early with a tape that stops before `to`, since it is larger than `bytes`, or
    would have the sweep hold more than `held`. It is the last tape then; after a series that reaches its end
    there is none.
    """

    states: tuple[int, ...]
    to: int | None
    bytes: int
    held: int


Action = Keep | Restore | Drop | Advance | Tape | Hold | Release | Reverse | Again | Transfer


class Report(NamedTuple):
    """The state of a sweep after an action: the current step, and whether that is the end.

    bytes: the size of the last tape, 0 without one (a tape that is held is not the last any more).
    The other fields are known where the schedule `weighs`, or there is an observer; else they may be 0.
    held: all bytes that the sweep holds: states, tapes, cotangents, but not the results. A state counts with
    what dropping it would free, since states share; the engine says how exactly it knows.
    results: bytes of cotangents that the sweep returns, as far as they are there (checkpoint.driver.outside).
    faulting: the seconds that it took to make new memory for tapes, by engines that measure it; only
    differences mean anything.
    strips: whether code ran that runs many lanes at once, which a short segment leaves no room for.
    spare: bytes of small blocks that are free, but can be used for states only, not for tapes.
    passing: bytes of arrays that were held at once since the last Advance or Tape began, beyond those held
    now, by engines that measure it.
    largest: bytes that one step on arrays took at once, at most, in the last run that had a bound `most`, or
    is expected to take there, by engines that measure it.
    tapes, cotangent: of what is held, all tapes, the last and those that are held; and the cotangent.
    fixed: the part of the cotangent that does not grow with the run.
    seconds: the time since the sweep began. busy: of that, what this process had the processors for, in all
    of its threads.
    least: what the cotangent of the start will hold at least, without results.
    disk: what is known of the disk that states may be spilled to.
    """

    step: int
    finished: bool
    bytes: int = 0
    held: int = 0
    tapes: int = 0
    cotangent: int = 0
    fixed: int = 0
    spare: int = 0
    results: int = 0
    faulting: float = 0.0
    strips: bool = False
    passing: int = 0
    largest: int = 0
    seconds: float = 0.0
    busy: float = 0.0
    least: int = 0
    disk: Disk = NO_DISK

    @property
    def growing(self) -> int:
        """Bytes of the cotangent that grow with the run."""
        return self.cotangent - self.fixed

    @property
    def states(self) -> int:
        """Bytes held by states."""
        return self.held - self.tapes - self.cotangent


Actions = Generator[Action, Report, None]
Series = Stride | Unwind
ActionsInSeries = Generator[Action | Series, Report, None]


class Schedule(Protocol):
    """A rule by which a run is reversed. Instances hold parameters only; `actions` starts one sweep."""

    def actions(self) -> Actions:
        """Return the coroutine of one sweep."""
        ...


class InSeries(Schedule, Protocol):
    """A schedule that can name many of its actions at once, for engines that take them so."""

    def in_series(self) -> ActionsInSeries:
        """Return the coroutine of one sweep; `actions` is the same, one by one."""
        ...


def in_series(schedule: Schedule) -> ActionsInSeries:
    """Return the actions of a schedule, in series if it can name them so."""
    return cast(InSeries, schedule).in_series() if hasattr(schedule, "in_series") else schedule.actions()


class Repeatable(Schedule, Protocol):
    """A schedule that can reverse a run any number of times."""

    def reversals(self) -> Actions:
        """Return the coroutine of one sweep with any number of reversals, as the head of this file says."""
        ...


def repeatable(schedule: Schedule) -> Repeatable | None:
    """Return the schedule if it can reverse a run any number of times, else None."""
    return cast(Repeatable, schedule) if hasattr(schedule, "reversals") else None


def weighs(schedule: Schedule) -> bool:
    """Return whether a schedule reads the bytes held (its attribute `weighs`): measuring them takes time."""
    return getattr(schedule, "weighs", False) is True


@dataclass(frozen=True)
class Plain:
    """Plain reverse mode: one tape of the whole run, memory linear in its length.

    Examples:
        >>> next(Plain().actions())
        Keep()
    """

    def actions(self) -> Actions:
        yield Keep()
        yield Tape(None)
        yield Reverse()

    def reversals(self) -> Actions:
        start = (yield Keep()).step
        yield Tape(None)
        yield from tape_again_and_again(start)


def tape_again_and_again(start: int) -> Actions:
    """Reverse the last tape, of a whole run from the step `start`, any number of times."""
    step: int | None = None
    while True:
        yield Reverse(step, keeps=True)
        yield Again()
        step = start


class BaseCase:
    """The number of steps to tape at once, learnt, within a schedule's bounds, from the tapes so far.

    most, bytes: the bounds.
    steps: `most` at first; what fitted, when a tape outgrew `bytes`; twice as many as it had, but no
    fewer than before, when a tape was at most half full. Steps of a kind follow one another: to believe
    a tape that was nearly empty, and go to `most` at once, costs hundreds of tapes that outgrow.
    """

    __slots__ = ("bytes", "most", "steps")

    def __init__(self, most: int, bytes: int | None) -> None:
        self.most = most
        self.bytes = bytes
        self.steps = most

    def tape(self, low: int, high: int | None = None) -> Generator[Action, Report, Report]:
        """Tape from the current state, at `low`, to `high`, or `most` steps; return the report on that."""
        to = low + self.most if high is None else high
        reached = yield Tape(to, self.bytes)
        taped = reached.step - low
        if reached.step < to and not reached.finished:
            self.steps = taped
        elif self.bytes is not None and 2 * reached.bytes <= self.bytes:
            self.steps = min(max(self.steps, 2 * taped), self.most)
        return reached


@dataclass(frozen=True)
class Bisection:
    """Divide and conquer: reverse the second half of a segment, then the first, down to `base` steps.

    A run of t steps keeps at most 2 + ceil(log2(t / base)) states and the tape of `base` steps, and
    runs at most t (1 + ceil(log2(t / base))) steps again. Where tapes outgrow `tape_bytes`, up to
    2 ceil(log2(base)) is added to both logarithms; no step is taped more than twice, or, of the first
    `base`, three times.

    Args:
        base: how many steps are taped at once, at most.
        tape_bytes: how many bytes a tape may have, at most; None: any number.

    Examples:
        >>> Bisection(base=1000)
        Bisection(base=1000, tape_bytes=None)
    """

    base: int = BASE
    tape_bytes: int | None = None

    def __post_init__(self) -> None:
        require(self, base="step", tape_bytes="byte")

    def actions(self) -> Actions:
        case = BaseCase(self.base, self.tape_bytes)
        start = (yield Keep()).step
        reached = yield from case.tape(start)
        if reached.finished:
            yield Reverse()
            return
        end = (yield Advance(None)).step
        yield from self._segment(start, end, case)

    def _segment(self, low: int, high: int, case: BaseCase) -> Actions:
        """Reverse the steps from `low`, where a state is kept, to `high`."""
        yield Restore(low)
        if high - low <= case.steps:
            yield from self._piece(low, high, case)
            return
        middle = (low + high) // 2
        yield Advance(middle)
        yield Keep()
        yield from self._segment(middle, high, case)
        yield Drop(middle)
        yield from self._segment(low, middle, case)

    def _piece(self, low: int, high: int, case: BaseCase) -> Actions:
        """Reverse a base case; the state at `low` is kept, and is the current one."""
        reached = (yield from case.tape(low, high)).step
        if reached == high:
            yield Reverse()
            return
        yield Keep()
        yield from self._segment(reached, high, case)
        yield Drop(reached)
        yield Restore(low)
        yield from self._piece(low, reached, case)


def require(schedule: Any, **units: str) -> None:
    """Check parameters of a schedule: each must be at least 1, or None where that is the default.

    units: by the name of a parameter, what it counts. Raises ValueError.
    """
    for field in fields(schedule):
        if field.name in units:
            value = getattr(schedule, field.name)
            is_left_out = value is None and field.default is None
            if not is_left_out and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                given = f"{type(schedule).__name__}({field.name}={value!r})"
                raise ValueError(f"{given}: {field.name} must be at least 1 {units[field.name]}")
