"""Small gradients of Python functions: by a plan, which does without most of what an ordinary call does.

In: a function of Python's, and its arguments, at each call. Out: the value and the cotangents as the caller
receives them; or None, before any effect: then the call is an ordinary one (python_functions.py), which may
leave a plan for those that follow.

A plan has what does not depend on the arguments: the program, for the code of the function and the shape of
the call, and the engine's part. What does not belong to the code is read or compared again at each call, by
the same functions as in an ordinary call: all inputs of the program (lang/python/linking/inputs.py), which
functions of libraries are registered, which packages are open. Plans go with the code, and are made anew
where programs have been added or forgotten.

What always holds: a plan takes a call only if an ordinary call would find the same program, with reals and
atoms for inputs, follow the default schedule, unobserved, and neither call Python within the run, nor fail,
nor warn. The engine finds the rest out (driver/engine.py, SmallGradient).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

from checkpoint import config
from checkpoint.ad import library
from checkpoint.driver.engine import SmallGradient, driver_of
from checkpoint.driver.observe import observers
from checkpoint.functions.run import Run

Key = tuple[int, int, tuple[str, ...]]  # the id of the code, how many positional arguments, names of the others
_ATOMS = frozenset((float, int, str, bool, type(None)))


class Plan:
    """What further calls of a function with so many arguments do.

    linked: its program. changes: those of all programs when it was made.
    gradient: the engine's part; None: such calls are ordinary ones.
    """

    __slots__ = ("captures", "changes", "gradient", "linked", "programs")

    def __init__(self, programs: Any, linked: Any, gradient: SmallGradient | None) -> None:
        self.programs = programs
        self.changes = programs.changes
        self.linked = linked
        self.gradient = gradient
        self.captures = gradient is not None and linked.captures

    def take(self, function: Any, arguments: tuple[Any, ...], by: tuple[int, ...]) -> list[Any] | None:
        """Return the value and the cotangents of some arguments, or None."""
        gradient, linked = self.gradient, self.linked
        if gradient is None or self.changes != self.programs.changes:
            return None
        if linked.generation != library.generation() or linked.packages != config.packages():
            return None
        inputs = linked.inputs.read(function)
        if inputs is None:
            return None
        values = {i: inputs[i] for i in linked.hidden}
        if not _ATOMS.issuperset(map(type, values.values())):
            return None
        return gradient.take(linked.closure(values) if self.captures else None, arguments, by)


_plans: dict[Key, Plan] = {}
_codes: dict[int, weakref.ref[CodeType]] = {}  # those that have plans, by their ids


def taken(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], by: tuple[int, ...]
) -> list[Any] | None:
    """Return the value of a call and the cotangents of its arguments at some positions; None: it is ordinary."""
    if type(function) is not FunctionType:
        return None
    plan = _plans.get((id(function.__code__), len(args), tuple(kwargs)))
    if plan is None or observers():
        return None
    return plan.take(function, (*args, *kwargs.values()) if kwargs else args, by)


def learn(function: Callable[..., Any], count: int, names: tuple[str, ...], run: Run) -> None:
    """Make a plan for the calls that follow an ordinary one, which has run; count, names: of its arguments."""
    own = driver_of(run.engine)
    if type(function) is not FunctionType or own is None:
        return
    # An ordinary call has loaded it.
    from checkpoint.functions import closures  # noqa: PLC0415

    key = (id(function.__code__), count, names)
    plan = _plans.get(key)
    if plan is not None and plan.changes == plan.programs.changes:
        return
    programs, linked = closures.program_alone(function, count, names)
    lam = run.u.car.lam
    is_its = linked is not None and linked.entry is lam and not lam.rounds
    _keep(function.__code__, key, Plan(programs, linked, own.small_gradient(lam) if is_its else None))


def _keep(code: CodeType, key: Key, plan: Plan) -> None:
    number = key[0]
    if number not in _codes:
        _codes[number] = weakref.ref(code, lambda _: _forget(number))
    _plans[key] = plan


def _forget(number: int) -> None:
    del _codes[number]
    for key in [key for key in list(_plans) if key[0] == number]:
        del _plans[key]
