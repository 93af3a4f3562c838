"""Schedules of segments that are taped before their cotangents are known: as a whole where they fit.

In: a Budget, and what is known of a segment. Out: its actions, but for those of a segment whose tape fits
into the memory. A budget keeps its tapes small, so that they stay in a processor's cache, and tapes when the
cotangent is there; who waits for the cotangent has time to tape all before. A segment that is sure not to fit
is not tried: its steps would run once more. Its length is known, so no state is kept in vain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from checkpoint.dataclass import dataclass
from checkpoint.driver import memory
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Actions, Hold, Keep, Release, Report, Restore, Reverse, Schedule, Tape

STATES = 4  # beside a tape, in states' bytes: where the segment begins and ends, the current one, a cotangent


def of_segment(budget: Budget, steps: int, fitting: int | None) -> Schedule:
    """Return the schedule of a segment of so many steps within a budget.

    fitting: of how many steps the tape will fit, as far as can be foreseen; None: that is not known.
    """
    known = replace(budget, length=steps)
    return known if fitting is not None and steps > fitting else TapedAhead(known)


@dataclass(frozen=True)
class TapedAhead:
    """A schedule of one sweep within a budget, which tapes all that it can before its pause.

    Examples:
        >>> next(TapedAhead(Budget("1 MiB")).actions())
        Keep()
    """

    budget: Budget
    weighs: ClassVar[bool] = True

    def actions(self) -> Actions:
        start = yield Keep()
        bytes = memory.resolve(self.budget.memory)
        room = bytes - STATES * start.held - start.least
        if room > 0:
            piece = yield Tape(None, room)
            if piece.finished and piece.held <= bytes:
                yield Reverse()
                return
            yield Hold()
            yield Release(start.step)
            start = yield Restore(start.step)
        yield from self._within(start)

    def _within(self, start: Report) -> Actions:
        """Do as the budget does; start: the report on the state where the segment begins, which is kept."""
        actions = self.budget.actions()
        next(actions)  # it keeps that state first
        report = start
        while True:
            try:
                action = actions.send(report)
            except StopIteration:
                return
            report = yield action
