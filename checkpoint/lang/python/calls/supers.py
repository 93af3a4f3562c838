"""Translate `super()` in methods: calls and attributes of the next class in the order of the object's class.

In: `super().name`, and the class whose method it is in. Out: for each class of the program that is derived
from this one, the member that Python finds after it; a choice by the class of the object where these differ.
What Python's own classes have (`object.__init__`, `Exception.__init__`, `object.__setattr__`) is translated
here, also where a program names it, as in `Base.__init__(self)`.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from checkpoint.ad.library import is_of_library
from checkpoint.dataclass import dataclass
from checkpoint.lang.core import Const, Expr, If, Let, Var
from checkpoint.lang.python.calls import arrange, classes, creation
from checkpoint.lang.python.calls.attributes import Attributes
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import (
    NOT_IMPLEMENTED,
    bind,
    const,
    copy_of,
    instance,
    prim,
    raise_error,
)
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Callee, Env, Reference
from checkpoint.lang.python.library.standard.bases import BASES
from checkpoint.lang.python.library.standard.values import VALUES
from checkpoint.lang.python.source.members import (
    METHOD_TYPES,
    base_of,
    derives,
    is_data_descriptor,
    is_derived_tuple,
    is_generated,
    next_member,
)


@dataclass(frozen=True, eq=False, repr=False)
class Super:
    """A `super()`: the class after which it searches; the object, or the class that a class method has."""

    cls: type
    self: Expr | None
    known: Reference | None


def find(t: FunctionContext, node: ast.expr, env: Env) -> Super | None:
    """Return what an expression is if it is a call of `super`; None for all others."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "super":
        return None
    known = t.program.reference(t, node.func, env)
    if not isinstance(known, Reference) or known.value is not super or node.keywords:
        return None
    if len(node.args) == 2:
        cls = t.program.reference(t, node.args[0], env)
        first: ast.expr | None = node.args[1]
    else:
        found = t.globals("__class__")
        cls = found if isinstance(found, Reference) else None
        first = _first_parameter(t, node)
    if first is None or not isinstance(cls, Reference) or not isinstance(cls.value, type):
        raise t.refuse(node, "this use of `super`", "call it in a method of a class, super().name(...)")
    own = t.program.reference(t, first, env)
    if isinstance(own, Reference):
        return Super(cls.value, None, own)
    return Super(cls.value, t.expr(first, env), None)


def _first_parameter(t: FunctionContext, node: ast.expr) -> ast.Name | None:
    """Return the first parameter of the method around a place."""
    if t.receiver is not None:
        return ast.copy_location(ast.Name(t.receiver, ast.Load()), node)
    scope = t.scope
    while scope.parent is not None:
        scope = scope.parent
    args = scope.node.args
    names = [*args.posonlyargs, *args.args]
    return ast.copy_location(ast.Name(names[0].arg, ast.Load()), node) if names else None


def call(t: FunctionContext, found: Super, name: str, node: ast.Call, env: Env) -> Expr:
    """Translate `super().name(...)`."""
    if name == "__new__":
        return creation.by_super(t, found.cls, node, env)
    passed = arrange.arguments(t, node, env)
    if found.known is not None:
        return _call_of_class(t, found, name, passed, node)
    assert found.self is not None

    def dispatch(v: list[Expr]) -> Expr:
        here = passed.like(v[1:])

        def made(cls: type, owner: type, member: Any) -> Expr:
            own = here.like([copy_of(value) for value in here.values])
            return _method(t, cls, owner, member, name, v[0], own, node)

        return _by_class(t, found, name, v[0], made, node)

    return bind(t.program.names, [found.self, *passed.values], dispatch, "argument")


def read(t: FunctionContext, found: Super, name: str, node: ast.AST) -> Expr:
    """Translate `super().name` as a value: a property, or what a class stores."""
    if found.self is None:
        raise t.refuse(node, f"super().{name} of a class", "name the class that has it")

    def dispatch(v: list[Expr]) -> Expr:
        def made(cls: type, owner: type, member: Any) -> Expr:
            return _value(t, owner, member, name, v[0], node)

        return _by_class(t, found, name, v[0], made, node)

    return bind(t.program.names, [found.self], dispatch)


