"""What the steps of a run cost: the work of a segment, which is its number of steps as long as steps are
alike.

In: where the run was looked at, and the seconds from one look to the next. Out: work, a measure of
segments that is additive; the step at which so much work is done. Steps that take more than UNEVEN times
as long as the first ones did count as so many steps as they take times longer; less may be chance. So a
run whose steps are alike is divided by steps, exactly, and one whose steps differ much by seconds.

What always holds: between two looks work is a straight line; beyond the last it is the number of steps.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

UNEVEN = 4.0
MOST = 4096  # looks that are remembered; then every other is forgotten


class Costs:
    """The work of a run, by step."""

    __slots__ = ("_done", "_steps", "_usual")

    def __init__(self, start: int) -> None:
        self._steps = array("q", (start,))
        self._done = array("d", (0.0,))
        self._usual = 0.0  # seconds per step of the first segment that was timed

    def look(self, step: int, seconds: float | None = None) -> None:
        """Record that the run has reached a step, so many seconds after the last one; None: unknown."""
        steps = step - self._steps[-1]
        if steps <= 0:
            return
        self._steps.append(step)
        self._done.append(self._done[-1] + steps * self._times(steps, seconds))
        if len(self._steps) > MOST:
            del self._steps[1:-1:2]
            del self._done[1:-1:2]

    def _times(self, steps: int, seconds: float | None) -> float:
        """Return how many times longer than usual they took; 1 if that is not much."""
        if not seconds:
            return 1.0
        self._usual = self._usual or seconds / steps
        times = seconds / steps / self._usual
        return times if times > UNEVEN else 1.0

    def recent(self) -> float:
        """Return the work of a step in the last segment that was measured."""
        if len(self._steps) < 2:
            return 1.0
        return (self._done[-1] - self._done[-2]) / (self._steps[-1] - self._steps[-2])

    def work(self, low: int, high: int) -> float:
        """Return the work from a step to a later one."""
        return self._at(high) - self._at(low)

    def step_after(self, low: int, work: float) -> int:
        """Return about the step up to which so much work is done from the step `low` on."""
        wanted = self._at(low) + work
        if wanted >= self._done[-1]:
            return self._steps[-1] + round(wanted - self._done[-1])
        i = bisect_left(self._done, wanted, lo=1)
        return round(_line(wanted, self._done[i - 1], self._done[i], self._steps[i - 1], self._steps[i]))

    def _at(self, step: int) -> float:
        if step >= self._steps[-1]:
            return self._done[-1] + (step - self._steps[-1])
        i = max(bisect_left(self._steps, step), 1)
        return _line(step, self._steps[i - 1], self._steps[i], self._done[i - 1], self._done[i])


def _line(x: float, x0: float, x1: float, y0: float, y1: float) -> float:
    """Return the straight line through two points at x; exact where it rises by 1 for 1."""
    return y0 + (x - x0) * ((y1 - y0) / (x1 - x0))
