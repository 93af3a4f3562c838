"""Small gradients of Python functions: by a plan, which does without most of what an ordinary call does.

In: a function of Python's, and its arguments, at each call. Out: the value and the cotangents as the caller
receives them; or None, before any effect: then the call is an ordinary one (python_functions.py), which may
leave a plan for those that follow.

A plan has what does not depend on the arguments: the program, for the code of the function and the shape of
the call, and the engine's part. What does not belong to the code is read or compared again at each call, by
the same functions as in an ordinary call: all inputs of the program (lang/python/linking/inputs.py), which
functions of libraries are registered, which packages are open. Plans go with the code, and are made anew
where programs have been added or forgotten.

What always holds: a plan takes a call only if an ordinary call would find the same program, with nothing but
data for inputs, follow the default schedule, unobserved, and neither call Python within the run, nor fail,
nor warn. The engine finds the rest out (driver/engine.py, SmallGradient).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, Generic, TypeVar

from checkpoint import config
from checkpoint.ad import library
from checkpoint.ad.graph import enter, highest_tag_among, reach
from checkpoint.ad.values import Closure
from checkpoint.driver.engine import Engine, SmallGradient, driver_of
from checkpoint.driver.observe import observers
from checkpoint.functions.run import Run

Kept = TypeVar("Kept")
MAX_PLANS = 1024  # as many as there are programs; the oldest goes
_ATOMS = frozenset((float, int, str, bool, type(None)))


class OfProgram:
    """The base of plans, each of which is of one program.

    closures: the module of all programs (checkpoint.functions.closures).
    linked: its program. changes: those of all programs before it was found.
    """

    __slots__ = ("changes", "closures", "linked")

    def __init__(self, closures: Any, changes: int, linked: Any) -> None:
        self.closures = closures
        self.changes = changes
        self.linked = linked

    def inputs(self, function: Any) -> list[Any] | None:
        """Return what the program reads of a function now; None: a call may find another program."""
        linked = self.linked
        if self.changes != self.closures.changes():
            return None
        if linked.generation != library.generation() or linked.packages != config.packages():
            return None
        found: list[Any] | None = linked.inputs.read(function)
        return found


class Plan(OfProgram):
    """Does what further calls of a function with so many arguments do.

    gradient: the engine's part; None: such calls are ordinary ones. taken: how many it has taken.
    """

    __slots__ = ("captures", "engine", "gradient", "taken")

    def __init__(
        self, closures: Any, changes: int, linked: Any, gradient: SmallGradient | None, engine: Engine
    ) -> None:
        super().__init__(closures, changes, linked)
        self.gradient = gradient
        self.engine = engine
        self.captures = gradient is not None and linked.captures
        self.taken = 0

    def take(
        self, function: Any, arguments: tuple[Any, ...], by: tuple[int, ...], seed: float
    ) -> list[Any] | None:
        """Return the value and the cotangents of some arguments, or None."""
        gradient = self.gradient
        inputs = None if gradient is None else self.inputs(function)
        if gradient is None or inputs is None:
            return None
        closure = self._closure(inputs) if self.captures else None
        if closure is None and self.captures:
            return None
        found = gradient.take(closure, arguments, by, seed)
        if found is None or (self.linked.entry.rounds and any(map(_is_zero, found[1:]))):
            return None  # an ordinary call finds out whether that is because of roundings, and warns
        self.taken += 1
        return found

    def _closure(self, inputs: list[Any]) -> Closure | None:
        """Return the closure of the program for these inputs; None where they are more than data."""
        linked = self.linked
        values = {i: inputs[i] for i in linked.hidden}
        if _ATOMS.issuperset(map(type, values.values())):
            closure: Closure = linked.closure(values)
            return closure
        read = self.closures.closure_of_data(linked, inputs, self.engine)
        if read is None:
            return None
        entered: Closure = enter(read, True)
        return None if highest_tag_among(reach(entered)[1]) else entered


def _is_zero(gradient: Any) -> bool:
    """Return whether all floats of a gradient are 0."""
    pending = [gradient]
    while pending:
        part = pending.pop()
        if type(part) is float:
            if part != 0.0:
                return False
        elif part is not None:
            pending.extend(part.values() if type(part) is dict else part)
    return True


class PlansOfCodes(Generic[Kept]):
    """Plans of functions, kept as long as the code of these. most: how many; of more the oldest goes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[tuple[int, Any], Kept] = {}  # by the id of the code
        self._codes: dict[int, weakref.ref[CodeType]] = {}  # those that have plans, by their ids

    def get(self, code: CodeType, key: Any) -> Kept | None:
        """Return what is kept for a code and a key."""
        return self._kept.get((id(code), key))

    def found(self, code: CodeType, key: Any, make: Callable[[], Kept]) -> Kept:
        """Return what is kept for a code and a key, made on first use."""
        kept = self.get(code, key)
        if kept is None:
            self.keep(code, key, kept := make())
        return kept

    def keep(self, code: CodeType, key: Any, plan: Kept) -> None:
        """Keep a plan for a code and a key, in place of another one."""
        number = id(code)
        if number not in self._codes:
            self._codes[number] = weakref.ref(code, lambda _: self._forget(number))
        self._kept[number, key] = plan
        if len(self._kept) > self._most:
            self._kept.pop(next(iter(self._kept)), None)

    def _forget(self, number: int) -> None:
        del self._codes[number]
        for key in [key for key in list(self._kept) if key[0] == number]:
            del self._kept[key]


_plans: PlansOfCodes[Plan] = PlansOfCodes(MAX_PLANS)


def plan_of(function: FunctionType, count: int, names: tuple[str, ...] = ()) -> Plan | None:
    """Return the plan for calls of a function with so many positional arguments and others of these names."""
    return _plans.get(function.__code__, (count, names))


def taken(
    function: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    by: tuple[int, ...],
    seed: float = 1.0,
) -> list[Any] | None:
    """Return the value of a call and the cotangents of some arguments; None: it is an ordinary one.

    seed: the cotangent of the value.
    """
    if type(function) is not FunctionType:
        return None
    plan = plan_of(function, len(args), tuple(kwargs))
    if plan is None or max(by) >= len(args) or observers():
        return None
    return plan.take(function, (*args, *kwargs.values()) if kwargs else args, by, seed)


def learn(function: Callable[..., Any], count: int, names: tuple[str, ...], run: Run) -> None:
    """Make a plan for the calls that follow an ordinary one, with so many and such arguments."""
    own = driver_of(run.engine)
    if type(function) is not FunctionType or own is None:
        return
    # An ordinary call has loaded it.
    from checkpoint.functions import closures  # noqa: PLC0415

    plan, changes = plan_of(function, count, names), closures.changes()
    if plan is not None and plan.changes == changes:
        return
    linked, lam = closures.program_alone(function, count, names), run.u.car.lam
    is_its = linked is not None and linked.entry is lam
    made = Plan(closures, changes, linked, own.small_gradient(lam) if is_its else None, run.engine)
    _plans.keep(function.__code__, (count, names), made)
