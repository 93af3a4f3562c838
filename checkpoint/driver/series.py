"""Series: many actions of a schedule at once, and the single actions that each stands for.

In: the coroutine of a schedule that yields series among its actions. Out: the coroutine that yields one
action after the other, for executors, models and observers that know no series. The driver in C performs a
whole series in one call (ctemplates/driver/series.h), which spares a question to Python for each action.

What always holds: the report on a series is that on the last of its actions.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import assert_never

from checkpoint.driver.schedule import (
    Action,
    Actions,
    ActionsInSeries,
    Advance,
    Drop,
    Keep,
    Report,
    Restore,
    Reverse,
    Series,
    Stride,
    Tape,
    Unwind,
)

Single = Generator[Action, Report, Report]


def one_by_one(actions: ActionsInSeries) -> Actions:
    """Return the coroutine of the same actions, in which each series is one action after the other."""
    action = next(actions)
    report: Report | None = None
    while True:
        if isinstance(action, Stride | Unwind):
            assert report is not None, "a sweep begins by keeping its start"
            report = yield from single_actions(action, report)
        else:
            report = yield action
        try:
            action = actions.send(report)
        except StopIteration:
            return


def single_actions(series: Series, report: Report) -> Single:
    """Perform the actions of a series, after a report; return the last report."""
    match series:
        case Stride():
            return _stride(series, report)
        case Unwind():
            return _unwind(series, report)
        case _:
            assert_never(series)


def _stride(series: Stride, report: Report) -> Single:
    for _ in range(series.count):
        target = report.step + series.steps
        report = yield Advance(target, series.held)
        if report.finished or report.step < target:
            break
        report = yield Keep()
        if report.held > series.enough:
            break
    return report


def _unwind(series: Unwind, report: Report) -> Single:
    to = series.to
    for step in series.states:
        report = yield Restore(step)
        report = yield Tape(to, min(series.bytes, max(series.held - report.held, 0)))
        reached = report.finished if to is None else report.step >= to
        if not reached or (report.bytes and report.held > series.held):
            break
        yield Reverse()
        report = yield Drop(step)
        to = step
    return report