Made = Callable[[type, type, Any], Expr]


def _by_class(t: FunctionContext, found: Super, name: str, self: Expr, made: Made, node: ast.AST) -> Expr:
    """Return the choice among what follows in the orders of the program's classes."""
    span = t.span(node)
    options: list[tuple[type, tuple[type, Any] | None]] = []
    for cls in sorted({found.cls, *t.program.classes}, key=lambda c: len(c.__mro__)):
        if derives(cls, found.cls):
            member = next_member(cls, found.cls, name)
            inherited = next((m for c, m in options if derives(cls, c)), None)
            if member != inherited or not options:
                options.insert(0, (cls, member))
    if all(member is None for _, member in options):
        raise t.refuse(node, f"super().{name}, which no class has,", "check the name")

    def of(cls: type, member: tuple[type, Any] | None) -> Expr:
        if member is None:  # as of a mixin, which is called for objects of classes that have more bases
            return raise_error(span, AttributeError, f"'super' object has no attribute {name!r}")
        return made(cls, *member)

    result = of(*options[-1])
    for cls, member in reversed(options[:-1]):
        result = If(span, instance(span, copy_of(self), cls), of(cls, member), result)
    return result


def _method(
    t: FunctionContext,
    cls: type,
    owner: type,
    member: Any,
    name: str,
    self: Expr,
    passed: Arguments,
    node: ast.AST,
) -> Expr:
    """Call the member that `super()` has found."""
    if isinstance(member, types.FunctionType) and is_generated(member):
        return _generated(t, cls, owner, name, self, passed, node)
    if isinstance(member, METHOD_TYPES):
        callee = t.program.callee_in_class(owner, name)
        if callee is None:
            raise t.refuse(node, f"{owner.__qualname__}.{name}", "write the method in your own class")
        whole = passed.after([copy_of(self)], {})
        return arrange.apply(t, callee, whole, node, arrange.caller(t, callee, t.span(node)))
    if isinstance(member, staticmethod | classmethod):
        known = t.program.class_attribute(owner if isinstance(member, staticmethod) else cls, name)
        callee = t.program.callee(known) if isinstance(known, Reference) else None
        if callee is not None:
            return arrange.apply(t, callee, passed, node, arrange.caller(t, callee, t.span(node)))
    if isinstance(member, types.MethodDescriptorType) and owner is tuple:
        made = _of_tuple(t, member, passed.after([copy_of(self)], {}), node)
        if made is not None:
            return made
    if isinstance(member, types.WrapperDescriptorType):
        if member is object.__init__ and passed.values:
            return _nothing_passed(t, passed, node)
        made = of_python(t, member, [copy_of(self), *passed.values], node)
        if made is not None:
            return made
    value = _value(t, owner, member, name, self, node)
    return arrange.to_value(t, value, passed, node)


def _nothing_passed(t: FunctionContext, passed: Arguments, node: ast.AST) -> Expr:
    """Initialise as `object` does, which takes no arguments: what follows `*` and `**` is to be empty."""
    span = t.span(node)

    def error() -> Expr:
        text = "object.__init__() takes exactly one argument (the instance to initialize)"
        return raise_error(span, TypeError, text)

    def check(v: list[Expr]) -> Expr:
        here = passed.like(v)
        if here.positional or here.keywords:
            return error()
        result = const(span, None)
        for each in (here.mapping, here.star):
            if each is not None:
                result = If(span, prim(span, "py.truth", copy_of(each)), error(), result)
        return result

    return bind(t.program.names, passed.values, check, "argument")


