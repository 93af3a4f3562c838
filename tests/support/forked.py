"""A process that has loaded the package, and that each call of Python is a copy of.

In: lines of JSON on standard input: the environment, arguments and folder of a call, the files that are its
standard streams, and the seconds after which it is ended. The arguments begin with `-m` and a module, or with
a script. Out: for each the exit status, on a line. A copy has its own environment, folder and streams, and
ends as a process ends: only loading is not repeated.
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
    """Give this process the environment, folder and streams of a call."""
    signal.alarm(call["patience"])
    os.environ.clear()
    os.environ.update(call["environment"])
    os.chdir(call["folder"])
    for stream, (path, flags) in enumerate(zip(call["streams"], FLAGS, strict=True)):
        opened = os.open(path, flags)
        os.dup2(opened, stream)
        os.close(opened)


def run(words: list[str], folder: str) -> None:
    """Run a module or a script with its arguments, as `python WORDS` does in a folder."""
    is_module = words[0] == "-m"
    sys.argv[1:] = words[2:] if is_module else words[1:]
    sys.path[0] = folder
    if is_module:
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv[0] = words[0]
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    found = serve()
    if found is not None:
        become(found)
        run(found["arguments"], found["folder"])
