"""Actions of schedules as directives of the C engine's driver (driver/schedule.h), and back; its reports.

In: actions, or what C says. Out: the same on the other side. One directive is written again and again.
"""

from __future__ import annotations

from functools import cache
from time import perf_counter, process_time
from typing import Any, get_args

from checkpoint.ctarget.library import runtime
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Drop,
    Release,
    Report,
    Restore,
    Reverse,
    Tape,
)
from checkpoint.interp.hybrid.code import NEVER

Directive = Any  # of cffi: Directive *


@cache
def _deeds() -> dict[type[Action], int]:
    """The Deed of each class of actions: DO_ and the name of the class."""
    lib = runtime().lib
    return {kind: getattr(lib, f"DO_{kind.__name__.upper()}") for kind in get_args(Action)}


@cache
def _kinds() -> dict[int, type[Action]]:
    return {deed: kind for kind, deed in _deeds().items()}


def bound(bytes: int | None) -> int:
    """A bound as C has it."""
    return int(runtime().lib.UNBOUNDED) if bytes is None else min(max(bytes, 0), NEVER)


def write(action: Action, directive: Directive, lib: Any) -> None:
    """Make the directive say what the action says. lib: the runtime's, which is slow to look up for each."""
    directive.deed = _deeds()[type(action)]
    if isinstance(action, Tape | Advance):
        directive.step = lib.TO_THE_END if action.to is None else action.to
        directive.bytes = bound(action.bytes if isinstance(action, Tape) else action.held)
    elif isinstance(action, Restore | Drop | Release):
        directive.step = action.step
    elif isinstance(action, Reverse):
        directive.step = lib.LAST_TAPE if action.step is None else action.step


def action_of(directive: Directive) -> Action:
    """A directive as an action."""
    lib, kind, step = runtime().lib, _kinds()[directive.deed], directive.step
    if issubclass(kind, Tape | Advance):
        bytes = None if directive.bytes == lib.UNBOUNDED else directive.bytes
        return kind(None if step == lib.TO_THE_END else step, bytes)
    if issubclass(kind, Restore | Drop | Release):
        return kind(step)
    if issubclass(kind, Reverse):
        return kind(None if step == lib.LAST_TAPE else step)
    return kind()


@cache
def _reported() -> tuple[str, ...]:
    """The fields of a report that C fills in; it has them under the names of Report's."""
    in_c = dict(runtime().ffi.typeof("Report").fields)
    return tuple([name for name in Report._fields if name in in_c])


def report_of(found: Any, began: float, busy: float, least: int) -> Report:
    """What C reports (of cffi: Report *), as that is now. began, busy: where both clocks stood at first."""
    fields: dict[str, Any] = {name: getattr(found, name) for name in _reported()}
    return Report(**fields, seconds=perf_counter() - began, busy=process_time() - busy, least=least)


def logged(sweep: Any) -> list[Action]:
    """The actions of a sweep's own schedule, since its log was begun."""
    module = runtime()
    count = module.lib.ck_sweep_log(sweep, module.ffi.NULL, 0)
    log = module.ffi.new("Directive[]", count)
    module.lib.ck_sweep_log(sweep, log, count)
    return [action_of(directive) for directive in log]
