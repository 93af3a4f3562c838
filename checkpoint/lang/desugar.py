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
from checkpoint.lang.control.convert import direct, uses_control
from checkpoint.lang.core import Expr
from checkpoint.lang.deep import run
from checkpoint.lang.definitions import program, top_level
from checkpoint.lang.expander import PRELUDE, Expander
from checkpoint.lang.forms import FORMS
from checkpoint.lang.names import internal
from checkpoint.lang.rename import rename


def read_program(source: Source, arities: Mapping[str, int], *, include_path: Path | None = None) -> Expr:
    """Return the core expression of a text.

    include_path: the directory of the text's own includes. By default this is the directory of the file after
    which the source is named or, if there is no such file, the current directory.
    """
    x, result = expanded(source, arities, include_path)
    result = _without_control(x, result)
    rename(result, arities)
    return result


def expanded(source: Source, arities: Mapping[str, int], include_path: Path | None) -> tuple[Expander, Expr]:
    """Return the core of a text with its shifts and resets, before it is renamed, and its expander."""
    x = Expander(arities, FORMS, prelude.definitions().keys())
    data = top_level(source, include_path)
    result = run(program(x, data, _end(source)))
    return x, prelude.with_prelude(result, x.used, arities)


def _without_control(x: Expander, program: Expr) -> Expr:
    """Return a program whose shifts and resets are calls of procedures around it."""
    if not uses_control(program):
        return program
    used: dict[str, None] = {}

    def library(name: str) -> str:
        used[name] = None
        return internal(name, PRELUDE)

    converted = direct(program, x.fresh, library)
    return prelude.with_prelude(converted, used, x.arities, prelude.CONTROL)


def _end(source: Source) -> Span:
    """Return the span of the last character of a text that is not white space."""
    end = len(source.text.rstrip())
    return Span(source, max(0, end - 1), end)
