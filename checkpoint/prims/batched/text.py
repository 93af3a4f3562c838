"""The facts of a text that a batched program asks for: which functions it needs, what only jumps."""

from __future__ import annotations

from checkpoint.lang.core import App, Expr, If, Lambda, Let, Letrec, Var
from checkpoint.lang.walk import binders, preorder

FORMS = ("batched", "batched exactly")  # the keys in Lambda.compiled; the second has each lane's own bits
IS_BATCHED = object()  # there: the lambda is a part of a batched program


def needed(lam: Lambda) -> dict[str, Lambda]:
    """Return the functions of its program that a lambda may call, itself left out, by their names."""
    found: dict[str, Lambda] = {}
    waiting = [lam]
    while waiting:
        each = waiting.pop()
        own = set(bound(each))
        for inner in preorder(each):
            if not isinstance(inner, Var) or inner.name in own or inner.name in found:
                continue
            other = lam.definitions.get(inner.name)
            if other is not None:
                found[inner.name] = other
                waiting.append(other)
    return found


def bound(lam: Lambda) -> list[str]:
    """Return the names that are bound in a lambda."""
    return [name for inner in preorder(lam) for name in binders(inner)]


def only_jumps(expr: Letrec) -> bool:
    """Return whether the procedures of a letrec are only called, and only as the last thing in it."""
    names = {name for name, _ in expr.bindings}
    jumps = sum(_jumps(part, names) for part in (expr.body, *[lam.body for _, lam in expr.bindings]))
    uses = sum(isinstance(inner, Var) and inner.name in names for inner in preorder(expr))
    return jumps == uses


def _jumps(expr: Expr, names: set[str]) -> int:
    """Return the number of calls of procedures in the tail positions of an expression."""
    count, waiting = 0, [expr]
    while waiting:
        each = waiting.pop()
        if isinstance(each, App):
            count += isinstance(each.fn, Var) and each.fn.name in names
        elif isinstance(each, If):
            waiting.extend((each.then, each.other))
        elif isinstance(each, Let):
            waiting.append(each.body)
        elif isinstance(each, Letrec):
            waiting.append(each.body)
            if only_jumps(each):
                waiting.extend([lam.body for _, lam in each.bindings])
    return count
