"""Complex numbers among the operands of functions of arrays, as arrays without dimensions.

In: operands of a program that may have complex numbers. Out: what functions of arrays take. Programs without
complex numbers have nothing of this.
"""

from __future__ import annotations

from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, If
from checkpoint.lang.python.context.builder import bind, both, const, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext
from checkpoint.lang.python.library.complex_numbers import as_operand
from checkpoint.lang.python.library.stand_ins import COMPLEX

# The primitives of which the first operand may be an array and the last a complex number, without a method
# of complex numbers that knows arrays.
BESIDE_ARRAYS = frozenset(("py.eq", "py.ne", "py.set", "py.set-slice", "py.fill"))


def are_met(t: CallContext) -> bool:
    """Return whether a program may have complex numbers."""
    return COMPLEX.cls in t.program.classes


def operand(t: CallContext, value: Expr, span: Span) -> Expr:
    """Return an argument of a function of arrays: a complex number, or a list of such, as arrays."""
    if isinstance(value, Const) or not are_met(t):
        return value
    callee = t.program.library_callee(as_operand)
    assert callee is not None
    return t.call(callee, [value], {}, span)


def beside_arrays(t: CallContext, op: str, args: list[Expr], span: Span) -> Expr:
    """Apply a primitive; a complex number as last operand is an array where the first one is an array."""

    def apply(v: list[Expr]) -> Expr:
        plain = prim(span, op, *map(copy_of, v))
        converted = prim(span, op, *map(copy_of, v[:-1]), _array(v[-1], v[0], span))
        return If(span, _meet(v[0], v[-1], span), converted, plain)

    return bind(t.program.names, args, apply)


def changed(t: CallContext, op: str, v: list[Expr], otherwise: Expr, span: Span) -> Expr:
    """Return the change of an array by an operator and a complex number; else the other expression."""
    if not are_met(t):
        return otherwise
    return If(
        span, _meet(v[0], v[1], span), prim(span, op, copy_of(v[0]), _array(v[1], v[0], span)), otherwise
    )


def _meet(array: Expr, number: Expr, span: Span) -> Expr:
    """Return whether the first of two values is an array and the second a complex number."""
    return both(span, prim(span, "py.is-array", copy_of(array)), instance(span, copy_of(number), COMPLEX.cls))


def _array(number: Expr, like: Expr, span: Span) -> Expr:
    parts = [prim(span, "py.attribute", copy_of(number), const(span, name)) for name in COMPLEX.names]
    return prim(span, "py.complex-array", *parts, copy_of(like))


def part(name: str, value: Expr, otherwise: Expr, span: Span) -> Expr:
    """Return a part of a complex number, a real; of other values the other expression. value: simple."""
    found = prim(span, "py.attribute", copy_of(value), const(span, name))
    return If(span, instance(span, copy_of(value), COMPLEX.cls), found, otherwise)
