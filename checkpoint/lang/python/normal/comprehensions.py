"""Comprehensions as loops, in Python's syntax.

In: a comprehension or generator expression. Out: the `for` and `if` statements that it abbreviates.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from checkpoint.lang.python.normal.nodes import Prim, assign, constant, load


def growth(
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, name: str
) -> tuple[ast.expr, ast.stmt]:
    """Return the initial value of the result's variable, and the statement that adds one element."""
    if isinstance(node, ast.DictComp):
        start: ast.expr = ast.Dict([], [])
        target = ast.copy_location(ast.Subscript(load(name, node), node.key, ast.Store()), node)
        grown: ast.stmt = ast.Assign([target], node.value)
    else:
        is_set = isinstance(node, ast.SetComp)
        start = Prim("set", [Prim("py.dict", [], node)], node) if is_set else ast.List([], ast.Load())
        added = "add" if is_set else "append"
        method = ast.copy_location(ast.Attribute(load(name, node), added, ast.Load()), node)
        grown = ast.Expr(ast.copy_location(ast.Call(method, [node.elt], []), node))
    return ast.copy_location(start, node), ast.copy_location(grown, node)


def runs_as_function(node: ast.AST) -> bool:
    """Return whether Python runs a comprehension as a function of its own; since 3.12 only generators."""
    return isinstance(node, ast.GeneratorExp) or sys.version_info < (3, 12)


def loops(
    node: ast.expr, generators: list[ast.comprehension], body: list[ast.stmt], after: list[ast.stmt]
) -> ast.For:
    """Return the loops and tests of a comprehension around a body.

    after: the statements that follow each inner loop.
    """
    inside = body
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            inside = [ast.copy_location(ast.If(test, inside, []), node)]
        loop = ast.copy_location(ast.For(generator.target, generator.iter, inside, []), node)
        inside = [loop, *after]
    return loop


def as_loops(node: Any, name: str, first: ast.expr, by: str | None) -> tuple[ast.expr, ast.stmt]:
    """Return the initial value of a variable, and the loops that turn it into the comprehension's value.

    name: the variable. first: the outermost iterable. by: "any" or "all", whose loops end when the result is
    known.
    """
    generators = [over(node.generators[0], first), *node.generators[1:]]
    if by is None:
        start, grown = growth(node, name)
        return start, loops(node, generators, [grown], [])
    leave = ast.copy_location(ast.Break(), node)
    found = [assign(name, constant(by == "any", node), node), leave]
    body = ast.copy_location(ast.If(decides(by, node.elt), found, []), node)
    known = ast.copy_location(ast.If(decides(by, load(name, node)), [leave], []), node)
    return constant(by == "all", node), loops(node, generators, [body], [known])


def over(generator: ast.comprehension, items: ast.expr) -> ast.comprehension:
    """Return a generator of a comprehension with another iterable."""
    return ast.comprehension(generator.target, items, generator.ifs, generator.is_async)


def decides(by: str, test: ast.expr) -> ast.expr:
    """Return the test of whether an element decides `any` or `all`."""
    return test if by == "any" else ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def yielding(node: ast.Lambda) -> ast.For:
    """Return the loops of a generator expression, which is the body of a function."""
    items: Any = node.body
    found = ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(items.elt), items.elt)), items.elt)
    return loops(items, items.generators, [found], [])
