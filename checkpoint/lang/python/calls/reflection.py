"""Translate calls that name attributes and classes by values: `getattr`, `setattr`, `type`, `issubclass` ...

In: the call. Out: what the attribute or test itself means, for a constant name; for a name that is only known
when the program runs, a choice among the names of members of the program's classes, then the object's own
attribute.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Types
from checkpoint.lang.core import Const, Expr, If, Let
from checkpoint.lang.python.calls import arrange, class_values, creation
from checkpoint.lang.python.calls.attributes import Attributes
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim, without
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.scopes.syntax import has_star
from checkpoint.lang.python.source.members import NO_MEMBER, all_fields, any_member_of, base_of


def _names(t: FunctionContext, node: ast.expr) -> list[str]:
    """Return the names that an expression may have: a constant, or those of all members of the classes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    found: dict[str, None] = {}
    for cls in t.program.classes:
        members = (name for name in vars(cls) if any_member_of(cls, name) is not NO_MEMBER)
        found.update({name: None for name in members if name not in all_fields(cls)})
    return [name for name in found if not name.startswith("__")]


def _by_name(
    t: FunctionContext,
    node: ast.Call,
    name: Expr,
    use: Callable[[Attributes], Expr],
    otherwise: Callable[[Expr], Expr],
) -> Expr:
    """Return `use` of the attribute with a name; `otherwise` for names of no members. name: simple."""
    names = _names(t, node.args[1])
    if isinstance(name, Const) and isinstance(name.value, str):
        return use(Attributes(t.program, t, name.value, node))
    span = t.span(node)
    checked = prim(span, "py.attribute-name", copy_of(name))
    result = bind(t.program.names, [checked], lambda found: otherwise(found[0]))
    for each in reversed(names):
        is_this = prim(span, "py.eq", copy_of(name), const(span, each))
        made = t.attempt(node, lambda each=each: use(Attributes(t.program, t, each, node)))  # type: ignore[misc]
        result = If(span, is_this, made, result)
    return result


def _operands(t: FunctionContext, node: ast.Call, env: Env) -> list[Expr] | None:
    """Return the arguments if they are passed by position; None if the call has another form."""
    if node.keywords or has_star(node):
        return None
    return [t.expr(part, env) for part in node.args]


