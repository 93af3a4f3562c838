"""Desugar a program's text to its core expression, in a fixed way (docs/design/language.md).

In: a Source, and the number of operands of every primitive by its core name. Out: a core expression that
fulfils grammar.py, the same for the same text. The steps of a run are counted over it, so no later pass may
add or remove expressions. In order:

    reader         text -> data
    definitions    includes, definitions, the one expression
    forms          each form, with patterns and operators; every binder gets an internal name
    prelude        the definitions that are reachable, as one letrec around the program
    control        shift and reset, in programs that have them
    rename         readable names, each bound once
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from checkpoint.errors import Source, Span
from checkpoint.lang import prelude
from checkpoint.lang.control import SHIFT, note_shifts
from checkpoint.lang.control.convert import direct, uses_control
from checkpoint.lang.core import Expr, Prim
from checkpoint.lang.deep import run
from checkpoint.lang.definitions import program, top_level
from checkpoint.lang.expander import PRELUDE, Expander
from checkpoint.lang.forms import FORMS
from checkpoint.lang.names import internal
from checkpoint.lang.rename import rename
from checkpoint.lang.walk import lambdas_in, preorder


def read_program(source: Source, arities: Mapping[str, int], *, include_path: Path | None = None) -> Expr:
    """Return the core expression of a text.

    include_path: the directory of the text's own includes. By default this is the directory of the file after
    which the source is named or, if there is no such file, the current directory.
    """
    return renamed(*expanded(source, arities, include_path))[0]


def renamed(x: Expander, program: Expr, is_open: bool = False) -> tuple[Expr, Mapping[str, str]]:
    """Return the core of an expanded text without its shifts and resets, and its names by internal ones.

    is_open: whether procedures of other programs that it calls may shift.
    """
    result = _without_control(x, program, is_open)
    return result, rename(result, x.arities)


def expanded(source: Source, arities: Mapping[str, int], include_path: Path | None) -> tuple[Expander, Expr]:
    """Return the core of a text with its shifts and resets, before it is renamed, and its expander."""
    x = Expander(arities, FORMS, prelude.definitions().keys())
    data = top_level(source, include_path)
    result = run(program(x, data, _end(source)))
    return x, prelude.with_prelude(result, x.used, arities)


def _without_control(x: Expander, program: Expr, is_open: bool) -> Expr:
    """Return a program whose shifts and resets are calls of procedures around it."""
    if not (is_open or uses_control(program)):
        return program
    used: dict[str, None] = {}

    def library(name: str) -> str:
        used[name] = None
        return internal(name, PRELUDE)

    shifts = is_open or any(isinstance(expr, Prim) and expr.op == SHIFT for expr in preorder(program))
    converted = prelude.with_prelude(
        direct(program, x.fresh, library, is_open), used, x.arities, prelude.CONTROL
    )
    if shifts:
        note_shifts(lambdas_in(converted))
    return converted


def _end(source: Source) -> Span:
    """Return the span of the last character of a text that is not white space."""
    end = len(source.text.rstrip())
    return Span(source, max(0, end - 1), end)
