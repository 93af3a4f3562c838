"""Which parameters of a function hold arrays that it writes into, as its callers would see.

In: the scope of a function, and which arguments the functions that it calls write. Out: names of parameters.

A parameter counts if it always holds the array that the caller passed: an assignment gives it another value,
while an augmented one (`out += x`) changes an array in place, and one in `if out is None:` is not reached
then.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
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

    def is_kept(name: str) -> bool:
        """Return whether an array that is passed stays the value of a parameter."""
        others = [each for each in scope.assigned.get(name, ()) if each not in augmented]
        others = [each for each in others if not isinstance(each, ast.arg)]
        return not others or _where_none(node, scope, name, cells).issuperset(others)

    return tuple([name for name in names if name in found and name not in cells and is_kept(name)])


def _where_none(function: ast.FunctionDef, scope: Scope, name: str, cells: Collection[str]) -> set[ast.AST]:
    """Return the nodes that only run where a parameter was None: in `if out is None:`, or by such a flag."""
    flags = {
        each.targets[0].id
        for each in _own_nodes(function)
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and len(each.targets) == 1
        if _asks_for_none(each.value, name) and len(scope.assigned.get(each.targets[0].id, ())) == 1
    }
    found: set[ast.AST] = set()
    for each in _own_nodes(function):
        if isinstance(each, ast.If):
            by_flag = isinstance(each.test, ast.Name) and each.test.id in flags.difference(cells)
            if by_flag or _asks_for_none(each.test, name):
                found.update(inner for part in each.body for inner in ast.walk(part))
    return found


def _asks_for_none(test: ast.expr, name: str) -> bool:
    """Return whether a test is `name is None`."""
    match test:
        case ast.Compare(ast.Name(found), [ast.Is()], [ast.Constant(None)]):
            return found == name
    return False


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
