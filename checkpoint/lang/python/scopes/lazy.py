"""Generator expressions that are values, as functions that make generators.

In: the syntax tree of a function. Out: the same tree where there are none; else a copy in which each one,
`(f(x) for x in xs)`, is the call `(lambda items: ...)(xs)` of a Lazy lambda. A generator expression that a
call or statement consumes at once stays as it is, and is a loop.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from checkpoint.lang.python.scopes.syntax import called_name, nodes_in

ITEMS = "%items"

# Names of functions and methods that consume an iterable before they do anything else.
_BUILTIN = ("sum", "any", "all", "list", "tuple", "set", "frozenset", "dict", "sorted", "max", "min")
_OTHERS = ("fsum", "prod", "join", "extend", "update", "Counter", "deque", "mean", "fmean", "median", "array")
CONSUMING = frozenset(
    (*_BUILTIN, *_OTHERS, "sumprod", "stdev", "pstdev", "variance", "pvariance", "asarray", "fromiter")
)


class Lazy(ast.Lambda):
    """A function of the outermost iterable of a generator expression; body: the generator expression."""

    _fields = ("args", "body")
    name = "<genexpr>"


def with_lazy(tree: Any) -> Any:
    """Return a function's tree with its generator expressions that are values as calls."""
    generators = {id(node) for node in nodes_in(tree) if isinstance(node, ast.GeneratorExp)}
    if not generators or generators <= _consumed(tree):
        return tree
    made = copy.deepcopy(tree)
    return _Rewritten(_consumed(made)).visit(made)


def _consumed(tree: ast.AST) -> set[int]:
    """Return the identities of the generator expressions that are consumed where they are made."""
    found: set[int] = set()
    for node in nodes_in(tree):
        match node:
            case ast.Call(args=[ast.GeneratorExp() as items, *_]):
                if called_name(node) in CONSUMING or is_search(node, items):
                    found.add(id(items))
            case ast.Starred(value=ast.GeneratorExp() as items):
                found.add(id(items))
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=ast.GeneratorExp() as items):
                found.add(id(items))
            case ast.GeneratorExp(generators=generators) if any(each.is_async for each in generators):
                found.add(id(node))  # refused
    return found


def is_search(node: ast.Call, items: ast.GeneratorExp) -> bool:
    """Return whether a call is `next(x for ...)`, with one `for` and perhaps a simple default."""
    defaults = node.args[1:]
    is_simple = len(defaults) < 2 and all(isinstance(each, ast.Constant | ast.Name) for each in defaults)
    return called_name(node) == "next" and is_simple and not node.keywords and len(items.generators) == 1


class _Rewritten(ast.NodeTransformer):
    def __init__(self, consumed: set[int]) -> None:
        self.consumed = consumed

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        self.generic_visit(node)
        if id(node) in self.consumed:
            return node
        first, rest = node.generators[0], node.generators[1:]
        parameter = ast.copy_location(ast.arg(ITEMS), node)
        items = ast.copy_location(ast.Name(ITEMS, ast.Load()), first.iter)
        over = ast.comprehension(first.target, items, first.ifs, first.is_async)
        body = ast.copy_location(ast.GeneratorExp(node.elt, [over, *rest]), node)
        made = Lazy(ast.arguments([], [parameter], None, [], [], None, []), body)
        return ast.copy_location(ast.Call(ast.copy_location(made, node), [first.iter], []), node)
