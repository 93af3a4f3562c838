"""Plans of calls: what further calls of a derivative do whose runs have plans, without entering a program.

In: calls of a derivative of a function of arrays. Out: what they return. A call whose run had a plan
(direction_plans.py) leaves its own: the form of its arguments and of all that the program reads, with which
later ones are compared (checkpoint.ad.tracing.forms), and the structure of what it returned. Under
one form the same values enter, but for elements of arrays, so later calls have the plans of the run. Whatever
else decides how a call goes is compared again: the program, the functions of libraries, the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from checkpoint import config
from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.forms import Form, form_of
from checkpoint.api.direction_plans import RunPlan, RunPlans
from checkpoint.driver.observe import observers
from checkpoint.functions.interface import Call
from checkpoint.functions.small import OfProgram

MAX_TRIALS = 16  # of making a plan of a call, for one derivative: of more its calls differ too much
_CONSTANT = frozenset((int, bool, str, bytes, type(None)))

Result = Callable[[Sequence[Any]], Any]  # makes what a call returns of what a plan has computed


class Block:
    """Stands for a block of a Jacobian, in the structure that a call returns.

    stack: the tangents along all directions. directions: those of the block.
    inner: the shape of the argument.
    """

    __slots__ = ("directions", "inner", "stack")

    def __init__(self, stack: Any, directions: slice, inner: tuple[int, ...]) -> None:
        self.stack = stack
        self.directions = directions
        self.inner = inner


def block(stack: Any, directions: slice, inner: tuple[int, ...]) -> Any:
    """Return a block, as `numpy.stack` makes it of the tangents along each direction."""
    moved = defaults[0].moveaxis(stack[directions], 0, -1)
    return moved.copy().reshape(moved.shape[:-1] + inner)


class CallPlan(OfProgram):
    """The plan of calls of one form.

    form: of the arguments, and of what the program reads. order: the places among its arrays of those that
        plans take. key: of the plans of its runs. results: what makes the results, by the plan of the run.
    """

    def __init__(
        self,
        closures: ModuleType,
        linked: Any,
        names: tuple[str, ...],
        form: Form,
        order: list[int],
        key: Any,
    ) -> None:
        super().__init__(closures, closures.changes(), linked)
        self.names = names
        self.form = form
        self.order = order
        self.key = key
        self.results: dict[RunPlan, Result] = {}

    def arrays(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any] | None:
        """Return the arrays that plans of the run take; None: the call is another one."""
        inputs = self.inputs(function) if self.names == tuple(kwargs) else None
        if inputs is None:
            return None
        found = self.form.of((*args, *kwargs.values(), *[inputs[i] for i in self.linked.hidden]))
        return None if found is None else [found[i] for i in self.order]

    def result(self, arrays: Sequence[Any], failed: list[RunPlan]) -> Any:
        """Return what a call with these arrays returns; None: all plans of its run fail.

        failed: receives these.
        """
        for run, result in list(self.results.items()):
            outputs = run.outputs(arrays) if run.is_worthwhile else None
            if outputs is not None:
                return result(outputs)
            failed.append(run)
        return None


class CallPlans:
    """The plans of calls of one derivative, or of one function, whose runs have plans of their own.

    warns: whether ordinary calls of programs that round may warn, so these have no plan.
    """

    def __init__(self, runs: RunPlans, warns: bool = True) -> None:
        self._runs = runs
        self._warns = warns
        self._plans: list[CallPlan] = []
        self._trials = 0

    def take(
        self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], failed: list[RunPlan]
    ) -> Any:
        """Return what a call returns; None: it is an ordinary one.

        failed: receives the plans of its run that have failed.
        """
        if not self._plans or observers() or config.memory() is not None:
            return None
        for plan in self._plans:
            arrays = plan.arrays(function, args, kwargs)
            if arrays is not None:
                return plan.result(arrays, failed)
        return None

    def learn(
        self,
        function: Any,
        call: Call,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        directions: Any,
        finished: Callable[[Any], Any],
    ) -> None:
        """Make a plan for calls like one whose run has a plan.

        finished: returns what the call returns for the value of its run, with Blocks in the places of these;
            None: it is not to be learnt.
        """
        if self._trials == MAX_TRIALS or type(function) is not FunctionType:
            return
        self._trials += 1
        key, arrays = self._runs.known(call.run, directions)
        plan = self._plan(function, call, args, kwargs, key, arrays)
        if plan is None:  # so the run's plan is not made use of once more
            return
        for run in self._runs.of(key):
            outputs = run.computed(arrays)
            if outputs is not None:
                example = None if _are_shared(outputs, arrays) else finished(run.value(outputs))
                result = None if example is None else _result(example, outputs)
                if result is not None:
                    plan.results[run] = result
                    if plan not in self._plans:
                        self._plans.append(plan)
                return

    def _plan(
        self,
        function: FunctionType,
        call: Call,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        key: Any,
        arrays: Sequence[Any],
    ) -> CallPlan | None:
        """Return the plan of a call, a new one unless there is one; None: it has none."""
        # The call has loaded it.
        from checkpoint.functions import closures  # noqa: PLC0415

        names = tuple(kwargs)
        linked = closures.program_of(function, len(args), names, call.run.u.car.lam)
        inputs = None if linked is None else linked.inputs.read(function)
        if linked is None or inputs is None or (self._warns and linked.entry.rounds):
            return None
        for plan in self._plans:
            if plan.key == key and plan.arrays(function, args, kwargs) is not None:
                return plan
        form = form_of((*args, *kwargs.values(), *[inputs[i] for i in linked.hidden]))
        order = None if form is None else _places(arrays, form.arrays)
        if form is None or order is None:
            return None
        return CallPlan(closures, linked, names, form, order, key)


def _places(arrays: Sequence[Any], among: Sequence[Any]) -> list[int] | None:
    """Return the places of arrays among others; None: one is not there."""
    places = {id(array): k for k, array in enumerate(among)}
    found = [places.get(id(array)) for array in arrays]
    return None if None in found else [k for k in found if k is not None]


def _are_shared(outputs: Sequence[Any], inputs: Sequence[Any]) -> bool:
    """Return whether an array that is returned may show elements of an argument."""
    xp = defaults[0]
    return any(xp.may_share_memory(output, array) for output in outputs for array in inputs)


def _result(example: Any, outputs: Sequence[Any]) -> Result | None:
    """Return what makes a nest like an example, in which arrays are outputs; None: it has something else."""
    places = {id(output): k for k, output in enumerate(outputs)}
    scope: dict[str, Any] = {"block": block, "of_tuple": tuple.__new__}
    text = _text(example, places, scope)
    if text is None:
        return None
    made: Result = eval(f"lambda o: {text}", scope)
    return made


def _text(example: Any, places: Mapping[int, int], scope: dict[str, Any]) -> str | None:
    """Return the expression that makes a nest like an example; None: there is none."""
    if id(example) in places:
        return f"o[{places[id(example)]}]"
    kind = type(example)
    if kind is Block:
        return f"block(o[{places[id(example.stack)]}], {example.directions}, {example.inner})"
    if kind in _CONSTANT:
        return repr(example)
    if kind is dict:
        items = {repr(key): _text(item, places, scope) for key, item in example.items()}
        whole = [f"{key}: {item}" for key, item in items.items()]
        return None if None in items.values() else f"{{{', '.join(whole)}}}"
    if not isinstance(example, (list, tuple)):
        return None
    parts = [_text(item, places, scope) for item in example]
    if None in parts:
        return None
    inside = "".join([f"{part}, " for part in parts])
    if kind is list:
        return f"[{inside}]"
    if kind is tuple:
        return f"({inside})"
    name = f"c{len(scope)}"
    scope[name] = kind
    return f"of_tuple({name}, ({inside}))"
