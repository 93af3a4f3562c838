"""Everything that the documents show is true: their files are saved, their commands and Python run, in order.

A ```scheme block whose first line is `; NAME.vlad: ...` becomes that file, a ```python block that begins with
`# NAME.py: ...` likewise; the files of all documents lie in one folder. A ```console block runs each line
`$ checkpoint ...` and compares what follows. The ```python blocks of a document are one session;
`print(...)  # text` states what a line prints, and a ```text block after the block states everything that it
prints and raises. Numbers may differ in their last digits, which are those of the C library.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import math
import os
import re
import shlex
import sys
import traceback
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from checkpoint import config
from checkpoint.config import close_packages
from checkpoint.lang.names import surface
from checkpoint.lang.tensors import KINDS
from checkpoint.prims import text_arities
from tests.cli.support import checkpoint

ROOT = Path(__file__).resolve().parents[2]
READMES = ["README.md", "CONTRIBUTING.md", "tests/README.md", "experiments/README.md"]
DOCUMENTS = [*(ROOT / name for name in READMES), *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {str(path.relative_to(ROOT)): path.read_text() for path in DOCUMENTS}
NEEDS = {
    "docs/guide/tensors.md": ("torch",),
    "docs/guide/frameworks.md": ("torch", "jax"),
    "docs/guide/onnx.md": ("onnx",),
}  # without which the Python of a document is not run
MOST_LINES = 250  # of the front page
FILES = {"scheme": r"; (\S+\.vlad):", "python": r"# (\S+\.py):"}
SESSION = re.compile(r"^```python\n(.*?)^```\n(\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
NUMERAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def blocks(language: str) -> list[str]:
    """Return the contents of all fenced blocks of a language, of all documents."""
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [block for text in TEXTS.values() for block in pattern.findall(text)]


def transcripts() -> list[tuple[str, str]]:
    """Return each command with the output that is shown for it."""
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def assert_alike(text: str, shown: str) -> None:
    """Assert that two texts are equal except for the last digits of numbers."""
    assert NUMERAL.sub("#", text) == NUMERAL.sub("#", shown)
    for a, b in zip_longest(NUMERAL.findall(text), NUMERAL.findall(shown)):
        assert math.isclose(float(a), float(b), rel_tol=1e-9)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter the current directory of a reader who has saved all files."""
    for language, pattern in FILES.items():
        for block in blocks(language):
            name = re.match(pattern, block)
            assert name or language == "python", f"a block names no file:\n{block}"
            if name:
                (tmp_path / name[1]).write_text(block)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), transcripts())
def test_commands(folder: Path, command: str, shown: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "checkpoint"
    done = checkpoint(*arguments, cwd=folder)
    assert_alike(done.stdout + done.stderr, shown)


def run(block: str, name: str, session: dict[str, Any]) -> str:
    """Run a block, whose functions are found by their text; return what it prints and how it fails."""
    linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(block, name, "exec"), session)
        except Exception as error:
            print("".join(traceback.format_exception_only(error)), end="")
    return printed.getvalue()


@pytest.mark.parametrize("document", [name for name, text in TEXTS.items() if SESSION.search(text)])
def test_python(folder: Path, document: str) -> None:
    for needed in NEEDS.get(document, ()):
        pytest.importorskip(needed)
    session: dict[str, Any] = {}
    before = set(sys.modules)
    for number, (block, _, text) in enumerate(SESSION.findall(TEXTS[document])):
        named = re.match(FILES["python"], block)
        comments = re.findall(r"^ *print\(.*\)  # (.*)$", block, re.MULTILINE)
        shown = text or "".join(line + "\n" for line in comments)
        assert_alike(run(block, named[1] if named else f"block{number}.py", session), shown)
    close_packages(config.packages())  # which a document has opened
    for name in set(sys.modules) - before:
        if (folder / f"{name}.py").exists():
            del sys.modules[name]


def test_every_primitive_is_named() -> None:
    named = set(" ".join(re.findall(r"`([^`\n]+)`", TEXTS["docs/language.md"])).split())
    named |= {name.replace("R-T", kind) for name in named for kind in KINDS}
    assert {surface(name) for name in text_arities()} <= named


def test_the_front_page_is_short() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= MOST_LINES


def slug(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("document", TEXTS)
def test_links_lead_somewhere(document: str) -> None:
    """A page of the site may be made from a file outside of docs/."""
    made = {"docs/index.md": "README.md", "docs/array-functions.md": "tensorlib/README.md"}
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", TEXTS[document]):
        path, _, anchor = target.partition("#")
        found = (ROOT / document).parent / path if path else ROOT / document
        name = os.path.relpath(os.path.normpath(found), ROOT)
        file = ROOT / made.get(name, name)
        assert file.exists(), f"{document} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            assert anchor in map(slug, headings), f"{document} links to {target}"


def test_there_is_something_to_check() -> None:
    assert blocks("scheme")
    assert blocks("python")
    assert transcripts()
