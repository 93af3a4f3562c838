"""Comprehensions as loops, in Python's syntax.

In: a comprehension or generator expression. Out: the `for` and `if` statements that it stands for.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from checkpoint.lang.python.normal.nodes import assign, constant, load


def growth(node: ast.ListComp | ast.GeneratorExp | ast.DictComp, name: str) -> tuple[ast.expr, ast.stmt]:
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


def runs_as_function(node: ast.AST) -> bool:
    """Whether Python runs a comprehension as a function: those that make a value only before 3.12."""
    return isinstance(node, ast.GeneratorExp) or sys.version_info < (3, 12)


def loops(
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


def as_loops(node: Any, name: str, first: ast.expr, by: str | None = None) -> tuple[ast.expr, ast.stmt]:
    """What a variable starts with, and the loops that make it the value.

    first: the outermost items. by: "any" or "all", which ends the loops as soon as it knows.
    """
    generators = [over(node.generators[0], first), *node.generators[1:]]
    if by is None:
        start, grown = growth(node, name)
        return start, loops(node, generators, grown, [])
    leave = ast.copy_location(ast.Break(), node)
    found = [assign(name, constant(by == "any", node), node), leave]
    body = ast.copy_location(ast.If(decides(by, node.elt), found, []), node)
    known = ast.copy_location(ast.If(decides(by, load(name, node)), [leave], []), node)
    return constant(by == "all", node), loops(node, generators, body, [known])


def over(generator: ast.comprehension, items: ast.expr) -> ast.comprehension:
    """A generator that goes over other items."""
    return ast.comprehension(generator.target, items, generator.ifs, generator.is_async)


def decides(by: str, test: ast.expr) -> ast.expr:
    """Whether an element decides `any` or `all`."""
    return test if by == "any" else ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
