"""A symbolic run: follows a schedule for a run of known length, without an engine, and checks every action.

It knows where the run stands, which states are kept, what the last tape covers, and down to which step
the run has been reversed. Its steps record as many bytes as it is told, so that tapes outgrow their
bounds as they would on an engine. A rule of checkpoint.driver.schedule that an action breaks is a BrokenRule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from checkpoint.driver.engine import Counts
from checkpoint.driver.schedule import Action, Advance, Drop, Keep, Report, Restore, Schedule, Tape


class BrokenRule(AssertionError):
    """A schedule did what no schedule may."""


@dataclass
class Model:
    """A run of `length` steps that starts at step `start`.

    size: how many bytes a step records, by its number; the first step's is `start`.
    look_every: between how many steps the size of a tape is compared with its bound.
    reversed: the pieces that were reversed, in order, each from its first step to its last.
    advanced: the pieces that were run without a tape, in order.
    outgrown: how many tapes were stopped by their bound.
    largest: the size of the largest tape.
    """

    length: int
    start: int = 0
    size: Callable[[int], int] = lambda step: 0
    look_every: int = 1
    counts: Counts = field(default_factory=Counts)
    actions: list[Action] = field(default_factory=list)
    reversed: list[tuple[int, int]] = field(default_factory=list)
    advanced: list[tuple[int, int]] = field(default_factory=list)
    outgrown: int = 0
    largest: int = 0

    def follow(self, schedule: Schedule) -> Model:
        """Execute all of a schedule's actions."""
        self.end = self.start + self.length
        self.current: int | None = self.start
        self.kept: set[int] = set()
        self.tape: tuple[int, int] | None = None
        self.bytes = 0
        actions = schedule.actions()
        action = next(actions)
        self._require(isinstance(action, Keep), "the start is kept first")
        while True:
            self.actions.append(action)
            self._perform(action)
            here = self.end if self.current is None else self.current
            try:
                action = actions.send(Report(here, here == self.end, self.bytes if self.tape else 0))
            except StopIteration:
                break
        self._require(self._down_to() == self.start, "everything is reversed")
        self._require(bool(self.reversed), "a run of no steps is reversed as well")
        self._require(self.kept == {self.start}, "nothing is kept but the start")
        assert all(later[1] == earlier[0] for earlier, later in pairwise(self.reversed))
        return self

    def _down_to(self) -> int:
        return self.reversed[-1][0] if self.reversed else self.end

    def _require(self, holds: bool, rule: str) -> None:
        if not holds:
            raise BrokenRule(rule)

    def _perform(self, action: Action) -> None:
        match action:
            case Keep():
                self.kept.add(self._here())
                self.counts.most_kept = max(self.counts.most_kept, len(self.kept))
                self.tape = None
            case Restore(step):
                self._require(step in self.kept, "only a kept state is restored")
                self.current, self.tape = step, None
            case Drop(step):
                self._require(step in self.kept, "only a kept state is dropped")
                self.kept.remove(step)
            case Advance(to):
                self.advanced.append(self._move(to))
                self.counts.advanced += length(self.advanced[-1])
                self.tape = None
            case Tape(to, bytes):
                self.tape = self._move(to if bytes is None else self._full(to, bytes))
                self.counts.taped += length(self.tape)
                self.bytes = sum(map(self.size, range(*self.tape))) if bytes is not None else 0
                self.largest = max(self.largest, self.bytes)
            case _:
                self._reverse()

    def _here(self) -> int:
        self._require(self.current is not None, "after Reverse there is no current state")
        assert self.current is not None
        return self.current

    def _clip(self, to: int | None) -> int:
        return self.end if to is None else min(to, self.end)

    def _full(self, to: int | None, bytes: int) -> int:
        """Where a tape from here to a step ends, if it may not outgrow a bound."""
        step, end, recorded = self._here(), self._clip(to), 0
        while step < end:
            look = min(step + self.look_every, end)
            recorded += sum(map(self.size, range(step, look)))
            step = look
            if recorded > bytes and step < end:
                self.outgrown += 1
                break
        return step

    def _move(self, to: int | None) -> tuple[int, int]:
        begin = self._here()
        self._require(to is None or to >= begin, "a run goes forward")
        self.current = self._clip(to)
        return begin, self.current

    def _reverse(self) -> None:
        self._require(self.tape is not None, "only a tape is reversed")
        assert self.tape is not None
        self._require(self.tape[1] == self._down_to(), "a tape is reversed that ends where reversal stands")
        self.reversed.append(self.tape)
        self.tape = self.current = None


def length(piece: tuple[int, int]) -> int:
    """How many steps a piece has, from its first to its last."""
    return piece[1] - piece[0]
