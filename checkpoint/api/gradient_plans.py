"""Plans of gradients of functions of arrays: the calls of a library that a run and its reversal make.

In: a call, which is the second one of its function at least. Out: its value and the cotangents of its
arguments, as a sweep returns them. Plans are those of direction_plans.py; they are of short runs, of
whose time much is Python's. A plan learns from engine interp, which has the bits of all engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from checkpoint.ad.arrays import Array
from checkpoint.ad.graph import numbers
from checkpoint.ad.library import silently
from checkpoint.ad.tracing.traces import Probe, Refused, constant, refuse, tracing
from checkpoint.ad.values import Pair
from checkpoint.api.call_plans import CallPlans
from checkpoint.api.direction_plans import Again, RunPlan, RunPlans
from checkpoint.config import memory
from checkpoint.driver.engine import driver_of
from checkpoint.driver.observe import observers
from checkpoint.driver.schedule import Plain
from checkpoint.functions.interface import Call
from checkpoint.prims.planned_lanes import NotAtOnce, learning

MAX_NUMBERS = 100  # in the arguments, and what the program reads: of more, each takes long to be looked at
MAX_STEPS = 2000
MAX_SKIPPED = 15  # calls
MAX_BYTES = 1 << 27  # of all arrays: work on larger ones is the library's, and a budget may be needed


class Gradient(Protocol):
    """Says what is differentiated: the function, and the cotangent of its value."""

    function: Callable[..., Any]

    def cotangent_of(self, y: Any) -> Any: ...


class GradientPlans:
    """The plans of one function's gradients."""

    def __init__(self) -> None:
        self._plans = RunPlans(MAX_BYTES, runs=False)
        self._count = 0
        self._skipped = self._to_skip = 0  # calls that learn nothing, after lanes that were refused
        self.calls = CallPlans(self._plans)

    def take(
        self,
        gradient: Gradient,
        call: Call,
        positions: Sequence[int],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        failed: Sequence[RunPlan],
    ) -> tuple[Any, Any] | None:
        """Return the value and the cotangents of arguments at some positions; None: a sweep finds them.

        failed: the plans that this call has tried in vain.
        """
        if len(call.run.found) > MAX_NUMBERS or memory() is not None or observers():
            return None
        self._count += 1

        def again() -> Again | None:
            from checkpoint.api.directions import repeated  # noqa: PLC0415  (with the rules of lanes)

            if self._count == 1 or self._skips():
                return None
            beside = repeated(gradient.function, call, args, kwargs)
            if beside is None:
                return None
            beside.differentiate_by(positions)
            ends = makes_calls_alone(beside)
            return beside.run, lambda: _reversed(beside, gradient.cotangent_of) if ends else None

        driver = driver_of(call.run.engine)
        make = None if driver is None else partial(driver.lane_gradient, call.run.u.car.lam)
        try:
            with learning(make):
                found = self._plans.value(call.run, _directions(positions), again, failed)
        except NotAtOnce:
            self._to_skip = self._skipped = min(2 * self._skipped + 1, MAX_SKIPPED)
            return None
        return None if found is None else (found.car, found.cdr)

    def _skips(self) -> bool:
        """Return whether this call learns nothing."""
        skips = self._to_skip > 0
        self._to_skip -= skips
        return skips

    def learn(
        self,
        function: Callable[..., Any],
        call: Call,
        positions: Sequence[int],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        left: Callable[[Any, Any], Any],
    ) -> None:
        """Let further calls like one that had a plan do without entering.

        left: returns what the caller receives for a value and the cotangent of the arguments.
        """
        by = _directions(positions)
        self.calls.learn(function, call, args, kwargs, by, lambda found: left(found.car, found.cdr))


def _directions(positions: Sequence[int]) -> tuple[Any, ...]:
    """Return what tells plans of gradients by some arguments from others."""
    return "gradient", tuple(positions)


def makes_calls_alone(call: Call) -> bool:
    """Return whether a call ends soon, and makes nothing but library calls; it makes nothing else here."""
    token = tracing.set(Probe())
    try:
        with silently():  # the run itself warns
            return call.run.ends(MAX_STEPS)[1].finished
    except NotAtOnce:
        raise
    except (Refused, Exception):  # the sweep raises what it raises
        return False
    finally:
        tracing.reset(token)


def _reversed(call: Call, cotangent_of: Callable[[Any], Any]) -> Pair | None:
    """Return the value of a call and its cotangents; None: it fails."""

    def seed(y: Any) -> Any:
        cotangent = cotangent_of(y)
        if type(cotangent) is Array:
            constant(cotangent.data)
        return cotangent

    try:
        y, xbar = call.run.vjp(seed, Plain())
    except NotAtOnce:
        raise
    except Exception:  # the sweep raises what it raises
        return None
    if any(type(x) is float for x in numbers(xbar)):
        refuse("the cotangent of a real, which no trace knows")
    trace = tracing.get()
    return None if trace is not None and trace.has_lanes and trace.refusal else Pair(y, xbar)
