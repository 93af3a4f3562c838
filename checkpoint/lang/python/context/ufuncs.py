"""Translate calls of NumPy's functions element by element that may have objects with `__array_ufunc__`.

In: the arguments of a call. Out: a choice by the classes of the positional ones: the objects' method, as
NumPy calls it (library/ufuncs.py), or the function itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from checkpoint.errors import Span
from checkpoint.lang.core import Expr, If
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Reference
from checkpoint.lang.python.library.ufuncs import overridden
from checkpoint.lang.python.source.members import found

METHOD = "__array_ufunc__"


def overriding(t: FunctionContext) -> list[type]:
    """Return the classes of the program that say what NumPy's functions make of them, derived ones first."""
    return [cls for cls in t.program.classes if found(cls, METHOD) is not None]


def chosen(
    t: FunctionContext,
    known: Reference | str | None,
    passed: Arguments,
    node: ast.AST,
    otherwise: Callable[[Arguments], Expr],
) -> Expr:
    """Return the call of a ufunc; otherwise: translates the one without such objects."""
    classes = overriding(t)
    if (
        not classes
        or not isinstance(known, Reference)
        or passed.star is not None
        or passed.mapping is not None
    ):
        return otherwise(passed)
    span, count = t.span(node), len(passed.positional)

    def choose(v: list[Expr]) -> Expr:
        named = dict(zip(passed.keywords, v[count:], strict=True))
        result = otherwise(passed.like([copy_of(value) for value in v]))
        made = _overridden(t, known, v[:count], named, classes, node)
        for value in reversed(v[:count]):
            result = If(span, instance(span, copy_of(value), *classes), made(), result)
        return result

    return bind(t.program.names, passed.values, choose, "argument")


def _overridden(
    t: FunctionContext,
    known: Reference,
    inputs: list[Expr],
    named: dict[str, Expr],
    classes: list[type],
    node: ast.AST,
) -> Callable[[], Expr]:
    span = t.span(node)
    derived = [
        tuple(i for i, each in enumerate(classes) if each is not cls and issubclass(each, cls))
        for cls in classes
    ]

    def make() -> Expr:
        keywords = prim(span, "py.dict")
        for name, value in named.items():
            keywords = prim(span, "py.set", keywords, const(span, name), copy_of(value))
        args = [
            t.program.value_of(t, known, node),
            const(span, known.value.__name__),
            prim(span, "py.tuple", *map(copy_of, inputs)),
            prim(span, "py.tuple", *[_kind(span, value, classes) for value in inputs]),
            prim(
                span,
                "py.tuple",
                *[prim(span, "py.tuple", *[const(span, i) for i in each]) for each in derived],
            ),
            keywords,
        ]
        return t.call(t.program.library_function(overridden), args, {}, span)

    return make


def _kind(span: Span, value: Expr, classes: list[type]) -> Expr:
    """Return the number of the class of a value, -1 for other values."""
    result: Expr = const(span, -1)
    for i, cls in reversed(list(enumerate(classes))):
        result = If(span, instance(span, copy_of(value), cls), const(span, i), result)
    return result
