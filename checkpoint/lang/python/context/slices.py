"""Translate slices that are values: `slice(i, j)`, and what a class's own `__getitem__` receives for x[i:j].

In: the bounds; or a sequence and an index that may be such a slice. Out: the slice; or the item or part.
"""

from __future__ import annotations

import ast

from checkpoint.ad.containers import Layout
from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, If
from checkpoint.lang.python.context.builder import bind, both, const, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext

SLICE = Layout(slice, ("start", "stop", "step"))
_SLICED = (list, tuple, str, bytes, range)


def slice_of(span: Span, bounds: list[Expr]) -> Expr:
    """Return a slice as a value, for the indices of an array."""
    return prim(span, "py.record", Const(span, SLICE), *bounds)


def made(t: CallContext, bounds: list[Expr], span: Span) -> Expr:
    """Return what slice(...) makes of one to three arguments."""
    t.program.note_slices()
    whole = [const(span, None), *bounds] if len(bounds) == 1 else bounds
    return slice_of(span, [*whole, const(span, None)][:3])


def item(t: CallContext, args: list[Expr], node: ast.AST) -> Expr:
    """Return the item of a value at an index; of a sequence the part, if the index is a slice."""
    if not t.program.has_slices() or isinstance(args[1], Const):
        return t.program.operation(t, "py.item", args, node)
    span = t.span(node)

    def choose(v: list[Expr]) -> Expr:
        bounds = [prim(span, "py.attribute", copy_of(v[1]), const(span, name)) for name in SLICE.names]
        part = prim(span, "py.slice", copy_of(v[0]), *bounds)
        by_slice = both(span, instance(span, copy_of(v[1]), slice), instance(span, copy_of(v[0]), *_SLICED))
        return If(span, by_slice, part, t.program.operation(t, "py.item", list(map(copy_of, v)), node))

    return bind(t.program.names, args, choose)
