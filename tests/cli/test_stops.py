"""Runs that are stopped from outside: Ctrl-C, no memory left, nobody reading any more."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.support import COMMAND, PATIENCE, checkpoint

LOOP = "(define (loop x) (loop (+ x 1)))\n"
FOREVER = {
    "run": LOOP + "(loop (write-real 0))",
    "grad": LOOP + "(lambda (x) (loop (write-real x)))",
    "primops": LOOP + "(loop (write-real 0))",
}
CONSING = "(define (grow xs)\n  (grow (cons 1 xs)))\n"
HUNGRY = {
    "run": CONSING + "(grow (list))",
    "primops": CONSING + "(grow (list))",
    "grad": CONSING + "(lambda (x) (grow (list x)))",
}
MEMORY = 64 * 2**20
UNBUFFERED = {**os.environ, "PYTHONUNBUFFERED": "1"}


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that runs on; at the end it is killed if it still does."""
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdout=pipe, stderr=pipe, text=True, env=UNBUFFERED) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("command", FOREVER)
def test_ctrl_c(tmp_path: Path, command: str) -> None:
    program = tmp_path / "forever.vlad"
    program.write_text(FOREVER[command])
    arguments = [*COMMAND, command, str(program), *(["--x", "0"] if command == "grad" else [])]
    with started(*arguments) as process:
        assert process.stdout is not None
        # The program writes a line just before it loops.
        assert process.stdout.readline() == "0.0\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    place, _, rest = said.removeprefix("interrupted at ").rpartition(".vlad:")
    assert f"{place}.vlad" == str(program)
    assert rest[:2] in ("1:", "2:")


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not enforce RLIMIT_AS")
@pytest.mark.parametrize("command", HUNGRY)
def test_out_of_memory(tmp_path: Path, command: str) -> None:
    program = tmp_path / "hungry.vlad"
    program.write_text(HUNGRY[command])
    done = checkpoint(
        command,
        program,
        *(["--x", "0"] if command == "grad" else []),
        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    said = done.stderr.splitlines()
    assert said[0].startswith(f"{program}:")
    assert said[0].endswith(": error: out of memory")
    assert len(said) == 3


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
