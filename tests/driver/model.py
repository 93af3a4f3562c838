"""A symbolic run: follows a schedule for a run of known length, without an engine, and checks every action.

It knows where the run stands, which states are kept, what the last tape and held ones cover, and down to
which step the run has been reversed. Its steps record as many bytes as it is told, its states and cotangents
are as large, and its steps cost as much, so that bounds are outgrown as they would be on an engine. A rule of
checkpoint.driver.schedule that an action breaks is a BrokenRule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from checkpoint.driver.engine import Counts
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
from checkpoint.driver.spill.transfers import Disk, Fetch, Spill, Transfer, Wait


class BrokenRule(AssertionError):
    """A schedule did what no schedule may."""


class NotAgain(Exception):
    """A schedule did not reverse the run of `model` as often as was wanted: all was used up."""

    def __init__(self, model: Model) -> None:
        super().__init__(f"the run was reversed {len(model.rounds) + 1} times")
        self.model = model


@dataclass
class Model:
    """A run of `length` steps that starts at step `start`.

    size: how many bytes a step records, each alike or by its number; the first step's is `start`.
    state: how many bytes a state holds, by its step; states share nothing. cotangent: the same of one's
    cotangent. fixed: how many of these are said not to grow with the run.
    cost: the seconds that a step takes, likewise. fault: those that a byte takes of tapes which is held for
    the first time, beyond `had`, which earlier tapes have left. strips: whether many lanes run at once, by
    what is reported.
    passing: the bytes that are held while a step runs, and neither before nor after; None: there are none.
    look_every: between how many steps bytes are compared with their bound.
    rate: the bytes per second of a disk that states may be spilled to; 0: there is none. disk_ends: after how
    many spilled states it fails: what is on its way then is in memory again, what is there can be read.
    calls: the steps before which a call has just been made of the function that a schedule names, in order.
    reversed: the pieces that were reversed, in order, each from its first step to its last.
    advanced: the pieces that were run without a tape, in order.
    outgrown: how many tapes were stopped by their bound.
    rounds: once it is reversed again, the steps that had been run after each reversal.
    largest, most_held: the sizes of the largest tape, and (of schedules that weigh) of all that was held
    after an action or within one.
    """

    length: int
    start: int = 0
    size: Callable[[int], int] | int = 0
    state: Callable[[int], int] = lambda step: 0
    cotangent: Callable[[int], int] = lambda step: 0
    fixed: int = 0
    cost: Callable[[int], float] | float = 1.0
    fault: float = 0.0
    had: int = 0
    strips: bool = False
    passing: Callable[[int], int] | None = None
    look_every: int = 1
    rate: float = 0.0
    disk_ends: int = 1 << 62
    calls: Sequence[int] = ()
    counts: Counts = field(default_factory=Counts)
    actions: list[Action] = field(default_factory=list)
    reversed: list[tuple[int, int]] = field(default_factory=list)
    advanced: list[tuple[int, int]] = field(default_factory=list)
    outgrown: int = 0
    largest: int = 0
    most_held: int = 0

    def follow(self, schedule: Schedule) -> Model:
        """Execute all of a schedule's actions."""
        self._follow(schedule, schedule.actions(), 0)
        self._require(self._down_to() == self.start, "everything is reversed")
        self._require(bool(self.reversed), "a run of no steps is reversed as well")
        self._require(self.kept == {self.start}, "nothing is kept but the start")
        self._require(not self.held, "no tape is held")
        self._require(not self.rounds, "it is reversed once")
        assert all(later[1] == earlier[0] for earlier, later in pairwise(self.reversed))
        return self

    def reverse_again(self, schedule: Schedule, times: int) -> Model:
        """Execute a schedule until it has reversed the run so many times; `rounds` says what each has run."""
        found = repeatable(schedule)
        assert found is not None
        self._follow(schedule, found.reversals(), times)
        self._require(self._down_to() == self.start, "everything is reversed")
        if len(self.rounds) < times:
            self._require(self.kept == {self.start} and not self.held, "nothing is kept but the start")
            raise NotAgain(self)
        return self

    def _follow(self, schedule: Schedule, actions: Actions, times: int) -> None:
        self.end = self.start + self.length
        self.current: int | None = self.start
        self.kept: set[int] = set()
        self.tape: tuple[int, int] | None = None
        self.held: dict[int, tuple[int, int]] = {}
        self.seconds = self.faulting = 0.0
        self.spilled: dict[int, float] = {}  # the second at which each has arrived
        self.spills, self.waited = 0, 0.0
        self.passed = 0  # at most, of what was held while a step of the last action ran
        self.coming: dict[int, float] = {}
        self.disk_free = 0.0
        self.returned: list[int] = []
        self.most_taped = self.had
        self.weighing = weighs(schedule)
        self.sizes = Sums(self.size, self.start, self.end)
        self.costs = Sums(self.cost, self.start, self.end)
        self.rounds: list[Counts] = []
        action = next(actions)
        self._require(isinstance(action, Keep), "the start is kept first")
        while True:
            self.actions.append(action)
            self._perform(action)
            try:
                action = actions.send(self._report())
            except StopIteration:
                break
            if action == Again() and times and len(self.rounds) == times - 1:
                self.rounds.append(Counts(self.counts.advanced, self.counts.taped))
                break

    def _report(self) -> Report:
        here = self.end if self.current is None else self.current
        last = self._bytes(self.tape)
        if not self.weighing:
            return Report(here, here == self.end, last)
        tapes, cotangent = self._tapes(), self._cotangent()
        held = self._states() + tapes + cotangent
        self.most_held = max(self.most_held, held + self.passed)
        fixed = self.fixed if self.reversed else 0
        self.faulting += self.fault * max(0, tapes - self.most_taped)
        self.most_taped = max(self.most_taped, tapes)
        known = held, tapes, cotangent, fixed, 0, 0, self.faulting
        seconds = self.seconds + self.faulting
        disk = self._disk()
        report = Report(here, here == self.end, last, *known, seconds=seconds, busy=seconds, disk=disk)
        return report._replace(strips=self.strips, passing=self.passed)

    def _disk(self) -> Disk:
        """Return what is known of the disk: its rate is, once somebody has waited for it."""
        returned = tuple(self.returned)
        self.returned.clear()
        if not self.rate or self.spills >= self.disk_ends:
            return Disk(returned=returned)
        pending = sum(self.state(step) for step in self._on_their_way())
        return Disk(self.rate if self.waited else 0.0, pending, 1 << 62, 0.0, returned)

    def _on_their_way(self) -> list[int]:
        """Return the spilled states that memory holds, since they have not arrived or are coming back."""
        return [step for step, arrival in self.spilled.items() if arrival > self.seconds]

    def _transfer(self, action: Transfer) -> None:
        """Move a state, or wait."""
        match action:
            case Spill(step):
                self._require(step in self.kept and step not in self.spilled, "a state in memory is spilled")
                self._require(step != self.start, "the start of the run stays in memory")
                self.spills += 1
                self.disk_free = max(self.disk_free, self.seconds) + self.state(step) / self.rate
                self.spilled[step] = self.disk_free
                if self.spills >= self.disk_ends:
                    self.returned += self._on_their_way()
                    for returned in self.returned:
                        del self.spilled[returned]
            case Fetch(step):
                self._require(step in self.spilled, "only a spilled state is fetched")
                if step not in self.coming:
                    self.disk_free = max(self.disk_free, self.seconds) + self.state(step) / self.rate
                    self.coming[step] = self.disk_free
            case Wait():
                before = self.seconds
                self.seconds = max([self.seconds, *self.spilled.values()])
                self.waited += self.seconds - before or 1e-9

    def _taken(self, step: int) -> None:
        """Bring a spilled state back to memory; the run waits until it is there."""
        if step in self.spilled:
            self._transfer(Fetch(step))
            before = self.seconds
            self.seconds = max(self.seconds, self.coming.pop(step))
            self.waited += self.seconds - before
            del self.spilled[step]

    def _bytes(self, tape: tuple[int, int] | None) -> int:
        return 0 if tape is None else int(self.sizes.between(*tape))

    def _tapes(self) -> int:
        return self._bytes(self.tape) + sum(map(self._bytes, self.held.values()))

    def _cotangent(self) -> int:
        return self.cotangent(self._down_to()) if self.reversed else 0

    def _states(self) -> int:
        away = self.spilled.keys() - self._on_their_way() - self.coming.keys()
        standing = self.kept - away if self.current is None else (self.kept - away) | {self.current}
        return sum(map(self.state, standing))

    def _down_to(self) -> int:
        return self.reversed[-1][0] if self.reversed else self.end

    def _require(self, holds: bool, rule: str) -> None:
        if not holds:
            raise BrokenRule(rule)

    def _perform(self, action: Action) -> None:
        self.passed = 0
        match action:
            case Keep():
                self.kept.add(self._here())
                self.counts.most_kept = max(self.counts.most_kept, len(self.kept))
                self.tape = None
            case Restore(step):
                self._require(step in self.kept, "only a kept state is restored")
                self._taken(step)
                self.current, self.tape = step, None
            case Drop(step):
                self._require(step in self.kept, "only a kept state is dropped")
                self.kept.remove(step)
                self.spilled.pop(step, None)
                self.coming.pop(step, None)
            case Advance(to, held, calls):
                self.tape = None
                if calls is not None:
                    to = next((step for step in self.calls if step > self._here()), to)
                self.advanced.append(self._move(to if held is None else self._full(to, held, self._holding)))
                self.counts.advanced += length(self.advanced[-1])
            case Tape(to, bytes):
                self.tape = None
                self.tape = self._move(to if bytes is None else self._full(to, bytes, self._recording))
                self.counts.taped += length(self.tape)
                self.largest = max(self.largest, self._bytes(self.tape))
                self.outgrown += self.tape[1] < self._clip(to)
            case Hold():
                self._require(self.tape is not None, "only a tape is held")
                assert self.tape is not None
                self.held[self.tape[0]], self.tape = self.tape, None
            case Release(step):
                self._require(step in self.held, "only a held tape is released")
                del self.held[step]
            case Reverse(step, keeps):
                self._reverse(step, keeps)
            case Again():
                self._begin_again()
            case Spill() | Fetch() | Wait():
                self._transfer(action)

    def _here(self) -> int:
        self._require(self.current is not None, "after Reverse there is no current state")
        assert self.current is not None
        return self.current

    def _clip(self, to: int | None) -> int:
        return self.end if to is None else min(to, self.end)

    def _full(self, to: int | None, bytes: int, held_at: Callable[[int], int]) -> int:
        """Return the step at which a run from here to `to` ends if it may hold at most `bytes`."""
        step, end = self._here(), self._clip(to)
        if held_at(end) <= bytes and held_at == self._recording:
            return end
        while step < end:
            step = min(step + self.look_every, end)
            if held_at(step) > bytes:
                break
        return step

    def _recording(self, step: int) -> int:
        return int(self.sizes.between(self._here(), step))

    def _holding(self, step: int) -> int:
        away = self.spilled.keys() - self._on_their_way() - self.coming.keys()
        return sum(map(self.state, (self.kept - away) | {step})) + self._tapes() + self._cotangent()

    def _move(self, to: int | None) -> tuple[int, int]:
        begin = self._here()
        self._require(to is None or to >= begin, "a run goes forward")
        self.current = self._clip(to)
        self.seconds += self.costs.between(begin, self.current)
        if self.passing is not None:
            self.passed = max(map(self.passing, range(begin, self.current)), default=0)
        return begin, self.current

    def _begin_again(self) -> None:
        self._require(self._down_to() == self.start, "everything is reversed")
        assert all(later[1] == earlier[0] for earlier, later in pairwise(self.reversed))
        self.rounds.append(Counts(self.counts.advanced, self.counts.taped))
        self.reversed = []

    def _reverse(self, step: int | None, keeps: bool) -> None:
        if step is not None:
            self._require(step in self.held, "only a held tape is reversed by its step")
        tape = self.tape if step is None else self.held.pop(step)
        self._require(tape is not None, "only a tape is reversed")
        assert tape is not None
        self._require(tape[1] == self._down_to(), "a tape is reversed that ends where reversal stands")
        if keeps:
            self.held[tape[0]] = tape
        if self.weighing:
            self.most_held = max(self.most_held, self._states() + self._tapes() + self.cotangent(tape[1]))
        self.reversed.append(tape)
        if self.weighing and keeps:
            self.most_held = max(self.most_held, self._states() + self._tapes() + self._cotangent())
        self.seconds += self.costs.between(*tape)
        self.tape = self.current = None


class Sums:
    """Sums, between two steps, of a quantity that is constant or depends on the number of the step."""

    def __init__(self, of: Callable[[int], float] | float, start: int, end: int) -> None:
        self.start = start
        self.alike = of if not callable(of) else None
        self.sums = [0.0, *accumulate(map(of, range(start, end)))] if callable(of) else []

    def between(self, low: int, high: int) -> float:
        """Return the sum from the step `low` up to, not including, `high`."""
        if self.alike is not None:
            return self.alike * (high - low)
        return self.sums[high - self.start] - self.sums[low - self.start]


def length(piece: tuple[int, int]) -> int:
    """Return the number of steps of a piece, from its first to its last."""
    return piece[1] - piece[0]
