"""Where a nested function can be named: in the list of statements that defines it, and nowhere else?

In: the syntax tree of a function. Out: for each definition in it its list, and whether it stays there. What a
definition binds is at hand in the rest of its list alone: after an `if` or a loop it is a value like others.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence


def lists_of(function: ast.FunctionDef | ast.Lambda) -> dict[ast.AST, list[ast.stmt]]:
    """The list of statements that each nested definition stands in."""
    found: dict[ast.AST, list[ast.stmt]] = {}
    for node in ast.walk(function):
        for _, field_value in ast.iter_fields(node):
            if isinstance(field_value, list):
                found.update({s: field_value for s in field_value if isinstance(s, ast.FunctionDef)})
    return found


def stays(name: str, statements: list[ast.stmt], function: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a nested function is not named outside of the list of statements that defines it."""
    if statements is function.body:
        return True
    first = next(i for i, statement in enumerate(statements) if isinstance(statement, ast.FunctionDef))
    return _times(name, [function]) == _times(name, statements[first:])


def _times(name: str, nodes: Sequence[ast.AST]) -> int:
    """How often a name is read."""
    return sum(isinstance(n, ast.Name) and n.id == name for node in nodes for n in ast.walk(node))
