"""Counts the births and tags that a path takes before each of its operations.

In: paths. Out: the numbers, by which the text of an operation numbers its objects: the first birth of a path
is `births`, a variable that is counted up where the path ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from checkpoint.ctarget.translate.units.paths import Path


class Taken(NamedTuple):
    """Births of objects, and tags of duals, that a path has taken."""

    births: int = 0
    tags: int = 0


def taken_before(paths: Iterable[Path]) -> dict[int, Taken]:
    """Return what is taken before each operation, and before the end of each path, by their id."""
    found: dict[int, Taken] = {}
    behind: dict[int, Taken] = {}  # nodes that several paths have
    for path in paths:
        taken = Taken()
        for node in path.nodes:
            if id(node) not in behind:
                for op in node.ops:
                    found[id(op)] = taken
                    taken = Taken(taken.births + op.births, taken.tags + op.tags)
                behind[id(node)] = taken
            taken = behind[id(node)]
        found[id(path.end)] = taken
    return found