def _value(t: FunctionContext, owner: type, member: Any, name: str, self: Expr, node: ast.AST) -> Expr:
    """Return the member that `super()` has found as a value."""
    if isinstance(member, property):
        callee = t.program.accessor(owner, name, "getter")
        if callee is not None:
            return t.call(callee, [copy_of(self)], {}, t.span(node))
    elif isinstance(member, METHOD_TYPES):
        callee = t.program.callee_in_class(owner, name)
        if callee is not None:
            return t.program.bound_method(callee, copy_of(self), t.span(node))
    elif not isinstance(member, types.WrapperDescriptorType | types.MethodDescriptorType):
        found = t.program.class_attribute(owner, name)
        if isinstance(found, str):
            return Var(t.span(node), found)
        if found is not None:
            return t.program.value_of(t, found, node)
    raise t.refuse(node, f"super().{name} of {owner.__qualname__}", "write the method in your own class")


def _generated(
    t: FunctionContext, cls: type, owner: type, name: str, self: Expr, passed: Arguments, node: ast.AST
) -> Expr:
    """Call a method that a dataclass has made."""
    span = t.span(node)
    if name == "__init__":
        known = t.program.reference_of(owner)
        return classes.initialise(t, known, self, passed, node)
    ops = {"__repr__": "py.repr", "__eq__": "py.eq"}
    if name in ops and len(passed.positional) == (name == "__eq__"):
        return prim(span, ops[name], copy_of(self), *passed.positional)
    raise t.refuse(node, f"super().{name} of a dataclass", "write what it does with the fields")


def _call_of_class(t: FunctionContext, found: Super, name: str, passed: Arguments, node: ast.AST) -> Expr:
    """Call the next class method, or the next method as a function that takes the object first."""
    assert found.known is not None
    owner, member = next_member(found.known.value, found.cls, name) or (object, None)
    callee, span = None, t.span(node)
    if isinstance(member, classmethod):
        callee = t.program.class_method_of(found.known, owner, name)
    elif isinstance(member, METHOD_TYPES) and not is_generated(member):
        callee = t.program.callee_in_class(owner, name)
    elif isinstance(member, staticmethod):
        known = t.program.class_attribute(owner, name)
        callee = t.program.callee(known) if isinstance(known, Reference) else None
    elif isinstance(member, types.WrapperDescriptorType) and passed.positional == passed.values:
        made = of_python(t, member, passed.positional, node)
        if made is not None:
            return made
    if callee is not None:
        return arrange.apply(t, callee, passed, node, arrange.caller(t, callee, span))
    raise t.refuse(node, f"super().{name} of a class", "call the class's method by its name")


# Methods of Python's own classes


def is_of_python(value: Any) -> bool:
    """Return whether an object is a method of Python's own classes that is translated here."""
    return isinstance(value, types.WrapperDescriptorType) and not is_of_library(value)


def of_base(t: FunctionContext, value: Any, node: ast.Call, env: Env) -> Expr | None:
    """Call a method of dict or list by its name, of an object that may derive from it; None otherwise."""
    if not isinstance(value, types.WrapperDescriptorType | types.MethodDescriptorType) or not node.args:
        return None
    owner, span = value.__objclass__, t.span(node)
    if owner is tuple:
        return _of_tuple(t, value, arrange.arguments(t, node, env), node)
    if not (owner in BASES or owner in VALUES) or not any(base_of(cls) is owner for cls in t.program.classes):
        return None
    callee = t.program.callee_in_class(owner, value.__name__)
    other = t.program.library_callee(value)
    if callee is None:
        return None
    passed = arrange.arguments(t, node, env)

    def apply(found: Callee | None, v: list[Expr]) -> Expr:
        if found is None:
            raise t.refuse(node, f"{owner.__name__}.{value.__name__}", "call the method of the object")
        here = passed.like(list(map(copy_of, v)))
        return arrange.apply(t, found, here, node, arrange.caller(t, found, span))

    def choose(v: list[Expr]) -> Expr:
        own, rest = t.attempt(node, partial(apply, callee, v)), t.attempt(node, partial(apply, other, v))
        return If(span, prim(span, "py.is-derived", copy_of(v[0])), own, rest)

    return bind(t.program.names, passed.values, choose, "argument")


