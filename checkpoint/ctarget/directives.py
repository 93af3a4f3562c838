"""Conversion of actions to directives of the driver in C (driver/schedule.h) and back, and of its reports.

In: actions, or structs of C. Out: the other. A sweep reuses one directive. Of a whole schedule: whether C has
that itself, and the bounds that it keeps to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from operator import attrgetter
from time import perf_counter, process_time
from typing import Any, get_args

from checkpoint.ctarget.library import runtime
from checkpoint.driver.budget import Budget
from checkpoint.driver.memory import has_devices, is_share, resolve
from checkpoint.driver.observe import Observer, Sampler
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Bisection,
    Drop,
    Plain,
    Release,
    Report,
    Restore,
    Reverse,
    Schedule,
    Series,
    Stride,
    Tape,
    Unwind,
)
from checkpoint.driver.spill.transfers import NO_DISK, Transfer
from checkpoint.errors import RunError
from checkpoint.interp.hybrid.code import NEVER

Directive = Any  # of cffi: Directive *


@cache
def _kinds() -> dict[type[Action | Series], int]:
    """Return the DirectiveKind of each class of actions and series: DO_ and the name of the class.

    Transfers have none: they are the business of checkpoint.ctarget.spilling.
    """
    lib = runtime().lib
    kinds = {*get_args(Action), *get_args(Series)} - {*get_args(Transfer)}
    return {kind: getattr(lib, f"DO_{kind.__name__.upper()}") for kind in kinds}


@cache
def _classes() -> dict[int, type[Action]]:
    return {_kinds()[action]: action for action in get_args(Action) if action in _kinds()}


def bound(bytes: int | None) -> int:
    """Return a bound in bytes as C represents it."""
    return int(runtime().lib.UNBOUNDED) if bytes is None else min(max(bytes, 0), NEVER)


def write(action: Action | Series, directive: Directive, lib: Any) -> None:
    """Write an action to a directive. lib: the runtime's, passed since looking it up is slow."""
    kind = type(action)
    directive.kind = _kinds()[kind]
    directive.keeps = False
    if isinstance(action, (Tape, Advance)):
        directive.step = lib.TO_THE_END if action.to is None else action.to
        directive.bytes = bound(action.bytes if isinstance(action, Tape) else action.held)
        directive.held = action.most or 0
        calls = action.calls if isinstance(action, Advance) else None
        directive.calls = 0 if calls is None else calls.number
    elif isinstance(action, Restore | Drop | Release):
        directive.step = action.step
    elif isinstance(action, Reverse):
        directive.step = lib.LAST_TAPE if action.step is None else action.step
        directive.keeps = action.keeps
    elif isinstance(action, Stride | Unwind):
        _write_series(action, directive)


def _write_series(series: Series, directive: Directive) -> None:
    directive.held = bound(series.held)
    if isinstance(series, Stride):
        directive.step, directive.count, directive.bytes = series.steps, series.count, bound(series.enough)
    else:
        directive.bytes, directive.count = bound(series.bytes), len(series.states)


@lru_cache(64)
def directive_of(action: Action) -> Directive:
    """Return the directive of an action, which nobody may change: the same one for equal actions."""
    directive = runtime().ffi.new("Directive *")
    write(action, directive, runtime().lib)
    return directive


def action_of(directive: Directive) -> Action:
    """Return the action of a directive."""
    lib, kind, step = runtime().lib, _classes()[directive.kind], directive.step
    if issubclass(kind, Tape | Advance):
        bytes = None if directive.bytes == lib.UNBOUNDED else directive.bytes
        return kind(None if step == lib.TO_THE_END else step, bytes)
    if issubclass(kind, Restore | Drop | Release):
        return kind(step)
    if issubclass(kind, Reverse):
        return kind(None if step == lib.LAST_TAPE else step, directive.keeps)
    found: Action = kind()  # type: ignore[call-arg]  # of an action without fields
    return found


@cache
def _reported() -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads the fields of Report that C fills in: the first ones, under the same names."""
    in_c = dict(runtime().ffi.typeof("Report").fields)
    names = [name for name in Report._fields if name in in_c]
    assert names == list(Report._fields[: len(names)])
    return attrgetter(*names)


def report_of(found: Any, began: float, busy: float, least: int) -> Report:
    """Return the content of a `Report *` of C. began, busy: the readings of both clocks at the start."""
    read = _reported()
    return Report._make((*read(found), perf_counter() - began, process_time() - busy, least, NO_DISK))


def first_report_of(found: Any, least: int) -> Report:
    """Return the report at the time at which both clocks are read: process_time is a call of the system."""
    return Report._make((*_reported()(found), 0.0, 0.0, least, NO_DISK))


def short_report_of(found: Any) -> Report:
    """Return the report for a schedule that does not weigh, as hybrid's driver gives it."""
    return Report(found.step, found.finished, found.bytes)


def logged(sweep: Any) -> list[Action]:
    """Return the actions of a sweep's own schedule, since its log was begun."""
    module = runtime()
    count = module.lib.ck_sweep_log(sweep, module.ffi.NULL, 0)
    log = module.ffi.new("Directive[]", count)
    module.lib.ck_sweep_log(sweep, log, count)
    return [action_of(directive) for directive in log]


# Whole schedules


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
