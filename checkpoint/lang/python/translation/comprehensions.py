"""Comprehensions and generator expressions, as the loops that they stand for.

In: a comprehension without effects, or a generator expression and what consumes it. Out: the expression of
a loop over a list (or dictionary, or sum) that grows; `any` and `all` leave it as soon as they know.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from checkpoint.lang.core import Const, Expr, Let
from checkpoint.lang.python.context.exits import Exits
from checkpoint.lang.python.context.meanings import Binding, Env
from checkpoint.lang.python.normal.liveness import NONE, Around
from checkpoint.lang.python.normal.nodes import assign, constant, load

if TYPE_CHECKING:
    from checkpoint.lang.python.translation.translator import Translator

RESULT = "%result"
ITEMS = "%items"


def translate(t: Translator, node: ast.expr, env: Env) -> Expr:
    """A comprehension as a value; a generator expression is the list of what it gives."""
    if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
        raise t.refuse(node, "this comprehension", "write a list or dict comprehension")
    start, grown = _growth(node, RESULT)
    return run(t, node, node.generators, start, grown, env)


def _growth(node: ast.ListComp | ast.GeneratorExp | ast.DictComp, name: str) -> tuple[ast.expr, ast.stmt]:
    """What the variable that becomes the value starts with, and how it takes one element."""
    if isinstance(node, ast.DictComp):
        start: ast.expr = ast.Dict([], [])
        target = ast.copy_location(ast.Subscript(load(name, node), node.key, ast.Store()), node)
        grown: ast.stmt = ast.Assign([target], node.value)
    else:
        start = ast.List([], ast.Load())
        method = ast.copy_location(ast.Attribute(load(name, node), "append", ast.Load()), node)
        grown = ast.Expr(ast.copy_location(ast.Call(method, [node.elt], []), node))
    return ast.copy_location(start, node), ast.copy_location(grown, node)


def runs_apart(node: ast.AST) -> bool:
    """Whether Python runs a comprehension as a function: those that make a value only before 3.12."""
    return isinstance(node, ast.GeneratorExp) or sys.version_info < (3, 12)


def unassigned(t: Translator, node: ast.AST, own: Collection[str], env: Env) -> dict[str, Binding]:
    """The function's variables without a value that a comprehension reads: free ones where it runs apart."""
    found = {}
    for name in t.reads(node) & t.scope.assigned.keys() - own:
        binding = env.get(name, Binding("", unbound=True))
        if binding.unbound and not binding.free:
            found[name] = replace(binding, free=True)
    return found


def _loops(
    node: ast.expr, generators: list[ast.comprehension], body: ast.stmt, after: list[ast.stmt]
) -> ast.For:
    """The loops and tests of a comprehension around a body; after: what follows each inner loop."""
    inside = [body]
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            inside = [ast.copy_location(ast.If(test, inside, []), node)]
        loop = ast.copy_location(ast.For(generator.target, generator.iter, inside, []), node)
        inside = [loop, *after]
    return loop


def consumed(t: Translator, by: str, node: ast.GeneratorExp, more: list[ast.expr], env: Env) -> Expr | None:
    """sum, any, all of a generator expression; None for what takes it as a list."""
    if by == "sum":
        start = more[0] if more else constant(0, node)
        added = ast.copy_location(ast.BinOp(load(RESULT, node), ast.Add(), node.elt), node)
        return run(t, node, node.generators, start, assign(RESULT, added, node), env)
    if by in {"any", "all"} and not more:
        stop = constant(by == "any", node)
        leave = ast.copy_location(ast.Return(stop), node)
        body = ast.copy_location(ast.If(_decides(by, node.elt), [leave], []), node)
        return run(t, node, node.generators, constant(by == "all", node), body, env)
    return None


def run(
    t: Translator,
    node: ast.expr,
    generators: list[ast.comprehension],
    start: ast.expr,
    body: ast.stmt,
    env: Env,
) -> Expr:
    """The value of `RESULT` after the loops, or what the body returns."""
    own = {n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    told = unassigned(t, node, own, env) if runs_apart(node) else {}
    if told or own & t.reads(generators[0].iter):  # which are those around
        return _apart(t, node, generators, start, body, env, told)
    first = assign(RESULT, ast.copy_location(start, node), node)
    last = ast.copy_location(ast.Return(load(RESULT, node)), node)
    statements = t.normal.block([first, _loops(node, generators, body, []), last])
    t.live.block(statements, NONE, Around(NONE, NONE, NONE, NONE))
    inside = {**env, **{name: Binding("", unbound=True, free=False) for name in own}}
    exits = Exits(lambda _: Const(t.span(node), None), lambda value, _: value)
    return t.block(statements, inside, exits)


def _apart(
    t: Translator,
    node: ast.expr,
    generators: list[ast.comprehension],
    start: ast.expr,
    body: ast.stmt,
    env: Env,
    told: Env,
) -> Expr:
    """A comprehension whose first items are evaluated before it, in the function around it; `told`: how
    variables are told in it.
    """
    first, span = generators[0], t.span(generators[0].iter)
    items = t.fresh("items")
    changed = _over(first, load(ITEMS, first.iter))
    inside = {**env, **told, ITEMS: Binding(items)}
    value = run(t, node, [changed, *generators[1:]], start, body, inside)
    return Let(span, items, t.expr(first.iter, env), value)


def as_loops(node: Any, name: str, first: ast.expr, by: str | None = None) -> tuple[ast.expr, ast.stmt]:
    """What a variable starts with, and the loops that make it the value.

    first: the outermost items. by: "any" or "all", which ends the loops as soon as it knows.
    """
    generators = [_over(node.generators[0], first), *node.generators[1:]]
    if by is None:
        start, grown = _growth(node, name)
        return start, _loops(node, generators, grown, [])
    leave = ast.copy_location(ast.Break(), node)
    found = [assign(name, constant(by == "any", node), node), leave]
    body = ast.copy_location(ast.If(_decides(by, node.elt), found, []), node)
    known = ast.copy_location(ast.If(_decides(by, load(name, node)), [leave], []), node)
    return constant(by == "all", node), _loops(node, generators, body, [known])


def _over(generator: ast.comprehension, items: ast.expr) -> ast.comprehension:
    """A generator that goes over other items."""
    return ast.comprehension(generator.target, items, generator.ifs, generator.is_async)


def _decides(by: str, test: ast.expr) -> ast.expr:
    """Whether an element decides `any` or `all`."""
    return test if by == "any" else ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
