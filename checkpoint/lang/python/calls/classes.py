"""Translate calls of classes: how named tuples, dataclasses, exceptions and other objects are made.

In: a known class. Out: its constructor as a callee. What makes a record of the arguments is a primitive; for
every other class an object without attributes is made, and passed to its `__init__`.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from dataclasses import replace
from typing import Any

from checkpoint.ad.containers import ITEMS
from checkpoint.errors import InternalError, Span
from checkpoint.lang.core import Expr, Let, Var
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.calls.attributes import Attributes
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, prim
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext, ProgramContext
from checkpoint.lang.python.context.meanings import Callee, Env, Maker, Reference, Signature
from checkpoint.lang.python.source.members import (
    base_of,
    field_names,
    is_initialised,
    is_made_as_record,
    makes_record,
)


def empty(program: ProgramContext, cls: type, span: Span) -> Expr:
    """Return an object without attributes; one that is a dict or list, without items."""
    base = base_of(cls)
    if base is None:
        return prim(span, "py.new", const(span, program.layout(cls, ())))
    return holding(program, cls, prim(span, f"py.{base.__name__}"), span)


def holding(program: ProgramContext, cls: type, items: Expr, span: Span) -> Expr:
    """Return an object without attributes of a class that derives from a type of Python's own: the items."""
    return prim(span, "py.new", const(span, program.layout(cls, (ITEMS,))), items)


def of_named_tuple(program: ProgramContext, known: Reference, derived: type | None = None) -> Callee:
    """Return the constructor of a named tuple, for objects of a derived class."""
    cls: Any = known.value
    names = field_names(cls)
    defaults = {name: program.maker_of(known, "tuple default", name) for name in cls._field_defaults}
    layout = program.layout(derived or cls, names)
    return Callee(
        f"{cls.__qualname__}.__new__",
        never,
        Signature(names, defaults=defaults),
        implicit=1,
        builds=lambda args, span: prim(span, "py.record", const(span, layout), *args),
    )


def never(span: Any) -> Expr:
    """Raise an internal error: a class is made by a primitive."""
    raise InternalError("a class is made by a primitive, not called", span)


def bound(signature: Signature) -> Signature:
    """Return the parameters of a method without the object."""
    return replace(
        signature,
        positional=signature.positional[1:],
        positional_only=max(0, signature.positional_only - 1),
    )


def by_init(program: ProgramContext, cls: type) -> Callee | None:
    """Return the constructor of a class with an `__init__` of its own."""
    init = program.callee_in_class(cls, "__init__")
    if init is None:
        return None
    whole = program.constructor_of(cls)
    if whole is not None:
        return whole
    run = init

    def builds(args: list[Expr], span: Span) -> Expr:
        name = program.names.fresh("made")
        done = run.applied([Var(span, name), *args], span)
        result = Let(span, program.names.fresh("unused"), done, Var(span, name))
        return Let(span, name, empty(program, cls, span), result)

    return Callee(init.name, never, bound(init.signature), implicit=1, builds=builds)


# Dataclasses


def of_dataclass(program: ProgramContext, known: Reference) -> Callee:
    """Return the constructor of a class whose `__init__` a dataclass has made."""
    cls = known.value
    signature = init_signature(program, known)
    is_record = is_made_as_record(cls)
    check = program.callee_in_class(cls, "__post_init__")
    setter = None if makes_record(cls) else program.callee_in_class(cls, "__setattr__")

    def builds(args: list[Expr], span: Span) -> Expr:
        table = dict(zip(signature.named, args, strict=True))
        if check is None and setter is None and _in_order(cls, signature):
            return _object(program, known, table, is_record, span)

        def checked(v: list[Expr]) -> Expr:
            table = dict(zip(signature.named, v, strict=True))
            name = program.names.fresh("made")
            extra = [copy_of(table[each]) for each in table if each not in field_names(cls)]
            if setter is None:
                new = _object(program, known, table, is_record, span)
            else:
                new = _object_by_setter(program, known, table, setter, span)
            if check is None:
                return new
            done = check.applied([Var(span, name), *extra], span)
            result = Let(span, program.names.fresh("unused"), done, Var(span, name))
            return Let(span, name, new, result)

        return bind(program.names, args, checked, "argument")

    return Callee(f"{cls.__qualname__}.__init__", never, signature, implicit=1, builds=builds)


