"""Programs as executables, beside what `checkpoint run` and `checkpoint primops` do with them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from checkpoint import engines
from checkpoint.cli.main import main
from checkpoint.ctarget.alone.build import build
from checkpoint.ctarget.alone.program import written
from checkpoint.errors import Source
from checkpoint.functions.program import load_file, place
from checkpoint.lang.reader import read
from tests.support.corpus import Entry

PROGRAMS = Path(__file__).resolve().parent / "programs"
PATIENCE = 120  # seconds, after which a process is ended


@dataclass(frozen=True)
class Outcome:
    """What a process, or a command, has printed, and its exit status."""

    written: str
    errors: str
    status: int


def executable(program: Path, hostile: bool = False) -> Path:
    """Return the executable of a program, beside it; every warning of the compiler is an error."""
    found = load_file(program)
    engines.get("c").prepare(found.thunk, found.scopes)
    target = program.with_suffix(".exe")
    build(written(found.thunk, place(found)), target, strict=not hostile, hostile=hostile)
    return target


def run(
    program: Path, *options: str, text: str = "", environment: Mapping[str, str] | None = None
) -> Outcome:
    """Run an executable; text: its standard input."""
    done = subprocess.run(
        [program, *options],
        input=text.encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    return Outcome(done.stdout.decode(), done.stderr.decode(), done.returncode)


def command(*arguments: str | Path, text: str = "") -> Outcome:
    """Run a command of checkpoint's, in this process."""
    out, errors, outer = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        with redirect_stdout(out), redirect_stderr(errors):
            status = main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        sys.stdin = outer
    return Outcome(out.getvalue(), errors.getvalue(), status)


def agree(program: Path, text: str = "") -> None:
    """Assert that an executable does what the commands do: outputs, errors, exit status, number of steps."""
    made = executable(program)
    assert run(made, text=text) == command("run", program, "--engine", "c", text=text)
    assert run(made, "--steps", text=text) == command("primops", program, "--engine", "c", text=text)


def applied(entry: Entry, differentiates: bool) -> str:
    """Return a program of the corpus that is a procedure, applied to its argument, or with its gradients."""
    text = entry.path.read_text()
    if "x" not in entry.header:
        return text
    span = read(Source("<test>", text))[-1].span
    body = f"(the-procedure {entry.header['x']})"
    if differentiates:
        operands = f"the-procedure {entry.header['x']} {entry.header['ybar']}"
        body = f"(list (*j {operands}) (checkpoint-*j {operands}))"
    return f"{text[: span.start]}(let ((the-procedure {span.text})) {body})\n"
