"""Helpers of the tests of checkpoint.lang."""

from __future__ import annotations

from pathlib import Path

from checkpoint.errors import Source
from checkpoint.lang.core import Expr
from checkpoint.lang.desugar import read_program
from checkpoint.lang.grammar import check
from checkpoint.lang.printer import show
from checkpoint.prims import text_arities

ARITIES = text_arities()


def core(text: str, name: str = "test.vlad", include_path: Path | None = None) -> Expr:
    """Return the checked core of a text."""
    expr = read_program(Source(name, text), ARITIES, include_path=include_path)
    check(expr, ARITIES)
    return expr


def one_line(text: str) -> str:
    """Return a printed program without its layout; no string in the tests contains two spaces."""
    return " ".join(text.split())


def shown(text: str) -> str:
    return one_line(show(core(text)))
