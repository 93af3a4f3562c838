"""Translate what `operator.attrgetter` and `operator.methodcaller` make: the lambdas that they stand for.

In: a call of one of these with constant names, or a known object that such a call has made. Out: the lambda
as an expression of Python, which is then translated like the user's own.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, TypeGuard

from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env

GETTERS = (operator.attrgetter, operator.methodcaller, operator.itemgetter)
_OBJECT = "object"


def _of_call(t: FunctionContext, node: ast.Call) -> ast.expr:
    """Return the lambda of `attrgetter("a.b", ...)`; refuse names that are only known when it runs."""
    names = [part.value for part in node.args if isinstance(part, ast.Constant)]
    if len(names) < len(node.args) or not names or node.keywords or not all(map(_is_name, names)):
        raise t.refuse(node, "`attrgetter` of a computed name", "write a lambda, lambda x: x.name")
    return _placed(_attributes(names), node)


def _of_method_call(t: FunctionContext, node: ast.Call) -> ast.expr:
    """Return the lambda of `methodcaller("name", ...)`, made where its arguments are evaluated once."""
    name = node.args[0] if node.args else None
    keywords = [keyword.arg for keyword in node.keywords]
    starred = any(isinstance(part, ast.Starred) for part in node.args)
    if not isinstance(name, ast.Constant) or not _is_name(name.value) or starred or None in keywords:
        raise t.refuse(node, "`methodcaller` of a computed name", "write a lambda, lambda x: x.name(...)")
    positional = [f"argument{i}" for i in range(len(node.args) - 1)]
    made = _method(name.value, positional, [str(k) for k in keywords])
    if not positional and not keywords:
        return _placed(made, node)
    outer = ast.Lambda(_parameters([*positional, *map(str, keywords)]), made)
    values = [*node.args[1:], *[keyword.value for keyword in node.keywords]]
    return _placed(ast.Call(outer, values, []), node)


def of_object(value: Any, node: ast.AST) -> ast.expr | None:
    """Return the lambda of an object made outside of the program; None if it holds more than names."""
    _, args = value.__reduce__()[:2]
    if type(value) is operator.attrgetter:
        return _placed(_attributes(list(args)), node)
    if type(value) is operator.methodcaller and len(args) == 1:
        return _placed(_method(args[0], [], []), node)
    if type(value) is operator.itemgetter and all(type(arg) in (int, str) for arg in args):
        items: list[ast.expr] = [ast.Subscript(_object(), ast.Constant(arg), ast.Load()) for arg in args]
        return _placed(_of_object(items), node)
    return None


def _is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and all(part.isidentifier() for part in value.split("."))


def _attributes(names: list[Any]) -> ast.Lambda:
    found: list[ast.expr] = []
    for name in names:
        value: ast.expr = _object()
        for part in name.split("."):
            value = ast.Attribute(value, part, ast.Load())
        found.append(value)
    return _of_object(found)


def _method(name: str, positional: list[str], keywords: list[str]) -> ast.Lambda:
    passed: list[ast.expr] = [ast.Name(each, ast.Load()) for each in positional]
    named = [ast.keyword(each, ast.Name(each, ast.Load())) for each in keywords]
    return ast.Lambda(
        _parameters([_OBJECT]), ast.Call(ast.Attribute(_object(), name, ast.Load()), passed, named)
    )


def _object() -> ast.expr:
    return ast.Name(_OBJECT, ast.Load())


def _of_object(parts: list[ast.expr]) -> ast.Lambda:
    """Return the function from an object to these parts of it."""
    return ast.Lambda(_parameters([_OBJECT]), parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()))


def _parameters(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


def _placed(made: ast.expr, node: ast.AST) -> ast.expr:
    """Return an expression all of whose nodes are at the place of another, unless they have one."""
    for each in ast.walk(made):
        if isinstance(each, ast.expr | ast.arg | ast.keyword) and not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return made


SPECIAL: dict[Any, Callable[[FunctionContext, ast.Call, Env], Expr]] = {
    operator.attrgetter: lambda t, node, env: t.expr(_of_call(t, node), env),
    operator.methodcaller: lambda t, node, env: t.expr(_of_method_call(t, node), env),
}
