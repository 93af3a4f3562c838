"""The operators of the public interface: read, vjp, jvp, primops, interrupt, resume.

In: a function of one argument, which is a Python function or a procedure of a `.vlad` program, and its
argument. In and out: Python values (checkpoint.functions.pytrees says which for Python functions,
checkpoint.functions.procedures for procedures). `engine` is an engine's name or None for the fastest that is
available; `schedule` is a schedule or the name of one, `memory` the bound of a Budget, which is the default.

A Python function fails as Python itself would, with the place and the calls as notes of the exception; a
procedure fails with RunError. A wrong argument of this interface is a RunError for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint import engines
from checkpoint.ad.state import State
from checkpoint.ad.values import Capsule
from checkpoint.api.journals import Directory, check_journal, check_workers, taken_by, value_of
from checkpoint.api.schedules import named_schedule
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.driver.spill.setting import SpillOption
from checkpoint.errors import RunError, Source, an
from checkpoint.functions import small
from checkpoint.functions.interface import Call
from checkpoint.functions.leaves import Each, check_each, vjp_reporting
from checkpoint.functions.procedures import Procedure, to_python
from checkpoint.functions.program import load, load_file
from checkpoint.functions.public import within_programs
from checkpoint.functions.python_functions import PythonCall
from checkpoint.functions.resumption import as_function, resume
from checkpoint.functions.runs import run_program
from checkpoint.watch.progress import ProgressOption, reported
from checkpoint.watch.progress import check as check_progress
from checkpoint.workers.chosen import WorkersOption

__all__ = ["State", "interrupt", "jvp", "primops", "read", "resume", "vjp"]

if TYPE_CHECKING:
    from pathlib import Path


def read(path_or_text: str | Path, *, engine: str | None = None) -> Any:
    """Return the value of a program's last expression; a procedure is a Procedure.

    A file of ONNX is a Network, a function of the graph's inputs.

    Args:
        path_or_text: a Path, a string that ends in ".vlad" or ".onnx", or the text of a program.
        engine: the name of an engine; the fastest that is available unless given. Nothing of a graph runs
            when it is read.

    Raises:
        SourceError: if the text cannot be taken.
        RunError: if its run fails.

    Examples:
        >>> read("(define (f x) (* x x)) (f 4)")
        16.0
    """
    from pathlib import Path  # noqa: PLC0415  (few programs are read)

    if not isinstance(path_or_text, str | Path):
        raise RunError(f"read takes a path or a text, not {an(type(path_or_text).__name__)}")
    is_path = isinstance(path_or_text, Path) or path_or_text.endswith((".vlad", ".onnx"))
    if is_path and Path(path_or_text).suffix == ".onnx":
        from checkpoint.functions.networks import read_network  # noqa: PLC0415  (few programs are graphs)

        return read_network(Path(path_or_text))
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
    progress: ProgressOption = False,
    has_state: bool = False,
    each: Each = None,
    journal: Directory = None,
    spill: SpillOption = None,
    workers: WorkersOption = None,
) -> tuple[Any, Any]:
    """Return the value y of f at x, and the cotangent of x for the cotangent `ybar` of y.

    The method is that of Siskind & Pearlmutter 2018, sections 2 and 3.

    Complex numbers and arrays of them follow JAX's convention: a cotangent c pairs with a tangent t as
    Re(c t). So the cotangent of x for a holomorphic f is ybar f'(x), with nothing conjugated; the cotangent
    of a real is real.

    Args:
        f: a Python function of one argument, a procedure of a `.vlad` program, or `resume`.
        x: a pytree (a nest of tuples, lists, dicts, named tuples, dataclasses) with floats and NumPy arrays
            as leaves.
        ybar: shaped like y; may be left out where y is a real (or an array of shape ()), and is 1 then.
        engine: the name of an engine; the fastest that is available unless given.
        memory: the bytes that the gradient may hold beside the run itself: an int, a text such as "512MiB",
            or a share of what is free to this process within its container's limits, as 0.25 or "25%". By
            default a quarter of what is free, at most 4 GiB. With less memory more steps are run again.
        schedule: another rule of what is kept, instead of memory: Plain(), Bisection(), Binomial(...), or
            the name "plain", "bisection" or "binomial", the last for Binomial(base=10_000). memory=m is
            short for schedule=Budget(m). No rule changes a bit of the result. A call inside of a program is
            one step of that program, and uses bisection whatever is given.
        progress: True draws bars of the forward pass and of the backward sweep, with the time left; a
            function is called with a Progress, at most ten times a second and at the end of both; an
            exception that it raises ends the run.
        has_state: f may change x and the globals that it assigns. It works on copies, and y is the pair of
            what it returns and of the State that it leaves: `args`, `kwargs`, `globals`. ybar is a pair, too,
            of cotangents of both; None stands for zeros of the state. An object that lies at two places of x
            or the globals cannot be changed.
        each: a function of a path and a cotangent, which is called for each leaf of x that has a cotangent,
            once, on the calling thread, as soon as that is final. Then nothing that is still to run reads the
            leaf, or another one with the same storage, so `each` may change it. The cotangent is let go, and
            None is in its place in the result. The path is the tuple of indices, keys and names of attributes
            that lead to it. Engine c knows when arrays in containers are final; all else is reported at the
            end. Where the gradient fails, the notes of the exception name the leaves that were reported, and
            its attribute `reported` has all of them. memory then bounds all that is added, results too.
        journal: a directory in which the call makes durable how far it is. Killed at any moment, the same
            call goes on from there, to the same bits; when it has finished, it returns at once. A directory
            holds one call: another function, input, option or machine is refused, memory and schedule may
            differ. What is printed is printed at least once. Where the disk takes no more, the gradient goes
            on without it, with a JournalWarning. Needs engine "c" or "hybrid"; not with each.
        spill: a folder on a disk, or Spill(folder, size), to which kept states with large arrays go that
            outgrow `memory`, in the background, where the disk is fast enough for that. spill=s is short for
            schedule=Budget(memory, spill=s). A disk that fails costs time, and a SpillWarning, nothing else.
        workers: checkpoint.workers.Threads, Processes or another back end, or a number of threads, to which
            a long run is handed on. It is made once here, and cut into segments, which workers tape ahead
            and reverse one after the other: `memory` is that of each. A worker that dies is replaced. Runs of
            less than some hundredths of a second stay here. With journal, workers may be others after a kill.
            Needs engine "c" or "hybrid"; not with each.

    Returns:
        y, and a cotangent with x's structure, with None where x has nothing to differentiate.

    Raises:
        RunError: if x holds no real or ybar has another shape than y.
        BudgetError: if the gradient needs more memory than it may hold; it says how much is needed.
        DurableError: if the journal is that of another call, or another process goes on with it.
        Exception: what f raises.

    Examples:
        >>> f = lambda xs: {"sum": xs[0] + xs[1], "product": xs[0] * xs[1]}
        >>> vjp(f, [2.0, 3.0], {"sum": 1.0, "product": 10.0})
        ({'sum': 5.0, 'product': 6.0}, [31.0, 21.0])
        >>> vjp(read("(lambda (x) (* x (sin x)))"), 2.0)
        (1.8185948536513634, 0.0770037537313969)
        >>> vjp(lambda x: x * x, 3.0, memory="64MiB")
        (9.0, 6.0)
        >>> vjp(lambda z: z * z, 1 + 2j, 1 + 0j)
        ((-3+4j), (2+4j))
        >>> def double(xs):
        ...     xs[0] *= 2.0
        ...     return xs[0]
        >>> vjp(double, [3.0], has_state=True)
        ((6.0, State(args=([6.0],), kwargs={}, globals={})), [2.0])
        >>> vjp(lambda xs: xs[0] * xs[1], [2.0, 3.0], each=print)
        (0,) 3.0
        (1,) 2.0
        (6.0, [None, None])
        >>> vjp(double, [3.0], (0.0, State(([1.0],), {}, {})), has_state=True)[1]
        [2.0]
    """
    chosen = named_schedule(schedule, memory, spill)
    check_progress(progress)
    check_each(each, has_state)
    check_journal(journal, each)
    check_workers(workers, each)
    plain = schedule is None and memory is None and spill is None and progress is False
    plain = plain and engine in (None, "c") and journal is None and workers is None
    may_be_small = plain and each is None and not has_state
    if may_be_small and (ybar is None or type(ybar) is float):
        found = small.taken(f, (x,), {}, (0,), 1.0 if ybar is None else ybar)
        if found is not None:
            return found[0], found[1]
    call = as_function(f, has_state).call((x,), {}, engine, ("x",))
    with reported(progress):
        if each is not None:
            return vjp_reporting(call, ybar, chosen, each, ("x", "ybar"))
        if journal is not None or workers is not None:
            return _vjp_by_others(f, call, ybar, chosen, journal, workers)
        y, cotangents = call.vjp(ybar, chosen, ("x", "ybar"))
    if may_be_small and isinstance(call, PythonCall):
        small.learn(f, 1, (), call.run)
    return y, cotangents[0]


def _vjp_by_others(
    f: Any, call: Call, ybar: Any, schedule: Schedule, journal: Directory, workers: WorkersOption
) -> tuple[Any, Any]:
    """Return what `vjp` returns, with a journal or by workers."""
    procedure = f if isinstance(f, Procedure) else None
    options = {"ybar": value_of(ybar, call), "has_state": str(getattr(call, "has_state", False))}
    with taken_by(journal, call, options, procedure, workers) as swept:
        y, cotangents = call.vjp(ybar, schedule, ("x", "ybar"), swept)
    return y, cotangents[0]


@within_programs
def jvp(f: Any, x: Any, xtan: Any, *, engine: str | None = None, has_state: bool = False) -> tuple[Any, Any]:
    """Return the value y of f at x, and its tangent for the tangent `xtan` of x, which is shaped like x.

    has_state: as in `vjp`; y and its tangent are then pairs.

    Raises:
        RunError: if xtan has another shape than x.
        Exception: what f raises.

    Examples:
        >>> jvp(lambda x: x * x, 3.0, 1.0)
        (9.0, 6.0)
    """
    return as_function(f, has_state).call((x,), {}, engine, ("x",)).jvp(xtan)


@within_programs
def primops(f: Any, x: Any, *, engine: str | None = None, has_state: bool = False) -> int:
    """Return the number of steps of f at x; `primops(resume, z)` is the number that a capsule has left.

    has_state: as in `vjp`.

    Examples:
        >>> primops(read("(lambda (x) (* x x))"), 3.0)
        3
    """
    return as_function(f, has_state).call((x,), {}, engine, ("x",)).steps()


@within_programs
def interrupt(f: Any, x: Any, steps: int, *, engine: str | None = None, has_state: bool = False) -> Capsule:
    """Return the capsule that holds the rest of f at x after a number of steps, 0 up to primops(f, x).

    has_state: as in `vjp`; `resume` then returns the pair.

    Raises:
        RunError: for another number of steps.
        Exception: what f raises before that.

    Examples:
        >>> z = interrupt(lambda x: x * x, 3.0, 2)
        >>> z.steps, resume(z)
        (2, 9.0)
    """
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise RunError(f"a number of steps must be an integer, not {steps!r}")
    return as_function(f, has_state).call((x,), {}, engine, ("x",)).interrupt(steps)
