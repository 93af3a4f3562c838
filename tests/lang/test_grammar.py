"""The executable grammar refuses every violation of what core.py says always holds."""

from __future__ import annotations

import pytest

from checkpoint.ad.values import Pair
from checkpoint.errors import InternalError, Source, Span
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Var
from checkpoint.lang.grammar import check
from tests.lang.support import ARITIES

SPAN = Span(Source("t", "some text"), 5, 9)


def const(value: object = 1.0) -> Const:
    return Const(SPAN, value)


def var(name: str) -> Var:
    return Var(SPAN, name)


def lam(*params: str, body: Expr | None = None) -> Lambda:
    return Lambda(SPAN, params, body or const())


SHARED = const()
UNTYPED: list[tuple[object, str]] = [
    ("x", "str is not a core expression"),
    (App(SPAN, var("f"), ()), "f is free"),
    (Let(SPAN, "x", var("x"), const()), "x is free"),
    (Handle(SPAN, var("e"), "e", const()), "e is free"),
    (App(SPAN, lam("x"), (var("x"),)), "x is free"),
    (App(SPAN, lam("x"), (lam("x"),)), "x is bound twice"),
    (lam("x", "x"), "x is bound twice"),
    (Let(SPAN, "x", const(), Let(SPAN, "x", const(), const())), "x is bound twice"),
    (lam("car"), "car is bound, but it is a primitive or a keyword"),
    (lam("neg"), "neg is bound, but it is a primitive or a keyword"),
    (lam("let"), "let is bound, but it is a primitive or a keyword"),
    (lam("%x"), "'%x' cannot be a name"),
    (lam("a b"), "'a b' cannot be a name"),
    (lam("1"), "'1' cannot be a name"),
    (lam(""), "'' cannot be a name"),
    (Prim(SPAN, "frob", ()), "frob is not a primitive"),
    (Prim(SPAN, "cons", (const(),)), "cons takes 2 operands, not 1"),
    (Letrec(SPAN, (), const()), "this letrec binds nothing"),
    (Letrec(SPAN, (("f", const()),), const()), "the letrec binds f to something other than a lambda"),  # type: ignore[arg-type]
    (If(SPAN, SHARED, SHARED, const()), "this Const occurs in two places"),
    (const([1.0]), "a list is not a constant"),
    (const(Pair(1.0, Pair(1j, None))), "a complex is not a constant"),
    (Lambda(SPAN, ("x",), const(), primitive="sqrt"), "this lambda is not an eta-expansion of sqrt"),
    (
        Lambda(SPAN, ("x", "y"), Prim(SPAN, "cons", (var("y"), var("x"))), primitive="cons"),
        "this lambda is not an eta-expansion of cons",
    ),
]


@pytest.mark.parametrize(("expr", "message"), UNTYPED, ids=range(len(UNTYPED)))
def test_refused(expr: Expr, message: str) -> None:
    with pytest.raises(InternalError) as caught:
        check(expr, ARITIES)
    assert caught.value.message == f"internal error, please report it: {message}"
    assert caught.value.span is (None if isinstance(expr, str) else SPAN)


def test_a_span_is_needed() -> None:
    with pytest.raises(InternalError, match="this Const has no span"):
        check(Const(None, 1.0), ARITIES)  # type: ignore[arg-type]


def test_the_scope_of_each_binder() -> None:
    used = Lambda(SPAN, ("x",), Prim(SPAN, "sqrt", (var("x"),)), primitive="sqrt")
    loop = Lambda(SPAN, ("i",), App(SPAN, var("loop"), (var("i"), var("y"))))
    handled = Handle(SPAN, var("y"), "e", Prim(SPAN, "cons", (var("e"), var("y"))))
    check(Let(SPAN, "y", used, Letrec(SPAN, (("loop", loop),), App(SPAN, var("loop"), (handled,)))), ARITIES)
