"""Translate what a value means that may be a module of the program: be = numpy, then be.exp(x).

In: a value, and the modules that are values of the program and have an attribute of the name. Out: a choice
by the module; for all other values the meaning that they have.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from types import ModuleType

from checkpoint.ad.arrays import Native
from checkpoint.lang.core import Const, Expr, If, Let
from checkpoint.lang.python.context.builder import copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext
from checkpoint.lang.python.context.meanings import Binding, Env, Reference


def choose(
    t: CallContext,
    node: ast.AST,
    value: Expr,
    modules: list[ModuleType],
    meaning: Callable[[ModuleType], Expr],
    otherwise: Expr,
) -> Expr:
    """Return the meaning for the module that a value is; `otherwise` where it is none. value: simple."""
    if not modules:
        return otherwise
    span = t.span(node)
    message = "this attribute of a module that the program has not met"
    result = t.refused(t.refuse(node, message, "name the module"), node)
    for module in reversed(modules):
        test = prim(span, "py.is", copy_of(value), Const(span, Native(module)))
        result = If(span, test, t.attempt(node, partial(meaning, module)), result)
    return If(span, instance(span, copy_of(value), ModuleType), result, otherwise)


def with_parts(t: FunctionContext, node: ast.Call, env: Env, use: Callable[[ast.Call, Env], Expr]) -> Expr:
    """Return `use` of a call whose receiver and arguments are variables, evaluated once, in their order.

    Known objects among the arguments, such as dtypes, stay as they are.
    """
    assert isinstance(node.func, ast.Attribute)
    span, now = t.span(node), dict(env)
    lets: list[tuple[str, Expr]] = []

    def variable(part: ast.expr) -> ast.expr:
        if isinstance(part, ast.Constant) or isinstance(t.program.reference(t, part, env), Reference):
            return part
        name = f"%part{len(lets)}"
        lets.append((t.fresh("part"), t.expr(part, env)))
        now[name] = Binding(lets[-1][0])
        return ast.copy_location(ast.Name(name, ast.Load()), part)

    function = ast.copy_location(
        ast.Attribute(variable(node.func.value), node.func.attr, ast.Load()), node.func
    )
    args = [variable(part) for part in node.args]
    keywords = [ast.copy_location(ast.keyword(k.arg, variable(k.value)), k) for k in node.keywords]
    result = use(ast.copy_location(ast.Call(function, args, keywords), node), now)
    for name, value in reversed(lets):
        result = Let(span, name, value, result)
    return result
