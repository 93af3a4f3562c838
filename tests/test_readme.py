"""What the README and CONTRIBUTING.md show is true: their files are saved, commands and Python run, in order.

A ```scheme block whose first line is `; NAME.vlad: ...` becomes that file, a ```python block that begins with
`# NAME.py: ...` likewise. A ```console block runs each line `$ checkpoint ...` and compares what follows. The
```python blocks are also one session; `print(...)  # text` says what a line prints, or a ```text block after
the block what all of it prints and raises. Numbers may differ in their last digits, which are those of the
C library.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import math
import re
import shlex
import traceback
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from checkpoint.lang.names import surface
from checkpoint.prims import text_arities
from tests.cli.support import checkpoint

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
SHOWN = README + (ROOT / "CONTRIBUTING.md").read_text()
FILES = {"scheme": r"; (\S+\.vlad):", "python": r"# (\S+\.py):"}
SESSION = re.compile(r"^```python\n(.*?)^```\n(\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
NUMERAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def blocks(language: str) -> list[str]:
    """The contents of all fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", SHOWN, re.MULTILINE | re.DOTALL)


def transcripts() -> list[tuple[str, str]]:
    """Each command, and what it shows for it."""
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def assert_alike(text: str, shown: str) -> None:
    """Equal but for the last digits of numbers."""
    assert NUMERAL.sub("#", text) == NUMERAL.sub("#", shown)
    for a, b in zip_longest(NUMERAL.findall(text), NUMERAL.findall(shown)):
        assert math.isclose(float(a), float(b), rel_tol=1e-9)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory of a reader who has saved all files."""
    for language, pattern in FILES.items():
        for block in blocks(language):
            name = re.match(pattern, block)
            assert name or language == "python", f"a block names no file:\n{block}"
            if name:
                (tmp_path / name[1]).write_text(block)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), transcripts())
def test_commands(folder: Path, command: str, shown: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "checkpoint"
    done = checkpoint(*arguments, cwd=folder)
    assert_alike(done.stdout + done.stderr, shown)


def run(block: str, name: str, session: dict[str, Any]) -> str:
    """What a block prints, and the exception that it ends with; its functions are found by their text."""
    linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(block, name, "exec"), session)
        except Exception as error:
            print("".join(traceback.format_exception_only(error)), end="")
    return printed.getvalue()


def test_python(folder: Path) -> None:
    session: dict[str, Any] = {}
    for number, (block, _, text) in enumerate(SESSION.findall(SHOWN)):
        named = re.match(FILES["python"], block)
        comments = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        shown = text or "".join(line + "\n" for line in comments)
        assert_alike(run(block, named[1] if named else f"block{number}.py", session), shown)


def test_every_primitive_is_named() -> None:
    named = set(" ".join(re.findall(r"`([^`\n]+)`", README)).split())
    assert {surface(name) for name in text_arities()} <= named


def test_there_is_something_to_check() -> None:
    assert blocks("scheme")
    assert blocks("python")
    assert transcripts()
