"""Budgets that cut a run: schedules that are observed, and the least memory that a gradient takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Actions, Report, Reverse, Schedule
from checkpoint.errors import BudgetError

DOUBLINGS = 12


@dataclass
class Watched:
    """A schedule that observes its sweeps. pieces: the number of tapes reversed, in all of them."""

    schedule: Schedule
    pieces: int = 0
    reports: list[Report] = field(default_factory=list)
    weighs = True

    def actions(self) -> Actions:
        actions = self.schedule.actions()
        action = next(actions)
        while True:
            self.pieces += isinstance(action, Reverse)
            report = yield action
            self.reports.append(report)
            try:
                action = actions.send(report)
            except StopIteration:
                return

    @property
    def most(self) -> int:
        """Return the highest number of bytes that was held."""
        return max(report.held for report in self.reports)


def tightest(take: Callable[[Schedule], Any], memory: int, length: int | None = None) -> tuple[Any, Watched]:
    """Return the gradient within a budget, or the least budget that the error asks for; and the schedule."""
    for _ in range(DOUBLINGS):
        watched = Watched(Budget(memory, length))
        try:
            return take(watched), watched
        except BudgetError as error:
            assert error.needed > memory, "so much is there"
            memory = max(2 * memory, error.needed)
    raise AssertionError(f"{memory} bytes are too few")
