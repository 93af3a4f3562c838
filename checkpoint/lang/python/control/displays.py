"""Displays of dictionaries: of the language, or for keys of any kind (library/standard/keyed.py)."""

from __future__ import annotations

import ast

from checkpoint.errors import Span
from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.builder import prim, union
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env
from checkpoint.lang.python.library.standard import keyed
from checkpoint.lang.python.library.standard.keyed import KeyedDict


def dictionary(t: FunctionContext, node: ast.Dict, env: Env) -> Expr:
    """Translate a dictionary display."""
    if KeyedDict in t.program.classes:
        return _keyed_dictionary(t, node, env)
    result = prim(t.span(node), "py.dict")
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            item = t.program.mapping(t, t.expr(value, env), value)
            result = union(t.program.names, result, item)
        else:
            result = prim(t.span(key), "py.set", result, t.expr(key, env), t.expr(value, env))
    return result


def _keyed_dictionary(t: FunctionContext, node: ast.Dict, env: Env) -> Expr:
    """Translate a display of a dictionary whose keys may be of any kind."""
    span, with_more = t.span(node), t.program.library_function(keyed.with_more)
    made = t.program.library_function(keyed.displayed)
    result: Expr | None = None
    parts: list[Expr] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            parts += [t.expr(key, env), t.expr(value, env)]
            continue
        if result is None or parts:
            result = _with(t, result, t.call(made, [prim(span, "py.tuple", *parts)], {}, span), span)
            parts = []
        result = t.call(with_more, [result, t.expr(value, env)], {}, span)
    rest = t.call(made, [prim(span, "py.tuple", *parts)], {}, span)
    return rest if result is None else _with(t, result, rest, span) if parts else result


def _with(t: FunctionContext, result: Expr | None, more: Expr, span: Span) -> Expr:
    """Return a dictionary with the items of another one added; None: the other one itself."""
    if result is None:
        return more
    return t.call(t.program.library_function(keyed.with_more), [result, more], {}, span)