def _object_by_setter(
    program: ProgramContext, known: Reference, table: dict[str, Expr], setter: Callee, span: Span
) -> Expr:
    """Return an object of a dataclass whose `__setattr__` assigns the fields, the arguments by name."""
    name = program.names.fresh("made")
    result: Expr = Var(span, name)
    for field, value in reversed(initial_fields(program, known, table, span)):
        done = setter.applied([Var(span, name), const(span, field), value], span)
        result = Let(span, program.names.fresh("unused"), done, result)
    return Let(span, name, empty(program, known.value, span), result)


def _in_order(cls: type, signature: Signature) -> bool:
    """Return whether the parameters of a dataclass are its fields, in their order."""
    return [name for name in field_names(cls) if name in signature.named] == list(signature.named)


def _object(
    program: ProgramContext, known: Reference, table: dict[str, Expr], is_record: bool, span: Span
) -> Expr:
    """Return an object of a dataclass; table: the arguments by name."""
    pairs = initial_fields(program, known, table, span)
    layout = program.layout(known.value, tuple([name for name, _ in pairs]))
    return prim(span, "py.record" if is_record else "py.new", const(span, layout), *[v for _, v in pairs])


def initial_fields(
    program: ProgramContext, known: Reference, table: dict[str, Expr], span: Span
) -> list[tuple[str, Expr]]:
    """Return the fields that the generated `__init__` of a dataclass assigns, with their values."""
    found = []
    for field in dataclasses.fields(known.value):
        if field.name in table:
            found.append((field.name, table[field.name]))
        elif is_initialised(known.value, field):
            found.append((field.name, _field_default(program, known, field)(span)))
    return found


def init_signature(program: ProgramContext, known: Reference) -> Signature:
    """Return the parameters of the generated `__init__` of a dataclass, without the object."""
    cls = known.value
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    fields = cls.__dataclass_fields__
    return Signature(
        tuple([p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]),
        tuple([p.name for p in parameters if p.kind is p.KEYWORD_ONLY]),
        defaults={
            p.name: _field_default(program, known, fields[p.name])
            for p in parameters
            if p.default is not p.empty
        },
    )


def _field_default(program: ProgramContext, known: Reference, field: Any) -> Maker:
    if field.default is not dataclasses.MISSING:
        return program.maker_of(known, "field default", field.name)
    made = {list: "py.list", dict: "py.dict", tuple: "py.tuple"}.get(field.default_factory)
    if made is None:
        return program.factory_of(known, field.name)
    return lambda span: prim(span, made)


def initialise(t: CallContext, known: Reference, self: Expr, passed: Arguments, node: ast.AST) -> Expr:
    """Call the `__init__` that a dataclass has made, of a simple object."""
    span = t.span(node)
    signature = init_signature(t.program, known)
    callee = Callee(f"{known.value.__qualname__}.__init__", never, signature, implicit=1)
    check = t.program.callee_in_class(known.value, "__post_init__")

    def make(args: list[Expr]) -> Expr:
        table = dict(zip(signature.named, args, strict=True))
        extra = [table[each] for each in table if each not in field_names(known.value)]
        result: Expr = const(span, None)
        if check is not None:
            result = Let(span, t.fresh("unused"), _checked(t, check, [self, *extra], node), result)
        for name, value in reversed(initial_fields(t.program, known, table, span)):
            if makes_record(known.value):
                done = prim(span, "py.set-attribute", copy_of(self), const(span, name), value)
            else:
                done = Attributes(t.program, t, name, node).assign(copy_of(self), value)
            result = Let(span, t.fresh("unused"), done, result)
        return result

    def bound_first(args: list[Expr]) -> Expr:
        return bind(t.program.names, args, make, "argument")

    return arrange.apply(t, callee, passed, node, bound_first)


