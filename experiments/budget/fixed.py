"""Schedules with everything fixed beforehand, the run's length included, with which Budget is compared.

In: the run's length in steps, which costs nothing here. Out: schedules that need no counting pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from checkpoint.driver.binomial import repetitions_for
from checkpoint.driver.schedule import Actions, Advance, Drop, Keep, Restore, Reverse, Tape


@dataclass(frozen=True)
class Spaced:
    """A schedule that keeps a state each `every` steps in one pass, then tapes each segment from its state.

    length: of the run, in steps.
    """

    length: int
    every: int

    def actions(self) -> Actions:
        start = (yield Keep()).step
        end = start + self.length
        starts = list(range(start, end, self.every))
        for low in starts[1:]:
            yield Advance(low)
            yield Keep()
        for low in reversed(starts):
            yield Restore(low)
            yield Tape(min(low + self.every, end))
            yield Reverse()
            if low > start:
                yield Drop(low)


@dataclass(frozen=True)
class Known:
    """Treeverse of a run of known length: at most `snapshots` states at once, base cases of `base` steps.

    Its steps without a tape, the first pass included, are the fewest: checkpoint.driver.binomial.recomputed.
    """

    length: int
    snapshots: int
    base: int

    def actions(self) -> Actions:
        start = (yield Keep()).step
        yield from self._segment(start, start + self.length, self.snapshots)

    def _segment(self, low: int, high: int, snapshots: int) -> Actions:
        """Reverse the steps from `low`, whose state is one of `snapshots`, to `high`."""
        while high > low:
            yield Restore(low)
            middle = low + self._cut(high - low, snapshots)
            if middle > low:
                yield Advance(middle)
            if high - middle <= self.base:
                yield Tape(high)
                yield Reverse()
            else:
                yield Keep()
                yield from self._segment(middle, high, snapshots - 1)
                yield Drop(middle)
            high = middle

    def _cut(self, length: int, snapshots: int) -> int:
        """Return the steps after which an optimal schedule cuts a segment (driver.binomial); 0: none."""
        d, b = snapshots, self.base
        if length <= b:
            return 0
        if d == 1:
            return length - b
        t = repetitions_for(length, d, b)
        return max(b * comb(d + t - 2, d), length - b * comb(d + t - 1, d - 1), min(b, length - b))
