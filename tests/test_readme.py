"""What the README shows is true: its files are saved, its commands and its Python run, in its order.

A ```scheme block whose first line is `; NAME.vlad: ...` becomes that file. A ```console block runs each line
`$ checkpoint ...` and compares what follows. The ```python blocks are one session; `print(...)  # text` says
what a line prints. Numbers may differ in their last digits, which are the C library's.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import shlex
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from checkpoint.lang.names import surface
from checkpoint.prims import text_arities
from tests.cli.support import checkpoint

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
NUMERAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def blocks(language: str) -> list[str]:
    """The contents of all fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def transcripts() -> list[tuple[str, str]]:
    """Each command of the README, and what it shows for it."""
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def assert_alike(text: str, shown: str) -> None:
    """Equal but for the last digits of numbers."""
    assert NUMERAL.sub("#", text) == NUMERAL.sub("#", shown)
    for a, b in zip_longest(NUMERAL.findall(text), NUMERAL.findall(shown)):
        assert math.isclose(float(a), float(b), rel_tol=1e-9)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory of a reader who has saved all files of the README."""
    for block in blocks("scheme"):
        name = re.match(r"; (\S+\.vlad):", block)
        assert name, f"a block of the README names no file:\n{block}"
        (tmp_path / name[1]).write_text(block)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), transcripts())
def test_commands(folder: Path, command: str, shown: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "checkpoint"
    done = checkpoint(*arguments, cwd=folder)
    assert_alike(done.stdout + done.stderr, shown)


def test_python(folder: Path) -> None:
    session: dict[str, Any] = {}
    for block in blocks("python"):
        shown = "".join(line + "\n" for line in re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(block, session)
        assert_alike(printed.getvalue(), shown)


def test_every_primitive_is_named() -> None:
    named = set(" ".join(re.findall(r"`([^`\n]+)`", README)).split())
    assert {surface(name) for name in text_arities()} <= named


def test_there_is_something_to_check() -> None:
    assert blocks("scheme")
    assert blocks("python")
    assert transcripts()
