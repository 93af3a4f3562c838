"""`checkpoint compile PROG -o FILE`: a `.vlad` program as an executable without Python.

In: a program. Out: an executable that prints what `checkpoint run` prints, and with --steps what
`checkpoint primops` prints. What it cannot do is refused here, with its place.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from checkpoint import config, engines
from checkpoint.cli.errors import OK, UsageError
from checkpoint.cli.programs import Program, VladProgram
from checkpoint.errors import RunError
from checkpoint.functions.program import place

OUTPUT = "the executable; PROG without its ending if left out"
C_FILE = "write the program's C, too"
MEMORY = "what a run may hold, as 512MiB: derivatives tape what fits, and run the rest again"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of `compile`."""
    command.add_argument("-o", dest="output", metavar="FILE", type=Path, help=OUTPUT)
    command.add_argument("--c", dest="c_file", metavar="FILE", type=Path, help=C_FILE)
    command.add_argument("--memory", metavar="SIZE", type=_size, help=MEMORY)


def _size(text: str) -> int:
    found = config.size(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a size, like 512MiB or 2GiB, got {text!r}")
    return found


def compile_program(options: argparse.Namespace, program: Program) -> int:
    """Make the executable."""
    if not isinstance(program, VladProgram):
        raise UsageError("only .vlad programs are compiled: Python functions need Python")
    engine = engines.get("c")
    # Local: few commands need a compiler.
    from checkpoint.ctarget.alone.build import build  # noqa: PLC0415
    from checkpoint.ctarget.alone.program import written  # noqa: PLC0415
    from checkpoint.ctarget.translate.compile.processes import CompilationError  # noqa: PLC0415

    engine.prepare(program.program.thunk, program.program.scopes)
    text = written(program.program.thunk, place(program.program), options.memory)
    if options.c_file is not None:
        options.c_file.write_text(text, encoding="utf-8")
    target = options.output or Path(options.program).with_suffix("")
    try:
        build(text, target, strict=config.current().check)
    except CompilationError as error:
        raise RunError(str(error)) from None
    return OK
