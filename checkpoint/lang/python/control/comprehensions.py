"""Translate comprehensions and generator expressions as loops.

In: a comprehension without effects, or a generator expression and the function that consumes it. Out: the
expression of a loop that builds a list, dictionary or sum; the loops of `any` and `all` end when the result
is known.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from checkpoint.lang.core import Const, Expr, Let
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits
from checkpoint.lang.python.context.meanings import Binding, Env
from checkpoint.lang.python.control.plan import iterated
from checkpoint.lang.python.library import compensated
from checkpoint.lang.python.normal.comprehensions import decides, growth, loops, over, runs_as_function
from checkpoint.lang.python.normal.liveness import NONE, LiveAtExits
from checkpoint.lang.python.normal.nodes import Library, Prim, assign, constant, load
from checkpoint.lang.python.scopes.syntax import targets_of

RESULT = "%result"
LOST = "%lost"
ITEM = "%item"
ITEMS = "%items"
EACH = "%each"
DEFAULT = "%default"


def translate(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    """Translate a comprehension; a generator expression gives the list of its elements."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        raise t.refuse(node, "this comprehension", "write a list, set or dict comprehension")
    start, grown = growth(node, RESULT)
    return run(t, node, node.generators, _from(start, node), [grown], env)


def collected(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    """Return the list of the items of an iterable, taken one by one."""
    target = ast.copy_location(ast.Name(EACH, ast.Store()), node)
    generator = ast.comprehension(target, node, [], 0)
    return translate(t, ast.copy_location(ast.ListComp(load(EACH, node), [generator]), node), env)


def unassigned(t: FunctionContext, node: ast.AST, own: Collection[str], env: Env) -> dict[str, Binding]:
    """Return the bindings of the unassigned variables that a comprehension reads, as free variables."""
    found = {}
    for name in t.reads(node) & t.scope.assigned.keys() - own:
        binding = env.get(name, Binding("", unbound=True))
        if binding.unbound and not binding.free:
            found[name] = replace(binding, free=True)
    return found


def consumed(
    t: FunctionContext, by: str, node: ast.GeneratorExp, more: list[ast.expr], env: Env
) -> Expr | None:
    """Translate sum, any, all or next of a generator expression; return None for all other functions.

    more: the start of a sum, or the default of `next`, which is no part of the generator's scope.
    """
    if len(more) > 1:
        return None
    if more and by in {"sum", "next"} and not _is_evaluated(more[0]):
        default = t.fresh("default")
        value = consumed(t, by, node, [load(DEFAULT, node)], {**env, DEFAULT: Binding(default)})
        assert value is not None
        return Let(t.span(more[0]), default, t.expr(more[0], env), value)
    if by == "next":
        last = ast.Return(more[0]) if more else ast.Raise(load("StopIteration", node))
        found = ast.copy_location(ast.Return(node.elt), node)
        return run(t, node, node.generators, [], [found], env, ast.copy_location(last, node))
    if by == "sum":
        return _sum(t, node, more[0] if more else constant(0, node), env)
    if by in {"any", "all"} and not more:
        stop = constant(by == "any", node)
        leave = ast.copy_location(ast.Return(stop), node)
        body = ast.copy_location(ast.If(decides(by, node.elt), [leave], []), node)
        return run(t, node, node.generators, _from(constant(by == "all", node), node), [body], env)
    return None


def _sum(t: FunctionContext, node: ast.GeneratorExp, start: ast.expr, env: Env) -> Expr:
    """Return the sum of what a generator expression yields."""
    if not compensated.COMPENSATED:
        grown = ast.copy_location(ast.BinOp(load(RESULT, node), ast.Add(), node.elt), node)
        return run(t, node, node.generators, _from(start, node), [assign(RESULT, grown, node)], env)
    first = _assign_sum(Library(compensated.begun, [start], node))
    last = ast.copy_location(ast.Return(Library(compensated.ended, _sum_so_far(node), node)), node)
    return run(t, node, node.generators, [first], _added(node), env, last)


def _added(node: ast.GeneratorExp) -> list[ast.stmt]:
    """Return what adds an item to a sum, as the loop of compensated.sum_ does."""
    total, lost, item = load(RESULT, node), load(LOST, node), load(ITEM, node)
    tests: list[ast.expr] = [Prim("real?", [each], node) for each in (item, lost)]
    more = ast.copy_location(ast.BinOp(lost, ast.Add(), Prim("py.rounding-loss", [total, item], node)), node)
    grown = ast.copy_location(ast.BinOp(total, ast.Add(), item), node)
    by_parts: list[ast.stmt] = [assign(LOST, more, node), assign(RESULT, grown, node)]
    otherwise = _assign_sum(Library(compensated.added, [*_sum_so_far(node), item], node))
    test = ast.copy_location(ast.BoolOp(ast.And(), tests), node)
    return [assign(ITEM, node.elt, node), ast.copy_location(ast.If(test, by_parts, [otherwise]), node)]


def _sum_so_far(node: ast.AST) -> list[ast.expr]:
    return [load(RESULT, node), load(LOST, node)]


def _assign_sum(value: ast.expr) -> ast.Assign:
    """Return the statement that assigns a total and what rounding has lost of it."""
    names: list[ast.expr] = [ast.copy_location(ast.Name(each, ast.Store()), value) for each in (RESULT, LOST)]
    target = ast.copy_location(ast.Tuple(names, ast.Store()), value)
    return ast.copy_location(ast.Assign([target], value), value)


def _from(start: ast.expr, node: ast.AST) -> list[ast.stmt]:
    """Return the statement that gives the result its first value."""
    return [assign(RESULT, ast.copy_location(start, node), node)]


def _is_evaluated(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id == DEFAULT)


def run(
    t: FunctionContext,
    node: ast.expr,
    generators: list[ast.comprehension],
    first: list[ast.stmt],
    body: list[ast.stmt],
    env: Env,
    last: ast.stmt | None = None,
) -> Expr:
    """Return the value of `RESULT` after the loops, or the value that the body returns.

    first: the statements before the loops. last: the statement after them, if it returns no `RESULT`.
    """
    own = targets_of(generators)
    as_free = unassigned(t, node, own, env) if runs_as_function(node) else {}
    if as_free or own & t.reads(
        generators[0].iter
    ):  # the first iterable reads the enclosing variables of these names
        return _with_items_first(t, node, generators, first, body, env, as_free, last)
    returned = ast.copy_location(ast.Return(load(RESULT, node)), node)
    whole = loops(node, generators, body, [])
    statements = t.normal.block([*first, whole, returned if last is None else last])
    t.live.block(statements, NONE, LiveAtExits(NONE, NONE, NONE, NONE))
    inside = {**env, **{name: Binding("", unbound=True, free=False) for name in own}}
    exits = Exits(lambda _: Const(t.span(node), None), lambda value, _: value)
    return t.block(statements, inside, exits)


def _with_items_first(
    t: FunctionContext,
    node: ast.expr,
    generators: list[ast.comprehension],
    before: list[ast.stmt],
    body: list[ast.stmt],
    env: Env,
    as_free: Env,
    last: ast.stmt | None,
) -> Expr:
    """Translate a comprehension whose first iterable is evaluated before it, in the enclosing function.

    as_free: the bindings of the variables that are free in the comprehension.
    """
    first, span = generators[0], t.span(generators[0].iter)
    items = t.fresh("items")
    changed = over(first, load(ITEMS, first.iter))
    inside = {**env, **as_free, ITEMS: Binding(items)}
    value = run(t, node, [changed, *generators[1:]], before, body, inside, last)
    return Let(span, items, iterated(t, first.iter, env), value)
