"""Progress of a gradient with a journal, to those who watch it (checkpoint.watch.progress).

In: how far the run is. Out: a Progress of the whole call, with the time that a kill would lose now. The
sweeps of its segments are not reported one by one; other observers, such as profiles, see them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from checkpoint.driver.observe import observed, observers
from checkpoint.durable.journal.pace import Pace
from checkpoint.watch.progress import Progress, Watch


class Reports:
    """Reports the progress of one gradient. pace: knows when something was durable last."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._watches = [each for each in observers() if isinstance(each, Watch)]
        self._others = tuple([each for each in observers() if not isinstance(each, Watch)])
        self._began = self._turned = pace.now()
        self._end = 0
        self._from = 0

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep the sweep of a segment from those who watch the whole."""
        with observed(self._others):
            yield

    def forward(self, step: int) -> None:
        """Report that the run has done so many steps."""
        self._report(Progress("forward", step, None, self._seconds(), None, self._pace.unsaved), False)

    def turned(self, end: int) -> None:
        """Report that the end of the run is known."""
        self._end, self._turned = end, self._pace.now()
        self._report(Progress("forward", end, 1.0, self._seconds(), None, self._pace.unsaved), True)

    def backward(self, step: int) -> None:
        """Report that the run has been reversed down to a step."""
        self._from = self._from or self._end
        done = 1.0 - step / self._end
        here = (self._from - step) / self._end  # of it, what this process has done
        took = self._pace.now() - self._turned
        left = took * (1.0 - done) / here if here else None
        self._report(Progress("backward", step, done, self._seconds(), left, self._pace.unsaved), False)

    def ended(self) -> None:
        """Report that all is done."""
        self._report(Progress("backward", 0, 1.0, self._seconds(), 0.0, 0.0), True)

    def _seconds(self) -> float:
        return self._pace.now() - self._began

    def _report(self, progress: Progress, now: bool) -> None:
        for watch in self._watches:
            watch.report_whole(progress, now)
