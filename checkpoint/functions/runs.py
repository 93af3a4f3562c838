"""Runs of procedures on values of the language: what the public interface and the command line share.

In: an engine, a closure that the engine has prepared, values. Out: values. Each function is one call of
the interface: it has its own log of effects, arguments enter it as copies, and where the run fails it
raises RunError.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from checkpoint.ad.containers import CHANGING
from checkpoint.ad.graph import ATOMS, enter, highest_capsule_tag, numbers, parts_of, replace, settled
from checkpoint.ad.numbers import NUMBERS, Number, one, real_part
from checkpoint.ad.record import OperandError
from checkpoint.ad.storage import changed_elsewhere
from checkpoint.ad.tangent import ShapeError, lift, match, split
from checkpoint.ad.values import EMPTY, Capsule, Closure, Pair, Symbol
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine, State
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError, Source, Span
from checkpoint.functions.program import Program
from checkpoint.lang import core
from checkpoint.lang.printer import write_value
from checkpoint.prims.operators import Context, reverse_sweep

_NOWHERE = Span(Source("<resume>", ""), 0, 0)
_REST = core.Prim(_NOWHERE, "resume", (core.Var(_NOWHERE, "z"),))
RESUME = Closure(core.Lambda(_NOWHERE, ("z",), _REST, name="resume", primitive="resume"), EMPTY)


class LanguageErrors:
    """Within, what a run raises becomes RunError; an interruption learns where the run was.

    span: the procedure that runs.
    """

    __slots__ = ("span",)

    def __init__(self, span: Span | None) -> None:
        self.span = span

    def received(self, raised: Raised) -> BaseException:
        """What the caller receives for what a program raised."""
        return raised.as_run_error()

    def __enter__(self) -> None:
        """Nothing is needed to begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Raised):
            raise self.received(error) from None
        if isinstance(error, ShapeError | OperandError):
            raise RunError(str(error), self.span) from None
        if isinstance(error, KeyboardInterrupt | MemoryError) and getattr(error, "span", None) is None:
            error.span = self.span  # type: ignore[union-attr]  # what the command line shows


class Run:
    """A procedure and its argument, entered, on an engine. All that is done with it has one log of effects.

    u: (f . x), every path in whose data is a location of its own. tags: above all that it has seen.
    errors: within it, what a run raises becomes what the caller receives.
    """

    __slots__ = ("effects", "engine", "errors", "tags", "u")

    def __init__(self, engine: Engine, u: Pair, tags: int, errors: LanguageErrors) -> None:
        self.engine = engine
        self.u = u
        self.tags = tags
        self.errors = errors
        self.effects = Effects()

    def ends(self, steps: int | None = None) -> tuple[State, State]:
        """The first state, and the one after a number of steps, or the last."""
        with self.errors:
            start = self.engine.start(0, self.u, self.tags)
            last = None if steps is None else start.steps + steps
            return start, self.engine.advance(start, last, self.effects)

    def steps(self) -> int:
        """How many steps there are."""
        start, end = self.ends()
        return end.steps - start.steps

    def interrupt(self, steps: int) -> Capsule:
        """The capsule after a number of steps."""
        if steps < 0:
            raise RunError(f"a number of steps must be 0 or more, not {steps}")
        start, end = self.ends(steps)
        done = end.steps - start.steps
        if done != steps:
            raise RunError(f"cannot interrupt after {steps} steps: the run has {done}", self.errors.span)
        return self.engine.capsule(end)

    def jvp(self, tangent: Any) -> tuple[Any, Any]:
        """The value, and its tangent for one of the argument."""
        with self.errors:
            dual = Pair(self.u.car, lift(self.u.cdr, enter(tangent), self.tags))
            end = self.engine.advance(self.engine.start(0, dual, self.tags + 1), None, self.effects)
            return split(settled(end.value, end.steps), self.tags)

    def context(self) -> Context:
        """What the sweep of a gradient needs."""
        return Context(self.engine, self.tags, self.effects)


def _span(f: Any) -> Span | None:
    return f.lam.body.span if type(f) is Closure and f is not RESUME else None


def prepared(program: Program, engine: Engine) -> Closure:
    """A program's thunk as a closure that an engine can run."""
    engine.prepare(program.thunk, program.scopes)
    return Closure(program.thunk, EMPTY)


