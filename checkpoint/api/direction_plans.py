"""Plans of runs along several directions: the calls of a library that such a run makes, without the run.

In: a run, and the directions. Out: the value of the run, with its duals, as the run itself would return it.
A plan is taken where all that decides how the run goes is as it was: the program and what it reads but the
elements of arrays (checkpoint.ad.tracing.signature), the directions, the functions of libraries. The rest it
tests itself (checkpoint.ad.tracing.traces). Where a plan fails, or what it calls fails or would warn, nothing
has happened yet, and the run is made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from checkpoint.ad import library
from checkpoint.ad.arrays import Array, Discrete, Memory, Several
from checkpoint.ad.graph import reach, replace
from checkpoint.ad.numbers import Dual
from checkpoint.ad.tracing.signature import signature
from checkpoint.ad.tracing.traces import Plan, Trace, tracing
from checkpoint.functions.run import Run

MAX_FAILURES = 4  # of a plan, more than it has been taken
MAX_TRACES = 8  # of one function: more are of functions whose runs differ from call to call


Again = tuple[Run, Callable[[], Any]]
Make = Callable[[Iterator[Any]], Any]  # makes a number of arrays that it takes from an iterator


class RunPlan:
    """The plan of a run, and the structure of its value: with reals for its numbers, and what makes these."""

    def __init__(self, plan: Plan, value: Any, found: Sequence[Any], made: Sequence[Make]) -> None:
        self._plan = plan
        self._places = [float(k) for k in range(len(found))]
        self._value = replace(value, found, self._places)
        self._made = made
        self._failures = 0

    @property
    def is_worthwhile(self) -> bool:
        """Return whether it has not failed more often than it has been taken, and some times more."""
        return self._failures < MAX_FAILURES

    def outputs(self, inputs: Sequence[Any]) -> list[Any] | None:
        """Return the arrays in the value of the run for other inputs; None: the plan fails."""
        outputs = self.computed(inputs)
        self._failures = max(self._failures + (1 if outputs is None else -1), -MAX_FAILURES)
        return outputs

    def computed(self, inputs: Sequence[Any]) -> list[Any] | None:
        """Return `outputs`, but do not count this use."""
        return self._plan(inputs)

    def value(self, outputs: Sequence[Any]) -> Any:
        """Return the value of the run with these arrays."""
        rest = iter(outputs)
        return replace(self._value, self._places, [make(rest) for make in self._made])


class RunPlans:
    """The plans of one function's runs, each with what decides how they go; None: such runs have no plan.

    most: how many bytes the arrays of a run may have that gets a plan.
    runs: whether a run that has no plan is made here, too.
    """

    def __init__(self, most: int = sys.maxsize, runs: bool = True) -> None:
        self._most = most
        self._runs = runs
        self._plans: list[tuple[Any, RunPlan | None]] = []

    def value(
        self,
        run: Run,
        directions: Any,
        again: Callable[[], Again | None],
        failed: Sequence[RunPlan] = (),
    ) -> Any:
        """Return the value of a run along directions; None: it fails, or is not made here.

        again: returns the same run on the engine that knows of directions, and what makes it; None: it is not
            made here. failed: the plans that the call of this run has tried in vain (call_plans.py).
        """
        key, inputs = self.known(run, directions)
        made = self.outputs(key, inputs, failed)
        if made is not None:
            return made[0].value(made[1])
        has_none = any(plan is None and known == key for known, plan in self._plans)
        is_left = key is None or has_none or len(self._plans) >= MAX_TRACES
        if (is_left and not self._runs) or (found := again()) is None:
            return None
        beside, make = found
        if is_left:
            return make()
        own_key, inputs = self.known(beside, directions)
        if own_key != key:
            return make()
        value, plan = _traced(make, inputs, self._most)
        self._plans.append((key, plan))
        return value

    @staticmethod
    def known(run: Run, directions: Any) -> tuple[Any, list[Any]]:
        """Return all that decides how a run goes but the elements of arrays, and these arrays.

        None instead of the first: it is not known.
        """
        signed = signature(run.u)
        if signed is None:
            return None, []
        return (directions, run.tags, library.generation(), signed[0]), signed[1]

    def outputs(
        self, key: Any, inputs: Sequence[Any], failed: Sequence[RunPlan] = ()
    ) -> tuple[RunPlan, list[Any]] | None:
        """Return the arrays in the value of a run, and which plan has made them; None: none has.

        failed: plans that are not to be tried.
        """
        for plan in [each for each in self.of(key) if each not in failed]:
            outputs = plan.outputs(inputs)
            if outputs is not None:
                return plan, outputs
        return None

    def of(self, key: Any) -> list[RunPlan]:
        """Return the plans that runs may have which go as the key says."""
        return [
            plan for known, plan in self._plans if plan is not None and plan.is_worthwhile and known == key
        ]


def _traced(make: Callable[[], Any], inputs: Sequence[Any], most: int) -> tuple[Any, RunPlan | None]:
    """Return the value of a run, and its plan."""
    trace = Trace(inputs)
    token = tracing.set(trace)
    try:
        value = make()
    finally:
        tracing.reset(token)
    return value, None if value is None or trace.nbytes > most else _plan_of(trace, value)


def _plan_of(trace: Trace, value: Any) -> RunPlan | None:
    found, others = reach(value)
    if any(type(x) is Discrete for x in others):
        return None
    outputs: list[Any] = []
    made: list[Make] = []
    for number in found:
        made.append(_made(number, outputs))
    plan = None if any(x is None for x in outputs) else trace.plan(outputs)
    return None if plan is None else RunPlan(plan, value, found, made)


def _made(number: Any, outputs: list[Any]) -> Make:
    """Return what makes a number of a run's value, and add the arrays of which it does; None: it cannot."""
    if type(number) is Array:
        outputs.append(number.data)
        return _array
    if type(number) is float:  # a constant
        return lambda rest: number * 1.0
    if type(number) is Dual and type(number.primal) is Array and type(number.tangent) is Several:
        outputs += (number.primal.data, number.tangent.stack)
        return lambda rest: Dual(number.tag, _array(rest), Several(next(rest)))
    outputs.append(None)
    return _array


def _array(rest: Iterator[Any]) -> Array:
    return Array(next(rest), Memory())
