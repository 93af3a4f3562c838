"""Desugar a program's text to its core expression, in a fixed way (docs/design/language.md).

In: a Source, and the number of operands of every primitive by its core name. Out: a core expression that
fulfils grammar.py, the same for the same text. The steps of a run are counted over it, so no later pass may
add or remove expressions. In order:

    reader         text -> data
    definitions    includes, definitions, the one expression
    forms          each form, with patterns and operators; every binder gets an internal name
    prelude        the definitions that are reachable, as one letrec around the program
    rename         readable names, each bound once
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from checkpoint.errors import Source, Span
from checkpoint.lang import prelude
from checkpoint.lang.core import Expr
from checkpoint.lang.deep import run
from checkpoint.lang.definitions import program, top_level
from checkpoint.lang.expander import Expander
from checkpoint.lang.forms import FORMS
from checkpoint.lang.rename import rename


def read_program(source: Source, arities: Mapping[str, int], *, include_path: Path | None = None) -> Expr:
    """Return the core expression of a text.

    include_path: the directory of the text's own includes. By default this is the directory of the file after
    which the source is named or, if there is no such file, the current directory.
    """
    x = Expander(arities, FORMS, prelude.definitions().keys())
    data = top_level(source, include_path)
    result = run(program(x, data, _end(source)))
    result = prelude.with_prelude(result, x.used, arities)
    rename(result, arities)
    return result


def _end(source: Source) -> Span:
    """Return the span of the last character of a text that is not white space."""
    end = len(source.text.rstrip())
    return Span(source, max(0, end - 1), end)
