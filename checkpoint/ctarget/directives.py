"""Actions of schedules as directives of the C engine's driver (driver/schedule.h), and back; its reports.

In: actions, or what C says. Out: the same on the other side. One directive is written again and again.
"""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any

from checkpoint.ctarget.library import runtime
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Drop,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Tape,
)
from checkpoint.interp.hybrid.code import NEVER

Directive = Any  # of cffi: Directive *

UNBOUNDED = (1 << 64) - 1  # ctemplates/driver/schedule.h
TO_THE_END = (1 << 63) - 1


def bound(bytes: int | None) -> int:
    """A bound as C has it."""
    return UNBOUNDED if bytes is None else min(max(bytes, 0), NEVER)


def write(action: Action, directive: Directive, lib: Any) -> None:
    """Make the directive say what the action says. lib: the runtime's, which is slow to look up for each."""
    if isinstance(action, Tape):
        directive.deed, directive.step = lib.DO_TAPE, _end(action.to)
        directive.bytes = bound(action.bytes)
    elif isinstance(action, Advance):
        directive.deed, directive.step = lib.DO_ADVANCE, _end(action.to)
        directive.bytes = bound(action.held)
    elif isinstance(action, Restore):
        directive.deed, directive.step = lib.DO_RESTORE, action.step
    elif isinstance(action, Keep):
        directive.deed = lib.DO_KEEP
    elif isinstance(action, Reverse):
        directive.deed = lib.DO_REVERSE
        directive.step = lib.LAST_TAPE if action.step is None else action.step
    elif isinstance(action, Drop):
        directive.deed, directive.step = lib.DO_DROP, action.step
    elif isinstance(action, Hold):
        directive.deed = lib.DO_HOLD
    else:
        directive.deed, directive.step = lib.DO_RELEASE, action.step


def _end(to: int | None) -> int:
    return TO_THE_END if to is None else to


def action_of(directive: Directive) -> Action:
    """A directive as an action."""
    lib = runtime().lib
    step = directive.step
    to = None if step == TO_THE_END else step
    bytes = None if directive.bytes == UNBOUNDED else directive.bytes
    actions: dict[int, Action] = {
        lib.DO_KEEP: Keep(),
        lib.DO_RESTORE: Restore(step),
        lib.DO_DROP: Drop(step),
        lib.DO_ADVANCE: Advance(to, bytes),
        lib.DO_TAPE: Tape(to, bytes),
        lib.DO_HOLD: Hold(),
        lib.DO_RELEASE: Release(step),
        lib.DO_REVERSE: Reverse(None if step == lib.LAST_TAPE else step),
    }
    return actions[directive.deed]


def report_of(found: Any, began: float, busy: float, least: int) -> Report:
    """What C reports (of cffi: Report *), as that is now. began, busy: where both clocks stood at first."""
    return Report(
        found.step,
        found.finished,
        found.bytes,
        found.held,
        found.tapes,
        found.cotangent,
        perf_counter() - began,
        process_time() - busy,
        least,
        found.spare,
    )


def logged(sweep: Any) -> list[Action]:
    """The actions of a sweep's own schedule, since its log was begun."""
    module = runtime()
    count = module.lib.ck_sweep_log(sweep, module.ffi.NULL, 0)
    log = module.ffi.new("Directive[]", count)
    module.lib.ck_sweep_log(sweep, log, count)
    return [action_of(directive) for directive in log]
