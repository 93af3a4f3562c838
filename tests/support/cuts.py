"""A schedule that cuts a run in two, for the law that a gradient in parts is the whole one."""

from __future__ import annotations

from dataclasses import dataclass

from checkpoint.driver.schedule import Actions, Advance, Drop, Keep, Restore, Reverse, Tape


@dataclass(frozen=True)
class CutAt:
    """Plain reverse mode in two parts: the steps after a number of steps, then those before."""

    steps: int

    def actions(self) -> Actions:
        start = (yield Keep()).step
        yield Advance(start + self.steps)
        yield Keep()
        yield Tape(None)
        yield Reverse()
        yield Drop(start + self.steps)
        yield Restore(start)
        yield Tape(start + self.steps)
        yield Reverse()
