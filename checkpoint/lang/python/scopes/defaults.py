"""Decide where the defaults of a nested function may be evaluated.

All known functions of a statement list are bound where the first of them is defined, and their defaults are
evaluated there. A function is not known if that is too early: if a default may have another value, or fail,
before its own definition. A scope is a Scope of scopes.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

_WITHOUT_EFFECT = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.UnaryOp,
    ast.Tuple,
    ast.expr_context,
    ast.unaryop,
)


def may_be_early(scope: Any, node: ast.FunctionDef | ast.Lambda, statements: list[ast.stmt]) -> bool:
    """Return whether the defaults of a nested definition may be evaluated at the first one of its list."""
    first = next(i for i, each in enumerate(statements) if isinstance(each, ast.FunctionDef))
    if any(node is each for each in leading(statements[first:])):
        return True
    return all(_is_settled(scope, each, statements[first]) for each in _defaults(node))


def leading(statements: list[ast.stmt]) -> list[ast.FunctionDef]:
    """Return the definitions that begin a list of statements and may be bound together.

    They have no decorators, and no default reads the name of one before it.
    """
    found: list[ast.FunctionDef] = []
    for each in takewhile(_is_plain_definition, statements):
        assert isinstance(each, ast.FunctionDef)
        if _names_in(_defaults(each)) & {before.name for before in found}:
            break
        found.append(each)
    return found


def names_at_definitions(scope: Any) -> set[str]:
    """Return the names in the defaults and decorators of nested functions."""
    nodes: list[ast.expr] = []
    for node in scope.children:
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            nodes += [*_defaults(node), *getattr(node, "decorator_list", [])]
    return _names_in(nodes)


def _names_in(nodes: list[ast.expr]) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _defaults(node: ast.FunctionDef | ast.Lambda) -> list[ast.expr]:
    return [*node.args.defaults, *[each for each in node.args.kw_defaults if each is not None]]


def _is_plain_definition(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and not statement.decorator_list


def _is_settled(scope: Any, default: ast.expr, first: ast.stmt) -> bool:
    """Return whether a default has its value at a definition already, and keeps it."""
    for part in ast.walk(default):
        if not isinstance(part, _WITHOUT_EFFECT):
            return False
        if isinstance(part, ast.Attribute) and not _is_of_module(scope, part):
            return False
        if isinstance(part, ast.Name) and not _keeps_value(scope, part.id, first):
            return False
    return True


def _is_of_module(scope: Any, node: ast.Attribute) -> bool:
    """Return whether an attribute is read of what is no variable of a function, such as math.pi."""
    base = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    return isinstance(base, ast.Name) and not scope.is_local(base.id)


def _keeps_value(scope: Any, name: str, first: ast.stmt) -> bool:
    """Return whether a variable is written before a definition alone, and by no nested function."""
    if not scope.is_local(name):
        return name not in scope.globals
    owner = scope
    while owner is not None and name not in owner.assigned:
        owner = owner.parent
    if owner is None or name in owner.deleted or any(name in each.changed for each in _nested(owner)):
        return False
    writes = owner.writes.get(name, ())
    return (
        not any(each.may_follow(scope.places[first]) for each in writes)
        if owner is scope
        else len(writes) < 2
    )


def _nested(scope: Any) -> Iterator[Any]:
    """Yield the functions nested in one, at any depth."""
    pending = list(scope.children.values())
    while pending:
        found = pending.pop()
        yield found
        pending += found.children.values()
