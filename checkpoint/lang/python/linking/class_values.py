"""Classes as values: constants, which a program compares, asks for attributes, and calls.

In: a known class, or an expression whose value is called. Out: the constant; the procedure that makes objects
of a class which is only known when the program runs, chosen by one procedure of the program. In a program
without such classes a class that is passed on is a procedure (values.py).
"""

from __future__ import annotations

from enum import EnumType

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Types
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Var
from checkpoint.lang.python.context.builder import NOWHERE, bind, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import ProgramContext
from checkpoint.lang.python.context.entry import NO_NODE, Entry
from checkpoint.lang.python.context.meanings import Callee, Reference
from checkpoint.lang.python.linking import values


def called(program: ProgramContext, function: Expr, maker: str, span: Span) -> Expr:
    """Return what is called, where a class may be: its constructor."""

    def choose(v: list[Expr]) -> Expr:
        made = App(span, Var(span, maker), (copy_of(v[0]),))
        return If(span, instance(span, copy_of(v[0]), type), made, copy_of(v[0]))

    return bind(program.names, [function], choose)


def dtype_called(program: ProgramContext, function: Expr, maker: Callee, span: Span) -> Expr:
    """Return what is called, where a type of elements may be: the function that converts to it."""

    def choose(v: list[Expr]) -> Expr:
        made = maker.applied([copy_of(v[0])], span)
        return If(span, prim(span, "py.is-dtype", copy_of(v[0])), made, copy_of(v[0]))

    return bind(program.names, [function], choose)


def maker_of(program: ProgramContext) -> Lambda:
    """Return the procedure from a class to the procedure that makes its objects."""
    cls = program.names.fresh("cls")
    result: Expr = prim(NOWHERE, "py.no-constructor", Var(NOWHERE, cls))
    for each in reversed(program.class_values()):
        test = prim(NOWHERE, "py.is", Var(NOWHERE, cls), Const(NOWHERE, Native(each)))
        result = If(NOWHERE, test, _constructor(program, each), result)
    return Lambda(NOWHERE, (cls,), result, name="class")


def _constructor(program: ProgramContext, cls: type) -> Expr:
    t = Entry(program)
    if isinstance(cls, EnumType):
        value = program.names.fresh("value")
        made = prim(NOWHERE, "py.enum-member", Const(NOWHERE, Types((cls,))), Var(NOWHERE, value))
        return Lambda(NOWHERE, (value,), made, name=cls.__name__)
    try:
        known = program.reference_of(cls)
        return values.procedure_of(program, t, Reference(cls, known.input), NOWHERE, NO_NODE)
    except SourceError as error:
        return t.refused(error, NO_NODE)
