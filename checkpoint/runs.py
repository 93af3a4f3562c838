"""Runs of procedures on values of the language: what the public interface and the command line share.

In: an engine, a closure that the engine has prepared, values. Out: values. Each function is one call of
the interface: it has its own log of effects, arguments enter it as copies, and where the run fails it
raises RunError.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from checkpoint.ad.graph import enter, highest_capsule_tag, numbers
from checkpoint.ad.numbers import NUMBERS, OperandError
from checkpoint.ad.tangent import ShapeError, lift, split
from checkpoint.ad.values import EMPTY, Capsule, Closure, Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine, State
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError, Source, Span
from checkpoint.lang import core
from checkpoint.prims.operators import Context, reverse_sweep
from checkpoint.program import Program

_NOWHERE = Span(Source("<resume>", ""), 0, 0)
_REST = core.Prim(_NOWHERE, "resume", (core.Var(_NOWHERE, "z"),))
RESUME = Closure(core.Lambda(_NOWHERE, ("z",), _REST, name="resume", primitive="resume"), EMPTY)


@contextmanager
def language_errors(f: Closure) -> Iterator[None]:
    """Within, what a run raises becomes RunError; an interruption learns where the run was."""
    try:
        yield
    except Raised as raised:
        raise raised.as_run_error() from None
    except (ShapeError, OperandError) as error:
        raise RunError(str(error), _span(f)) from None
    except (KeyboardInterrupt, MemoryError) as stop:
        if getattr(stop, "span", None) is None:
            stop.span = _span(f)  # type: ignore[union-attr]
        raise


def _span(f: Any) -> Span | None:
    return f.lam.body.span if type(f) is Closure and f is not RESUME else None


def prepared(program: Program, engine: Engine) -> Closure:
    """A program's thunk as a closure that an engine can run."""
    engine.prepare(program.thunk, program.scopes)
    return Closure(program.thunk, EMPTY)


def _begin(f: Any, x: Any) -> tuple[Pair, int]:
    """The entered (f . x), and a tag counter above all that it has seen."""
    u = enter(Pair(f, x))
    return u, highest_capsule_tag(u)


def _finish(f: Any, x: Any, engine: Engine) -> tuple[State, State]:
    """The first and the last state of a run."""
    with language_errors(f):
        u, tags = _begin(f, x)
        start = engine.start(0, u, tags)
        return start, engine.advance(start, None, Effects())


def call_values(f: Any, x: Any, engine: Engine) -> Any:
    """The value of f at x."""
    return _finish(f, x, engine)[1].value


def primops_values(f: Any, x: Any, engine: Engine) -> int:
    """How many steps f takes at x; of RESUME at a capsule: how many are left."""
    start, end = _finish(f, x, engine)
    return end.steps - start.steps


def interrupt_values(f: Any, x: Any, steps: int, engine: Engine) -> Capsule:
    """The capsule of f at x after a number of steps."""
    with language_errors(f):
        u, tags = _begin(f, x)
        start = engine.start(0, u, tags)
        last = start.steps + steps
        end = engine.advance(start, last, Effects()) if steps >= 0 else start
        if end.steps != last:
            total = engine.advance(end, None, Effects()).steps - start.steps
            raise RunError(f"cannot interrupt after {steps} steps: the run has {total}", _span(f))
        return engine.capsule(end)


def vjp_values(f: Any, x: Any, cotangent: Any, engine: Engine, schedule: Schedule) -> tuple[Any, Any]:
    """The value of f at x and the cotangent of x; a cotangent of None means 1 where the value is a real."""

    def cotangent_of(y: Any) -> Any:
        return 1.0 if cotangent is None and type(y) in NUMBERS else cotangent

    with language_errors(f):
        u, tags = _begin(f, x)
        if not numbers(u.cdr) and type(u.cdr) is not Capsule:
            raise RunError("the argument holds no real: there is nothing to differentiate", _span(f))
        context = Context(engine, tags, Effects())
        outcome = reverse_sweep(context, 0, schedule, u, cotangent_of)
        return outcome.car, outcome.cdr.cdr


def jvp_values(f: Any, x: Any, tangent: Any, engine: Engine) -> tuple[Any, Any]:
    """The value of f at x, and its tangent."""
    with language_errors(f):
        u, tags = _begin(f, x)
        tag = tags
        dual = Pair(u.car, lift(u.cdr, enter(tangent), tag))
        end = engine.advance(engine.start(0, dual, tag + 1), None, Effects())
        return split(end.value, tag)


def run_program(program: Program, engine: Engine) -> Any:
    """The value of a program."""
    return call_values(prepared(program, engine), None, engine)


def count_program(program: Program, engine: Engine) -> int:
    """How many steps a program takes."""
    return primops_values(prepared(program, engine), None, engine)
