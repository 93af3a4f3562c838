"""Internal names to readable unique ones, the last pass of the desugaring.

In: a core expression whose binders have internal names ("x 17"), each once. Out: the same expression,
changed in place. In the order of the text the first binder of a name keeps it, unless it is reserved;
later ones get a suffix: x, x.2, x.3 (and +, +_2, because +.2 is a numeral). So the names of a printed
program, which all differ, stay as they are when it is read back. The parameters of an eta-expansion are
not printed, so they come last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from checkpoint.lang.core import Expr, Handle, Lambda, Let, Letrec, Prim, Var
from checkpoint.lang.names import base, is_reserved
from checkpoint.lang.reader import is_name
from checkpoint.lang.walk import binders, preorder


class _Names:
    """The names given so far."""

    def __init__(self, arities: Mapping[str, int], used: Collection[str]) -> None:
        self._arities = arities
        self._used = used
        self._given: set[str] = set()
        self._next_suffix: dict[str, int] = {}
        self.final: dict[str, str] = {}

    def give(self, name: str) -> None:
        wanted = base(name)
        separator = "." if is_name(f"{wanted}.2") else "_"
        candidate, suffix = wanted, self._next_suffix.get(wanted, 2)
        while candidate in self._given or is_reserved(candidate, self._arities, self._used):
            candidate = f"{wanted}{separator}{suffix}"
            suffix += 1
        self._next_suffix[wanted] = suffix
        self._given.add(candidate)
        self.final[name] = candidate


def rename(expr: Expr, arities: Mapping[str, int]) -> None:
    """Give every binder of a program its final name."""
    inside = list(preorder(expr))
    names = _Names(arities, {inner.op for inner in inside if isinstance(inner, Prim)})
    unprinted: list[str] = []
    for inner in inside:
        if isinstance(inner, Lambda) and inner.primitive is not None:
            unprinted.extend(inner.params)
        else:
            for name in binders(inner):
                names.give(name)
    for name in unprinted:
        names.give(name)
    for inner in inside:
        _apply(inner, names.final)


def _apply(expr: Expr, final: Mapping[str, str]) -> None:
    match expr:
        case Var() | Let() | Handle():
            expr.name = final[expr.name]
        case Lambda():
            expr.params = tuple([final[name] for name in expr.params])
        case Letrec():
            expr.bindings = tuple([(final[name], lam) for name, lam in expr.bindings])