def _entered(f: Any, x: Any, engine: Engine) -> Run:
    """The run of f at x."""
    if type(f) is Closure and len(f.lam.params) != 1:
        raise RunError(_of_one_argument(f.lam), f.lam.span)
    u = enter(Pair(f, x))
    return Run(engine, u, highest_capsule_tag(u), LanguageErrors(_span(f)))


def _of_one_argument(lam: core.Lambda) -> str:
    """What to say of a procedure of another number of arguments, given from outside."""
    if not lam.params:
        return "the procedure takes 0 arguments, not 1: write it with a parameter, (lambda (x) ...)"
    names = " ".join("abcde"[: len(lam.params)]) + (" ..." if len(lam.params) > 5 else "")
    return (
        f"the procedure takes {len(lam.params)} arguments, not 1: "
        f"write it with a pattern, (lambda ((list {names})) ...), and give it a list"
    )


def call_values(f: Any, x: Any, engine: Engine) -> Any:
    """The value of f at x."""
    _, end = _entered(f, x, engine).ends()
    return _shown(f, settled(end.value, end.steps))


def _shown(f: Any, value: Any) -> Any:
    """A settled value for the caller, who would look at all of its data: none of it may be stale."""
    seen = set()
    pending = [value]
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind in ATOMS or kind in NUMBERS or id(part) in seen:
            continue
        seen.add(id(part))
        if kind in CHANGING and not part.stale:
            error = changed_elsewhere(part)
            error.span = _span(f)
            raise error
        if kind is tuple or not part.enters_as_graph:
            pending.extend(parts_of(part))
    return value


def primops_values(f: Any, x: Any, engine: Engine) -> int:
    """How many steps f takes at x; of RESUME at a capsule: how many are left."""
    return _entered(f, x, engine).steps()


def interrupt_values(f: Any, x: Any, steps: int, engine: Engine) -> Capsule:
    """The capsule of f at x after a number of steps."""
    return _entered(f, x, engine).interrupt(steps)


def vjp_values(
    f: Any, x: Any, cotangent: Any, engine: Engine, schedule: Schedule, name: str = "ybar"
) -> tuple[Any, Any]:
    """The value of f at x and the cotangent of x; a cotangent of None means 1 where the value is a real.

    name: what the user calls the cotangent.
    """

    def cotangent_of(y: Any) -> Any:
        given = one(y) if cotangent is None and type(y) in NUMBERS else cotangent
        return _fitting(given, y, name)

    run = _entered(f, x, engine)
    with run.errors:
        if not numbers(run.u.cdr) and type(run.u.cdr) is not Capsule:
            raise RunError("the argument holds no real: there is nothing to differentiate")
        outcome = reverse_sweep(run.context(), 0, schedule, run.u, cotangent_of)
        return _shown(f, outcome.car), outcome.cdr.cdr


def _fitting(cotangent: Any, y: Any, name: str) -> Any:
    """The cotangent if it has the shape of y; else what is wrong is said of `name`, not of the program."""
    if cotangent is None and type(y) not in ATOMS:
        found = numbers(y)
        shape = write_value(replace(y, found, list(map(_kind, found))), limit=200)
        raise RunError(f"{name} must be given: the value is no real, its shape is {shape}")
    _matching(y, cotangent, f"cotangent {name}")
    return cotangent


def _kind(number: Number) -> Symbol:
    """What stands in the place of a number where a shape is shown."""
    value = real_part(number)
    return Symbol("real" if type(value) is float else f"#<tensor ({' '.join(map(str, value.data.shape))})>")


def _matching(value: Any, tangent: Any, what: str) -> None:
    try:
        match(value, tangent, what)
    except ShapeError as error:
        raise RunError(str(error)) from None


def jvp_values(f: Any, x: Any, tangent: Any, engine: Engine) -> tuple[Any, Any]:
    """The value of f at x, and its tangent."""
    run = _entered(f, x, engine)
    _matching(run.u.cdr, tangent, "tangent xtan")
    value, other = run.jvp(tangent)
    return _shown(f, value), other


def run_program(program: Program, engine: Engine) -> Any:
    """The value of a program."""
    return call_values(prepared(program, engine), None, engine)


def count_program(program: Program, engine: Engine) -> int:
    """How many steps a program takes."""
    return primops_values(prepared(program, engine), None, engine)
