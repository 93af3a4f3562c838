"""The command line as a user meets it: each call here is a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

COMMAND = (sys.executable, "-m", "checkpoint")
# Nothing here asserts a time; this only ends a process that hangs.
PATIENCE = 120


def checkpoint(
    *arguments: str | Path,
    stdin: str = "",
    cwd: Path | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `checkpoint ARGUMENTS` to its end; `before` runs in the new process first."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        cwd=cwd,
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
