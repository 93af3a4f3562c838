"""The rooms of the front end for Python: each imports only those below it."""

from __future__ import annotations

import ast
from pathlib import Path

import checkpoint

FRONT_END = Path(checkpoint.__file__).parent / "lang" / "python"
PACKAGE = "checkpoint.lang.python"
ORDER = (
    "library", "scopes", "source", "normal", "context", "control", "calls", "translation", "linking",
)  # fmt: skip


def test_no_import_goes_up() -> None:
    assert {path.name for path in FRONT_END.iterdir() if (path / "__init__.py").exists()} == set(ORDER)
    upward = []
    for path in FRONT_END.glob("*/*.py"):
        here = ORDER.index(path.parent.name)
        for node in ast.walk(ast.parse(path.read_text())):  # also imports for types, and local ones
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{PACKAGE}."):
                room = str(node.module).removeprefix(f"{PACKAGE}.").partition(".")[0]
                if ORDER.index(room) > here:
                    upward.append(f"{path.relative_to(FRONT_END)} imports {node.module}")
    assert not upward


def test_the_interfaces_know_no_implementation() -> None:
    for room in ("context", "control", "calls"):
        for path in (FRONT_END / room).glob("*.py"):
            assert not {"Linker", "Translator"} & set(path.read_text().replace(".", " ").split()), path.name
