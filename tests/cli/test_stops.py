"""Runs that are stopped from outside: Ctrl-C, no memory left, nobody reading any more."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.support import COMMAND, checkpoint
from tests.support.processes import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
LOOP = "(define (loop x) (loop (+ x 1)))\n"
# The command, the program, and its arguments. Each writes a line just before it loops.
FOREVER = {
    "run": ("run", LOOP + "(loop (write-real 0))", ()),
    "primops": ("primops", LOOP + "(loop (write-real 0))", ()),
    "grad": ("grad", LOOP + "(lambda (x) (loop (write-real x)))", ("--x", "0")),
    "plain": ("grad", LOOP + "(lambda (x) (loop (write-real x)))", ("--x", "0", "--schedule", "plain")),
    "nested": ("run", LOOP + "(car (checkpoint-*j (lambda (x) (j* loop x 1)) (write-real 0) '(1 . 1)))", ()),
}
CONSING = "(define (grow xs)\n  (grow (cons 1 xs)))\n"
HUNGRY = {
    "run": ("run", CONSING + "(grow (list))", ()),
    "primops": ("primops", CONSING + "(grow (list))", ()),
    "grad": ("grad", CONSING + "(lambda (x) (grow (list x)))", ("--x", "0")),
    "nested": ("run", CONSING + "(car (*j (lambda (x) (grow (list x))) 0 1))", ()),
}
MEMORY = 80 * 2**20
UNBUFFERED = {**os.environ, "PYTHONUNBUFFERED": "1"}


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Yield a process that runs on; it is killed at the end if it still runs."""
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdout=pipe, stderr=pipe, text=True, env=UNBUFFERED) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("name", FOREVER)
def test_ctrl_c(tmp_path: Path, name: str) -> None:
    command, text, arguments = FOREVER[name]
    program = tmp_path / "forever.vlad"
    program.write_text(text)
    with started(*COMMAND, command, str(program), *arguments) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "0.0\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert re.fullmatch(rf"interrupted at {re.escape(str(program))}:[12]:\d+\n", said)


def test_these_tests_run_where_interruptions_are_ignored() -> None:
    """A job that a shell starts in the background ignores interrupts, and what it starts inherits that."""
    ignoring = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    ignoring += "os.execv(sys.argv[1], sys.argv[1:])"
    test = f"{__file__}::test_ctrl_c[{next(iter(FOREVER))}]"
    pytest_alone = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test)
    done = subprocess.run(
        [sys.executable, "-c", ignoring, *pytest_alone],
        capture_output=True, text=True, check=False, timeout=4 * PATIENCE, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not enforce RLIMIT_AS")
@pytest.mark.parametrize("name", HUNGRY)
def test_out_of_memory(tmp_path: Path, name: str) -> None:
    command, text, arguments = HUNGRY[name]
    program = tmp_path / "hungry.vlad"
    program.write_text(text)
    done = checkpoint(
        command,
        program,
        *arguments,
        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert done.returncode == 1
    said, excerpt, marks = done.stderr.splitlines()
    assert re.fullmatch(rf"{re.escape(str(program))}:[12]:\d+: error: out of memory(: .*)?", said)
    assert excerpt[8:] in CONSING.splitlines() + text.splitlines()
    assert marks.strip("| ^") == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk(tmp_path: Path) -> None:
    program = tmp_path / "value.vlad"
    program.write_text("1")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "run", program],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "checkpoint: error: input or output failed: No space left on device\n"


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    program = tmp_path / "talk.vlad"
    program.write_text("(define (talk x) (talk (write-real (+ x 1))))\n(talk 0)")
    with started(*COMMAND, "run", str(program)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "1.0\n"
        process.stdout.close()
        assert process.wait(timeout=PATIENCE) == 141
        assert process.stderr.read() == ""