def _getattr(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    args = _operands(t, node, env) if len(node.args) in (2, 3) else None
    if args is None:
        return None
    known = t.program.reference(t, node.args[0], env)
    if isinstance(known, Reference):
        return _of_known(t, known, node, env)

    def read(v: list[Expr]) -> Expr:
        span = t.span(node)
        value = _by_name(
            t,
            node,
            v[1],
            lambda attribute: attribute.read(copy_of(v[0])),
            lambda name: _computed(t, node, v, name),
        )
        if len(v) == 2:
            return value
        return without(t.program.names, span, value, AttributeError, lambda found: found, copy_of(v[2]))

    return bind(t.program.names, args, read)


def _computed(t: FunctionContext, node: ast.Call, v: list[Expr], name: Expr) -> Expr:
    """Return an attribute by a name that is no member's: an object's own, or what `__getattr__` gives."""
    span = t.span(node)

    def own() -> Expr:
        return prim(span, "py.attribute", copy_of(v[0]), copy_of(name))

    def unless_own(made: Expr) -> Expr:
        return If(span, prim(span, "py.has-attribute", copy_of(v[0]), copy_of(name)), own(), made)

    return _by_method(t, node, "__getattr__", [v[0], name], own(), unless_own)


def _by_method(
    t: FunctionContext,
    node: ast.Call,
    method: str,
    v: list[Expr],
    plain: Expr,
    around: Callable[[Expr], Expr] = lambda made: made,
) -> Expr:
    """Return what a method does with an attribute by a name that is no member's; `plain` without a method.

    v: the operands, which are simple: the object and the name first. around: returns what is made of a call.
    """
    attribute = Attributes(t.program, t, "", node)
    for group in reversed(t.program.groups(method)):
        made = around(attribute.call(group.methods[method], v))
        plain = attribute.of_class(v[0], group.cls, made, plain)
    return plain


def attribute_by_name(t: FunctionContext, function: ast.Attribute, node: ast.Call, env: Env) -> Expr | None:
    """Return x.__getattribute__(name) or its kin; None where a class has a method of its own for it."""
    count, methods = BY_NAME[function.attr]
    if t.program.has_method(*methods) or len(node.args) != count or node.keywords or has_star(node):
        return None
    call = ast.copy_location(ast.Call(function, [function.value, *node.args], []), node)
    return (_getattr if count == 1 else _setattr)(t, call, env)


# How many operands the methods take, and which methods of classes they would run or pass by.
BY_NAME: dict[str, tuple[int, tuple[str, ...]]] = {
    "__getattribute__": (1, ("__getattribute__", "__getattr__")),
    "__setattr__": (2, ("__setattr__",)),
}


def _of_known(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    """Return an attribute of a module or class by a constant name."""
    name = node.args[1]
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    if len(node.args) == 3 and not hasattr(known.value, name.value):
        return t.expr(node.args[2], env)
    return t.expr(ast.copy_location(ast.Attribute(node.args[0], name.value, ast.Load()), node), env)


def _setattr(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    args = _operands(t, node, env) if len(node.args) == 3 else None
    if args is None:
        return None

    known = t.program.reference(t, node.args[0], env)
    may_be_class = isinstance(known, Reference) or class_values.is_named_as_class(node.args[0])

    def to_named(attribute: Attributes, v: list[Expr]) -> Expr:
        if may_be_class:
            return class_values.assign_to_any(
                t, copy_of(v[0]), attribute.name, copy_of(v[2]), attribute.assign, node
            )
        return attribute.assign(copy_of(v[0]), copy_of(v[2]))

    def assign(v: list[Expr]) -> Expr:
        span = t.span(node)

        def to_other(name: Expr) -> Expr:
            plain = prim(span, "py.set-attribute", copy_of(v[0]), copy_of(name), copy_of(v[2]))
            return _by_method(t, node, "__setattr__", [v[0], name, v[2]], plain)

        done = _by_name(t, node, v[1], lambda attribute: to_named(attribute, v), to_other)
        return Let(span, t.fresh("unused"), done, const(span, None))

    return bind(t.program.names, args, assign)


def _delattr(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    args = _operands(t, node, env) if len(node.args) == 2 else None
    if args is None:
        return None

    def delete(v: list[Expr]) -> Expr:
        span = t.span(node)

        def of_other(name: Expr) -> Expr:
            plain = prim(span, "py.delete-attribute", copy_of(v[0]), copy_of(name))
            return _by_method(t, node, "__delattr__", [v[0], name], plain)

        done = _by_name(t, node, v[1], lambda attribute: attribute.delete(copy_of(v[0])), of_other)
        return Let(span, t.fresh("unused"), done, const(span, None))

    return bind(t.program.names, args, delete)


def _hasattr(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    args = _operands(t, node, env) if len(node.args) == 2 else None
    if args is None:
        return None
    known, name = t.program.reference(t, node.args[0], env), node.args[1]
    if isinstance(known, Reference) and isinstance(name, ast.Constant) and isinstance(name.value, str):
        return const(t.span(node), hasattr(known.value, name.value))

    def ask(v: list[Expr]) -> Expr:
        span = t.span(node)

        def of_other(name: Expr) -> Expr:
            yes, no = const(span, True), const(span, False)

            def own() -> Expr:
                return prim(span, "py.has-attribute", copy_of(v[0]), copy_of(name))

            def unless_own(made: Expr) -> Expr:
                found = without(
                    t.program.names, span, made, AttributeError, lambda _: copy_of(yes), copy_of(no)
                )
                return If(span, own(), copy_of(yes), found)

            return _by_method(t, node, "__getattr__", [v[0], name], own(), unless_own)

        return _by_name(t, node, v[1], lambda attribute: attribute.ask(copy_of(v[0])), of_other)

    return bind(t.program.names, args, ask)


def _issubclass(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    if len(node.args) != 2 or node.keywords:
        return None
    known = t.program.reference(t, node.args[0], env)
    of = t.program.known_classes(t, node.args[1], env)
    if of is not None and isinstance(known, Reference) and isinstance(known.value, type):
        return const(t.span(node), issubclass(known.value, of))
    typed = class_values.type_of(t, node.args[0], env)
    if typed is None or of is None:
        t.program.note_class_value(None)
        return prim(t.span(node), "py.subclass-of", *[t.expr(each, env) for each in node.args])
    return prim(t.span(node), "py.instance", typed, Const(t.span(node), Types(of)))


# The class of an object


def _isinstance(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    if len(node.args) != 2 or node.keywords:
        return None
    found = t.program.known_classes(t, node.args[1], env)
    if found is None:
        t.program.note_class_value(None)
        return prim(t.span(node), "py.instance-of", *[t.expr(part, env) for part in node.args])
    test, span = Const(t.span(node), Types(found)), t.span(node)
    if not tables.is_file_of_library(t.text.source.name) or not has_derived(t, found):
        return prim(span, "py.instance", t.expr(node.args[0], env), test)

    def exactly(v: list[Expr]) -> Expr:
        """Return whether a value is one of Python's own lists or dictionaries."""
        is_one = prim(span, "py.instance", copy_of(v[0]), test)
        return If(span, prim(span, "py.is-derived", copy_of(v[0])), const(span, False), is_one)

    return bind(t.program.names, [t.expr(node.args[0], env)], exactly)


def has_derived(t: FunctionContext, classes: tuple[type, ...]) -> bool:
    """Return whether classes of the program derive from dict or list, if that is among some classes."""
    return any(base_of(cls) in classes for cls in t.program.classes)


def attribute_of_type(t: FunctionContext, node: ast.Attribute, env: Env) -> Expr | None:
    """Return `type(x).name`; None for all other attributes."""
    value = class_values.type_of(t, node.value, env)
    if value is None:
        return None
    span = t.span(node)
    if node.attr in ("__name__", "__qualname__", "__module__"):
        return prim(span, "py.class-name", value, const(span, node.attr))
    if t.program.has_class_values():
        return Attributes(t.program, t, node.attr, node).read(prim(span, "py.type", value))
    return Attributes(t.program, t, node.attr, node).of_class_of(value)


def call_of_type(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return `type(x)(...)`, an object of the class of another one; None for all other calls."""
    value = class_values.type_of(t, node.func, env)
    if value is None:
        return None
    passed, span = arrange.arguments(t, node, env), t.span(node)

    def choose(v: list[Expr]) -> Expr:
        here = passed.like(v[1:])
        result: Expr = prim(span, "py.no-class", copy_of(v[0]))
        for builtin in _MADE_LIKE:
            own = here.like([copy_of(each) for each in here.values])
            of_builtin = t.attempt(node, lambda builtin=builtin, own=own: _converted(t, builtin, own, node))  # type: ignore[misc]
            result = If(span, instance(span, copy_of(v[0]), builtin), of_builtin, result)
        for cls in reversed(t.program.classes):
            own = here.like([copy_of(each) for each in here.values])
            known = t.program.reference_of(cls)
            made = t.attempt(node, lambda known=known, own=own: _made(t, known, own, node))  # type: ignore[misc]
            result = If(span, instance(span, copy_of(v[0]), cls), made, result)
        return result

    return bind(t.program.names, [value, *passed.values], choose, "argument")


_MADE_LIKE = (str, int, bool, float, dict, tuple, list)  # classes of Python's that `type(x)(...)` may call


def _converted(t: FunctionContext, builtin: type, passed: Any, node: ast.Call) -> Expr:
    callee = t.program.library_callee(builtin)
    assert callee is not None
    return arrange.apply(t, callee, passed, node, arrange.caller(t, callee, t.span(node)))


def _made(t: FunctionContext, known: Reference, passed: Any, node: ast.Call) -> Expr:
    made = creation.made(t, known, passed, node)
    if made is None:
        raise t.refuse(node, f"making a {known.value.__qualname__}", "name the class that is made")
    return made


def _type(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    if len(node.args) == 3 and not has_star(node):
        raise t.refuse(node, "`type` with three arguments", "write a class statement at module level")
    if len(node.args) != 1 or node.keywords or has_star(node):
        return None
    t.program.note_class_value(None)
    return prim(t.span(node), "py.type", t.expr(node.args[0], env))


def _vars(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    if not node.args and not node.keywords:
        raise t.refuse(node, "`vars` without an object", "read the variables by name")
    operands = _operands(t, node, env)
    if operands is not None and len(operands) != 1:
        text = f"vars expected at most 1 argument, got {len(operands)}"
        return arrange.fails(t, t.span(node), arrange.arguments(t, node, env), text)
    return None


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


def _described(kind: str, t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return what `inspect` says of a known function, which is read where the program begins."""
    known = t.program.reference(t, node.args[0], env) if len(node.args) == 1 and not node.keywords else None
    if not isinstance(known, Reference) or not isinstance(known.value, types.FunctionType):
        return None
    return None if known.input is None else t.program.maker_of(known, kind, None)(t.span(node))


SPECIAL: dict[Any, Callable[[FunctionContext, ast.Call, Env], Expr | None]] = {
    builtins.getattr: _getattr,
    builtins.setattr: _setattr,
    builtins.delattr: _delattr,
    builtins.hasattr: _hasattr,
    builtins.isinstance: _isinstance,
    builtins.issubclass: _issubclass,
    builtins.type: _type,
    builtins.vars: _vars,
    inspect.getfullargspec: functools.partial(_described, "parameters"),
    inspect.signature: functools.partial(_described, "signature"),
    dataclasses.fields: _fields,
    dataclasses.is_dataclass: _is_dataclass,
}
