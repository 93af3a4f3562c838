"""Programs: a text, read and checked, as a function of nothing.

In: a text or a file. Out: a Program, whose `thunk` is a lambda that ignores its one argument and whose
body is the whole text; running the thunk runs exactly the text's own steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from checkpoint.dataclass import dataclass
from checkpoint.driver.engine import Engine
from checkpoint.errors import Source, SourceError, Span
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes, analyse
from checkpoint.lang.walk import lambdas_in
from checkpoint.prims import text_arities

if TYPE_CHECKING:
    from pathlib import Path

UNIT = "%unit"


@dataclass(frozen=True, eq=False)
class Program:
    """A checked program: its text, its core as a thunk, and its scopes.

    include_path: see lang/desugar.py. is_open: whether it knows that procedures of others may shift.
    """

    source: Source
    thunk: core.Lambda
    scopes: Scopes
    include_path: Path | None = None
    is_open: bool = False

    @property
    def may_shift(self) -> bool:
        """Return whether its procedures may shift."""
        return any(lam.may_shift for lam in lambdas_in(self.thunk))

    def opened_on(self, engine: Engine, value: Any) -> Any:
        """Return a value of the program as one of its open variant, prepared for an engine."""
        program, opened = self.opened
        engine.prepare(program.thunk, program.scopes)
        return opened(value)

    @cached_property
    def opened(self) -> tuple[Program, Callable[[Any], Any]]:
        """The open variant, and what makes its values of this program's (lang/control/opened.py)."""
        if self.is_open:
            return self, lambda value: value
        from checkpoint.lang.control.opened import Opened  # noqa: PLC0415  (few programs need it)

        found = Opened(self.source, text_arities(), self.include_path, self.thunk.body)
        return replace(_program(self.source, found.body), is_open=True), found.value


def load(source: Source, include_path: Path | None = None) -> Program:
    """Read and check a text; raise SourceError where it cannot be taken."""
    # Loaded where it is needed: who differentiates Python functions alone never reads a text.
    from checkpoint.lang.desugar import read_program  # noqa: PLC0415
    from checkpoint.lang.grammar import check  # noqa: PLC0415

    known = text_arities()
    body = read_program(source, known, include_path=include_path)
    check(body, known)
    return replace(_program(source, body), include_path=include_path)


def _program(source: Source, body: core.Expr) -> Program:
    thunk = core.Lambda(body.span, (UNIT,), body, name="program")
    return Program(source, thunk, analyse(thunk))


def load_file(path: Path) -> Program:
    """Read and check a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not a text in UTF-8 ({error.reason} at byte {error.start})") from None
    return load(Source(str(path), text), path.parent)


def place(program: Program) -> Span:
    """Return the place of the program's last expression."""
    expression = program.thunk.body
    while isinstance(expression, core.Let | core.Letrec):
        # A definition ends before what follows it; the body of a let stands inside the let.
        here, body = expression.span, expression.body.span
        if here.source is body.source and body.start < here.end:
            break
        expression = expression.body
    return expression.span
