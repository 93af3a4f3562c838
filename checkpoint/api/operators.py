"""The public interface: values, gradients, counts and capsules of programs.

In: a function of one argument, which is a Python function or a procedure of a `.vlad` program, and its
argument. In and out: Python values (checkpoint.functions.pytrees says which for Python functions,
checkpoint.functions.convert for procedures). `engine` is an engine's name or None for the fastest that is
available; `schedule` is a schedule or the name of one, `memory` the bound of a Budget, which is the default.

A Python function fails as Python itself would, with the place and the calls as notes of the exception; a
procedure fails with RunError. A wrong argument of this interface is a RunError for both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.ad.numbers import NUMBERS, one
from checkpoint.ad.tangent import tangent_of
from checkpoint.ad.values import Capsule, Closure, is_resume
from checkpoint.driver.binomial import BASE, Binomial
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import Engine
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError, Source
from checkpoint.functions import convert
from checkpoint.functions.calls import Call, PythonCapsule, call_of, capsule_of_python, result, resumption
from checkpoint.functions.convert import Procedure, to_language, to_python
from checkpoint.functions.program import Program, load, load_file
from checkpoint.functions.public import within_programs
from checkpoint.functions.pytrees import cotangent_to_python, holds_real
from checkpoint.functions.runs import (
    RESUME,
    call_values,
    count_program,
    interrupt_values,
    jvp_values,
    primops_values,
    run_program,
    vjp_values,
)
from checkpoint.prims.python.native import kind_of
from checkpoint.prims.python.tangents import tangent_from
from checkpoint.watch.progress import Shown, shown
from checkpoint.watch.progress import check as check_progress

__all__ = [
    "count_program",
    "interrupt",
    "jvp",
    "primops",
    "primops_values",
    "read",
    "resume",
    "run_program",
    "vjp",
    "vjp_values",
]

# By name: "binomial" is the rule that needs no number from the user, logarithmic in space and time.
SCHEDULES: dict[str, Schedule] = {
    "budget": Budget(),
    "plain": Plain(),
    "bisection": Bisection(),
    "binomial": Binomial(base=BASE),
}


def read(path_or_text: str | Path, *, engine: str | None = None) -> Any:
    """The value of a program's last expression; a procedure is a Procedure.

    path_or_text: a Path, a string that ends in ".vlad", or the text of a program.
    Raises SourceError if the text cannot be taken, RunError if its run fails.

    >>> read("(define (f x) (* x x)) (f 4)")
    16.0
    """
    if not isinstance(path_or_text, str | Path):
        raise RunError(f"read takes a path or a text, not a {type(path_or_text).__name__}")
    is_path = isinstance(path_or_text, Path) or path_or_text.endswith(".vlad")
    program = load_file(Path(path_or_text)) if is_path else load(Source("<text>", str(path_or_text)))
    return to_python(run_program(program, engines.get(engine)), program)


@within_programs
def vjp(
    f: Any,
    x: Any,
    ybar: Any = None,
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    progress: Shown = False,
) -> tuple[Any, Any]:
    """The value y of f at x, and the cotangent of x for the cotangent `ybar` of y.

    x: a nest of tuples, lists, dicts, named tuples, dataclasses with floats and NumPy arrays at its leaves.
    ybar: shaped like y; may be left out where y is a real (or an array of shape ()), and is 1 then.
    memory: how much the gradient may take beside the run itself, for all that it keeps and tapes: bytes, as
    2**29 or "512MiB", or a share of what is free to this process, its container's limits heeded, as 0.25 or
    "25%". A quarter of that, at most 4 GiB, unless given. The less there is, the more steps are run again.
    schedule: instead of memory, another rule of what is kept: Plain(), Bisection(), Binomial(...), or the
    name "plain", "bisection" or "binomial", the last for Binomial(base=10_000). memory=m is short for
    schedule=Budget(m). Neither changes the result in any bit. Where this is called inside of a program, it
    is one step of that, and goes by bisection whatever is given.
    progress: True shows bars, of the forward pass and of the backward sweep with the time that is left; a
    function is called with a Progress, at most ten times a second and at the end of both; what it raises
    ends the run.
    The cotangent has x's structure, with None where x has nothing to differentiate.
    Raises what f raises, RunError if x holds no real or ybar has another shape than y, and BudgetError where
    the gradient needs more memory than it may take; that says how much.
    Source: Siskind & Pearlmutter 2018, sections 2 and 3.

    >>> f = lambda xs: {"sum": xs[0] + xs[1], "product": xs[0] * xs[1]}
    >>> vjp(f, [2.0, 3.0], {"sum": 1.0, "product": 10.0})
    ({'sum': 5.0, 'product': 6.0}, [31.0, 21.0])
    >>> vjp(read("(lambda (x) (* x (sin x)))"), 2.0)
    (1.8185948536513634, 0.0770037537313969)
    >>> vjp(lambda x: x * x, 3.0, memory="64MiB")
    (9.0, 6.0)
    """
    chosen_schedule = named_schedule(schedule, memory)
    check_progress(progress)
    call = _python_call(f, x, engine)
    if call is not None:
        if not holds_real(call.only) and type(call.only) is not Capsule:
            raise RunError(nothing_to_differentiate("x", x))
        with shown(progress):
            y, xbar = call.vjp(lambda y: cotangent_of_value(ybar, y), chosen_schedule)
        return result(y, call.engine), cotangent_to_python(x, call.part(xbar))
    chosen, procedure, program = _prepare(f, x, engine)
    cotangent = to_language(ybar, chosen)
    with shown(progress):
        y, xbar = vjp_values(procedure, to_language(x, chosen), cotangent, chosen, chosen_schedule)
    return to_python(y, program), convert.cotangent_to_python(x, xbar)


@within_programs
def jvp(f: Any, x: Any, xtan: Any, *, engine: str | None = None) -> tuple[Any, Any]:
    """The value y of f at x, and its tangent for the tangent `xtan` of x, which is shaped like x.

    Raises what f raises, and RunError if xtan has another shape than x.

    >>> jvp(lambda x: x * x, 3.0, 1.0)
    (9.0, 6.0)
    """
    call = _python_call(f, x, engine)
    if call is not None:
        y, tangent = call.jvp(call.whole(tangent_from(call.only, xtan, "xtan")))
        return result(y, call.engine), result(tangent, call.engine)
    chosen, procedure, program = _prepare(f, x, engine)
    y, tangent = jvp_values(procedure, to_language(x, chosen), to_language(xtan, chosen), chosen)
    python = to_python(y, program)
    return python, convert.cotangent_to_python(python, tangent)


@within_programs
def primops(f: Any, x: Any, *, engine: str | None = None) -> int:
    """How many steps f takes at x; `primops(resume, z)` is how many a capsule has left.

    >>> primops(read("(lambda (x) (* x x))"), 3.0)
    3
    """
    call = _python_call(f, x, engine)
    if call is not None:
        return call.steps()
    chosen, procedure, _ = _prepare(f, x, engine)
    return primops_values(procedure, to_language(x, chosen), chosen)


@within_programs
def interrupt(f: Any, x: Any, steps: int, *, engine: str | None = None) -> Capsule:
    """The capsule that holds the rest of f at x after a number of steps, 0 up to primops(f, x).

    Raises RunError for another number, and what f raises before.

    >>> z = interrupt(lambda x: x * x, 3.0, 2)
    >>> z.steps, resume(z)
    (2, 9.0)
    """
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise RunError(f"a number of steps must be an integer, not {steps!r}")
    call = _python_call(f, x, engine)
    if call is not None:
        return capsule_of_python(call.interrupt(steps))
    chosen, procedure, _ = _prepare(f, x, engine)
    return interrupt_values(procedure, to_language(x, chosen), steps, chosen)


@within_programs
def resume(z: Capsule) -> Any:
    """The value of the run whose rest a capsule holds, on the engine that made it.

    Also a procedure for the other functions: `primops(resume, z)`, `vjp(resume, z, ybar)`.
    """
    if type(z) is PythonCapsule:
        call = resumption(z)
        return result(call.value(), call.engine)
    if type(z) is not Capsule:
        raise RunError(f"resume takes a capsule, not a {type(z).__name__}")
    return to_python(call_values(RESUME, z, engines.get(z.engine)), None)


def _python_call(f: Any, x: Any, engine: str | None) -> Call | None:
    """The call of a Python function, or of the rest of one; None for a procedure of a `.vlad` program."""
    if f is resume:
        return resumption(x, engine) if type(x) is PythonCapsule else None
    if isinstance(f, Procedure):
        return None
    if not callable(f):
        raise RunError(f"f must be a function, not a {type(f).__name__}")
    return call_of(f, (x,), {}, engine, ("x",))


def cotangent_of_value(ybar: Any, y: Any, name: str = "ybar") -> Any:
    """The cotangent of a value of a Python function; of a real it may be left out. name: for messages."""
    if ybar is not None:
        return tangent_from(y, ybar, name)
    cotangent = one(y) if type(y) in NUMBERS else None
    if cotangent is not None:
        return cotangent
    if holds_real(y):
        raise RunError(f"{name} must be given: the value is no real but {kind_of(y)}")
    return tangent_of(y, [])


def nothing_to_differentiate(name: str, x: Any) -> str:
    """What to say of an argument without a real."""
    if type(x) is int:
        return f"{name} holds no real to differentiate: pass {x}.0 instead of {x}"
    return f"{name} holds no real to differentiate: pass floats, such as 3.0, where it has ints"


def _prepare(f: Any, x: Any, name: str | None) -> tuple[Engine, Closure, Program | None]:
    """The engine, the closure of f prepared for it, and the program it comes from."""
    if f is resume or is_resume(getattr(f, "closure", None)):
        return engines.get(x.engine if type(x) is Capsule and name is None else name), RESUME, None
    if not isinstance(f, Procedure):
        raise RunError(f"f must be a procedure of a program that was read, not a {type(f).__name__}")
    engine = engines.get(name)
    return engine, f.on(engine), f.program


def named_schedule(schedule: Schedule | str | None, memory: Memory = None) -> Schedule:
    """The schedule that a user asks for, by itself, by its name, or by the memory that it may take."""
    if memory is not None:
        if schedule is not None:
            raise RunError("give memory or a schedule, not both: memory=m is short for schedule=Budget(m)")
        return Budget(memory)
    if schedule is None:
        return SCHEDULES["budget"]
    if not isinstance(schedule, str):
        if isinstance(schedule, type) or not hasattr(schedule, "actions"):
            raise RunError(f"a schedule is one such as Bisection(), or a name, not {schedule!r}")
        return schedule
    if schedule not in SCHEDULES:
        raise RunError(f"there is no schedule {schedule!r}; there are: {', '.join(SCHEDULES)}")
    return SCHEDULES[schedule]
