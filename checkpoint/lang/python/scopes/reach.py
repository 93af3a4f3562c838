"""Decide whether a nested function is used only within the statement list that defines it.

In: the syntax tree of a function. Out: for each nested definition its statement list, and whether all uses of
its name are in that list. There the name has a known meaning; after an `if` or a loop it is a value like
others.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence


def statement_lists(function: ast.FunctionDef | ast.Lambda) -> dict[ast.AST, list[ast.stmt]]:
    """Return, for each nested definition, the list of statements that it is in."""
    found: dict[ast.AST, list[ast.stmt]] = {}
    for node in ast.walk(function):
        for _, field_value in ast.iter_fields(node):
            if isinstance(field_value, list):
                found.update({s: field_value for s in field_value if isinstance(s, ast.FunctionDef)})
    return found


def is_confined(name: str, statements: list[ast.stmt], function: ast.FunctionDef | ast.Lambda) -> bool:
    """Return whether a nested function is used only within the statement list that defines it."""
    if statements is function.body:
        return True
    first = next(i for i, statement in enumerate(statements) if isinstance(statement, ast.FunctionDef))
    return _times(name, [function]) == _times(name, statements[first:])


def _times(name: str, nodes: Sequence[ast.AST]) -> int:
    """Return how often a name is used in some nodes."""
    return sum(isinstance(n, ast.Name) and n.id == name for node in nodes for n in ast.walk(node))
