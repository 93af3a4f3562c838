"""The public interface: values, gradients, counts and capsules of programs.

In and out: Python values (checkpoint.convert says which). `engine` is an engine's name or None for the
fastest that is available; `schedule` is a schedule or the name of one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.ad.values import Capsule, Closure, is_resume
from checkpoint.convert import Procedure, cotangent_to_python, to_language, to_python
from checkpoint.driver.binomial import BASE, Binomial
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError, Source
from checkpoint.program import Program, load, load_file
from checkpoint.runs import (
    RESUME,
    call_values,
    count_program,
    interrupt_values,
    jvp_values,
    primops_values,
    run_program,
    vjp_values,
)

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


def vjp(
    f: Any,
    x: Any,
    ybar: Any = None,
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
) -> tuple[Any, Any]:
    """The value y of f at x, and the cotangent of x for the cotangent `ybar` of y.

    ybar: shaped like y; may be left out where y is a real, and is 1 then.
    schedule: Plain(), Bisection(), Binomial(...), or the name "plain", "bisection" or "binomial", the
    last for Binomial(base=10_000). Bisection() unless given: memory grows with the logarithm of the
    run's length. No schedule changes the result in any bit.
    The cotangent has x's structure, with None where x has nothing to differentiate.
    Raises RunError if the run fails, x holds no real, or ybar has another shape than y.
    Source: Siskind & Pearlmutter 2018, sections 2 and 3.

    >>> vjp(read("(lambda (x) (* x (sin x)))"), 2.0)
    (1.8185948536513634, 0.0770037537313969)
    """
    chosen, procedure, program = _prepare(f, x, engine)
    cotangent = to_language(ybar, chosen)
    y, xbar = vjp_values(procedure, to_language(x, chosen), cotangent, chosen, _schedule(schedule))
    return to_python(y, program), cotangent_to_python(x, xbar)


def jvp(f: Any, x: Any, xtan: Any, *, engine: str | None = None) -> tuple[Any, Any]:
    """The value y of f at x, and its tangent for the tangent `xtan` of x, which is shaped like x.

    Raises RunError if the run fails or xtan has another shape than x.

    >>> jvp(read("(lambda (x) (* x x))"), 3.0, 1.0)
    (9.0, 6.0)
    """
    chosen, procedure, program = _prepare(f, x, engine)
    y, tangent = jvp_values(procedure, to_language(x, chosen), to_language(xtan, chosen), chosen)
    python = to_python(y, program)
    return python, cotangent_to_python(python, tangent)


def primops(f: Any, x: Any, *, engine: str | None = None) -> int:
    """How many steps f takes at x; `primops(resume, z)` is how many a capsule has left.

    >>> primops(read("(lambda (x) (* x x))"), 3.0)
    3
    """
    chosen, procedure, _ = _prepare(f, x, engine)
    return primops_values(procedure, to_language(x, chosen), chosen)


def interrupt(f: Any, x: Any, steps: int, *, engine: str | None = None) -> Capsule:
    """The capsule that holds the rest of f at x after a number of steps, 0 up to primops(f, x).

    Raises RunError for another number, and if the run fails before.

    >>> square = read("(lambda (x) (* x x))")
    >>> z = interrupt(square, 3.0, 2)
    >>> z.steps, resume(z)
    (2, 9.0)
    """
    chosen, procedure, _ = _prepare(f, x, engine)
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise RunError(f"a number of steps must be an integer, not {steps!r}")
    return interrupt_values(procedure, to_language(x, chosen), steps, chosen)


def resume(z: Capsule) -> Any:
    """The value of the run whose rest a capsule holds, on the engine that made it.

    Also a procedure for the other functions: `primops(resume, z)`, `vjp(resume, z, ybar)`.
    """
    if type(z) is not Capsule:
        raise RunError(f"resume takes a capsule, not a {type(z).__name__}")
    return to_python(call_values(RESUME, z, engines.get(z.engine)), None)


def _prepare(f: Any, x: Any, name: str | None) -> tuple[Engine, Closure, Program | None]:
    """The engine, the closure of f prepared for it, and the program it comes from."""
    if f is resume or is_resume(getattr(f, "closure", None)):
        return engines.get(x.engine if type(x) is Capsule and name is None else name), RESUME, None
    if not isinstance(f, Procedure):
        raise RunError(f"f must be a procedure of a program that was read, not a {type(f).__name__}")
    engine = engines.get(name)
    return engine, f.on(engine), f.program


def _schedule(schedule: Schedule | str | None) -> Schedule:
    if schedule is None:
        return Bisection()
    if not isinstance(schedule, str):
        if isinstance(schedule, type) or not hasattr(schedule, "actions"):
            raise RunError(f"a schedule is one such as Bisection(), or a name, not {schedule!r}")
        return schedule
    if schedule not in SCHEDULES:
        raise RunError(f"there is no schedule {schedule!r}; there are: {', '.join(SCHEDULES)}")
    return SCHEDULES[schedule]
