"""Walks over core expressions, iterative, so that their depth is not limited."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from checkpoint.errors import InternalError
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the expressions directly inside an expression, in the order of the text."""
    match expr:
        case Const() | Var():
            return ()
        case Lambda():
            return (expr.body,)
        case App():
            return (expr.fn, *expr.args)
        case If():
            return (expr.test, expr.then, expr.other)
        case Let():
            return (expr.value, expr.body)
        case Letrec():
            return (*[lam for _, lam in expr.bindings], expr.body)
        case Prim():
            return expr.args
        case Raise():
            return (expr.value,)
        case Handle():
            return (expr.body, expr.handler)
    raise InternalError(f"{type(expr).__name__} is not a core expression", getattr(expr, "span", None))


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


def preorder(expr: Expr, apart: Collection[Expr] = ()) -> Iterator[Expr]:
    """Yield an expression and all inside it, each before its contents, in the order of the text.

    apart: expressions whose contents are left out.
    """
    stack = [expr]
    while stack:
        inner = stack.pop()
        yield inner
        if inner not in apart:
            stack.extend(reversed(children(inner)))
