"""Schedules as users ask for them: by themselves, by their names, or by the memory that they may take.

In: the arguments `schedule` and `memory` of the interface. Out: a Schedule.
"""

from __future__ import annotations

from checkpoint.driver.binomial import BASE, Binomial
from checkpoint.driver.budget import Budget
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError

# By name: "binomial" is the rule that needs no number from the user, logarithmic in space and time.
SCHEDULES: dict[str, Schedule] = {
    "budget": Budget(),
    "plain": Plain(),
    "bisection": Bisection(),
    "binomial": Binomial(base=BASE),
}


def named_schedule(schedule: Schedule | str | None, memory: Memory = None) -> Schedule:
    """Return the schedule that a user asks for; RunError where there is none such."""
    if memory is not None:
        if schedule is not None:
            raise RunError("give memory or a schedule, not both: memory=m is short for schedule=Budget(m)")
        return Budget(memory)
    if schedule is None:
        return SCHEDULES["budget"]
    if not isinstance(schedule, str):
        if isinstance(schedule, type) or not hasattr(schedule, "actions"):
            raise RunError(f"a schedule is one such as Bisection(), or a name, not {schedule!r}")
        return schedule
    if schedule not in SCHEDULES:
        raise RunError(f"there is no schedule {schedule!r}; there are: {', '.join(SCHEDULES)}")
    return SCHEDULES[schedule]
