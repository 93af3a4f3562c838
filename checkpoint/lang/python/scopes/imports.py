"""The imports of a function: names with one meaning, or assignments to variables.

In: the imports, in the order of the text, and the names that anything else binds. Out: for each name that
only imports of one thing bind, what is imported: such a name is known at translation. Any other import
assigns to a variable what a name of its own, which no program can write, stands for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from checkpoint.dataclass import dataclass

# The module, with a dot before it for each level of a relative import, and the name in the module or None.
Target = tuple[str, str | None]
Statement = ast.Import | ast.ImportFrom


@dataclass(frozen=True, eq=False, repr=False)
class _Import:
    """An import of one name."""

    node: Statement
    alias: ast.alias
    target: Target


class Imports:
    """The imports of one function."""

    def __init__(self) -> None:
        self._found: dict[str, list[_Import]] = {}
        self._fallbacks: set[ast.stmt] = set()

    def add(self, node: Statement) -> None:
        """Note an import."""
        for alias in node.names:
            target = required_by(node, alias)
            if isinstance(node, ast.Import) and not alias.asname:
                target = alias.name.partition(".")[0], None  # `import a.b` binds a
            self._found.setdefault(bound_by(node, alias), []).append(_Import(node, alias, target))

    def with_fallbacks(self, node: ast.Try) -> ast.Try:
        """Note the imports in the handlers of a `try` that imports one name, no more; return the `try`.

        They run only where that import fails, so the name means the first import that does not.
        """
        if len(node.body) == 1 and isinstance(node.body[0], Statement) and len(node.body[0].names) == 1:
            within = [each for handler in node.handlers for each in handler.body]
            self._fallbacks.update(each for each in within if isinstance(each, Statement))
        return node

    def finished(
        self, others: Collection[str], bind: Callable[[str, ast.AST], None]
    ) -> tuple[dict[str, list[Target]], dict[ast.alias, str]]:
        """Return what names import, and which of these names are assigned to variables.

        others: the names that anything else binds. bind: is called with each such variable.
        """
        imports: dict[str, list[Target]] = {}
        stored: dict[ast.alias, str] = {}
        for name, found in self._found.items():
            differ = {each.target for each in found if each.node not in self._fallbacks}
            if name not in others and len(differ) <= 1:
                imports[name] = [each.target for each in found]
                continue
            for each in found:
                stored[each.alias] = hidden = f"%{name}@{each.alias.lineno}:{each.alias.col_offset}"
                imports[hidden] = [each.target]
                bind(name, each.node)
        return imports, stored


def bound_by(node: Statement, alias: ast.alias) -> str:
    """Return the name that an import binds."""
    whole = isinstance(node, ast.Import)
    return alias.asname or (alias.name.partition(".")[0] if whole else alias.name)


def required_by(node: Statement, alias: ast.alias) -> Target:
    """Return what must exist for an import to succeed."""
    if isinstance(node, ast.Import):
        return alias.name, None
    return "." * node.level + (node.module or ""), alias.name
