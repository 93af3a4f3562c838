"""Decide whether a nested function is used only within the statement list that defines it; generators.

In: the syntax tree of a function. Out: for each nested definition its statement list, and whether all uses of
its name are in that list. There the name has a known meaning; after an `if` or a loop it is a value like
others.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from checkpoint.lang.python.scopes.lazy import Lazy
from checkpoint.lang.python.scopes.syntax import nodes_in, remembered, walk


def statement_lists(function: ast.FunctionDef | ast.Lambda) -> dict[ast.AST, list[ast.stmt]]:
    """Return, for each nested definition, the list of statements that it is in."""
    found: dict[ast.AST, list[ast.stmt]] = {}
    for node in nodes_in(function):
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
    return sum(isinstance(n, ast.Name) and n.id == name for node in nodes for n in nodes_in(node))


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body that are in no function nested in it."""
    body: Any = getattr(function, "body", [])
    nested = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    return walk(body if isinstance(body, list) else [body], lambda node: not isinstance(node, nested))


def is_generator(function: ast.AST) -> bool:
    """Return whether calls of a function give generators."""
    return isinstance(function, Lazy) or (isinstance(function, ast.FunctionDef) and has_yield(function))


@remembered
def has_yield(function: ast.AST) -> bool:
    """Return whether a function has a `yield` of its own."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function))


def is_generator_code(code: CodeType) -> bool:
    """Return whether calls of a function with this code give generators."""
    return bool(code.co_flags & inspect.CO_GENERATOR)


def has_cleanup(function: ast.AST) -> bool:
    """Return whether a function makes generators that do something when they are closed before their end."""
    waits = (node for node in own_nodes(function) if isinstance(node, ast.Try | ast.With))
    return is_generator(function) and any(
        isinstance(inner, ast.Yield | ast.YieldFrom) for node in waits for inner in ast.walk(node)
    )
