"""Comprehensions and generator expressions, as the loops that they stand for.

In: a comprehension without effects, or a generator expression and what consumes it. Out: the expression of
a loop over a list (or dictionary, or sum) that grows; `any` and `all` leave it as soon as they know.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from checkpoint.lang.core import Const, Expr, Let
from checkpoint.lang.python.exits import Exits
from checkpoint.lang.python.liveness import NONE, Around
from checkpoint.lang.python.meanings import Binding, Env
from checkpoint.lang.python.nodes import assign, constant, load

if TYPE_CHECKING:
    from checkpoint.lang.python.translator import Translator

RESULT = "%result"
ITEMS = "%items"


def translate(t: Translator, node: ast.expr, env: Env) -> Expr:
    """A comprehension as a value; a generator expression is the list of what it gives."""
    match node:
        case ast.ListComp() | ast.GeneratorExp():
            grown = _call(_method(node, "append"), [node.elt], node)
            return run(t, node, node.generators, ast.List([], ast.Load()), [_statement(grown)], env)
        case ast.DictComp():
            target = ast.Subscript(load(RESULT, node), node.key, ast.Store())
            body = ast.Assign([ast.copy_location(target, node)], node.value)
            return run(t, node, node.generators, ast.Dict([], []), [ast.copy_location(body, node)], env)
    raise t.refuse(node, "this comprehension", "write a list or dict comprehension")


def consumed(t: Translator, by: str, node: ast.GeneratorExp, more: list[ast.expr], env: Env) -> Expr | None:
    """sum, any, all of a generator expression; None for what takes it as a list."""
    if by == "sum":
        start = more[0] if more else constant(0, node)
        added = ast.copy_location(ast.BinOp(load(RESULT, node), ast.Add(), node.elt), node)
        return run(t, node, node.generators, start, [assign(RESULT, added, node)], env)
    if by in {"any", "all"} and not more:
        stop = constant(by == "any", node)
        test = node.elt if by == "any" else ast.copy_location(ast.UnaryOp(ast.Not(), node.elt), node)
        leave = ast.copy_location(ast.Return(stop), node)
        body = ast.copy_location(ast.If(test, [leave], []), node)
        return run(t, node, node.generators, constant(by == "all", node), [body], env)
    return None


def run(
    t: Translator,
    node: ast.expr,
    generators: list[ast.comprehension],
    start: ast.expr,
    body: list[ast.stmt],
    env: Env,
) -> Expr:
    """The value of `RESULT` after the loops, or what the body returns."""
    own = {n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    if own & t.reads(generators[0].iter):  # they are those around
        return _apart(t, node, generators, start, body, env)
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            body = [ast.copy_location(ast.If(test, body, []), node)]
        body = [ast.copy_location(ast.For(generator.target, generator.iter, body, []), node)]
    first = assign(RESULT, ast.copy_location(start, node), node)
    last = ast.copy_location(ast.Return(load(RESULT, node)), node)
    statements = t.normal.block([first, *body, last])
    t.live.block(statements, NONE, Around(NONE, NONE, NONE, NONE))
    inside = {name: binding for name, binding in env.items() if name not in own}
    exits = Exits(lambda _: Const(t.span(node), None), lambda value, _: value)
    return t.block(statements, inside, exits)


def _apart(
    t: Translator,
    node: ast.expr,
    generators: list[ast.comprehension],
    start: ast.expr,
    body: list[ast.stmt],
    env: Env,
) -> Expr:
    """A comprehension whose first items name a variable of its own: that is another one, around it."""
    first, span = generators[0], t.span(generators[0].iter)
    items = t.fresh("items")
    changed = ast.comprehension(first.target, load(ITEMS, first.iter), first.ifs, first.is_async)
    inside = {**env, ITEMS: Binding(items)}
    value = run(t, node, [changed, *generators[1:]], start, body, inside)
    return Let(span, items, t.expr(first.iter, env), value)


def as_loops(node: Any, name: str, first: ast.expr, by: str | None = None) -> tuple[ast.expr, ast.stmt]:
    """What a variable starts with, and the loops that make it the value.

    first: the outermost items. by: "any" or "all", which ends the loops as soon as it knows.
    """
    decided: list[ast.stmt] = []
    if by is not None:
        start: ast.expr = constant(by == "all", node)
        wanted = node.elt if by == "any" else ast.copy_location(ast.UnaryOp(ast.Not(), node.elt), node)
        leave = ast.copy_location(ast.Break(), node)
        found = [assign(name, constant(by == "any", node), node), leave]
        body: ast.stmt = ast.If(wanted, found, [])
        known = (
            load(name, node)
            if by == "any"
            else ast.copy_location(ast.UnaryOp(ast.Not(), load(name, node)), node)
        )
        decided = [ast.copy_location(ast.If(known, [leave], []), node)]
    elif isinstance(node, ast.DictComp):
        start = ast.Dict([], [])
        target = ast.Subscript(load(name, node), node.key, ast.Store())
        body = ast.Assign([ast.copy_location(target, node)], node.value)
    else:
        start = ast.List([], ast.Load())
        method = ast.copy_location(ast.Attribute(load(name, node), "append", ast.Load()), node)
        body = _statement(_call(method, [node.elt], node))
    ast.copy_location(body, node)
    statements = [body]
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            statements = [ast.copy_location(ast.If(test, statements, []), node)]
        items = first if generator is node.generators[0] else generator.iter
        loop = ast.copy_location(ast.For(generator.target, items, statements, []), node)
        statements = [loop, *decided]
    return ast.copy_location(start, node), loop


def _method(node: ast.expr, name: str) -> ast.expr:
    return ast.copy_location(ast.Attribute(load(RESULT, node), name, ast.Load()), node)


def _call(function: ast.expr, args: list[ast.expr], node: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(function, args, []), node)


def _statement(value: ast.expr) -> ast.stmt:
    return ast.copy_location(ast.Expr(value), value)