def initialise_by_name(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    """Call the `__init__` that a dataclass has made, as `Base.__init__(self, ...)`; None for other calls."""
    if not isinstance(node.func, ast.Attribute) or known.value.__name__ != "__init__":
        return None
    of = t.program.reference(t, node.func.value, env)
    if not isinstance(of, Reference) or not isinstance(of.value, type):
        return None
    owner = next(cls for cls in of.value.__mro__ if "__init__" in vars(cls))
    passed = arrange.arguments(t, node, env)
    if not passed.positional:
        return None

    def make(v: list[Expr]) -> Expr:
        here = passed.like(v)
        rest = replace(here, positional=here.positional[1:])
        return initialise(t, t.program.reference_of(owner), here.positional[0], rest, node)

    return bind(t.program.names, passed.values, make, "argument")


def _checked(t: CallContext, check: Callee, args: list[Expr], node: ast.AST) -> Expr:
    """Call `__post_init__` of an object, the first argument, whose class may have another than `check`."""
    attribute = Attributes(t.program, t, "__post_init__", node)
    result = check.applied(list(map(copy_of, args)), t.span(node))
    for group in reversed(t.program.groups("__post_init__")):
        own = attribute.call(group.methods["__post_init__"], args)
        result = attribute.of_class(args[0], group.cls, own, result)
    return result


# Exceptions


def exception(t: CallContext, known: Reference, passed: Arguments, node: ast.AST) -> Expr:
    """Return an exception, made from its class and its arguments."""
    cls, span = known.value, t.span(node)
    if issubclass(cls, BaseExceptionGroup):
        advised = "raise one exception, which may hold the others in its args"
        raise t.refuse(node, f"`{cls.__name__}`", advised)
    init = t.program.callee_in_class(cls, "__init__")
    if init is None:
        return _plain_exception(t, cls, passed, node)
    method = init

    def make(v: list[Expr]) -> Expr:
        here = passed.like(v)
        name = t.fresh("made")
        args = prim(span, "py.tuple", *map(copy_of, here.positional))
        if here.star is not None:
            args = prim(span, "py.add", args, copy_of(here.star))
        new = prim(span, "py.new", const(span, t.program.layout(cls, ("args",))), args)
        whole = here.after([Var(span, name)], {})
        done = arrange.apply(t, method, whole, node, arrange.caller(t, method, span))
        return Let(span, name, new, Let(span, t.fresh("unused"), done, Var(span, name)))

    return bind(t.program.names, passed.values, make, "argument")


def _plain_exception(t: CallContext, cls: type, passed: Arguments, node: ast.AST) -> Expr:
    """Return an exception of a class without an `__init__` of its own, made from its arguments."""
    span = t.span(node)
    if passed.keywords or passed.mapping is not None:
        raise t.refuse(node, "a keyword argument of an exception", "pass it by position")
    args = prim(span, "py.tuple", *passed.positional)
    if passed.star is not None:
        args = prim(span, "py.add", args, passed.star)
    elif issubclass(cls, StopIteration):
        return _end_of_items(t, cls, passed, span)
    return prim(span, "py.record", const(span, t.program.layout(cls, ("args",))), args)


def _end_of_items(t: CallContext, cls: type, passed: Arguments, span: Span) -> Expr:
    """Return a StopIteration, whose first argument is an attribute, too."""
    layout = t.program.layout(cls, ("args", "value"))

    def make(v: list[Expr]) -> Expr:
        first = copy_of(v[0]) if v else const(span, None)
        return prim(span, "py.record", const(span, layout), prim(span, "py.tuple", *map(copy_of, v)), first)

    return bind(t.program.names, passed.positional, make, "argument")
