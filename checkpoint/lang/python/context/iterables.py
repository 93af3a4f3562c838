"""Sets as values: records of one field, the dictionary of their elements by tokens (prims/python/sets.py).

Primitives that take the elements of a sequence do not take those of a set. So a program that has sets turns
one into the tuple of its elements before them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from checkpoint.ad.containers import Layout
from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, If
from checkpoint.lang.python.context.builder import bind, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext
from checkpoint.lang.python.library.stand_ins import COMPLEX

TABLE = "(table)"  # the field of a set; no name of Python's
LAYOUTS = {"set": Layout(set, (TABLE,)), "frozenset": Layout(frozenset, (TABLE,)), "complex": COMPLEX}

# The primitives that take the elements of an operand, with the position of the operand.
TAKE_ELEMENTS = {
    "py.sequence": 0,
    "py.list-of": 0,
    "py.tuple-of": 0,
    "py.list-of-star": 0,
    "py.tuple-of-star": 0,
    "py.unpack": 0,
    "py.unpack-star": 0,
    "py.unpack-rest": 0,
    "py.extend": 1,
    "py.set-slice": 4,
    "py.order": 0,
    "py.permuted": 0,
    "py.exact-sum": 0,
}


def table_of(x: Expr, span: Span) -> Expr:
    """Return the dictionary of a set's elements."""
    return prim(span, "py.attribute", x, Const(span, TABLE))


def complex_number(t: CallContext, value: complex, span: Span) -> Expr:
    """Return a complex constant, a record of two reals."""
    t.program.note_class(COMPLEX.cls)
    return prim(span, "py.record", Const(span, COMPLEX), Const(span, value.real), Const(span, value.imag))


def is_set(x: Expr, span: Span) -> Expr:
    return instance(span, x, set, frozenset)


def iterated(t: CallContext, value: Expr, span: Span) -> Expr:
    """Return a value, or the tuple of the elements if it is a set."""
    if not t.program.has_sets:
        return value

    def choose(v: list[Expr]) -> Expr:
        elements = prim(span, "py.values", table_of(copy_of(v[0]), span))
        return If(span, is_set(copy_of(v[0]), span), elements, copy_of(v[0]))

    return bind(t.program.names, [value], choose)


def truth(t: CallContext, value: Expr, node: ast.AST) -> Expr:
    """Return the truth of a value, which may be a set."""
    span = t.span(node)
    if not t.program.has_sets:
        return t.program.operation(t, "py.truth", [value], node)

    def choose(v: list[Expr]) -> Expr:
        of_set = prim(span, "py.truth", table_of(copy_of(v[0]), span))
        other = t.program.operation(t, "py.truth", [copy_of(v[0])], node)
        return If(span, is_set(copy_of(v[0]), span), of_set, other)

    return bind(t.program.names, [value], choose)


def on_elements(
    t: CallContext,
    span: Span,
    op: str,
    args: list[Expr],
    make: Callable[[list[Expr]], Expr] | None = None,
) -> Expr:
    """Return a primitive applied to operands of which one may be a set whose elements it takes.

    make: applies the primitive, where it is not applied as it is.
    """
    at, made = TAKE_ELEMENTS.get(op), make or (lambda v: prim(span, op, *v))
    if at is None or at >= len(args) or not t.program.has_sets:
        return made(args)

    def apply(v: list[Expr]) -> Expr:
        return made([iterated(t, each, span) if i == at else each for i, each in enumerate(v)])

    return bind(t.program.names, args, apply)
