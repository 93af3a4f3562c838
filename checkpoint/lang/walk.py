"""Walks over core expressions, iterative, so that their depth is not limited."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from operator import attrgetter
from typing import Any

from checkpoint.errors import InternalError
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var

_CHILDREN: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Const: lambda expr: (),
    Var: lambda expr: (),
    Lambda: lambda expr: (expr.body,),
    App: lambda expr: (expr.fn, *expr.args),
    If: lambda expr: (expr.test, expr.then, expr.other),
    Let: lambda expr: (expr.value, expr.body),
    Letrec: lambda expr: (*[lam for _, lam in expr.bindings], expr.body),
    Prim: attrgetter("args"),
    Raise: lambda expr: (expr.value,),
    Handle: lambda expr: (expr.body, expr.handler),
}

_LEAVES = frozenset((Const, Var))


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the expressions directly inside an expression, in the order of the text."""
    inside = _CHILDREN.get(type(expr))
    if inside is None:
        raise InternalError(f"{type(expr).__name__} is not a core expression", getattr(expr, "span", None))
    return inside(expr)


def binders(expr: Expr) -> tuple[str, ...]:
    """Return the names that an expression itself binds, in the order of the text."""
    match expr:
        case Lambda():
            return expr.params
        case Let() | Handle():
            return (expr.name,)
        case Letrec():
            return tuple([name for name, _ in expr.bindings])
    return ()


def lambdas_in(expr: Expr) -> list[Lambda]:
    """Return the lambdas of an expression, each before those within it."""
    return [inner for inner in preorder(expr) if isinstance(inner, Lambda)]


def preorder(expr: Expr, apart: Collection[Expr] = ()) -> Iterator[Expr]:
    """Yield an expression and all inside it, each before its contents, in the order of the text.

    apart: expressions whose contents are left out.
    """
    stack = [expr]
    while stack:
        inner = stack.pop()
        yield inner
        if type(inner) not in _LEAVES and (not apart or inner not in apart):
            stack.extend(children(inner)[::-1])
