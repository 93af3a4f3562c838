"""Look up a method before the arguments of its call are evaluated, as Python does.

In: the object, a name, the arguments, and the classes of the program that have the method. Out: the test of
the class around the arguments. Where that fails, an object without such an attribute raises AttributeError
before its arguments are evaluated. Arguments that can neither fail nor have an effect are evaluated where
they are, since nobody sees the difference.

An object that has the method takes the steps that it would take without the test, where one class has it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.python.context.builder import Names, bind, const, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.library.stand_ins import BY_STAND_IN, is_of_library
from checkpoint.lang.walk import preorder

MAX_COPIED = 80  # expressions of arguments that are written twice; of larger ones the test comes first
_QUIET = frozenset(("py.tuple", "py.list", "py.dict", "py.neg", "py.is", "py.instance"))
Use = Callable[[list[Expr]], Expr]  # makes an expression of the object and the arguments, all simple


def matter(values: Sequence[Expr], owners: Sequence[type]) -> bool:
    """Return whether one sees if the lookup comes before the arguments: they may fail, or have an effect.

    owners: the classes of the program with such a method.
    """
    if all(is_of_library(cls) or cls in BY_STAND_IN for cls in owners):
        return False
    return not all(_is_quiet(inner) for value in values for inner in _outside_lambdas(value))


def _is_quiet(expr: Expr) -> bool:
    if isinstance(expr, Prim):
        return expr.op in _QUIET or (expr.op in _OF_REALS and all(map(_is_quiet, expr.args)))
    return isinstance(expr, Var | Const | Lambda | Let | If)


# Operators of reals, which fail only where an operand is of a class that has no such operator.
_OF_REALS = frozenset(("py.add", "py.sub", "py.mul", "py.eq", "py.ne", "py.lt", "py.le", "py.gt", "py.ge"))


def _outside_lambdas(expr: Expr) -> list[Expr]:
    """Return the expressions that evaluating one evaluates."""
    if isinstance(expr, Lambda):
        return [expr]
    found = [expr]
    for inner in _parts(expr):
        found.extend(_outside_lambdas(inner))
    return found


def _parts(expr: Expr) -> Sequence[Expr]:
    match expr:
        case Prim():
            return expr.args
        case If():
            return (expr.test, expr.then, expr.other)
        case Let():
            return (expr.value, expr.body)
    return ()


def before_arguments(
    t: FunctionContext,
    name: str,
    values: list[Expr],
    owners: Sequence[type],
    of_owner: Use,
    otherwise: Use,
    node: ast.AST,
) -> Expr:
    """Return the call of a method whose lookup comes before its arguments.

    values: the object, then the arguments. owners: the classes that have the method or a field of that name.
    of_owner: makes the call for an object of one of these. otherwise: for any other.
    """
    names, span = t.program.names, t.span(node)
    copies = [copied(names, value) for value in values[1:]]

    def choose(v: list[Expr]) -> Expr:
        is_known = instance(span, copy_of(v[0]), *owners)
        unknown = prim(span, "py.check-method", copy_of(v[0]), const(span, name))
        if None in copies:
            checked = If(span, is_known, const(span, None), unknown)
            test = instance(span, copy_of(v[0]), *owners)

            def both(w: list[Expr]) -> Expr:
                return If(span, test, of_owner(w), otherwise(list(map(copy_of, w))))

            rest = bind(names, [v[0], *values[1:]], both, "argument")
            return Let(span, names.fresh("unused"), checked, rest)
        found = bind(names, [v[0], *values[1:]], of_owner, "argument")
        second = [each for each in copies if each is not None]
        missing = bind(names, [copy_of(v[0]), *second], otherwise, "argument")
        return If(span, is_known, found, Let(span, names.fresh("unused"), unknown, missing))

    return bind(names, values[:1], choose, "receiver")


def copied(names: Names, expr: Expr) -> Expr | None:
    """Return a second expression like one, with variables of its own; None if it is large or has lambdas."""
    parts = []
    for inner in preorder(expr):
        parts.append(inner)
        if isinstance(inner, Lambda | Letrec | Handle) or len(parts) > MAX_COPIED:
            return None
    return _copy(names, expr, {})


def _copy(names: Names, expr: Expr, renamed: dict[str, str]) -> Expr:
    span = expr.span

    def part(inner: Expr) -> Expr:
        return _copy(names, inner, renamed)

    match expr:
        case Const():
            return Const(span, expr.value)
        case Var():
            return Var(span, renamed.get(expr.name, expr.name))
        case Prim():
            return Prim(span, expr.op, tuple(map(part, expr.args)))
        case App():
            return App(span, part(expr.fn), tuple(map(part, expr.args)))
        case If():
            return If(span, part(expr.test), part(expr.then), part(expr.other))
        case Raise():
            return Raise(span, part(expr.value))
    assert isinstance(expr, Let)
    name = names.fresh(expr.name.partition(".")[0])
    value = part(expr.value)
    return Let(span, name, value, _copy(names, expr.body, {**renamed, expr.name: name}))
