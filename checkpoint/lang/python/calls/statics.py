"""Translate calls of Python objects that are known at translation.

In: a Reference to a function, class, method, partial object or builtin, and a call of it. Out: a call of the
translated function, a primitive (the records say which functions they implement), a library function, or a
record; or a SourceError that says what to write instead. RULES has the order in which these are tried.
"""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import itertools
import math
import operator
import types
import typing
from collections.abc import Callable
from typing import Any

from checkpoint.ad.library import refusal
from checkpoint.ad.record import VARIADIC, Primitive, records_at_once
from checkpoint.ad.values import Foreign
from checkpoint.lang.core import Const, Expr, Var
from checkpoint.lang.python.calls import (
    arrange,
    array_calls,
    arrays,
    classes,
    creation,
    getters,
    outside,
    partials,
    reflection,
    supers,
)
from checkpoint.lang.python.context import slices
from checkpoint.lang.python.context.builder import const, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.iterables import LAYOUTS, truth
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.control import comprehensions, endless, views
from checkpoint.lang.python.library.intrinsics import prim as intrinsic
from checkpoint.lang.python.library.stand_ins import COMPLEX
from checkpoint.lang.python.scopes.syntax import has_star
from checkpoint.lang.python.source import mismatch
from checkpoint.lang.python.source.advice import is_random, of_object
from checkpoint.lang.python.source.members import is_generated


