"""The command line: `checkpoint COMMAND ...`, the same as `python -m checkpoint COMMAND ...`.

In: arguments, and a program (checkpoint.cli.programs). Out: values on standard output, as Python writes them
or the small language does, and an exit status: 0 done, 1 the program or its run is at fault, 2 wrong usage,
70 our bug, 130 Ctrl-C, 141 nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from checkpoint import engines
from checkpoint.api.schedules import SCHEDULES, named_schedule
from checkpoint.cli import check, demo, demo_raytracer, doctor, executable, journal, show, trace
from checkpoint.cli.errors import FAILED, OK, UsageError, guarded
from checkpoint.cli.programs import Program, program
from checkpoint.driver import memory
from checkpoint.driver.binomial import BASE, Binomial
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Schedule
from checkpoint.errors import RunError
from checkpoint.watch.progress import reported

ENGINE = "what runs the program; `doctor` lists them; the fastest that is available if left out"
PROGRAM = "a Python function, as FILE.py:NAME or MODULE:NAME, or a .vlad file"
MEMORY = "what the gradient may take, as 512MiB or 25%% of what is free; `doctor` says what it is if left out"
SCHEDULE = "which states are kept, what is taped at once; if left out budget, which keeps to --memory"
BASES = f"steps that are taped at once, by bisection if no --schedule is given, or binomial ({BASE})"
PROGRESS = "show progress bars on standard error"
JOURNAL = "a directory in which it becomes durable how far it is: after a kill the same command goes on"
COTANGENT = "the cotangent of the value; 1 for a real if left out"
ARGUMENT = "an argument, e.g. '[1.0, 2.0]', one --x for each; of a .vlad program its only one, '(list 1 2)'"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    options = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    parser: argparse.ArgumentParser = options.parser
    try:
        return guarded(lambda: options.command(options))
    except UsageError as error:
        parser.error(str(error))


def _joined(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `--x TEXT` as `--x=TEXT`: a text may begin with a minus, as options do."""
    result: list[str] = []
    for argument in arguments:
        if result and result[-1] in ("--x", "--ybar"):
            result[-1] += f"={argument}"
        else:
            result.append(argument)
    return result


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="checkpoint",
        description="Exact gradients of long runs in little memory.",
        epilog="`checkpoint COMMAND --help` describes a command.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    run = _command(commands, "run", _run, "run a program and print its value")
    grad = _command(commands, "grad", _grad, "the value and the gradient of a function")
    trace_parser = _command(commands, "trace", _trace, "what a gradient costs, as a table and as a picture")
    primops = _command(commands, "primops", _primops, "how many steps a program's run takes")
    for command in (run, grad, trace_parser, primops):
        command.add_argument("program", metavar="PROG", help=PROGRAM)
        command.add_argument("--x", metavar="TEXT", action="append", default=[], help=ARGUMENT)
    for command in (grad, trace_parser):
        command.add_argument("--ybar", metavar="TEXT", help=COTANGENT)
        command.add_argument("--schedule", choices=list(SCHEDULES), help=SCHEDULE)
        command.add_argument("--memory", metavar="SIZE", type=_memory, help=MEMORY)
        command.add_argument("--base", metavar="N", type=_positive, help=BASES)
        command.add_argument("--progress", action="store_true", help=PROGRESS)
    trace.add_arguments(trace_parser)
    show_parser = _add(commands, "show", _show, "a program as a pass of the compiler has made it")
    show_parser.add_argument("program", metavar="PROG", help=PROGRAM)
    show.add_arguments(show_parser)
    check_parser = _add(commands, "check", _check, "what is refused in a program when a run reaches it")
    check_parser.add_argument("program", metavar="PROG", help=PROGRAM)
    check.add_arguments(check_parser)
    compile_parser = _add(commands, "compile", _compile, "a .vlad program as an executable without Python")
    compile_parser.add_argument("program", metavar="PROG", help="a .vlad file")
    executable.add_arguments(compile_parser)
    grad.add_argument("--journal", metavar="DIR", help=JOURNAL)
    journal_parser = _add(commands, "journal", journal.journal, "how far the gradient of a journal is")
    journal.add_arguments(journal_parser)
    _command(commands, "doctor", _doctor, "what is available here, and why not")
    demo_parser = _command(commands, "demo", _demo, "gradients of a simulation, or through a ray tracer")
    demo_raytracer.add_arguments(demo_parser)
    return parser


