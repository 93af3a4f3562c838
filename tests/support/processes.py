"""Calls of Python as processes of their own, which are copies of one that has loaded the package."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
# Nothing here asserts a time; this only ends a process that hangs.
PATIENCE = 120


def python(*words: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `python WORDS`, a module after `-m` or a script, to its end in a copy of the loaded process."""
    with TemporaryDirectory() as where:
        streams = [Path(where) / name for name in ("in", "out", "errors")]
        for path, text in zip(streams, (stdin, "", ""), strict=True):
            path.write_text(text)
        call = {
            "environment": dict(os.environ),
            "arguments": words,
            "folder": str(cwd or Path.cwd()),
            "streams": list(map(str, streams)),
            "patience": PATIENCE,
        }
        process = _loaded()
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps(call), file=process.stdin, flush=True)
        status = int(process.stdout.readline())
        return subprocess.CompletedProcess(words, status, streams[1].read_text(), streams[2].read_text())


@cache
def _loaded() -> subprocess.Popen[str]:
    """Start the process that has loaded the package; it ends with this one."""
    words = [sys.executable, "-m", "tests.support.forked"]
    process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process
