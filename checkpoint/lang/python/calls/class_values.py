"""Translate attributes, methods and comparisons of classes that are only known when the program runs.

In: a value that may be a class (a constant, linking/class_values.py), and the name of an attribute. Out: a
choice by the class that it is, among those that may be values of the program and have the attribute. For
`type(x) is C`: a test of x, without a value for its class.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from enum import EnumType
from functools import partial

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Types
from checkpoint.errors import SourceError
from checkpoint.lang.core import Const, Expr, If, Var
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, copy_of, instance, negated, prim
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext, ProgramContext
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.scopes.syntax import is_class_of_name
from checkpoint.lang.python.source.members import is_slot

_MISSING = object()


def with_attribute(program: ProgramContext, name: str) -> list[type]:
    """Return the classes that may be values of the program and have an attribute."""
    classes = program.class_values()
    key = name, len(classes)  # none is ever removed
    if key not in program.classes_having:
        program.classes_having[key] = [cls for cls in classes if _has(cls, name)]
    return program.classes_having[key]


def _has(cls: type, name: str) -> bool:
    found = inspect.getattr_static(cls, name, _MISSING)
    if isinstance(cls, EnumType) and not isinstance(found, types.FunctionType | classmethod | staticmethod):
        return False  # a member, or what members have, which is constant
    is_own = isinstance(found, types.FunctionType) or not name.startswith("__")
    return found is not _MISSING and not is_slot(found) and is_own


def read(program: ProgramContext, t: CallContext, x: Expr, name: str, node: ast.AST, otherwise: Expr) -> Expr:
    """Return the attribute of a class; the other expression where x, a simple one, is none of these."""

    def member(cls: type) -> Expr:
        assigned = program.read_attribute(cls, name, t.span(node))
        if assigned is not None:
            return assigned
        known = program.class_attribute(cls, name)
        if isinstance(known, str):
            return Var(t.span(node), known)
        if known is None:
            raise _refused(t, cls, name, node)
        return program.value_of(t, known, node)

    return _by_class(program, t, x, name, member, otherwise, node)


def assign(
    program: ProgramContext, t: CallContext, x: Expr, name: str, value: Expr, otherwise: Expr, node: ast.AST
) -> Expr:
    """Assign to an attribute of a class; the other expression where x is none. x and value are simple."""

    def changed(cls: type) -> Expr:
        made = program.assign_attribute(cls, name, copy_of(value))
        if made is None:
            what = f"assigning to {name} of {cls.__name__}, which is no value there,"
            raise t.refuse(node, what, "keep what changes in an object that the function makes")
        return made

    return _by_class(program, t, x, name, changed, otherwise, node)


def assign_to_any(
    t: CallContext, x: Expr, name: str, value: Expr, otherwise: Callable[[Expr, Expr], Expr], node: ast.AST
) -> Expr:
    """Return the assignment to an attribute of what may be a class; otherwise: assigns to an object's."""

    def choose(v: list[Expr]) -> Expr:
        return assign(t.program, t, v[0], name, v[1], otherwise(copy_of(v[0]), copy_of(v[1])), node)

    return bind(t.program.names, [x, value], choose)


def is_named_as_class(node: ast.expr) -> bool:
    """Return whether an expression says that it is a class: `type(x)`, `x.__class__`, `cls`."""
    return is_class_of_name(node) or (isinstance(node, ast.Name) and node.id == "cls")


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
    """Return what is made for the class that a value is, among those with an attribute."""
    span, classes = t.span(node), with_attribute(program, name)
    if not classes:
        return otherwise
    result: Expr = prim(span, "py.attribute", copy_of(x), Const(span, name))
    for cls in classes:
        test = prim(span, "py.is", copy_of(x), Const(span, Native(cls)))
        result = If(span, test, t.attempt(node, partial(make, cls)), result)
    return If(span, instance(span, copy_of(x), type), result, otherwise)


def type_of(t: FunctionContext, node: ast.expr, env: Env) -> Expr | None:
    """Return x for `type(x)` and `x.__class__`; None for all other expressions."""
    match node:
        case ast.Call(func=ast.Name(), args=[value], keywords=[]) if not isinstance(value, ast.Starred):
            known = t.program.reference(t, node.func, env)
            if isinstance(known, Reference) and known.value is type:
                return t.expr(value, env)
        case ast.Attribute(value=value, attr="__class__") if t.program.reference(t, value, env) is None:
            return t.expr(value, env)
    return None


_TESTS = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def compared_types(t: FunctionContext, node: ast.Compare, env: Env) -> Expr | None:
    """Return a test such as `type(x) is C`; None for all other comparisons."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], _TESTS):
        return None
    left, right = node.left, node.comparators[0]
    x = type_of(t, left, env)
    if x is None:
        if isinstance(node.ops[0], ast.In | ast.NotIn) or (x := type_of(t, right, env)) is None:
            return None
        left, right = right, left
    span, other = t.span(node), type_of(t, right, env)
    if other is None:
        classes = t.program.known_classes(t, right, env)
        if classes is None:
            return None
        found = prim(span, "py.is-class", x, Const(span, Types(classes)))
    else:
        t.program.note_compared_types()
        found = prim(span, "py.same-class", x, other)
    return negated(span, found) if isinstance(node.ops[0], ast.IsNot | ast.NotEq | ast.NotIn) else found
