"""Tell the driver in C of a schedule: whether it has that itself, and the bounds that it keeps to.

In: a schedule. Out: numbers for C (ctemplates/driver/).
"""

from __future__ import annotations

from typing import Any

from checkpoint.ctarget.directives import bound
from checkpoint.ctarget.library import runtime
from checkpoint.driver.budget import Budget
from checkpoint.driver.memory import has_devices, is_share, resolve
from checkpoint.driver.observe import Observer, Sampler
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError
from checkpoint.interp.hybrid.code import NEVER


def known_bound(schedule: Schedule) -> int:
    """Return the bytes that a budget given as a size allows; 0 for a share and for other schedules."""
    if not isinstance(schedule, Budget) or schedule.memory is None:
        return 0
    if has_devices(schedule.memory):
        raise RunError(
            "engine c keeps states on their devices: where memory= has an entry for one, use engine='hybrid'"
        )
    return 0 if is_share(schedule.memory) else resolve(schedule.memory)


def is_own(schedule: Schedule, observers: tuple[Observer, ...]) -> bool:
    """Return whether the driver in C has the schedule itself."""
    if type(schedule) is Plain:
        return not observers
    return type(schedule) is Bisection and all(isinstance(each, Sampler) for each in observers)


def bisected(schedule: Any) -> tuple[int, int]:
    """Return the bounds of a tape, in steps and bytes; that of plain reverse mode has none."""
    if type(schedule) is Plain:
        return runtime().lib.TO_THE_END, bound(None)
    return min(schedule.base, NEVER), bound(schedule.tape_bytes)
