"""`checkpoint check PROG`: what is refused in a program, without running it.

In: a program; for what depends on the classes of a function's arguments, examples of them. Out: one line for
each refusal, with its place and what to write instead; exit status 0 if there is none, else 1.
"""

from __future__ import annotations

import argparse

from checkpoint.cli.errors import FAILED, OK
from checkpoint.cli.programs import Program

ARGUMENT = "an example of an argument; if left out, the function is called with all that it requires"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of `check`."""
    command.add_argument("--x", metavar="TEXT", action="append", default=[], help=ARGUMENT)


def check(options: argparse.Namespace, program: Program) -> int:
    """Print the refusals of a program."""
    found = program.refusals(options.x)
    for line in found:
        print(line)
    return FAILED if found else OK