def _of_tuple(t: FunctionContext, value: Any, passed: Arguments, node: ast.AST) -> Expr | None:
    """Call a method of tuple of an object whose class may have another one; None where no class derives."""
    classes, span = [cls for cls in t.program.classes if is_derived_tuple(cls)], t.span(node)
    if not classes or not passed.positional:
        return None
    callee = t.program.library_callee(value)

    def choose(v: list[Expr]) -> Expr:
        plain = prim(span, "py.tuple-of", copy_of(v[0]))
        self = If(span, instance(span, copy_of(v[0]), *classes), plain, copy_of(v[0]))
        here = passed.like([self, *map(copy_of, v[1:])])
        if callee is not None:
            return arrange.apply(t, callee, here, node, arrange.caller(t, callee, span))
        made = of_python(t, value, here.positional, node)
        if made is None:
            raise t.refuse(node, f"tuple.{value.__name__}", "call the method of the object")
        return made

    return bind(t.program.names, passed.values, choose, "argument")


def of_python(
    t: FunctionContext, member: types.WrapperDescriptorType, args: list[Expr], node: ast.AST
) -> Expr | None:
    """Call a method of `object` or of an exception, the object first; None for those without a rule."""
    span, owner, name = t.span(node), member.__objclass__, member.__name__
    if issubclass(owner, BaseException) and name == "__init__" and args:
        kept = prim(span, "py.tuple", *args[1:])
        done = prim(span, "py.set-attribute", args[0], const(span, "args"), kept)
        return Let(span, t.fresh("unused"), done, const(span, None))
    if owner is tuple and name in _OF_TUPLES and args:
        plain = prim(span, "py.tuple-of", args[0])
        return t.program.operation(t, _OF_TUPLES[name], [plain, *args[1:]], node)
    if owner is not object or len(args) != _OPERANDS.get(name):
        return None
    if name == "__init__":
        return Let(span, t.fresh("unused"), args[0], const(span, None))
    if name in ("__setattr__", "__delattr__"):
        op = "py.set-attribute" if name == "__setattr__" else "py.delete-attribute"
        done = bind(t.program.names, args, lambda v: _change(t, op, v, node))
        return Let(span, t.fresh("unused"), done, const(span, None))
    if name == "__getattribute__":
        return prim(span, "py.attribute", *args)

    def same(v: list[Expr]) -> Expr:
        test = prim(span, "py.is", *map(copy_of, v))
        return If(span, test, const(span, True), Const(span, NOT_IMPLEMENTED))

    return bind(t.program.names, args, same)


def _change(t: FunctionContext, op: str, v: list[Expr], node: ast.AST) -> Expr:
    """Assign or delete an attribute as `object` does: properties and descriptors come first. v: simple."""
    span, name = t.span(node), v[1]
    members = [pair for cls in t.program.classes for pair in vars(cls).items()]
    found = [each for each, m in members if isinstance(m, property) or is_data_descriptor(m)]
    names = list(dict.fromkeys(found))
    if isinstance(name, Const):
        names = [each for each in names if each == name.value]
    result = prim(span, op, *map(copy_of, v))
    for each in names:
        made = Attributes(t.program, t, each, node).change_as_object(
            copy_of(v[0]), list(map(copy_of, v[2:])), op
        )
        result = If(span, prim(span, "py.eq", copy_of(name), const(span, each)), made, result)
    return result


# The operations that the methods of tuple are, for classes derived from it.
_OF_TUPLES = {
    **{f"__{name}__": f"py.{name}" for name in ("add", "mul", "eq", "ne", "lt", "le", "gt", "ge", "len")},
    "__getitem__": "py.item",
    "__contains__": "py.contains",
    "__iter__": "py.tuple-of",
    "__repr__": "py.repr",
    "__hash__": "py.hash",
}
_OPERANDS = {"__init__": 1, "__setattr__": 3, "__delattr__": 2, "__getattribute__": 2, "__eq__": 2}