def call(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr:
    """Translate a call of a known object by the first rule that knows it."""
    if refusal(known.value) is not None:
        raise t.refuse(node, *of_object(known.value))
    for rule in RULES:
        found = rule(t, known, node, env)
        if found is not None:
            return found
    return _function(t, known, node, env)


# The rules: each translates a call of some known objects, and returns None for all others


def _record_of_arrays(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    record = arrays.record_of(known.value)
    return None if record is None else array_calls.call(t, record, node, env)


def _operator_of_arrays(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    return array_calls.call_operator(t, known.value, node, env)


def _special(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    is_hashable = isinstance(known.value, types.FunctionType | types.BuiltinFunctionType | type)
    special = SPECIAL.get(known.value) if is_hashable else None
    return None if special is None else special(t, node, env)


def _new(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    return creation.by_name(t, known.value, node, env)


def _outside(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    return outside.call(t, known.value, node, env)


def _primitive(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    op = None if node.keywords or has_star(node) else primitive(known.value, len(node.args))
    if op is None:
        return None
    is_text = op in ("py.str", "py.repr")
    args = [t.expr(views.shown(t, part, env) if is_text else part, env) for part in node.args]
    return truth(t, args[0], node) if op == "py.truth" else t.program.operation(t, op, args, node)


def _method_of_base(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    return supers.of_base(t, known.value, node, env)


def _library(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    callee = t.program.library_callee(known.value)
    if callee is None:
        return None
    if arrays.translation_of(known.value) is not None:
        return array_calls.call_written(t, callee, node, env)
    problem = None if has_star(node) else mismatch.of_builtin(known.value, node)
    if problem is not None:
        return arrange.fails(t, t.span(node), arrange.arguments(t, node, env), problem)
    return arrange.to_callee(t, callee, node, env)


def _method_of_python(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    if not supers.is_of_python(known.value) or node.keywords or has_star(node):
        return None
    return supers.of_python(t, known.value, [t.expr(part, env) for part in node.args], node)


def _generated_init(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    return classes.initialise_by_name(t, known, node, env) if is_generated(known.value) else None


def _class(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    return creation.construct(t, known, node, env) if isinstance(known.value, type) else None


def _foreign(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    return outside.foreign(t, known.value, node, env) if isinstance(known.value, Foreign) else None


def _getter(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    getter = getters.of_object(known.value, node) if isinstance(known.value, getters.GETTERS) else None
    if getter is None:
        return None
    return t.expr(ast.copy_location(ast.Call(getter, node.args, node.keywords), node), env)


def _member(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    """Call a member of an enumeration whose class has a method for it."""
    is_member = isinstance(known.value, enum.Enum)
    callee = t.program.callee_in_class(type(known.value), "__call__") if is_member else None
    if callee is None:
        return None
    itself = t.program.value_of(t, known, node)
    passed = arrange.arguments(t, node, env).after([itself], {})
    return arrange.apply(t, callee, passed, node, arrange.caller(t, callee, t.span(node)))


def _numba_range(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    is_prange = getattr(known.value, "__name__", "") == "prange"
    return _range(t, node, env) if is_prange and known.value.__module__.startswith("numba.") else None


RULES: tuple[Callable[[FunctionContext, Reference, ast.Call, Env], Expr | None], ...] = (
    _record_of_arrays,
    _operator_of_arrays,
    _special,
    _new,
    _outside,
    _primitive,
    _method_of_base,
    _library,
    _method_of_python,
    _generated_init,
    _class,
    _foreign,
    _getter,
    _member,
    _numba_range,
    array_calls.of_instance,
)


# What records implement


@functools.cache
def _implementations() -> dict[Any, list[Primitive]]:
    found: dict[Any, list[Primitive]] = {}
    for record in records_at_once():
        for function in record.implements:
            found.setdefault(function, []).append(record)
    return found


def primitive(value: Any, count: int) -> str | None:
    """Return the primitive that implements a Python function with `count` operands, or None."""
    for record in primitive_records(value):
        if record.arity in (count, VARIADIC):
            return record.name
    return None


def primitive_records(value: Any) -> list[Primitive]:
    """Return the records of the primitives that implement a Python function."""
    try:
        return _implementations().get(value, [])
    except TypeError:
        return []


def arities(value: Any) -> tuple[int, ...]:
    """Return the numbers of operands with which a Python function is a primitive."""
    return tuple(sorted({r.arity for r in primitive_records(value) if r.arity != VARIADIC}))


# All other functions


def _function(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr:
    """Call a function of the program, a bound method or a partial object; refuse all others."""
    value = known.value
    callee = t.program.callee(known)
    if callee is not None:
        return arrange.to_callee(t, callee, node, env)
    if is_random(value):
        raise t.refuse(node, *of_object(value))
    if isinstance(value, types.MethodType | functools.partial):
        return _bound(t, known, node, env)
    if arities(value) or value is builtins.isinstance:
        return _mismatch(t, value, node, env)
    refusal = t.refuse(node, *of_object(value))
    computed = outside.fixed(t, value, refusal, node, env)
    if computed is None:
        raise refusal
    return computed


def _mismatch(t: FunctionContext, value: Any, node: ast.Call, env: Env) -> Expr:
    """Raise Python's own error for a call of a builtin with arguments that it does not take."""
    if has_star(node) or any(keyword.arg is None for keyword in node.keywords):
        refusal = t.refuse(node, f"a star in a call of {value.__name__}", "pass its arguments one by one")
        ops = {count: str(primitive(value, count)) for count in arities(value)}
        return arrange.by_count(t, ops, arrange.arguments(t, node, env), node, refusal)
    keywords = {str(keyword.arg): 1 for keyword in node.keywords}
    try:
        value(*[1] * len(node.args), **keywords)
    except TypeError as error:
        return arrange.fails(t, t.span(node), arrange.arguments(t, node, env), str(error))
    instead = "pass the argument by position"
    if value is math.nextafter:  # steps has a position in no version
        instead = "leave `steps` out, and call it once for each step"
    raise t.refuse(node, f"a keyword in a call of {value.__name__}", instead)


def _bound(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr:
    """Call the function of a bound method or partial object, with the arguments that it holds first."""
    function, positional, keywords = t.program.bound_parts(t, known, node)
    callee = t.program.callee(function)
    passed = arrange.arguments(t, node, env).after(positional, keywords)
    if callee is not None:
        return arrange.apply(t, callee, passed, node, lambda args: t.call(callee, args, env, t.span(node)))
    op = primitive(function.value, len(passed.positional))
    if op is None or passed.keywords or passed.star is not None:
        refused = known.value if isinstance(known.value, types.MethodType) else function.value
        raise t.refuse(node, *of_object(refused))
    return t.program.operation(t, op, passed.positional, node)


# Functions with a translation of their own


def _intrinsic(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    name = node.args[0]
    assert isinstance(name, ast.Constant)
    if name.value == "identities":
        return Var(t.span(node), t.program.identities())
    if name.value == "functions":
        return Var(t.span(node), t.program.functions_input())
    args = [t.expr(part, env) for part in node.args[1:]]
    if name.value == "py.conjugated" and COMPLEX.cls not in t.program.classes:
        return args[0]
    if name.value == "py.set-attribute" and not isinstance(args[1], Const):
        t.program.note_any_stored()
    if name.value == "py.wrapping":
        t.program.note_varying()  # its result is a record of procedures
    if name.value in LAYOUTS:
        t.program.note_class(LAYOUTS[name.value].cls)
        return prim(t.span(node), "py.record", Const(t.span(node), LAYOUTS[name.value]), *args)
    return t.program.operation(t, str(name.value), args, node)


def _print(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    found = outside.printed(t, node, env)
    return _mismatch(t, builtins.print, node, env) if found is None else found


def _generator(by: str) -> Callable[[FunctionContext, ast.Call, Env], Expr | None]:
    def consume(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
        if node.args and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
            return comprehensions.consumed(t, by, node.args[0], node.args[1:], env)
        return None

    return consume


def _range(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    span = t.span(node)
    if not 1 <= len(node.args) <= 3 or node.keywords or has_star(node):
        return _mismatch(t, builtins.range, node, env)
    bounds = [t.expr(part, env) for part in node.args]
    if len(bounds) == 1:
        bounds.insert(0, const(span, 0))
    if len(bounds) == 2:
        bounds.append(const(span, 1))
    return prim(span, "py.range", *bounds)


def _slice(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    span = t.span(node)
    if not 1 <= len(node.args) <= 3 or node.keywords or has_star(node):
        return _mismatch(t, builtins.slice, node, env)
    bounds = [t.expr(part, env) for part in node.args]
    return slices.made(t, bounds, span)


def _partial_value(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    return partials.value(t, node, env) if node.args else None


def _repeat(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Note that `repeat(x)` has no end."""
    if len(node.args) == 1 and not node.keywords:
        t.program.note_generators()
    return None


def _cast(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return the value of `typing.cast(type, value)`; the type says nothing to a run."""
    named = node.keywords or has_star(node)
    return None if len(node.args) != 2 or named else t.expr(node.args[1], env)


def _operator_call(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    if not node.args or isinstance(node.args[0], ast.Starred):
        return None
    return t.expr(ast.copy_location(ast.Call(node.args[0], node.args[1:], node.keywords), node), env)


def _collected_tuple(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    found = _collected(t, node, env)
    return None if found is None else prim(t.span(node), "py.tuple-of", found)


def _collected(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Collect iterators without an end, as a comprehension does; refuse groups, which are empty by then."""
    inner = node.args[0] if len(node.args) == 1 else None
    if isinstance(inner, ast.Call) and endless.is_within(t, inner, env):
        return comprehensions.collected(t, inner, env)
    known = t.program.reference(t, inner.func, env) if isinstance(inner, ast.Call) else None
    if isinstance(known, Reference) and known.value is itertools.groupby:
        advised = "take each group while it is the current one, [(k, list(g)) for k, g in groupby(...)]"
        raise t.refuse(node, "collecting the groups of `groupby`, which are empty by then,", advised)
    return None


SPECIAL: dict[Any, Callable[[FunctionContext, ast.Call, Env], Expr | None]] = {
    intrinsic: _intrinsic,
    builtins.print: _print,
    functools.partial: _partial_value,
    builtins.next: _generator("next"),
    builtins.sum: _generator("sum"),
    builtins.any: _generator("any"),
    builtins.all: _generator("all"),
    **reflection.SPECIAL,
    **creation.SPECIAL,
    **getters.SPECIAL,
    builtins.range: _range,
    builtins.slice: _slice,
    itertools.repeat: _repeat,
    builtins.list: _collected,
    builtins.tuple: _collected_tuple,
    typing.cast: _cast,
    operator.call: _operator_call,
}
