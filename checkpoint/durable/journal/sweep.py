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

from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, zeros_like
from checkpoint.ad.identity import identity_of
from checkpoint.ad.numbers import Number
from checkpoint.ad.values import Capsule
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import State, WithCapsules
from checkpoint.driver.finals import Finals
from checkpoint.driver.observe import REPORT_SECONDS, adapted
from checkpoint.driver.outside import Wanted
from checkpoint.driver.schedule import Schedule
from checkpoint.durable.journal.journal import Journal
from checkpoint.durable.journal.points import DurablePoints
from checkpoint.durable.journal.reports import Reports
from checkpoint.durable.segments import (
    Begun,
    begun_at,
    cotangent_of_capsule,
    cotangents_of_argument,
    seed_of_numbers,
    sweep_of,
)
from checkpoint.lang.origins import origin_of
from checkpoint.prims.operators import Context, seed_of

FIRST_PACE = 256  # steps that are run at a time, at first


class Journalled:
    """Takes the gradients of one call with a journal. leave: makes a capsule of a run the caller's own."""

    def __init__(self, journal: Journal, leave: Callable[[Capsule], Capsule]) -> None:
        self.journal = journal
        self.leave = leave

    def swept(
        self,
        context: Context,
        level: int,
        schedule: Schedule,
        u: Any,
        found: Sequence[Number],
        cotangent_of: Callable[[Any], Any],
        finals: Finals | None = None,
        wanted: Wanted | None = None,
    ) -> tuple[Any, list[Any]]:
        """Do as checkpoint.prims.operators.swept does, at level 0 and without `finals`."""
        known, ended = self.journal.result, self.journal.end
        if known is not None and ended is not None:
            return ended[1], known
        self.journal.restore(context.effects.log)
        start = Begun(context.engine.start(level, u, context.tags), u, found, wanted)
        return _Gradient(self, context, schedule, start, cotangent_of).taken()


class _Gradient:
    """A gradient on its way.

    high: the step down to which the run has been reversed, and numbers the cotangent there; both None before.
    end: the last state of the run as a capsule. value: of the run.
    """

    def __init__(
        self,
        owner: Journalled,
        context: Context,
        schedule: Schedule,
        start: Begun,
        cotangent_of: Callable[[Any], Any],
    ) -> None:
        self.journal = owner.journal
        self.leave = owner.leave
        self.context = context
        self.schedule = schedule
        self.start = start
        self.cotangent_of = cotangent_of
        self.origin = origin_of(start.u.car, start.u.cdr)
        self.reports = Reports(owner.journal.pace)
        self.high: int | None = None
        self.numbers: list[Any] = []
        self.end: Capsule | None = None
        self.value: Any = None
        self.newest = max(self.journal.states(), default=-1)  # if it cannot be read yet, it will be

    def taken(self) -> tuple[Any, list[Any]]:
        """Return the value and the cotangents."""
        reversed, ended = self.journal.reversed, self.journal.end
        if reversed is not None and ended is not None:
            (self.high, self.numbers), (total, self.value) = reversed, ended
            self.reports.turned(total)
        elif not isinstance(self.schedule, Budget):
            self._forward()
        results = self._backward()
        return self.value, results

    def _last_begun(self, below: int | None) -> Begun:
        """Return the last durable state below a step that can be read, or the start of the run."""
        for step in reversed(self.journal.states(below)):
            capsule = self.journal.state(step)
            if capsule is not None:
                return begun_at(self.context, capsule)
        return self.start

    def _forward(self) -> None:
        """Run to the end, and make states durable on the way: schedules may do all of that in one action."""
        begun, engine = self._last_begun(None), self.context.engine
        state, pace, effects = begun.state, FIRST_PACE, self.context.effects
        while not state.finished:
            began = perf_counter()
            state = engine.advance(state, state.steps + pace, effects)
            pace = adapted(pace, perf_counter() - began, REPORT_SECONDS)
            if not state.finished and self.journal.pace.is_due():
                self.reached(state)
            self.reports.forward(state.steps)

    def reached(self, state: State) -> None:
        """Make a state of the first pass durable: see Durable."""
        if state.steps > self.newest:
            self.journal.keep(self._capsule(state), self.context.effects.log)

    def reversed_to(self, state: State, cotangent: Any) -> None:
        """Make it durable that the run has been reversed to a state: see Durable."""
        numbers = cast(WithCapsules, self.context.engine).capsule_cotangents(state, cotangent)
        self.journal.reverse(state.steps, numbers, identity_of(self._capsule(state)), self.end)

    def _capsule(self, state: State) -> Capsule:
        capsule = self.context.engine.capsule(state)
        capsule.origin = self.origin
        return self.leave(capsule)

    def _backward(self) -> list[Any]:
        """Reverse the run, from durable state to durable state; return the cotangents of its argument."""
        begun = self._last_begun(self.high)
        while begun is not self.start:
            self.numbers = self._segment(begun)
            self.high = begun.state.steps
            self.reports.backward(self.high)
            if self.journal.pace.is_due():
                self.journal.reverse(self.high, self.numbers, self._place(begun), self.end)
            begun = self._last_begun(self.high)
        cotangent = self._reversed(begun)
        return self._results(begun, cotangent)

    def _results(self, start: Begun, cotangent: Any) -> list[Any]:
        results = cotangents_of_argument(self.context.engine, start, cotangent)
        pairs = zip(results, start.sought, strict=True)
        written = [_without_constant(result, like) for result, like in pairs]
        self.journal.finish(written, self._place(start), self.end)
        self.reports.ended()
        return results

    def _segment(self, begun: Begun) -> list[Any]:
        """Reverse the run from `high` to a durable state; return the cotangent there, by its components."""
        return cotangent_of_capsule(self.context.engine, begun, self._reversed(begun))

    def _reversed(self, begun: Begun) -> Any:
        """Reverse the run from `high` to where it has begun; return the cotangent of the state there."""
        context, runs = self.context, self.high is None and isinstance(self.schedule, Budget)
        points = DurablePoints(self, self.journal.pace, self.reports, begun.state.steps, runs)
        sweep = sweep_of(context, begun, self.schedule, self._seed(begun), self.high, points=points)
        with self.reports.alone():
            end, cotangent = sweep.run(begun.state, self.schedule)
        context.tags = max(context.tags, end.tags)
        return cotangent

    def _seed(self, begun: Begun) -> Callable[[Any], Any]:
        """Return what makes the cotangent of the end of a segment."""
        engine = self.context.engine
        if self.high is not None:
            return seed_of_numbers(engine, self.numbers)
        of_end = seed_of(engine, self.cotangent_of, begun.state, begun.wanted)

        def seed(end: State) -> Any:
            self.value, self.end = end.value, self._capsule(end)
            self.reports.turned(end.steps)
            return of_end(end)

        return seed

    def _place(self, begun: Begun) -> Any:
        return identity_of(self._capsule(begun.state))


def _without_constant(number: Any, like: Number) -> Any:
    """Return a cotangent, or zeros in the place of a constant array, whose cotangent nobody reads."""
    if type(like) is Array and like.memory.constant:
        return zeros_like(like, SYMBOLIC_ZERO)
    return number
