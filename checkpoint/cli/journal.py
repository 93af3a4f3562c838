"""`checkpoint journal DIR`: how far the gradient of a journal is; `--unlock` ends a foreign lock."""

from __future__ import annotations

import argparse

from checkpoint.cli.errors import OK
from checkpoint.durable.journal import show


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of `journal`."""
    command.add_argument("directory", metavar="DIR", help="the directory of a journal")
    command.add_argument(
        "--unlock",
        action="store_true",
        help="end the lock of a process on another host, which does not run any more",
    )


def journal(options: argparse.Namespace) -> int:
    """Print how far the gradient is, or what has become of its lock."""
    shown = show.unlocked if options.unlock else show.report
    for line in shown(options.directory):
        print(line)
    return OK
