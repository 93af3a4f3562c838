"""What code that changes arrays in place looks like: `np.add.at(y, i, v)`, `u[1:-1] += v`.

In: a call or path in Python's syntax tree. Out: the path that it changes, or how what that holds is read.
"""

from __future__ import annotations

import ast

# Functions of modules that change the array which is their first argument.
WRITING = frozenset(("at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"))


def written_by(node: ast.AST) -> ast.expr | None:
    """What a call changes if it is one of a library's function that does: its first argument."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Attribute):
        return None
    first, name = node.args[0], module_of(node.func)
    is_path = isinstance(first, ast.Name | ast.Subscript)
    return first if is_path and name is not None and node.func.attr in WRITING else None


def module_of(function: ast.expr) -> str | None:
    """The name in front of a dotted name."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else None
