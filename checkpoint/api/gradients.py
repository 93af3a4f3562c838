"""Derivatives of functions as functions: grad and its kin.

In: a function of any positional and keyword arguments (checkpoint.functions.pytrees says of what). Out: a
function of the same arguments (checkpoint/api/derivative.py). The run is differentiated with respect to all
positional and keyword arguments; `argnums` picks among the positional ones.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from checkpoint.ad.tangent import is_zero
from checkpoint.api.derivative import DEFAULT, ArgNums, Derivative, Options
from checkpoint.api.direction_plans import RunPlan
from checkpoint.api.gradient_plans import GradientPlans
from checkpoint.api.journals import Directory, taken_by
from checkpoint.collector import Paused
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.driver.spill.setting import SpillOption
from checkpoint.functions import small
from checkpoint.functions.interface import Call
from checkpoint.functions.leaves import Each, Receiver, report_rest, reporting
from checkpoint.functions.public import within_programs
from checkpoint.functions.python_functions import PythonCall
from checkpoint.watch.progress import ProgressOption, reported
from checkpoint.workers.chosen import WorkersOption

P = ParamSpec("P")
T = TypeVar("T")


class ValueAndGrad(Derivative):
    """The function that value_and_grad returns."""

    kind = "value and gradient"
    counterpart = "value_and_grad"

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: ArgNums = 0,
        has_aux: bool = False,
        options: Options = DEFAULT,
    ) -> None:
        super().__init__(function, argnums, has_aux, options)
        self._may_be_small = self._small_positions()
        self._plans = GradientPlans()

    def _small_positions(self) -> tuple[int, ...] | None:
        """Return the positions by which small gradients are taken; None: none are (functions/small.py)."""
        by = self._selection.by
        return by if self.options.are_plain and not self.has_aux and min(by) >= 0 else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        by = self._may_be_small
        found = None if by is None else small.taken(self.function, args, kwargs, by)
        if found is not None:
            return self._of_small(found[0], self.picked(found[1:]))
        failed: list[RunPlan] = []
        whole = None if by is None else self._plans.calls.take(self.function, args, kwargs, failed)
        return self._ordinary(args, kwargs, failed) if whole is None else whole

    def _of_small(self, value: Any, gradient: Any) -> Any:
        return value, gradient

    def _ordinary(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], failed: Sequence[RunPlan]) -> Any:
        with Paused():  # all that enters stays until the run is over
            call, positions = self.call(args, kwargs)
            call.differentiate_by(positions)
        if self.each is not None:
            return self._with_each(self.each, call, positions, args)
        planned = None
        if self.options.journal is not None or self.options.workers is not None:
            y, xbar = self._by_others(call, positions)
        else:
            if self._may_be_small is not None:
                planned = self._plans.take(self, call, positions, args, kwargs, failed)
            with reported(self.options.progress):
                y, xbar = planned or call.run.vjp(self.cotangent_of, self.schedule)
        cotangents = call.unpacked(xbar)
        if isinstance(call, PythonCall) and call.run.u.car.lam.rounds and not self.has_state:
            self._warn_where_rounded(call, [i for i in positions if is_zero(cotangents[i])], args, kwargs)
        if self._may_be_small is not None:
            small.learn(self.function, len(args), tuple(kwargs), call.run)
        if planned is not None:
            left = functools.partial(self._left, call, positions, args)
            self._plans.learn(self.function, call, positions, args, kwargs, left)
        return self._left(call, positions, args, y, xbar)

    def _left(self, call: Call, positions: Sequence[int], args: Sequence[Any], y: Any, xbar: Any) -> Any:
        """Return what the caller receives for a value and the cotangent of the arguments."""
        cotangents = call.unpacked(xbar)
        with Paused():  # likewise what leaves
            gradient = self.picked([call.leave_cotangent(args[i], cotangents[i]) for i in positions])
            return self.outcome(y, call, gradient)

    def _by_others(self, call: Call, positions: Sequence[int]) -> tuple[Any, Any]:
        key = {"argnums": str(positions), "has_aux": str(self.has_aux), "has_state": str(self.has_state)}
        taken = taken_by(self.options.journal, call, key, None, self.options.workers)
        with reported(self.options.progress), taken as swept:
            return call.run.vjp(self.cotangent_of, self.schedule, by=swept)

    def outcome(self, y: Any, call: Call, gradient: Any) -> Any:
        """Return what the caller receives for the value y and the gradient."""
        value, aux = self.values(y, call)
        return ((value, aux) if self.has_aux or self.has_state else value), gradient

    def _warn_where_rounded(
        self, call: Call, positions: Sequence[int], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        """Warn if the gradients by the arguments at these positions are 0 because of roundings."""
        if positions:
            # Loaded where it is needed: the front end takes time to import.
            from checkpoint.functions.roundings import warn_where_rounded  # noqa: PLC0415

            for i in positions:
                warn_where_rounded(self.function, args, kwargs, call.run, i)

    def _with_each(self, each: Receiver, call: Call, positions: Sequence[int], args: Sequence[Any]) -> Any:
        """Return the value and the structure of the gradient, each leaf of which is reported."""
        places = list(zip(self._selection.paths(), positions, strict=True))
        with reporting(each, [(path, args[i], call.parts[i]) for path, i in places]) as finals:
            with reported(self.options.progress):
                y, xbar = call.run.vjp(self.cotangent_of, self.schedule, finals)
            cotangents = call.unpacked(xbar)
            gradient = self.picked([report_rest(finals, path, args[i], cotangents[i]) for path, i in places])
        return self.outcome(y, call, gradient)


class Grad(ValueAndGrad):
    """The function that grad returns."""

    kind = "gradient"
    counterpart = "grad"

    def _of_small(self, value: Any, gradient: Any) -> Any:
        return gradient

    def outcome(self, y: Any, call: Call, gradient: Any) -> Any:
        return (gradient, self.values(y, call)[1]) if self.has_aux or self.has_state else gradient


@within_programs
def grad(
    f: Callable[P, Any],
    argnums: ArgNums = 0,
    has_aux: bool = False,
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    progress: ProgressOption = False,
    has_state: bool = False,
    each: Each = None,
    journal: Directory = None,
    spill: SpillOption = None,
    workers: WorkersOption = None,
) -> Callable[P, Any]:
    """Return the gradient of a function that returns a real, as a function of the same arguments.

    A gradient has its argument's structure: a float for a float, an array for an array of floats, None where
    there is nothing to differentiate (ints, bools, strings, None). Calling it raises what f raises, and
    RunError where a selected argument holds no real or f does not return one.

    For a complex z = x + iy, and for arrays of these, the gradient is that of JAX, df/dx - i df/dy: the
    conjugate of the direction of steepest ascent, so that `z - rate * gradient.conjugate()` descends.

    Args:
        f: a function of any positional and keyword arguments, each a pytree.
        argnums: the positions of the arguments by which; a tuple gives a tuple of gradients.
        has_aux: f returns a pair of the real and anything else; the result is then (gradient, anything else).
        engine: as in `vjp`.
        schedule: as in `vjp`.
        memory: as in `vjp`.
        progress: as in `vjp`.
        has_state: as in `vjp`; the result is then (gradient, State), with has_aux (gradient, (anything else,
            State)).
        each: as in `vjp`: it receives the path and the gradient of each leaf as soon as that is final.
        journal: as in `vjp`: a directory, from which the same call goes on after a kill.
        spill: as in `vjp`.
        workers: as in `vjp`: who tapes and reverses the segments of a long run.

    Examples:
        >>> def loss(w, xs):
        ...     total = 0.0
        ...     for x in xs:
        ...         total += (w["slope"] * x + w["shift"]) ** 2
        ...     return total
        >>> grad(loss)({"slope": 2.0, "shift": 1.0}, [1.0, 2.0])
        {'slope': 26.0, 'shift': 16.0}
        >>> import numpy as np
        >>> grad(lambda w, x: np.sum(np.tanh(w @ x)))(np.zeros((2, 2)), np.array([1.0, 2.0]))
        array([[1., 2.],
               [1., 2.]])
        >>> grad(loss, memory="64MiB")({"slope": 2.0, "shift": 1.0}, [1.0, 2.0])
        {'slope': 26.0, 'shift': 16.0}
        >>> grad(abs)(3 + 4j)
        (0.6-0.8j)
        >>> def descend(path, gradient):
        ...     weights[path[0]] -= 0.1 * gradient
        >>> weights = [np.full(2, 3.0), np.full(2, 5.0)]
        >>> grad(lambda ws: np.sum(ws[0] * ws[1]), each=descend)(weights)
        [None, None]
        >>> weights
        [array([2.5, 2.5]), array([4.7, 4.7])]
    """
    options = Options(engine, schedule, memory, progress, has_state, each, journal, spill, workers)
    return Grad(f, argnums, has_aux, options)


@within_programs
def value_and_grad(
    f: Callable[P, Any],
    argnums: ArgNums = 0,
    has_aux: bool = False,
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    progress: ProgressOption = False,
    has_state: bool = False,
    each: Each = None,
    journal: Directory = None,
    spill: SpillOption = None,
    workers: WorkersOption = None,
) -> Callable[P, tuple[Any, Any]]:
    """Return a function that gives the value and the gradient of `f`, from one sweep.

    It returns (value, gradient), ((value, anything else), gradient) with has_aux, ((value, State), gradient)
    with has_state. The parameters and what
    it raises are those of `grad`.

    Examples:
        >>> value_and_grad(lambda x, y: x * y, argnums=(0, 1))(3.0, 4.0)
        (12.0, (4.0, 3.0))
    """
    options = Options(engine, schedule, memory, progress, has_state, each, journal, spill, workers)
    return ValueAndGrad(f, argnums, has_aux, options)


@within_programs
def stop_gradient(x: T) -> T:
    """Return x itself; inside a function that is differentiated, its numbers count as constants.

    Examples:
        >>> grad(lambda x: x * stop_gradient(x))(3.0)
        3.0
    """
    return x
