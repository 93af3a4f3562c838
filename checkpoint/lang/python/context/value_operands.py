"""Objects that are numbers or texts, of classes that derive from float, int or str, as operands.

In: an operand of a function that takes numbers alone. Out: the number that the object is, from its field; so
derivatives pass through it.
"""

from __future__ import annotations

from checkpoint.ad.containers import ITEMS
from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, If
from checkpoint.lang.python.context.builder import bind, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext
from checkpoint.lang.python.library.standard.values import value_base_of


def operand(t: CallContext, value: Expr, span: Span) -> Expr:
    """Return an operand, or the number or text that it is as an object of the program's classes."""
    classes = [cls for cls in t.program.classes if value_base_of(cls) is not None]
    if not classes:
        return value

    def choose(v: list[Expr]) -> Expr:
        plain = prim(span, "py.attribute", copy_of(v[0]), Const(span, ITEMS))
        return If(span, instance(span, copy_of(v[0]), *classes), plain, copy_of(v[0]))

    return bind(t.program.names, [value], choose)
