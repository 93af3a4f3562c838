"""Calls of procedures at values of the language, as the command line, experiments and tests make them.

In: an engine, a closure that the engine has prepared, values. Out: values. Each function is one call of the
interface (checkpoint.functions.interface), with a log of effects of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.graph import ATOMS, numbers, replace
from checkpoint.ad.numbers import NUMBERS, Number, one, real_part
from checkpoint.ad.state import settled
from checkpoint.ad.tangent import ShapeError, match
from checkpoint.ad.values import EMPTY, Capsule, Closure, Symbol
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError
from checkpoint.functions.interface import Call
from checkpoint.functions.program import Program
from checkpoint.functions.run import RESUME, Run
from checkpoint.lang.printer import write_value

__all__ = [
    "RESUME",
    "Run",
    "ValuesCall",
    "call_of",
    "call_values",
    "count_program",
    "interrupt_values",
    "jvp_values",
    "prepared",
    "primops_values",
    "program_call",
    "run_program",
    "vjp_values",
]


class ValuesCall(Call):
    """A call of a procedure at one value of the language."""

    __slots__ = ()

    def leave(self, value: Any) -> Any:
        return value

    def value(self) -> Any:
        """Return the value of the procedure, which the caller may keep while other runs go on."""
        end = self.run.ends()[1]
        return self.leave(settled(end.value, end.steps))

    def seed(self, ybar: Any, name: str) -> Callable[[Any], Any]:
        def cotangent_of(y: Any) -> Any:
            cotangent = one(y) if ybar is None and type(y) in NUMBERS else ybar
            return _fitting(cotangent, y, name)

        return cotangent_of

    def tangent(self, part: Any, xtan: Any, name: str) -> Any:
        _matching(part, xtan, f"tangent {name}")
        return xtan

    def leave_cotangent(self, x: Any, xbar: Any) -> Any:
        return xbar

    def leave_tangent(self, y: Any, ytan: Any) -> Any:
        return ytan

    def with_leaves(self, x: Any, part: Any, leaves: Sequence[Any]) -> Any:
        """Return the value with other leaves."""
        return replace(part, numbers(part), list(leaves))

    def leave_capsule(self, capsule: Capsule) -> Capsule:
        return capsule

    def without_reals(self, name: str, x: Any) -> str:
        return "the argument holds no real: there is nothing to differentiate"


def _fitting(cotangent: Any, y: Any, name: str) -> Any:
    """Return the cotangent if it has the shape of y; the error is about `name`, not about the program."""
    if cotangent is None and type(y) not in ATOMS:
        found = numbers(y)
        shape = write_value(replace(y, found, list(map(_kind, found))), limit=200)
        raise RunError(f"{name} must be given: the value is no real, its shape is {shape}")
    _matching(y, cotangent, f"cotangent {name}")
    return cotangent


def _kind(number: Number) -> Symbol:
    """Return the symbol that takes the place of a number where a shape is printed."""
    value = real_part(number)
    return Symbol("real" if type(value) is float else f"#<tensor ({' '.join(map(str, value.data.shape))})>")


def _matching(value: Any, tangent: Any, what: str) -> None:
    try:
        match(value, tangent, what)
    except ShapeError as error:
        raise RunError(str(error)) from None


def call_of(f: Any, x: Any, engine: Engine) -> ValuesCall:
    """Return the call of f at x."""
    return ValuesCall(Run(f, x, engine), (x,))


def call_values(f: Any, x: Any, engine: Engine) -> Any:
    """Return the value of f at x."""
    return call_of(f, x, engine).value()


def primops_values(f: Any, x: Any, engine: Engine) -> int:
    """Return how many steps f takes at x; of RESUME at a capsule: how many are left."""
    return call_of(f, x, engine).steps()


def interrupt_values(f: Any, x: Any, steps: int, engine: Engine) -> Capsule:
    """Return the capsule of f at x after a number of steps."""
    return call_of(f, x, engine).interrupt(steps)


def vjp_values(f: Any, x: Any, cotangent: Any, engine: Engine, schedule: Schedule) -> tuple[Any, Any]:
    """Return the value of f at x and the cotangent of x; a cotangent of None means 1 for a real value."""
    y, cotangents = call_of(f, x, engine).vjp(cotangent, schedule, ("x", "ybar"))
    return y, cotangents[0]


def jvp_values(f: Any, x: Any, tangent: Any, engine: Engine) -> tuple[Any, Any]:
    """Return the value of f at x, and its tangent."""
    return call_of(f, x, engine).jvp(tangent)


def prepared(program: Program, engine: Engine) -> Closure:
    """Return a program's thunk as a closure that an engine can run."""
    engine.prepare(program.thunk, program.scopes)
    return Closure(program.thunk, EMPTY)


def program_call(program: Program, engine: Engine) -> ValuesCall:
    """Return the call that runs a whole program."""
    return call_of(prepared(program, engine), None, engine)


def run_program(program: Program, engine: Engine) -> Any:
    """Return the value of a program."""
    return program_call(program, engine).value()


def count_program(program: Program, engine: Engine) -> int:
    """Return how many steps a program takes."""
    return program_call(program, engine).steps()
