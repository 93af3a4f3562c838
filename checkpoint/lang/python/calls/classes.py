"""Translate calls of classes, and find the members of classes.

In: a known class, or the name of an attribute. Out: a record of the class's layout (named tuples,
dataclasses, exceptions); or the member of a class under that name: a property, a method, a constant.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from typing import Any

from checkpoint.ad.containers import Layout
from checkpoint.errors import InternalError
from checkpoint.lang.core import Expr, Let, Var
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context.builder import const, prim
from checkpoint.lang.python.context.contexts import FunctionContext, ProgramContext
from checkpoint.lang.python.context.meanings import Callee, Env, Maker, Reference, Signature


def construct(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    """Translate a call of a class; return None if a primitive makes the object (float, int, ...)."""
    cls = known.value
    if issubclass(cls, BaseException):
        return exception(t, cls, node, env)
    callee = constructor(t.program, known)
    if callee is None:
        return None
    passed = arrange.arguments(t, node, env)

    def make(args: list[Expr]) -> Expr:
        record = new_object(cls, args, t.span(node))
        check = t.program.callee_in_class(cls, "__post_init__")
        if check is None:
            return record
        name, span = t.fresh("made"), t.span(node)
        checked = t.call(check, [Var(span, name)], {}, span)
        return Let(span, name, record, Let(span, t.fresh("unused"), checked, Var(span, name)))

    return arrange.apply(t, callee, passed, node, make)


def new_object(cls: type, args: list[Expr], span: Any) -> Expr:
    """Return an object of a class, made from its fields."""
    return prim(span, "py.record", const(span, Layout(cls, field_names(cls))), *args)


def exception(t: FunctionContext, cls: type[BaseException], node: ast.Call, env: Env) -> Expr:
    """Return an exception, made from its class and its arguments."""
    if isinstance(cls.__init__, types.FunctionType):
        raise t.refuse(
            node,
            f"{cls.__qualname__}, an exception with an __init__ of its own,",
            "leave the __init__ out: what is passed is in its args",
        )
    span = t.span(node)
    if node.keywords:
        raise t.refuse(node, "a keyword argument of an exception", "pass it by position")
    args = [t.expr(part, env) for part in node.args]
    return prim(span, "py.record", const(span, Layout(cls, ("args",))), prim(span, "py.tuple", *args))


def field_names(cls: type) -> tuple[str, ...]:
    """Return the fields of a dataclass or named tuple, in order."""
    if dataclasses.is_dataclass(cls):
        return tuple([f.name for f in dataclasses.fields(cls)])
    return tuple(cls._fields)  # type: ignore[attr-defined]


def constructor(program: ProgramContext, known: Reference) -> Callee | None:
    """Return the constructor of a class as a callee; None if a call of the class makes no record."""
    cls: type = known.value
    if not makes_record(cls):
        return None
    if dataclasses.is_dataclass(cls):
        fields = dataclasses.fields(cls)
        defaults = {f.name: _field_default(program, known, f) for f in fields if _has_default(f)}
        positional = tuple([f.name for f in fields if not f.kw_only])
        keywords = tuple([f.name for f in fields if f.kw_only])
        name = f"{cls.__qualname__}.__init__"
        return Callee(name, _never, Signature(positional, keywords, defaults=defaults), implicit=1)
    defaults = {name: program.maker_of(known, "tuple default", name) for name in cls._field_defaults}  # type: ignore[attr-defined]
    signature = Signature(field_names(cls), defaults=defaults)
    return Callee(f"{cls.__qualname__}.__new__", _never, signature, implicit=1)


def makes_record(cls: type) -> bool:
    """Return whether calling a class makes a record of its arguments: of a dataclass or named tuple."""
    if dataclasses.is_dataclass(cls):
        return _is_generated(cls.__init__) and all(field.init for field in dataclasses.fields(cls))
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and _is_made_by_namedtuple(cls)


def _is_made_by_namedtuple(cls: type) -> bool:
    """Return whether calling a named tuple runs no code of the user's."""
    makers = [next(base for base in cls.__mro__ if name in vars(base)) for name in ("__new__", "__init__")]
    return "_field_defaults" in vars(makers[0]) and makers[1] in (tuple, object)


def _never(span: Any) -> Expr:
    raise InternalError("a class is made by a primitive, not called", span)


def _is_generated(function: Any) -> bool:
    """Return whether `dataclasses` made a method, so that it has no text."""
    while isinstance(function, types.FunctionType) and hasattr(function, "__wrapped__"):
        function = function.__wrapped__  # its __repr__
    return isinstance(function, types.FunctionType) and function.__code__.co_filename == "<string>"


def _has_default(field: Any) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _field_default(program: ProgramContext, known: Reference, field: Any) -> Maker:
    if field.default is not dataclasses.MISSING:
        return program.maker_of(known, "field default", field.name)
    made = {list: "py.list", dict: "py.dict", tuple: "py.tuple"}.get(field.default_factory)
    if made is None:
        return program.factory_of(known, field.name)
    return lambda span: prim(span, made)


def member_of(cls: type, name: str) -> Any:
    """Return the member of a class under a name, as stored in the class; None for a field or no member."""
    for base in cls.__mro__:
        if base is object or base.__module__ == "builtins":
            continue
        if name in vars(base):
            value = vars(base)[name]
            return None if _is_slot(value) or _is_generated(value) else value
    return None


def _is_slot(value: Any) -> bool:
    """Return whether a member is the descriptor of a field: of __slots__, or of a named tuple."""
    return isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType) or (
        type(value).__name__ == "_tuplegetter"
    )


def all_fields(cls: type) -> tuple[str, ...]:
    """Return the names that the class declares to be fields of its objects."""
    if dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return field_names(cls)
    return ()
