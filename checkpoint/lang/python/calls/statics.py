"""Translate calls of Python objects that are known at translation.

In: a Reference to a function, class, method, partial object or builtin, and a call of it. Out: a call of the
translated function, a primitive (the records say which functions they implement), a library function, or a
record; or a SourceError that says what to write instead.
"""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import functools
import inspect
import itertools
import operator
import types
import typing
from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.library import refusal
from checkpoint.ad.record import VARIADIC, Primitive, records_at_once
from checkpoint.ad.values import Foreign
from checkpoint.lang.core import Const, Expr, If, Var
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
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.iterables import LAYOUTS, truth
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.control import comprehensions, endless, views
from checkpoint.lang.python.library.intrinsics import prim as intrinsic
from checkpoint.lang.python.library.stand_ins import COMPLEX
from checkpoint.lang.python.scopes.syntax import has_star
from checkpoint.lang.python.source import mismatch
from checkpoint.lang.python.source.advice import is_random, of_object
from checkpoint.lang.python.source.members import is_derived_tuple, is_generated, own_new


def call(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr:
    """Translate a call of a known object."""
    value = known.value
    if refusal(value) is not None:
        raise t.refuse(node, *of_object(value))
    if (record := arrays.record_of(value)) is not None:
        return array_calls.call(t, record, node, env)
    applied = array_calls.call_operator(t, value, node, env)
    if applied is not None:
        return applied
    special = SPECIAL.get(value) if _is_hashable(value) else None
    if special is not None:
        found = special(t, node, env)
        if found is not None:
            return found
    new = creation.by_name(t, value, node, env)
    if new is not None:
        return new
    acting = outside.call(t, value, node, env)
    if acting is not None:
        return acting
    op = None if node.keywords or has_star(node) else primitive(value, len(node.args))
    if op is not None:
        is_text = op in ("py.str", "py.repr")
        args = [t.expr(views.shown(t, part, env) if is_text else part, env) for part in node.args]
        if op == "py.truth":
            return truth(t, args[0], node)
        return t.program.operation(t, op, args, node)
    of_base = supers.of_base(t, value, node, env)
    if of_base is not None:
        return of_base
    library = t.program.library_callee(value)
    if library is not None:
        if arrays.translation_of(value) is not None:
            return array_calls.call_written(t, library, node, env)
        problem = None if has_star(node) else mismatch.of_builtin(value, node)
        if problem is not None:
            return arrange.fails(t, t.span(node), arrange.arguments(t, node, env), problem)
        return arrange.to_callee(t, library, node, env)
    if supers.is_of_python(value) and not node.keywords and not has_star(node):
        done = supers.of_python(t, value, [t.expr(part, env) for part in node.args], node)
        if done is not None:
            return done
    if is_generated(value):
        done = classes.initialise_by_name(t, known, node, env)
        if done is not None:
            return done
    if isinstance(value, type):
        made = creation.construct(t, known, node, env)
        if made is not None:
            return made
    if isinstance(value, Foreign):
        return outside.foreign(t, value, node, env)
    if isinstance(value, getters.GETTERS):
        getter = getters.of_object(value, node)
        if getter is not None:
            return t.expr(ast.copy_location(ast.Call(getter, node.args, node.keywords), node), env)
    if getattr(value, "__name__", "") == "prange" and value.__module__.startswith("numba."):
        return _range(t, node, env)
    found = array_calls.of_instance(t, known, node, env)
    return _function(t, known, node, env) if found is None else found


def _is_hashable(value: Any) -> bool:
    return isinstance(value, types.FunctionType | types.BuiltinFunctionType | type)


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


def _function(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr:
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
    raise t.refuse(node, f"a keyword in a call of {value.__name__}", "pass the argument by position")


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


def _attrgetter(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    return t.expr(getters.of_call(t, node), env)


def _methodcaller(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    return t.expr(getters.of_method_call(t, node), env)


def _repeat(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Note that `repeat(x)` has no end."""
    if len(node.args) == 1 and not node.keywords:
        t.program.note_generators()
    return None


def _cast(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return the value of `typing.cast(type, value)`; the type says nothing to a run."""
    named = node.keywords or has_star(node)
    return None if len(node.args) != 2 or named else t.expr(node.args[1], env)


def _fields(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return the fields of a dataclass that is named."""
    cls = _named_class(t, node, env)
    if cls is None or not dataclasses.is_dataclass(cls):
        return None
    span = t.span(node)
    return prim(span, "py.tuple", *[Const(span, Native(field)) for field in dataclasses.fields(cls)])


def _is_dataclass(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return whether a class that is named is a dataclass."""
    cls = _named_class(t, node, env)
    return None if cls is None else const(t.span(node), dataclasses.is_dataclass(cls))


def _named_class(t: FunctionContext, node: ast.Call, env: Env) -> type | None:
    known = t.program.reference(t, node.args[0], env) if len(node.args) == 1 and not node.keywords else None
    return known.value if isinstance(known, Reference) and isinstance(known.value, type) else None


def _deepcopy(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Refuse a deep copy where classes of the program say how they are copied."""
    if t.program.has_method("__deepcopy__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"):
        raise t.refuse(node, "`deepcopy` beside a class with a __deepcopy__ of its own", "call its method")
    _check_slots(t, node, "`deepcopy`")
    return None


def _copy(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Call `__copy__` of an object; refuse a copy where classes say otherwise how they are copied."""
    if t.program.has_method("__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"):
        raise t.refuse(
            node, "`copy` beside a class with a __getstate__ or __reduce__", "make the copy yourself"
        )
    _check_slots(t, node, "`copy`")
    groups, library = t.program.groups("__copy__"), t.program.library_callee(copy.copy)
    if not groups or library is None or node.keywords or len(node.args) != 1 or has_star(node):
        return None
    plain, span = library, t.span(node)

    def choose(v: list[Expr]) -> Expr:
        result = t.call(plain, [copy_of(v[0])], env, span)
        for group in reversed(groups):
            made = group.methods["__copy__"].applied([copy_of(v[0])], span)
            result = If(span, instance(span, copy_of(v[0]), group.cls), made, result)
        return result

    return bind(t.program.names, [t.expr(node.args[0], env)], choose)


def _check_slots(t: FunctionContext, node: ast.Call, what: str) -> None:
    """Refuse copies where a class of the program would be asked for its slots, or its `__new__` called."""
    if t.program.has_method("__setattr__") and any(vars(cls).get("__slots__") for cls in t.program.classes):
        raise t.refuse(
            node, f"{what} beside a class with __slots__ and a __setattr__", "make the copy yourself"
        )
    if any(is_derived_tuple(cls) and own_new(cls) is not None for cls in t.program.classes):
        raise t.refuse(node, f"{what} beside a tuple's class with a __new__", "make the copy yourself")


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


def _described(kind: str, t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return what `inspect` says of a known function, which is read where the program begins."""
    known = t.program.reference(t, node.args[0], env) if len(node.args) == 1 and not node.keywords else None
    if not isinstance(known, Reference) or not isinstance(known.value, types.FunctionType):
        return None
    return None if known.input is None else t.program.maker_of(known, kind, None)(t.span(node))


SPECIAL: dict[Any, Callable[[FunctionContext, ast.Call, Env], Expr | None]] = {
    intrinsic: _intrinsic,
    builtins.print: _print,
    functools.partial: _partial_value,
    builtins.next: _generator("next"),
    builtins.sum: _generator("sum"),
    builtins.any: _generator("any"),
    builtins.all: _generator("all"),
    **reflection.SPECIAL,
    builtins.range: _range,
    builtins.slice: _slice,
    itertools.repeat: _repeat,
    builtins.list: _collected,
    builtins.tuple: _collected_tuple,
    typing.cast: _cast,
    inspect.getfullargspec: functools.partial(_described, "parameters"),
    inspect.signature: functools.partial(_described, "signature"),
    dataclasses.fields: _fields,
    dataclasses.is_dataclass: _is_dataclass,
    copy.copy: _copy,
    copy.deepcopy: _deepcopy,
    operator.call: _operator_call,
    operator.attrgetter: _attrgetter,
    operator.methodcaller: _methodcaller,
}
