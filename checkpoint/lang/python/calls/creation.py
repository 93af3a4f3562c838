"""Translate calls of classes, of `__new__`, own or that of `object`, and of the module `copy`.

In: a call of a class, `super().__new__(cls, ...)`, `object.__new__(cls)`, `cls.__new__(cls)`. Out: the
object; for a class that is known, its constructor as a callee (classes.py makes these). The class that a
`__new__` receives is known where it is called, as that of a class method; where it is only known when the
program runs, a choice among the classes that may be values.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import sys
import types
from collections.abc import Callable
from enum import EnumType
from functools import partial
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Types
from checkpoint.lang.core import Const, Expr, If, Let, Var
from checkpoint.lang.python.calls import arrange, classes
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim, raise_error
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext, ProgramContext
from checkpoint.lang.python.context.entry import NO_NODE, Entry
from checkpoint.lang.python.context.meanings import Callee, Env, Reference, Signature
from checkpoint.lang.python.library.standard.bases import BASES
from checkpoint.lang.python.library.standard.values import VALUES, value_base_of
from checkpoint.lang.python.scopes.syntax import has_star
from checkpoint.lang.python.source.members import (
    abstract_error,
    base_of,
    found,
    is_derived_tuple,
    is_generated,
    is_made_by_namedtuple,
    is_made_by_new,
    is_named_tuple,
    next_member,
    own_init,
    own_new,
    stored_in,
    why_not_made,
)

_EXCESS = "object.__new__() takes exactly one argument (the type to instantiate)"


def construct(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    """Translate a call of a class; return None if a primitive makes the object (float, int, ...)."""
    cls = known.value
    if (
        not issubclass(cls, BaseException)
        and not isinstance(cls, EnumType)
        and constructor(t.program, known) is None
    ):
        return None
    return made(t, known, arrange.arguments(t, node, env), node)


def made(t: CallContext, known: Reference, passed: Arguments, node: ast.AST) -> Expr | None:
    """Return an object of a class, made with some arguments; None if the program cannot make one."""
    cls, span = known.value, t.span(node)
    if issubclass(cls, BaseException):
        if own_new(cls) is not None:
            what = f"the exception {cls.__name__}, which has a __new__ of its own,"
            raise t.refuse(node, what, "write an __init__")
        return classes.exception(t, known, passed, node)
    if isinstance(cls, EnumType) and len(passed.positional) == len(passed.values) == 1:
        return prim(span, "py.enum-member", const(span, Types((cls,))), passed.positional[0])
    if is_made_by_new(cls):
        return made_by_new(t, known, passed, node)
    callee = constructor(t.program, known)
    if callee is None:
        return None
    abstract = abstract_error(cls)
    if abstract is not None:
        return arrange.fails(t, span, passed, abstract)
    if own_init(cls) is None and not is_named_tuple(cls) and passed.values:
        return arrange.fails(t, span, passed, f"{cls.__name__}() takes no arguments")
    return arrange.apply(t, callee, passed, node, arrange.caller(t, callee, span))


def constructor(program: ProgramContext, known: Reference) -> Callee | None:
    """Return the constructor of a class; None if a program cannot make its objects."""
    cls: type = known.value
    if issubclass(cls, BaseException):
        return _constructor_of_exception(program, known)
    if is_made_by_new(cls):
        return constructor_by_new(program, known)
    if is_named_tuple(cls):
        return classes.of_named_tuple(program, known) if is_made_by_namedtuple(cls) else None
    if why_not_made(cls) is not None:
        return None
    init = own_init(cls)
    if init is None:
        make = partial(classes.empty, program, cls)
        return Callee(cls.__qualname__, classes.never, Signature(()), builds=lambda _, span: make(span))
    return classes.of_dataclass(program, known) if is_generated(init) else classes.by_init(program, cls)


def constructor_by_new(program: ProgramContext, known: Reference) -> Callee:
    """Return the constructor of a class with a `__new__` of its own, of any arguments."""

    def builds(args: list[Expr], _: Any) -> Expr:
        return made_by_new(Entry(program), known, Arguments([], args[0], {}, args[1]), NO_NODE)

    signature = Signature((), (), "args", "kwargs")
    return Callee(known.value.__qualname__, classes.never, signature, builds=builds)


def _constructor_of_exception(program: ProgramContext, known: Reference) -> Callee | None:
    """Return the constructor of a class of exceptions, of any arguments."""
    cls = known.value
    if own_new(cls) is not None or issubclass(cls, StopIteration | BaseExceptionGroup):
        return None
    has_init = program.callee_in_class(cls, "__init__") is not None

    def builds(args: list[Expr], _: Any) -> Expr:
        passed = Arguments([], args[0], {}, args[1] if has_init else None)
        return classes.exception(Entry(program), known, passed, NO_NODE)

    signature = Signature((), (), "args", "kwargs" if has_init else None)
    return Callee(cls.__qualname__, classes.never, signature, builds=builds)


def made_by_new(t: CallContext, known: Reference, passed: Arguments, node: ast.AST) -> Expr:
    """Return what a call of a class gives: what its `__new__` does, initialised if it is of the class."""
    cls, span = known.value, t.span(node)

    def make(v: list[Expr]) -> Expr:
        def initialised(w: list[Expr]) -> Expr:
            done = _initialised(t, cls, w[0], passed.like(v).copies(), node)
            result = Let(span, t.fresh("unused"), done, copy_of(w[0]))
            return If(span, instance(span, copy_of(w[0]), cls), result, copy_of(w[0]))

        return bind(t.program.names, [by_new(t, known, passed.like(v).copies(), node)], initialised, "made")

    return bind(t.program.names, passed.values, make, "argument")


def by_new(t: CallContext, known: Reference, passed: Arguments, node: ast.AST) -> Expr:
    """Call the `__new__` of a class."""
    owner = next(base for base in known.value.__mro__ if "__new__" in stored_in(base, known.value))
    return _by_member(t, known, owner, passed, node)


def _by_member(t: CallContext, known: Reference, owner: type, passed: Arguments, node: ast.AST) -> Expr:
    """Call the `__new__` that one of the bases of a class stores."""
    member = vars(owner)["__new__"]
    if isinstance(member, types.BuiltinFunctionType) or _is_of_namedtuple(owner):
        return by_python(t, known, owner, passed, node)
    callee = None
    if isinstance(member, staticmethod):
        callee = t.program.class_method_of(known, owner, "__new__")
    if callee is not None:
        return arrange.apply(t, callee, passed, node, arrange.caller(t, callee, t.span(node)))
    stored = t.program.in_class(owner, "__new__")
    if stored is None or isinstance(member, staticmethod):
        raise t.refuse(node, f"{owner.__qualname__}.__new__", "make the object outside of the function")
    value = Var(t.span(node), stored) if isinstance(stored, str) else t.program.value_of(t, stored, node)
    t.program.note_class_value(known.value)
    cls = Const(t.span(node), Native(known.value))
    return arrange.to_value(t, value, passed.after([cls], {}), node)


def _is_of_namedtuple(owner: type) -> bool:
    return is_named_tuple(owner) and "_field_defaults" in vars(owner)


def by_python(t: CallContext, known: Reference, owner: type, passed: Arguments, node: ast.AST) -> Expr:
    """Return a new object of a class, as the `__new__` of `object` or of a named tuple makes it."""
    span, cls = t.span(node), known.value
    if _is_of_namedtuple(owner):
        callee = classes.of_named_tuple(t.program, t.program.reference_of(owner), cls)
        return arrange.apply(t, callee, passed, node, arrange.caller(t, callee, span))
    if value_base_of(cls) is not None:
        return _of_value(t, cls, passed, node)
    if is_derived_tuple(cls):
        return _of_tuple(t, cls, passed, node)
    if base_of(cls) is not None:
        return bind(t.program.names, passed.values, lambda _: classes.empty(t.program, cls, span))
    if owner is not object:
        raise t.refuse(node, f"{owner.__qualname__}.__new__", "make the object outside of the function")
    problem = abstract_error(cls)
    if not cls.__flags__ & (1 << 9) and cls is not object:  # the flag of class statements
        problem = f"object.__new__({cls.__name__}) is not safe, use {cls.__name__}.__new__()"
    if problem is None and own_new(cls) is not None and (passed.positional or passed.keywords):
        problem = _EXCESS
    if problem is not None:
        return arrange.fails(t, span, passed, problem)
    if passed.star is not None or passed.mapping is not None:
        raise t.refuse(node, "a star in a call of `object.__new__`", "pass the class alone")
    return classes.empty(t.program, cls, span)


def _of_value(t: CallContext, cls: type, passed: Arguments, node: ast.AST) -> Expr:
    """Return a new object that is a number or text, made of the arguments as float, int and str do."""
    span, base = t.span(node), value_base_of(cls)
    args, op = passed.positional, f"py.{base.__name__}"
    if len(passed.values) == len(args) < 2:
        value = t.program.operation(t, op, args, node) if args else const(span, base())
    else:
        advised = "pass the number or text alone, by position"
        refusal = t.refuse(node, f"{base.__name__}.__new__ of these arguments", advised)
        value = arrange.by_count(t, {1: op}, passed, node, refusal)
    return classes.holding(t.program, cls, value, span)


def _of_tuple(t: CallContext, cls: type, passed: Arguments, node: ast.AST) -> Expr:
    """Return a new object that is a tuple, of the items of an iterable."""
    span, args = t.span(node), passed.positional
    if len(passed.values) == len(args) < 2:
        items = t.program.operation(t, "py.tuple-of", args, node) if args else prim(span, "py.tuple")
    elif len(passed.values) == len(args):
        return arrange.fails(t, span, passed, f"tuple expected at most 1 argument, got {len(args)}")
    else:
        refusal = t.refuse(node, "tuple.__new__ of these arguments", "pass the items alone, by position")
        items = arrange.by_count(t, {1: "py.tuple-of"}, passed, node, refusal)
    t.program.note_class(cls)
    return prim(span, "py.tuple-as", Const(span, Types((cls,))), items)


# The class that is named in a call of `__new__`


def by_name(t: FunctionContext, value: Any, node: ast.Call, env: Env) -> Expr | None:
    """Return `Base.__new__(cls, ...)`, of a known `__new__`; None for all other calls."""
    if getattr(value, "__name__", "") != "__new__":
        return None
    owner = _owner_of(t, value, node, env)
    return None if owner is None else _of_class(t, lambda _: owner, node, env)


def _owner_of(t: FunctionContext, value: Any, node: ast.Call, env: Env) -> type | None:
    """Return the class that stores a `__new__`, which a call names through it or a derived class."""
    if isinstance(value, types.BuiltinFunctionType):
        of = value.__self__
        return object if of in BASES or of in VALUES else of if isinstance(of, type) else None
    if not isinstance(node.func, ast.Attribute):
        return None
    of = t.program.reference(t, node.func.value, env)
    if not isinstance(of, Reference) or not isinstance(of.value, type):
        return None
    return next(base for base in of.value.__mro__ if "__new__" in stored_in(base, of.value))


def by_super(t: FunctionContext, after: type, node: ast.Call, env: Env) -> Expr:
    """Return `super().__new__(cls, ...)` in a class."""

    def owner(cls: type) -> type:
        member = next_member(cls, after, "__new__") if issubclass(cls, after) else None
        return object if member is None else member[0]

    return _of_class(t, owner, node, env)


def of_value(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    """Return `cls.__new__(cls, ...)`, where cls is a variable."""

    def owner(cls: type) -> type:
        return next(base for base in cls.__mro__ if "__new__" in stored_in(base, cls))

    assert isinstance(node.func, ast.Attribute)
    base, span = node.func.value, t.span(node)
    if not isinstance(base, ast.Name | ast.Attribute | ast.Call):
        raise t.refuse(node, "`__new__` of what is no class", "name the class")
    made = _of_class(t, owner, node, env)
    if t.program.reference(t, base, env) is not None:
        return made
    return Let(span, t.fresh("unused"), t.expr(base, env), made)


def _of_class(t: FunctionContext, owner: Callable[[type], type], node: ast.Call, env: Env) -> Expr:
    """Return the call of the `__new__` that `owner` gives for the class which is the first argument."""
    if not node.args or isinstance(node.args[0], ast.Starred):
        if node.args or node.keywords:
            raise t.refuse(node, "a `__new__` whose class is not its first argument", "pass the class first")
        return raise_error(t.span(node), TypeError, "object.__new__(): not enough arguments")
    rest = ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node)
    known = t.program.reference(t, node.args[0], env)
    if isinstance(known, Reference) and isinstance(known.value, type):
        of = t.program.reference_of(known.value)
        return _by_member(t, of, owner(known.value), arrange.arguments(t, rest, env), node)
    t.program.note_class_value(None)
    passed, span = arrange.arguments(t, rest, env), t.span(node)

    def choose(v: list[Expr]) -> Expr:
        result: Expr = prim(span, "py.no-constructor", copy_of(v[0]))
        for cls in t.program.class_values():
            of = t.program.reference_of(cls)
            make = partial(_by_member, t, of, owner(cls), passed.like(v[1:]).copies(), node)
            test = prim(span, "py.is", copy_of(v[0]), Const(span, Native(cls)))
            result = If(span, test, t.attempt(node, make), result)
        return result

    return bind(t.program.names, [t.expr(node.args[0], env), *passed.values], choose, "argument")


# Initialising


def _initialised(t: CallContext, cls: type, self: Expr, passed: Arguments, node: ast.AST) -> Expr:
    """Call the `__init__` of an object, which is of a class or of one derived from it."""
    span = t.span(node)
    result = _by_init(t, cls, self, passed, node)
    for derived in reversed(t.program.classes):
        if derived is not cls and issubclass(derived, cls):
            if found(derived, "__init__") is found(cls, "__init__"):
                continue
            make = partial(_by_init, t, derived, self, passed.copies(), node)
            result = If(span, instance(span, copy_of(self), derived), t.attempt(node, make), result)
    return result


def _by_init(t: CallContext, cls: type, self: Expr, passed: Arguments, node: ast.AST) -> Expr:
    span, init = t.span(node), own_init(cls)
    if init is None:
        return const(span, None)
    if is_generated(init):
        owner = next(base for base in cls.__mro__ if "__init__" in vars(base))
        return classes.initialise(t, t.program.reference_of(owner), self, passed, node)
    callee = t.program.callee_in_class(cls, "__init__")
    if callee is None:
        raise t.refuse(node, f"{cls.__qualname__}.__init__", "write the method in your own class")
    whole = passed.after([copy_of(self)], {})
    return arrange.apply(t, callee, whole, node, arrange.caller(t, callee, span))


# Copies


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


def _copy_replace(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Refuse copy.replace where a dataclass of the program says itself how it is changed."""
    for cls in t.program.classes:
        own = getattr(cls, "__replace__", None) if dataclasses.is_dataclass(cls) else None
        if own is not None and own.__module__ != "dataclasses":
            raise t.refuse(node, "`copy.replace` beside a dataclass with a __replace__", "call its method")
    return None


def _check_slots(t: FunctionContext, node: ast.Call, what: str) -> None:
    """Refuse copies where a class of the program would be asked for its slots, or its `__new__` called."""
    if t.program.has_method("__setattr__") and any(vars(cls).get("__slots__") for cls in t.program.classes):
        raise t.refuse(
            node, f"{what} beside a class with __slots__ and a __setattr__", "make the copy yourself"
        )
    if any(is_derived_tuple(cls) and own_new(cls) is not None for cls in t.program.classes):
        raise t.refuse(node, f"{what} beside a tuple's class with a __new__", "make the copy yourself")


SPECIAL: dict[Any, Callable[[FunctionContext, ast.Call, Env], Expr | None]] = {
    copy.copy: _copy,
    copy.deepcopy: _deepcopy,
}
if sys.version_info >= (3, 13):
    SPECIAL[copy.replace] = _copy_replace
