"""`checkpoint trace PROG`: what the gradient of a program costs, as a table, and as a picture of the run.

In: a program and its arguments as `checkpoint grad` takes them. Out: the table on standard output, the
picture in a file. That the picture can be drawn is made sure of before the run, which may be long.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from checkpoint.cli.errors import OK, UsageError
from checkpoint.cli.programs import Program
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Schedule
from checkpoint.watch import pictures
from checkpoint.watch.profile import profile


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of `trace` that `grad` does not have."""
    command.add_argument("-o", "--output", metavar="FILE", type=Path, help="the picture: .png, .svg or .pdf")
    command.add_argument(
        "--over",
        choices=["seconds", "steps"],
        default="seconds",
        help="what its time is counted in (seconds)",
    )
    command.add_argument("--title", metavar="TEXT", help="what stands above it")


def trace(options: argparse.Namespace, program: Program, engine: Engine, schedule: Schedule) -> int:
    """Take the gradient, print what it cost, and draw it if `-o` was given."""
    path: Path | None = options.output
    if path is not None:
        check_picture(path)
    with profile() as p:
        program.gradient(options.x, options.ybar, engine, schedule)
    print(p)
    if path is not None:
        p.plot(path, over=options.over, title=options.title)
        print(f"\npicture: {path}")
    return OK


def check_picture(path: Path) -> None:
    """Raise UsageError if a picture cannot be written there, RunError without matplotlib."""
    known = pictures.formats()
    if pictures.suffix(path) not in known:
        raise UsageError(f"-o {path}: the suffix must be that of a format of pictures: {', '.join(known)}")
    if not path.parent.is_dir():
        raise UsageError(f"-o {path}: there is no folder {path.parent}")
