"""A call that has run, and is reversed as often as cotangents are asked for.

Each reversal uses what the first pass has kept. Where that is used up (by schedules that can reverse a run
only once, under an observer, and after a reversal that failed), a further one runs the call from its start.
All give what `vjp` gives, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.driver.schedule import Schedule
from checkpoint.errors import BudgetError, UnfitKey, Unreached
from checkpoint.functions.interface import Call
from checkpoint.prims.waiting import Waiting


class Reversals:
    """The reversals of a call. value: its value, with the run's own locations."""

    def __init__(self, call: Call, schedule: Schedule) -> None:
        self._call: Call | None = call
        self._schedule = schedule
        self._waiting: Waiting | None = call.run.waiting(schedule)
        self.value = self._waiting.value

    def cotangent(self, cotangent_of: Callable[[Any], Any]) -> Any:
        """Return the cotangent of the argument, for the cotangent `cotangent_of(y)` of the value y."""
        assert self._call is not None
        run = self._call.run
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return run.vjp(cotangent_of, self._schedule)[1]
        try:
            found = run.cotangent(waiting, cotangent_of)
            if not waiting.is_over:
                self._waiting = waiting
            return found
        except (Unreached, UnfitKey, BudgetError):  # only the reversal reaches it; or a vjp may need less
            waiting.close()
            return run.vjp(cotangent_of, self._schedule)[1]
        finally:
            if self._waiting is None:
                waiting.close()

    def close(self) -> None:
        """Release what the run has kept; nothing may follow."""
        waiting, self._waiting = self._waiting, None
        self._call = self.value = None
        if waiting is not None:
            waiting.close()
