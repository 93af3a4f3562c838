"""Sweeps without an engine: an observer gets the reports of a schedule, with known bytes and times."""

from __future__ import annotations

from dataclasses import dataclass, field

from checkpoint.driver.observe import Observer
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Drop,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
)

CAPSULE, PER_STEP, COTANGENT = 100, 8, 50  # bytes: of a kept state, of a taped step, of the cotangent
FORWARD, TAPING, REVERSING = 1.0, 2.0, 3.0  # seconds for each step


@dataclass(frozen=True)
class Even:
    """A schedule that keeps a state every `stretch` steps, tapes the last stretch at once, then each before.

    hold: the last but one is taped in the first pass as well, and held. memory: the bytes that it says it may
    hold.
    """

    length: int
    stretch: int
    hold: bool = False
    memory: int | None = None

    @property
    def weighs(self) -> bool:
        return self.memory is not None

    def actions(self) -> Actions:
        cuts = list(range(0, self.length, self.stretch))
        last = len(cuts) - 1
        for i in range(last):
            yield Keep()
            to_hold = self.hold and i == last - 1
            yield Tape(cuts[i + 1]) if to_hold else Advance(cuts[i + 1])
            if to_hold:
                yield Hold()
        yield Tape(None)
        yield Reverse()
        for i in reversed(range(last)):
            cut, end = cuts[i], cuts[i + 1]
            if self.hold and i == last - 1:
                yield Reverse(cut)
            else:
                yield Restore(cut)
                yield Tape(end)
                yield Reverse()
            if i:
                yield Drop(cut)


@dataclass
class FakeSweep:
    """A run of `length` steps as a schedule sees it; the numbers above are its costs."""

    length: int
    here: int = 0
    seconds: float = 0.0
    cotangent: int = 0
    kept: set[int] = field(default_factory=set)
    last: tuple[int, int] | None = None
    held: dict[int, tuple[int, int]] = field(default_factory=dict)

    def tell(self, observer: Observer, schedule: Schedule, most: int | None = None) -> None:
        """Report all that a schedule does, or a number of actions; then an exception leaves the sweep."""
        observer.began(schedule, self.report())
        actions = schedule.actions()
        action = next(actions)
        finished = False
        while most is None or most > 0:
            self.perform(action)
            observer.acted(action, self.report())
            most = None if most is None else most - 1
            try:
                action = actions.send(self.report())
            except StopIteration:
                finished = True
                break
        observer.ended(finished)

    def report(self) -> Report:
        spans = [*([self.last] if self.last else []), *self.held.values()]
        tapes = PER_STEP * sum(end - begin for begin, end in spans)
        held = CAPSULE * len(self.kept) + tapes + self.cotangent
        end = self.here == self.length
        return Report(self.here, end, 0, held, tapes, self.cotangent, seconds=self.seconds)

    def perform(self, action: Action) -> None:
        match action:
            case Keep():
                self.kept.add(self.here)
                self.last = None
            case Restore(step):
                self.here, self.last = step, None
            case Drop(step):
                self.kept.remove(step)
            case Advance(to):
                self.last = None
                self.move(to, FORWARD)
            case Tape(to):
                self.last = (self.here, self.move(to, TAPING))
            case Hold():
                assert self.last is not None
                self.held[self.last[0]], self.last = self.last, None
            case Release(step):
                del self.held[step]
            case Reverse(step):
                self.reverse(step)

    def move(self, to: int | None, pace: float) -> int:
        """Move the run to a step, or to its end, and return the step that it has reached."""
        end = self.length if to is None else min(to, self.length)
        self.seconds += pace * (end - self.here)
        self.here = end
        return end

    def reverse(self, step: int | None) -> None:
        if step is None:
            assert self.last is not None
            span, self.last = self.last, None
        else:
            span = self.held.pop(step)
        self.seconds += REVERSING * (span[1] - span[0])
        self.cotangent = COTANGENT
