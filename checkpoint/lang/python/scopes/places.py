"""Positions in the text of a function, and which of them may be executed after which."""

from __future__ import annotations

import ast

from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class Place:
    """A position in a function: its line and column, and the loops around it."""

    line: int
    column: int
    loops: frozenset[ast.AST]

    def may_follow(self, other: Place) -> bool:
        """Return whether this position may be executed after the other."""
        return (self.line, self.column) > (other.line, other.column) or bool(self.loops & other.loops)
