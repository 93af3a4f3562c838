"""Which kept states of a budget go to the disk, and when they come back.

In: the ledger of a budget (checkpoint.driver.ledger), and what its reports say of the disk. Out: states
spilled in the first pass, each where the disk has twice the time that it needs for it before the next one may
follow; in the backward sweep each is on its way back while the segment behind it is reversed. So a run never
waits for a disk that keeps its rate, and what a spilled state costs is the time in which it is taken apart
and put together, of which reports say how long it is. Both are less than what it spares: its segment, run
once more. Where states are too large for the rate, those between two spilled ones stay in memory, and are
thinned as without a disk.
"""

from __future__ import annotations

from checkpoint.driver.ledger import Changed, Done, Ledger, Mark

PATIENCE = 1.0  # seconds: a shorter run is over before a disk has been measured
TIMES_WRITING = 2.0  # times what the disk needs for a state: the least time between two spilled states
TIMES_COST = 20.0  # times what the run waits for a spilled state: likewise
LEAST_BYTES = 2**16  # of a state that is spilled
AHEAD = 4  # a state comes back early where its bytes are this fraction (1 / AHEAD) of the room for a tape


class Policy:
    """The decisions for one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @property
    def may_spill(self) -> bool:
        """Return whether there is a disk for the states of this run."""
        ledger = self.ledger
        patient = ledger.report.disk.room > 0 and ledger.report.seconds >= PATIENCE
        return patient and ledger.spills and not ledger.lasts and ledger.pace > 0

    def relieve(self, first: int) -> Changed:
        """Spill the earliest state that the disk has time for; return whether any was, or will be then.

        first: the index of the state at the end of the head, which stays.
        """
        ledger = self.ledger
        if not self.may_spill or all(mark.spilled for mark in ledger.marks[first + 1 :]):
            return False
        if not ledger.report.disk.rate:
            yield from ledger.wait()  # which has it measured
        disk = ledger.report.disk
        mark = self._next(first + 1) if disk.rate and not disk.pending else None
        if mark is None:
            return False
        yield from ledger.spill(mark)
        return mark.spilled

    def _next(self, first: int) -> Mark | None:
        """Return the state to be spilled next: the first one that is far enough behind the last one there."""
        ledger = self.ledger
        low = ledger.head_end
        for mark in ledger.marks[first:]:
            if mark.spilled:
                low = mark.step
            elif self._has_time(low, mark):
                return mark
        return None

    def _has_time(self, low: int, mark: Mark) -> bool:
        """Return whether from a step to a state the run takes as long as the state needs on the disk."""
        ledger, disk = self.ledger, self.ledger.report.disk
        if mark.bytes < LEAST_BYTES:
            return False
        needed = TIMES_WRITING * mark.bytes / disk.rate + TIMES_COST * disk.cost
        return ledger.pace * ledger.costs.work(low, mark.step) >= needed

    def fetch(self) -> Done:
        """Let the last state come back from the disk, and the next one there, if there is room for it."""
        marks = self.ledger.marks
        if marks[-1].spilled and not marks[-1].coming:
            yield from self.ledger.fetch(marks[-1])
        ahead = next((mark for mark in reversed(marks[:-1]) if mark.spilled), None)
        if ahead is not None and not ahead.coming and AHEAD * ahead.bytes <= self.ledger.room():
            yield from self.ledger.fetch(ahead)
