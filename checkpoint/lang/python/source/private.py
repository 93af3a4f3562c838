"""Private names: `__x` inside a class C means `_C__x`, as Python's compiler has it.

In: the statements of a text. Out: the same nodes, with private names mangled, except the names of functions
and classes themselves, which code objects have as they are written. Compiled again, they give the same code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from checkpoint.lang.python.scopes.syntax import children_of

_PRIVATE = re.compile(r"\b__\w+\b(?<!__)")


def mangle(text: str, body: list[ast.stmt]) -> None:
    """Mangle the private names in the classes of a text."""
    if not _PRIVATE.search(text):
        return
    pending: list[tuple[ast.AST, str]] = [(node, "") for node in body]
    while pending:
        node, cls = pending.pop()
        if cls:
            _rename(node, cls)
        if isinstance(node, ast.ClassDef):
            outside = (*node.bases, *node.keywords, *node.decorator_list)
            pending += _each(outside, cls)
            pending += _each(node.body, node.name.lstrip("_"))
        else:
            pending += _each(children_of(node), cls)


def _each(nodes: Iterable[ast.AST], cls: str) -> Iterator[tuple[ast.AST, str]]:
    return ((node, cls) for node in nodes)


def _rename(node: ast.AST, cls: str) -> None:
    match node:
        case ast.Name():
            node.id = mangled(node.id, cls)
        case ast.Attribute():
            node.attr = mangled(node.attr, cls)
        case ast.arg():
            node.arg = mangled(node.arg, cls)
        case ast.Global() | ast.Nonlocal():
            node.names = [mangled(name, cls) for name in node.names]
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if node.name:
            node.name = mangled(node.name, cls)
        case ast.MatchMapping() if node.rest:
            node.rest = mangled(node.rest, cls)


def mangled(name: str, cls: str) -> str:
    """Return what a name means inside a class; cls: the name of the class without leading underscores."""
    is_private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{cls}{name}" if is_private else name
