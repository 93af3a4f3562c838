"""Comprehensions and generator expressions, as the loops that they stand for.

In: a comprehension without effects, or a generator expression and what consumes it. Out: the expression of
a loop over a list (or dictionary, or sum) that grows; `any` and `all` leave it as soon as they know.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from checkpoint.lang.core import Const, Expr, Let
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits
from checkpoint.lang.python.context.meanings import Binding, Env
from checkpoint.lang.python.normal.comprehensions import decides, growth, loops, over, runs_as_function
from checkpoint.lang.python.normal.liveness import NONE, LiveAtExits
from checkpoint.lang.python.normal.nodes import assign, constant, load
from checkpoint.lang.python.scopes.syntax import targets_of

RESULT = "%result"
ITEMS = "%items"


def translate(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    """A comprehension as a value; a generator expression is the list of what it gives."""
    if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
        raise t.refuse(node, "this comprehension", "write a list or dict comprehension")
    start, grown = growth(node, RESULT)
    return run(t, node, node.generators, start, grown, env)


def unassigned(t: FunctionContext, node: ast.AST, own: Collection[str], env: Env) -> dict[str, Binding]:
    """The function's variables without a value that a comprehension reads: free ones where it runs apart."""
    found = {}
    for name in t.reads(node) & t.scope.assigned.keys() - own:
        binding = env.get(name, Binding("", unbound=True))
        if binding.unbound and not binding.free:
            found[name] = replace(binding, free=True)
    return found


def consumed(
    t: FunctionContext, by: str, node: ast.GeneratorExp, more: list[ast.expr], env: Env
) -> Expr | None:
    """sum, any, all of a generator expression; None for what takes it as a list."""
    if by == "sum":
        start = more[0] if more else constant(0, node)
        added = ast.copy_location(ast.BinOp(load(RESULT, node), ast.Add(), node.elt), node)
        return run(t, node, node.generators, start, assign(RESULT, added, node), env)
    if by in {"any", "all"} and not more:
        stop = constant(by == "any", node)
        leave = ast.copy_location(ast.Return(stop), node)
        body = ast.copy_location(ast.If(decides(by, node.elt), [leave], []), node)
        return run(t, node, node.generators, constant(by == "all", node), body, env)
    return None


def run(
    t: FunctionContext,
    node: ast.expr,
    generators: list[ast.comprehension],
    start: ast.expr,
    body: ast.stmt,
    env: Env,
) -> Expr:
    """The value of `RESULT` after the loops, or what the body returns."""
    own = targets_of(generators)
    as_free = unassigned(t, node, own, env) if runs_as_function(node) else {}
    if as_free or own & t.reads(generators[0].iter):  # which are those around
        return _apart(t, node, generators, start, body, env, as_free)
    first = assign(RESULT, ast.copy_location(start, node), node)
    last = ast.copy_location(ast.Return(load(RESULT, node)), node)
    statements = t.normal.block([first, loops(node, generators, body, []), last])
    t.live.block(statements, NONE, LiveAtExits(NONE, NONE, NONE, NONE))
    inside = {**env, **{name: Binding("", unbound=True, free=False) for name in own}}
    exits = Exits(lambda _: Const(t.span(node), None), lambda value, _: value)
    return t.block(statements, inside, exits)


def _apart(
    t: FunctionContext,
    node: ast.expr,
    generators: list[ast.comprehension],
    start: ast.expr,
    body: ast.stmt,
    env: Env,
    as_free: Env,
) -> Expr:
    """A comprehension whose first items are evaluated before it, in the function around it; `told`: how
    variables are told in it.
    """
    first, span = generators[0], t.span(generators[0].iter)
    items = t.fresh("items")
    changed = over(first, load(ITEMS, first.iter))
    inside = {**env, **as_free, ITEMS: Binding(items)}
    value = run(t, node, [changed, *generators[1:]], start, body, inside)
    return Let(span, items, t.expr(first.iter, env), value)
