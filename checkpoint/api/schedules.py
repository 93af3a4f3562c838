"""Schedules as users ask for them: by themselves, by their names, or by the memory that they may take.

In: the arguments `schedule`, `memory` and `spill` of the interface. Out: a Schedule.
"""

from __future__ import annotations

from checkpoint.driver.binomial import BASE, Binomial
from checkpoint.driver.budget import Budget
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.driver.spill.setting import SpillOption
from checkpoint.errors import RunError

# By name: "binomial" is the rule that needs no number from the user, logarithmic in space and time.
SCHEDULES: dict[str, Schedule] = {
    "budget": Budget(),
    "plain": Plain(),
    "bisection": Bisection(),
    "binomial": Binomial(base=BASE),
}


def named_schedule(
    schedule: Schedule | str | None, memory: Memory = None, spill: SpillOption = None
) -> Schedule:
    """Return the schedule that a user asks for; RunError where there is none such."""
    if memory is not None or spill is not None:
        if schedule is not None:
            what, short = ("memory", "memory=m") if spill is None else ("spill", "spill=s")
            how = "m" if spill is None else "m, spill=s"
            raise RunError(
                f"give {what} or a schedule, not both: {short} is short for schedule=Budget({how})"
            )
        return Budget(memory, spill=spill)
    if schedule is None:
        return SCHEDULES["budget"]
    if not isinstance(schedule, str):
        if isinstance(schedule, type) or not hasattr(schedule, "actions"):
            raise RunError(f"a schedule is one such as Bisection(), or a name, not {schedule!r}")
        return schedule
    if schedule not in SCHEDULES:
        raise RunError(f"there is no schedule {schedule!r}; there are: {', '.join(SCHEDULES)}")
    return SCHEDULES[schedule]
