"""Procedures of texts as those of the same text that knows of functions of other programs, which may shift.

A text is converted for its own shifts alone (checkpoint.lang.control), so that it keeps its steps. Where its
procedures meet functions of other programs that may shift, they are replaced by those of an *open* variant,
in which a call of an unknown procedure may capture.

In: a program and the closures of a run of it. Out: its open variant, and the closures that this would have
made. What always holds: both variants are made of the same expansion, so that each lambda and each variable
of one has its counterpart in the other, whatever conversion and renaming have made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checkpoint.ad.graph import ATOMS, transform
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.values import EMPTY, Capsule, Closure, Environment
from checkpoint.ad.walk import DESCEND
from checkpoint.errors import RunError, Source
from checkpoint.lang.closures import ENVIRONMENT, Names, captured, captures_of_group
from checkpoint.lang.core import Expr, Lambda
from checkpoint.lang.desugar import expanded, renamed
from checkpoint.lang.walk import lambdas_in


class Opened:
    """The open variant of a text.

    body: its expression. source: of the text. known, include_path: see lang/desugar.py.
    loaded: the expression of the program.
    """

    def __init__(
        self, source: Source, known: Mapping[str, int], include_path: Path | None, loaded: Expr
    ) -> None:
        first, closed = expanded(source, known, include_path)
        second, self.body = expanded(source, known, include_path)
        pairs = dict(zip(lambdas_in(closed), lambdas_in(self.body), strict=True))
        closed, before = renamed(first, closed)
        self.body, after = renamed(second, self.body, is_open=True)
        self.source = source
        self._names = {name: after[internal] for internal, name in before.items() if internal in after}
        made = [(lam.name, lam.params) for lam in lambdas_in(closed)]
        if made != [(lam.name, lam.params) for lam in lambdas_in(loaded)]:
            raise RunError(f"a file that {source.name} includes has changed since it was read")
        again = zip(lambdas_in(loaded), lambdas_in(closed), strict=True)
        self._lambdas = {lam: pairs[same] for lam, same in again if same in pairs}

    def value(self, value: Any) -> Any:
        """Return a value with the open variants of the procedures that it holds."""
        return transform(value, {}, self._opened)

    def _opened(self, part: Any) -> Any:
        if type(part) is Closure:
            return self._closure(part)
        return part if type(part) in NUMBERS or type(part) in ATOMS or type(part) is Capsule else DESCEND

    def _closure(self, closure: Closure) -> Closure:
        lam = self._lambdas.get(closure.lam)
        if lam is None:
            raise RunError(
                f"{closure.lam.name or 'a procedure'} is a continuation, or of another text, and cannot meet "
                "functions of other programs that shift: write what shifts in the same text, with "
                '(include "file")',
                closure.lam.span,
            )
        held = {self._names[name]: self.value(value) for name, value in captured(closure)}
        return Closure(lam, _environment(lam, lam.captures, held))


def _environment(lam: Lambda, names: Names, held: dict[str, Any]) -> Environment:
    """Return an environment of a closure of a lambda, which captures some variables."""
    slots = [
        _environment(lam, captures_of_group(lam, name), held) if name.startswith(ENVIRONMENT) else held[name]
        for name in names
    ]
    return Environment(tuple(slots)) if slots else EMPTY
