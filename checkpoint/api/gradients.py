"""Derivatives of functions as functions: grad and its kin.

In: a function of any positional and keyword arguments (checkpoint.functions.pytrees says of what). Out: a
function of the same arguments, which pickles where the function does and may be called in several threads at
once. The run is differentiated with respect to all positional and keyword arguments; `argnums` picks among
the positional ones. Nothing is computed for a derivative before it is called.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from checkpoint.ad.array_library import dtype_kind
from checkpoint.ad.arrays import Array
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.numbers import NUMBERS, one, real_part
from checkpoint.ad.tangent import is_zero, zeros_of
from checkpoint.api.argnums import ArgNums, check_argnums, name_of, picked_positions
from checkpoint.api.gradient_plans import GradientPlans
from checkpoint.api.journals import Directory, check_journal, check_workers, taken_by
from checkpoint.api.schedules import named_schedule
from checkpoint.collector import Paused
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.driver.spill.setting import SpillOption
from checkpoint.errors import RunError, an
from checkpoint.functions import small
from checkpoint.functions.interface import Call, holds_real
from checkpoint.functions.leaves import Each, Receiver, check_each, report_rest, reporting
from checkpoint.functions.public import Derived, within_programs
from checkpoint.functions.python_functions import PythonCall
from checkpoint.functions.resumption import as_function
from checkpoint.prims.python.native import kind_of
from checkpoint.prims.python.tangents import is_complex
from checkpoint.watch.progress import ProgressOption, reported
from checkpoint.watch.progress import check as check_progress
from checkpoint.workers.chosen import WorkersOption

P = ParamSpec("P")
T = TypeVar("T")


class Derivative(Derived):
    """A derivative of a function, as a function of the same arguments.

    function: the function that is differentiated. argnums: by which of its positional arguments.
    has_aux: whether it returns a pair, of which only the first is differentiated.
    has_state: whether the function may change what came in from outside; what it leaves is returned, too.
    engine, schedule, memory, progress, each, journal, spill, workers: as `vjp` has them; memory and spill
        become the schedule that they stand for.
    """

    kind = "a derivative"

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: ArgNums,
        has_aux: bool,
        engine: str | None,
        schedule: Schedule | str | None,
        memory: Memory = None,
        progress: ProgressOption = False,
        has_state: bool = False,
        each: Each = None,
        journal: Directory = None,
        spill: SpillOption = None,
        workers: WorkersOption = None,
    ) -> None:
        if not callable(function):
            raise RunError(f"{self.kind} is that of a function, not of {an(type(function).__name__)}")
        check_argnums(argnums)
        chosen = named_schedule(schedule, memory, spill)
        check_progress(progress)
        check_each(each, has_state)
        check_journal(journal, each)
        check_workers(workers, each)
        self.function = function
        self.argnums = argnums
        self.has_aux = has_aux
        self.engine = engine
        self.schedule = schedule if memory is None and spill is None else chosen
        self.progress: ProgressOption = progress
        self.has_state = has_state
        self.each = each
        self.journal = journal
        self.workers = workers
        self._may_be_small = self._small_positions()
        self._plans = GradientPlans()
        functools.update_wrapper(self, function, updated=())
        self.__doc__ = f"{self.kind} of {name_of(function)}.\n\n{function.__doc__ or ''}".rstrip()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative at these arguments."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.kind} of {name_of(self.function)}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name a derivative that its module has under the function's name, as functions are."""
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return str(name)
        how = (self.engine, self.schedule, None, self.progress, self.has_state, self.each, self.journal, None)
        return type(self), (self.function, self.argnums, self.has_aux, *how, self.workers)

    def _small_positions(self) -> tuple[int, ...] | None:
        """Return the positions by which small gradients are taken; None: none are (functions/small.py)."""
        by = (self.argnums,) if isinstance(self.argnums, int) else self.argnums
        plain = self.schedule is None and self.progress is False and self.engine in (None, "c")
        plain = plain and self.journal is None and self.workers is None
        if plain and not self.has_aux and not self.has_state and self.each is None and min(by) >= 0:
            return by
        return None

    def picks(self, args: Sequence[Any]) -> list[int]:
        """Return the positions of the selected arguments; RunError where one is missing."""
        return picked_positions(self.function, self.argnums, args)

    def call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Call, list[int]]:
        """Return the call of the function and the positions of the selected arguments; each holds a real."""
        positions = self.picks(args)
        call = as_function(self.function, self.has_state).call(args, kwargs, self.engine)
        parts = call.parts
        for i in positions:
            if not holds_real(parts[i]):
                raise RunError(call.without_reals(f"argument {i} of {name_of(self.function)}", args[i]))
        return call, positions

    def picked(self, parts: Sequence[Any]) -> Any:
        """Return the part of the only selected argument, or the tuple of all where argnums is a tuple."""
        return parts[0] if isinstance(self.argnums, int) else tuple(parts)

    def cotangent_of(self, y: Any) -> Any:
        """Return the cotangent 1 of the real that the function returns, or of the first of the pair."""
        if self.has_state:
            value, state = y.items
            return Record(TUPLE, (self._of_value(value), zeros_of(state)))
        return self._of_value(y)

    def _of_value(self, y: Any) -> Any:
        if self.has_aux:
            name = name_of(self.function)
            if type(y) is not Record or y.layout.cls is not tuple or len(y.items) != 2:
                raise RunError(f"with has_aux, {name} must return a tuple of two, not {_described(y)}")
            zeros = zeros_of(y.items[1])
            return Record(TUPLE, (self._one(y.items[0]), zeros))
        return self._one(y)

    def _one(self, y: Any) -> Any:
        cotangent = one(y) if type(y) in NUMBERS else None
        if cotangent is None:
            instead = "return float(y) of a number, use vjp or jacrev for more than one"
            if is_complex(y) or (type(y) in NUMBERS and _is_of_complex(real_part(y))):
                instead = "return its real or imaginary part, or abs of it; vjp takes complex results"
            raise RunError(
                f"{self.kind} needs a function that returns a real, and {name_of(self.function)} returned "
                f"{_described(y)}: {instead}"
            )
        return cotangent

    def values(self, y: Any, call: Call) -> tuple[Any, Any]:
        """Return the value, and what comes with it: the auxiliary output, the state, or a pair of both."""
        value = call.leave(y)
        if self.has_state and self.has_aux:
            (value, aux), state = value
            return value, (aux, state)
        return value if self.has_aux or self.has_state else (value, None)


