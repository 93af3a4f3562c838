"""Rewrite operators and texts of views of dictionaries, which are tuples in programs.

In: an expression. Out: the expression with library functions for `d.keys() & x`, `d.keys() == x` and others,
and for the text of a view; None where nothing is to be rewritten. A view that is stored in a variable is a
tuple there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env
from checkpoint.lang.python.library import sets
from checkpoint.lang.python.normal.nodes import Library, constant
from checkpoint.lang.python.scopes.syntax import view_of

_SETS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.BitAnd: sets.both,
    ast.BitOr: sets.either,
    ast.Sub: sets.only_first,
    ast.BitXor: sets.only_one,
}
_ORDERED = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
Handler = Callable[[FunctionContext, Any, Env], Expr]


def rewritten_first(handler: Handler) -> Handler:
    """Return the translation of operators that does so for views, too."""

    def translate(t: FunctionContext, node: Any, env: Env) -> Expr:
        made = _rewritten(t, node, env)
        return handler(t, node, env) if made is None else t.expr(made, env)

    return translate


def shown(t: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """Return the text of a view; all else as it is."""
    name = _view(t, node, env)
    return node if name is None else Library(sets.shown, [node, constant(f"dict_{name}", node)], node)


def _view(t: FunctionContext, node: ast.expr, env: Env) -> str | None:
    """Return "keys", "values" or "items" for a call of that method, if it is that of dictionaries."""
    view = view_of(node)
    if view is None or t.program.owners_of(view[1]) or t.program.classes_with_field(view[1]):
        return None
    return None if t.program.reference(t, view[0], env) is not None else view[1]


def _rewritten(t: FunctionContext, node: ast.BinOp | ast.Compare, env: Env) -> ast.expr | None:
    if isinstance(node, ast.Compare):
        return _compared(t, node, env) if len(node.ops) == 1 else None
    function = _SETS.get(type(node.op))
    if function is None or not {"keys", "items"} & {_view(t, each, env) for each in (node.left, node.right)}:
        return None
    return Library(function, [node.left, node.right], node)


def _compared(t: FunctionContext, node: ast.Compare, env: Env) -> ast.expr | None:
    sides = [node.left, node.comparators[0]]
    names = [_view(t, each, env) for each in sides]
    op = node.ops[0]
    if not isinstance(op, _ORDERED) or not {"keys", "items"} & set(names):
        return None
    if names == ["items", "items"] and isinstance(op, ast.Eq | ast.NotEq):
        function = sets.equal_items if isinstance(op, ast.Eq) else sets.unequal_items
        return Library(function, sides, node)
    left, right = [
        Library(sets.as_set, [each], each) if name in ("keys", "items") else each
        for each, name in zip(sides, names, strict=True)
    ]
    return ast.copy_location(ast.Compare(left, [op], [right]), node)
