"""Runs C compilers: each for a limited time, in a process group of its own.

In: a command. Out: its exit status, or CompilationError. What always holds: no lock is held while a command
runs; when its time is up, or this process ends, its whole group is ended; a process that is forked knows of
none.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress

from checkpoint.ctarget.peers import making

COMPILE_SECONDS = 120.0
VERSION_SECONDS = 30.0
LONGEST_VERSION = 10_000  # bytes that are read of what a compiler prints


class CompilationError(Exception):
    """Raised if there is no result for a reason outside of this package, which the text names."""


_running: set[subprocess.Popen[bytes]] = set()
_starting = threading.Lock()
_ending: list[bool] = []


def run(
    command: list[str], output: int, seconds: float, environment: dict[str, str] | None = None
) -> int | None:
    """Run a command, which writes to a file descriptor, and return its exit status; None: time was up.

    environment: variables that the command has besides those of this process.
    """
    process = _start(command, output, {**os.environ, **(environment or {})})
    try:
        return _wait(process, seconds)
    finally:
        if process.returncode is None:
            _end_group(process)
            process.wait()
        _running.discard(process)


def _start(command: list[str], output: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    # No process is forked meanwhile: it would inherit the pipe whose end Popen waits for.
    with making, _starting:
        if _ending:
            raise CompilationError("the process ends")
        # A group of its own: Ctrl-C is not for the compiler, and the whole group can be ended.
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        _running.add(process)
        return process


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Return the exit status, or None after so many seconds."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not Linux, or not allowed: subprocess asks again and again
        with suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        return None
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return process.wait() if poll.poll(seconds * 1000) else None
    finally:
        os.close(descriptor)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a command with all its child processes. It was not waited for, so its group is still its own."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def first_line(command: list[str]) -> str:
    """Return the first line that a command prints."""
    try:
        with tempfile.TemporaryFile() as printed:
            status = run(command, printed.fileno(), VERSION_SECONDS, {"LC_ALL": "C"})
            printed.seek(0)
            line = printed.read(LONGEST_VERSION).decode(errors="replace").partition("\n")[0].strip()
    except OSError as error:
        raise CompilationError(f"{command[0]} does not run: {error}") from None
    if status is None:
        raise CompilationError(f"{command[0]} does not run: it did not end within {VERSION_SECONDS:g} s")
    if status or not line:
        raise CompilationError(f"{' '.join((command[0], *command[-1:]))} ends with the status {status}")
    return line


def is_ending() -> bool:
    """Return whether this process ends, and starts no command any more."""
    return bool(_ending)


def end_all() -> None:
    """End all commands that run, since this process ends."""
    with _starting:
        _ending.append(True)
    for process in list(_running):
        if process.returncode is None:
            _end_group(process)


def forget() -> None:
    """Forget the commands in a forked process: they belong to its parent."""
    global _starting  # noqa: PLW0603
    for process in _running:
        process.returncode = 0
    _running.clear()
    _starting = threading.Lock()
