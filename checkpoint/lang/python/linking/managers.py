"""Functions that `contextlib.contextmanager` has made of generator functions."""

from __future__ import annotations

from dataclasses import replace

from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr
from checkpoint.lang.python.context.builder import prim
from checkpoint.lang.python.context.meanings import Callee, Reference
from checkpoint.lang.python.library.standard.managers import GeneratorContextManager
from checkpoint.lang.python.linking.objects import Objects


def made_by(program: Objects, known: Reference) -> Callee | None:
    """Return such a function; None if the generator function inside is not translated."""
    inner = program.attribute_of(known, "__wrapped__")
    function = program.callee(inner) if isinstance(inner, Reference) else None
    if function is None:
        return None
    program.note_class(GeneratorContextManager)
    layout = program.layout(GeneratorContextManager, ("gen",))
    made = function

    def builds(args: list[Expr], span: Span) -> Expr:
        return prim(span, "py.new", Const(span, layout), made.applied(args, span))

    return replace(function, builds=builds)
