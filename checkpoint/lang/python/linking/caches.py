"""Functions decorated by `functools.cache` or `lru_cache`: a dictionary of each run holds what they returned.

In: the procedure of the decorated function. Out: a procedure of the same parameters, which calls it unless
the dictionary has the result. The dictionary is made where a run enters the program; each lane or derivative
within the run continues with a copy of its own. Arguments that hold reals, arrays or objects are no keys:
these calls are not kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Letrec, Prim, Var
from checkpoint.lang.python.context.builder import NOWHERE, Names, own_cell, prim, read_own_cell
from checkpoint.lang.python.context.meanings import Callee, variable
from checkpoint.lang.python.source.texts import text_of


class Caches:
    """The decorated functions of a program.

    variables: the core variables of the cells that hold their dictionaries.
    """

    def __init__(self) -> None:
        self.variables: list[str] = []
        self._known: dict[Any, Callee] = {}
        self._identities = ""

    def identities(self, names: Names) -> str:
        """Return the variable of the cell that holds the number of identities."""
        if not self._identities:
            self._identities = names.fresh("identities")
        return self._identities

    def made(self) -> list[tuple[str, Expr]]:
        """Return the variables of the cells with what makes these."""
        made = [(name, own_cell(NOWHERE, prim(NOWHERE, "py.dict"))) for name in self.variables]
        if self._identities:
            made.append((self._identities, own_cell(NOWHERE, Const(NOWHERE, 0))))
        return made

    def callee(
        self, value: Any, function: Callee | None, names: Names, bindings: dict[str, Lambda]
    ) -> Callee | None:
        """Return a decorated function; function: the one inside, None if that is not translated."""
        if function is None or value in self._known:
            return self._known.get(value)
        text = text_of(value.__wrapped__)
        self._known[value], core, cache, lam = cached(names, function, text.span(text.tree))
        self.variables.append(cache)
        bindings[core] = lam
        return self._known[value]


def cached(names: Names, function: Callee, span: Span) -> tuple[Callee, str, str, Lambda]:
    """Return the function that keeps its results, its variable, that of its cell, and its procedure."""
    core, cell, cache = names.fresh(function.name), names.fresh("cell"), names.fresh("cache")
    params = {name: names.fresh(name) for name in function.signature.names}
    key, value, kept = names.fresh("key"), names.fresh("value"), names.fresh("kept")

    def args() -> tuple[Expr, ...]:
        return tuple([Var(span, param) for param in params.values()])

    called = App(span, function.make(span), args())
    keep = prim(span, "py.set", Var(span, cache), Var(span, key), Var(span, value))
    compute = Let(span, value, called, Let(span, kept, keep, Var(span, value)))
    there = prim(span, "py.contains", Var(span, cache), Var(span, key))
    found = If(span, there, prim(span, "py.item", Var(span, cache), Var(span, key)), compute)
    plain = App(span, function.make(span), args())
    no_key = prim(span, "py.is", Var(span, key), Const(span, None))
    body = Let(
        span, key, Prim(span, "py.cache-key", (Var(span, cache), *args())), If(span, no_key, plain, found)
    )
    body = Let(span, cache, read_own_cell(span, cell), body)
    lam = Lambda(span, tuple(params.values()), body, name=function.name)
    return replace(function, make=variable(core)), core, cell, lam


def within(lets: list[tuple[str, Expr]], entry: Lambda, bindings: tuple[tuple[str, Lambda], ...]) -> Lambda:
    """Return the entry of a program inside of which some values are made, then its functions."""
    body: Expr = Letrec(NOWHERE, bindings, entry.body) if bindings else entry.body
    for name, value in reversed(lets):
        body = Let(NOWHERE, name, value, body)
    return Lambda(entry.span, entry.params, body, name=entry.name)
