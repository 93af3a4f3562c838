"""The gradient of a call with a journal: what `swept` of checkpoint.prims.operators returns, to the bit.

In: a run, and its journal. Out: its value and cotangents. The run is reversed by one sweep, which makes the
state that its first pass has reached durable whenever that is due, and later the cotangent of the state down
to which the run has been reversed (points.py). A call that goes on begins a sweep at the newest state; what
lies before that, or before the last durable cotangent, is reversed from durable state to durable state, the
last segment first, each by a sweep of its own. So it never needs the schedule of the call before it.

A state of the journal is a capsule, and a segment is reversed as `interrupt` of `resume` is: that this gives
the same bits is the law of capsules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, cast

from checkpoint.ad.identity import identity_of
from checkpoint.ad.values import Opaque
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import State, WithCapsules
from checkpoint.driver.observe import REPORT_SECONDS, adapted
from checkpoint.durable.journal.points import DurablePoints
from checkpoint.durable.journal.run import DurableRun
from checkpoint.durable.segments import Begun, cotangent_of_capsule, seed_of_numbers, sweep_of

FIRST_PACE = 256  # steps that are run at a time, at first


def alone(run: DurableRun) -> tuple[Any, list[Any]]:
    """Return the value and the cotangents of a run with a journal, which this process makes and reverses."""
    return Gradient(run).taken()


class Gradient:
    """A gradient on its way.

    high: the step down to which the run has been reversed, cotangent: of the state there; both None before.
    value: of the run.
    """

    def __init__(self, run: DurableRun) -> None:
        self.run = run
        self.context = run.reversal.context
        self.schedule = run.reversal.schedule
        self.high: int | None = None
        self.cotangent: Opaque | None = None
        self.value: Any = None

    def taken(self) -> tuple[Any, list[Any]]:
        """Return the value and the cotangents."""
        known, ended = self.run.journal.reversed, self.run.journal.end
        if known is not None and ended is not None:
            self.go_on(*known, *ended)
        elif not isinstance(self.schedule, Budget):
            self._forward()
        results = self.backward()
        return self.value, results

    def go_on(self, high: int, cotangent: Opaque, total: int, value: Any) -> None:
        """Know that the run, of so many steps and of this value, has been reversed to a step."""
        self.high, self.cotangent, self.value = high, cotangent, value
        self.run.reports.turned(total)

    def _forward(self) -> None:
        """Run to the end, and make states durable on the way: schedules may do all of that in one action."""
        begun, engine = self.run.last_begun(None), self.context.engine
        state, pace, effects = begun.state, FIRST_PACE, self.context.effects
        while not state.finished:
            began = perf_counter()
            state = engine.advance(state, state.steps + pace, effects)
            pace = adapted(pace, perf_counter() - began, REPORT_SECONDS)
            if not state.finished and self.run.is_due:
                self.reached(state)
            self.run.reports.forward(state.steps)

    def reached(self, state: State) -> None:
        """Make a state of the first pass durable: see Durable."""
        self.run.keep(self.run.capsule(state))

    def reversed_to(self, state: State, cotangent: Any) -> None:
        """Make it durable that the run has been reversed to a state: see Durable."""
        numbers = cast(WithCapsules, self.context.engine).capsule_cotangents(state, cotangent)
        self.run.reversed_to(state.steps, self._opaque(numbers, state))

    def _opaque(self, numbers: Sequence[Any], state: State) -> Opaque:
        return Opaque(tuple(numbers), identity_of(self.run.capsule(state)))

    def reversed(self, step: int, cotangent: Opaque) -> None:
        """Know that the last segment has been reversed, down to a step; make that durable if it is due."""
        self.high, self.cotangent = step, cotangent
        self.run.reports.backward(step)
        if self.run.is_due:
            self.run.reversed_to(step, cotangent)

    def backward(self) -> list[Any]:
        """Reverse the run, from durable state to durable state; return the cotangents of its argument."""
        run = self.run
        begun = run.last_begun(self.high)
        while begun is not run.reversal.start:
            self.reversed(begun.state.steps, self._opaque(self._segment(begun), begun.state))
            begun = run.last_begun(self.high)
        return run.finished(self._reversed(begun))

    def _segment(self, begun: Begun) -> list[Any]:
        """Reverse the run from `high` to a durable state; return the cotangent there, by its components."""
        return cotangent_of_capsule(self.context.engine, begun, self._reversed(begun))

    def _reversed(self, begun: Begun) -> Any:
        """Reverse the run from `high` to where it has begun; return the cotangent of the state there."""
        context, reports = self.context, self.run.reports
        runs = self.high is None and isinstance(self.schedule, Budget)
        points = DurablePoints(self, self.run.journal.pace, reports, begun.state.steps, runs)
        sweep = sweep_of(context, begun, self.schedule, self._seed(begun), self.high, points=points)
        with reports.alone():
            end, cotangent = sweep.run(begun.state, self.schedule)
        context.tags = max(context.tags, end.tags)
        return cotangent

    def _seed(self, begun: Begun) -> Callable[[Any], Any]:
        """Return what makes the cotangent of the end of a segment."""
        if self.cotangent is not None:
            return seed_of_numbers(self.context.engine, self.cotangent.numbers)
        of_end = self.run.reversal.seed(begun)

        def seed(end: State) -> Any:
            self.value, self.run.end = end.value, self.run.capsule(end)
            self.run.reports.turned(end.steps)
            return of_end(end)

        return seed
