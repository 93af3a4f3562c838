"""The programs under tests/programs, with the facts that their headers state.

A program is a function of nothing, unless its header gives it an argument. The header is the comment at
the start of the file; the lines that begin with one of these words are read, the rest is prose:

    ; x: TEXT       the program's value is a procedure; this is its argument
    ; ybar: TEXT    it is differentiable at x; a cotangent of its value
    ; value: TEXT   the value, exactly          ; xbar: TEXT   the cotangent of x, exactly
    ; error: MESSAGE             the run fails so
    ; singular: WHY              x is a point where differences say nothing of derivatives

TEXT is of the language. NAME.in, where there is one, is what the program finds on standard input.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.driver.engine import Engine
from checkpoint.errors import Source
from checkpoint.functions import runs
from checkpoint.functions.program import Program, load, load_file
from tests.support.world import World

FOLDER = Path(__file__).resolve().parent.parent / "programs"
_HEADER = re.compile(r"^; (x|ybar|value|xbar|error|singular): (.*)$")


@dataclass(frozen=True)
class Case:
    """A procedure and its argument, ready to run, as all laws take it. ybar: a cotangent of the value."""

    f: Any
    x: Any
    ybar: Any


@dataclass(frozen=True)
class Entry:
    """One program of the corpus."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @cached_property
    def header(self) -> dict[str, str]:
        found = {}
        for line in self.path.read_text().splitlines():
            if not line.startswith(";"):
                break
            match = _HEADER.match(line)
            if match:
                found[match[1]] = match[2]
        return found

    @cached_property
    def input(self) -> str:
        path = self.path.with_suffix(".in")
        return path.read_text() if path.exists() else ""

    @cached_property
    def program(self) -> Program:
        return load_file(self.path)

    @property
    def fails(self) -> bool:
        return "error" in self.header

    @property
    def is_differentiable(self) -> bool:
        return "ybar" in self.header

    @property
    def nests_reverse_mode(self) -> bool:
        """Return whether runs take gradients; under a derivative those may differ in their last bits."""
        return re.search(r"\*j|-R\b|gradient-(de|a)scent", self.path.read_text()) is not None

    def case(self, engine: Engine) -> Case:
        """Return the case to run: the program's value at x, or the program itself."""
        if "x" not in self.header:
            return Case(runs.prepared(self.program, engine), None, None)
        with World(self.input):
            f = runs.run_program(self.program, engine)
        return Case(f, self.stated("x", engine), self.stated("ybar", engine))

    def stated(self, word: str, engine: Engine) -> Any:
        """Return the value of a text of the header; None without it."""
        text = self.header.get(word)
        return None if text is None else value_of(text, engine)


def value_of(text: str, engine: Engine) -> Any:
    """Return the value of a text of the language."""
    return runs.run_program(load(Source("<test>", text)), engine)


ENTRIES = [Entry(path) for path in sorted(FOLDER.glob("*.vlad"))]
SUCCEEDING = [entry for entry in ENTRIES if not entry.fails]
FAILING = [entry for entry in ENTRIES if entry.fails]
DIFFERENTIABLE = [entry for entry in ENTRIES if entry.is_differentiable]


def usable_engines() -> list[Engine]:
    """Return every engine that is available here, or those that CHECKPOINT_TEST_ENGINES names."""
    return [
        engines.get(name)
        for name in os.environ.get("CHECKPOINT_TEST_ENGINES", "").split() or engines.usable()
    ]


def engine_name(engine: Engine) -> str:
    """Return the name of an engine in parametrised tests."""
    return engine.name
