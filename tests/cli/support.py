"""The command line as a user meets it: each call here is a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

COMMAND = (sys.executable, "-m", "checkpoint")
ROOT = Path(__file__).resolve().parents[2]
# Nothing here asserts a time; this only ends a process that hangs.
PATIENCE = 120


def checkpoint(
    *arguments: str | Path,
    stdin: str = "",
    cwd: Path | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `checkpoint ARGUMENTS` to its end, as a copy of a process that has loaded it (forked.py).

    before: runs in the new process first, which is no copy then.
    """
    words = [*COMMAND, *map(str, arguments)]
    if before is None:
        return _copied(words, stdin, cwd or Path.cwd())
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


@cache
def _loaded() -> subprocess.Popen[str]:
    """Start the process that has loaded the command line; it ends with this one."""
    words = [sys.executable, "-m", "tests.cli.forked"]
    process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def _copied(words: list[str], stdin: str, folder: Path) -> subprocess.CompletedProcess[str]:
    with TemporaryDirectory() as where:
        streams = [Path(where) / name for name in ("in", "out", "errors")]
        for path, text in zip(streams, (stdin, "", ""), strict=True):
            path.write_text(text)
        call = {
            "environment": dict(os.environ),
            "arguments": words[len(COMMAND) :],
            "folder": str(folder),
            "streams": list(map(str, streams)),
            "patience": PATIENCE,
        }
        process = _loaded()
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps(call), file=process.stdin, flush=True)
        status = int(process.stdout.readline())
        return subprocess.CompletedProcess(words, status, streams[1].read_text(), streams[2].read_text())
