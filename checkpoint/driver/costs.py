"""Costs of the steps of a run: the work of a segment is its number of steps as long as steps are alike.

In: samples of the run, each a step and the seconds since the sample before. Out: work, an additive measure of
segments, and the step at which a given amount of work is done. A step that takes more than UNEVEN times as
long as the first ones did counts as that many steps; smaller factors may be chance and count as 1. So a run
whose steps are alike is divided by steps, exactly, and one whose steps differ much by seconds.

What always holds: between two samples work is linear in steps; beyond the last it is the number of steps.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

UNEVEN = 4.0
MOST = 4096  # stored samples; beyond that, every other one is removed


class Costs:
    """The work of a run, by step."""

    __slots__ = ("_done", "_steps", "_usual")

    def __init__(self, start: int) -> None:
        self._steps = array("q", (start,))
        self._done = array("d", (0.0,))
        self._usual = 0.0  # seconds per step of the first segment that was timed

    def sample(self, step: int, seconds: float | None = None) -> None:
        """Record that the run has reached a step, `seconds` after the last sample; None: unknown."""
        steps = step - self._steps[-1]
        if steps <= 0:
            return
        self._steps.append(step)
        self._done.append(self._done[-1] + steps * self._times(steps, seconds))
        if len(self._steps) > MOST:
            del self._steps[1:-1:2]
            del self._done[1:-1:2]

    def _times(self, steps: int, seconds: float | None) -> float:
        """Return how many times longer than usual the steps took; 1 up to UNEVEN times."""
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
        """Return approximately the step at which `work` has been done since the step `low`."""
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
    """Return the value at x of the line through two points; exact where its slope is 1."""
    return y0 + (x - x0) * ((y1 - y0) / (x1 - x0))