class ValueAndGrad(Derivative):
    """The function that value_and_grad returns."""

    kind = "value and gradient"
    counterpart = "value_and_grad"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        by = self._may_be_small
        found = None if by is None else small.taken(self.function, args, kwargs, by)
        if found is not None:
            return self._of_small(found[0], self.picked(found[1:]))
        whole = None if by is None else self._plans.calls.take(self.function, args, kwargs)
        return self._ordinary(args, kwargs) if whole is None else whole

    def _of_small(self, value: Any, gradient: Any) -> Any:
        return value, gradient

    def _ordinary(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        with Paused():  # all that enters stays until the run is over
            call, positions = self.call(args, kwargs)
            call.differentiate_by(positions)
        if self.each is not None:
            return self._with_each(self.each, call, positions, args)
        schedule, planned = named_schedule(self.schedule), None
        if self.journal is not None or self.workers is not None:
            y, xbar = self._by_others(call, schedule, positions)
        else:
            if self._may_be_small is not None:
                planned = self._plans.take(self, call, positions, args, kwargs)
            with reported(self.progress):
                y, xbar = planned or call.run.vjp(self.cotangent_of, schedule)
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

    def _by_others(self, call: Call, schedule: Schedule, positions: Sequence[int]) -> tuple[Any, Any]:
        options = {"argnums": str(positions), "has_aux": str(self.has_aux), "has_state": str(self.has_state)}
        taken = taken_by(self.journal, call, options, None, self.workers)
        with reported(self.progress), taken as swept:
            return call.run.vjp(self.cotangent_of, schedule, by=swept)

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
        paths = [()] if isinstance(self.argnums, int) else [(k,) for k in range(len(positions))]
        places = list(zip(paths, positions, strict=True))
        with reporting(each, [(path, args[i], call.parts[i]) for path, i in places]) as finals:
            with reported(self.progress):
                y, xbar = call.run.vjp(self.cotangent_of, named_schedule(self.schedule), finals)
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
    how = engine, schedule, memory, progress, has_state, each, journal, spill, workers
    return Grad(f, argnums, has_aux, *how)


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
    how = engine, schedule, memory, progress, has_state, each, journal, spill, workers
    return ValueAndGrad(f, argnums, has_aux, *how)


@within_programs
def stop_gradient(x: T) -> T:
    """Return x itself; inside a function that is differentiated, its numbers count as constants.

    Examples:
        >>> grad(lambda x: x * stop_gradient(x))(3.0)
        3.0
    """
    return x


def _is_of_complex(number: Any) -> bool:
    """Return whether a real or array is an array of complex numbers."""
    return type(number) is Array and bool(dtype_kind(number.data.dtype) == "c")


def _described(y: Any) -> str:
    return f"{kind_of(y)}, {y}" if type(y) in (int, bool) else kind_of(y)
