"""Translate attributes and methods of classes that are only known when the program runs.

In: a value that may be a class (a constant, linking/class_values.py), and the name of an attribute. Out: a
choice by the class that it is, among those that may be values of the program and have the attribute.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import partial

from checkpoint.ad.arrays import Native
from checkpoint.errors import SourceError
from checkpoint.lang.core import Const, Expr, If, Var
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.meanings import Reference
from checkpoint.lang.python.source.members import is_slot

_MISSING = object()


def with_attribute(program: ProgramContext, name: str) -> list[type]:
    """Return the classes that may be values of the program and have an attribute."""
    return [cls for cls in program.class_values() if _has(cls, name)]


def _has(cls: type, name: str) -> bool:
    found = inspect.getattr_static(cls, name, _MISSING)
    return found is not _MISSING and not is_slot(found) and not name.startswith("__")


def read(program: ProgramContext, t: CallContext, x: Expr, name: str, node: ast.AST, otherwise: Expr) -> Expr:
    """Return the attribute of a class; the other expression where x, a simple one, is none of these."""

    def member(cls: type) -> Expr:
        known = program.class_attribute(cls, name)
        if isinstance(known, str):
            return Var(t.span(node), known)
        if known is None:
            raise _refused(t, cls, name, node)
        return program.value_of(t, known, node)

    return _by_class(program, t, x, name, member, otherwise, node)


def call(
    program: ProgramContext,
    t: CallContext,
    x: Expr,
    name: str,
    passed: Arguments,
    otherwise: Expr,
    node: ast.AST,
) -> Expr:
    """Return the call of what a class has under a name; the other expression where x is no class.

    x and the arguments are simple.
    """

    def made(cls: type) -> Expr:
        own = passed.like([copy_of(value) for value in passed.values])
        known = program.class_attribute(cls, name)
        callee = program.callee(known) if isinstance(known, Reference) else None
        if callee is not None:
            return arrange.apply(t, callee, own, node, arrange.caller(t, callee, t.span(node)))
        if known is None:
            raise _refused(t, cls, name, node)
        value = Var(t.span(node), known) if isinstance(known, str) else program.value_of(t, known, node)
        return arrange.to_value(t, value, own, node)

    return _by_class(program, t, x, name, made, otherwise, node)


def _refused(t: CallContext, cls: type, name: str, node: ast.AST) -> SourceError:
    return t.refuse(node, f"the attribute {name} of the class {cls.__name__}", "read it of an object")


def _by_class(
    program: ProgramContext,
    t: CallContext,
    x: Expr,
    name: str,
    make: Callable[[type], Expr],
    otherwise: Expr,
    node: ast.AST,
) -> Expr:
    span, classes = t.span(node), with_attribute(program, name)
    if not classes:
        return otherwise
    result: Expr = prim(span, "py.attribute", copy_of(x), Const(span, name))
    for cls in classes:
        test = prim(span, "py.is", copy_of(x), Const(span, Native(cls)))
        result = If(span, test, t.attempt(node, partial(make, cls)), result)
    return If(span, instance(span, copy_of(x), type), result, otherwise)
