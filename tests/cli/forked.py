"""A process that has loaded the package, and that each call of the command line is a copy of.

In: lines of JSON on standard input: the environment, arguments and folder of a call, the files that are its
standard streams, and the seconds after which it is ended. Out: for each the exit status, on a line. A copy
has its own environment, folder and streams, and ends as a process ends: only loading is not repeated.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
from typing import Any

import checkpoint  # noqa: F401  # which the copies need not load

FLAGS = (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)  # of standard streams


def serve() -> dict[str, Any] | None:
    """Make a copy of this process for each line; return the call in the copy, None here at the end."""
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if not child:
            return dict(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


def become(call: dict[str, Any]) -> None:
    """Give this process the environment, folder, streams and arguments of a call."""
    signal.alarm(call["patience"])
    os.environ.clear()
    os.environ.update(call["environment"])
    os.chdir(call["folder"])
    for stream, (path, flags) in enumerate(zip(call["streams"], FLAGS, strict=True)):
        opened = os.open(path, flags)
        os.dup2(opened, stream)
        os.close(opened)
    sys.argv[1:] = call["arguments"]
    sys.path[0] = call["folder"]


if __name__ == "__main__":
    found = serve()
    if found is not None:
        become(found)
        runpy.run_module("checkpoint", run_name="__main__", alter_sys=True)
