"""The command line as a user meets it: each call here is a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support.processes import PATIENCE, python

COMMAND = (sys.executable, "-m", "checkpoint")


def checkpoint(
    *arguments: str | Path,
    stdin: str = "",
    cwd: Path | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `checkpoint ARGUMENTS` to its end, as a copy of a process that has loaded it.

    before: runs in the new process first, which is no copy then.
    """
    words = [*COMMAND, *map(str, arguments)]
    if before is None:
        return python(*words[1:], stdin=stdin, cwd=cwd)
    return subprocess.run(
        words,
        input=stdin,
        cwd=cwd,
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
