"""Which parameters of a function hold arrays that it writes into, as its callers would see.

In: the scope of a function, and which arguments the functions that it calls write. Out: names of parameters.

A parameter counts if it always holds what the caller passed: an assignment gives it another value, while an
augmented one (`out += x`) changes an array in place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from checkpoint.lang.python.scopes.syntax import IN_PLACE, rebound_by, written_by

if TYPE_CHECKING:
    from checkpoint.lang.python.scopes.scopes import Scope

# The methods that change an array in place.
_OF_ARRAYS = frozenset(("fill", "sort")) | IN_PLACE

Argument = int | str  # the position or the keyword of an argument


def is_path(node: ast.expr) -> bool:
    """Return whether an argument is a variable, an attribute or an item, in which something can be stored."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def arguments_of(call: ast.Call) -> Iterator[tuple[Argument, ast.expr]]:
    """Yield the arguments before the first star, with their positions and keywords."""
    for i, part in enumerate(call.args):
        if isinstance(part, ast.Starred):
            break
        yield i, part
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


def written_parameters(scope: Scope, of_call: Callable[[ast.Call], list[Argument]]) -> tuple[str, ...]:
    """Return the parameters; of_call: returns the arguments of a call that the callee writes into."""
    node = scope.node
    if isinstance(node, ast.Lambda):
        return ()
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    found: set[str] = set()
    augmented: set[ast.AST] = set()
    for each in _own_nodes(node):
        if isinstance(each, ast.AugAssign):
            augmented.add(each.target)
        found |= {name for name in map(rebound_by, _paths(each, of_call)) if name is not None}
    cells = scope.cells()
    return tuple(
        name
        for name in names
        if name in found
        and name not in cells
        and all(isinstance(part, ast.arg) or part in augmented for part in scope.assigned.get(name, ()))
    )


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body without those of nested functions."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))


def _paths(node: ast.AST, of_call: Callable[[ast.Call], list[Argument]]) -> list[ast.expr]:
    """Return the paths of the arrays that one node may change."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return [node.target]
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return [node.value]
    if not isinstance(node, ast.Call):
        return []
    found = written_by(node)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _OF_ARRAYS:
        found.append(node.func.value)
    passed = dict(arguments_of(node))
    return [*found, *[passed[key] for key in of_call(node) if is_path(passed[key])]]
