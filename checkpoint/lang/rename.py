"""Rename binders from internal to readable unique names, the last pass of the desugaring.

In: a core expression whose binders have internal names ("x 17"), each bound once. Out: the same expression,
changed in place. In the order of the text the first binder of a name keeps it, unless it is reserved; later
ones get a suffix: x, x.2, x.3 (and +, +_2, because +.2 is a numeral). So the names of a printed program,
which are all different, stay the same when it is read back. The parameters of an eta-expansion are not
printed, so they come last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from checkpoint.lang.core import Expr, Handle, Lambda, Let, Letrec, Prim, Var
from checkpoint.lang.names import base, is_reserved
from checkpoint.lang.reader import is_name
from checkpoint.lang.walk import binders, preorder


class _Names:
    """The names assigned so far."""

    def __init__(self, arities: Mapping[str, int], used: Collection[str]) -> None:
        self._arities = arities
        self._used = used
        self._assigned: set[str] = set()
        self._next_suffix: dict[str, int] = {}
        self.final: dict[str, str] = {}

    def assign(self, name: str) -> None:
        wanted = base(name)
        separator = "." if is_name(f"{wanted}.2") else "_"
        candidate, suffix = wanted, self._next_suffix.get(wanted, 2)
        while candidate in self._assigned or is_reserved(candidate, self._arities, self._used):
            candidate = f"{wanted}{separator}{suffix}"
            suffix += 1
        self._next_suffix[wanted] = suffix
        self._assigned.add(candidate)
        self.final[name] = candidate


def rename(expr: Expr, arities: Mapping[str, int]) -> Mapping[str, str]:
    """Assign every binder of a program its final name; return these by the internal ones."""
    inside = list(preorder(expr))
    names = _Names(arities, {inner.op for inner in inside if isinstance(inner, Prim)})
    unprinted: list[str] = []
    for inner in inside:
        if isinstance(inner, Lambda) and inner.primitive is not None:
            unprinted.extend(inner.params)
        else:
            for name in binders(inner):
                names.assign(name)
    for name in unprinted:
        names.assign(name)
    for inner in inside:
        _apply(inner, names.final)
    return names.final


def rename_by(expr: Expr, final: Mapping[str, str]) -> None:
    """Give every binder inside of an expression the name that it is to have."""
    for inner in list(preorder(expr)):
        _apply(inner, final)


def _apply(expr: Expr, final: Mapping[str, str]) -> None:
    match expr:
        case Var() | Let() | Handle():
            expr.name = final[expr.name]
        case Lambda():
            expr.params = tuple([final[name] for name in expr.params])
        case Letrec():
            expr.bindings = tuple([(final[name], lam) for name, lam in expr.bindings])