def _command(commands: Any, name: str, action: Any, summary: str) -> argparse.ArgumentParser:
    """Add a command that runs programs on an engine."""
    command = _add(commands, name, action, summary)
    command.add_argument("--engine", metavar="NAME", help=ENGINE)
    return command


def _add(commands: Any, name: str, action: Any, summary: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    command.set_defaults(command=action, name=name, parser=command)
    return command


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return number


def _memory(text: str) -> str:
    try:
        memory.check(text)
    except RunError as error:
        raise argparse.ArgumentTypeError(error.message) from None
    return text


def _run(options: argparse.Namespace) -> int:
    engine = _engine(options.engine)
    print(_program(options).value(options.x, engine))
    return OK


def _grad(options: argparse.Namespace) -> int:
    engine, schedule = _engine(options.engine), _schedule(options)
    with reported(options.progress):
        lines = _program(options).gradient(options.x, options.ybar, engine, schedule, options.journal)
    for text in lines:
        print(text)
    return OK


def _trace(options: argparse.Namespace) -> int:
    engine, schedule = _engine(options.engine), _schedule(options)
    with reported(options.progress):
        return trace.trace(options, _program(options), engine, schedule)


def _primops(options: argparse.Namespace) -> int:
    engine = _engine(options.engine)
    print(_program(options).steps(options.x, engine))
    return OK


def _show(options: argparse.Namespace) -> int:
    return show.show(options, _program(options), _engine)


def _compile(options: argparse.Namespace) -> int:
    return executable.compile_program(options, _program(options))


def _check(options: argparse.Namespace) -> int:
    return check.check(options, _program(options))


def _program(options: argparse.Namespace) -> Program:
    return program(options.program, options.name)


def _doctor(options: argparse.Namespace) -> int:
    names = list(engines.available()) if options.engine is None else [_known(options.engine)]
    for line in doctor.report(names):
        print(line)
    return OK if set(names) & set(engines.usable()) else FAILED


def _demo(options: argparse.Namespace) -> int:
    engine = _engine(options.engine)
    if options.demo == demo_raytracer.NAME:
        return demo_raytracer.run(engine, options.output, options.size or demo_raytracer.SIZE)
    if options.output or options.size:
        raise UsageError(f"-o and --size are for `checkpoint demo {demo_raytracer.NAME}`")
    return demo.run(engine)


def _engine(name: str | None) -> Engine:
    """Return the engine to use; UsageError says why there is none of this name."""
    if name is not None:
        reason = engines.available()[_known(name)]
        if reason is not None:
            raise UsageError(f"engine {name} is not available: {reason}")
    return engines.get(name)


def _known(name: str) -> str:
    names = engines.available()
    if name not in names:
        raise UsageError(f"there is no engine {name!r}; there are: {', '.join(names)}")
    return name


def _schedule(options: argparse.Namespace) -> Schedule:
    name = options.schedule
    if options.memory is not None:
        if name not in {None, "budget"}:
            raise UsageError(f"--schedule {name} has no --memory: leave one of them out")
        if options.base is not None:
            raise UsageError("with --memory there is no --base: how much is taped follows from the memory")
        return named_schedule(None, options.memory)
    if options.base is None:
        return named_schedule(name)
    schedule = SCHEDULES[name or "bisection"]
    if isinstance(schedule, Bisection | Binomial):
        return replace(schedule, base=options.base)
    how = "it tapes the whole run at once" if name == "plain" else "how much is taped follows from the memory"
    raise UsageError(f"--schedule {name} has no --base: {how}")
