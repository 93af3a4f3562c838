"""The order of tests: those of one program follow one another.

A program is translated once in a process, and workers take tests that follow one another: in the order of the
file, where each test function goes through all programs, every worker would translate all of them.
"""

from __future__ import annotations

from collections.abc import Hashable

import pytest


def bring_together(items: list[pytest.Item]) -> None:
    """Sort the tests of files with the mark `together`: those with the same value of its parameter follow one
    another, in the order of the first of them. All else stays where it is.
    """
    places: dict[Hashable, int] = {}

    def place(item: pytest.Item) -> int:
        return places.setdefault(_group_of(item), len(places))

    items.sort(key=place)


def _group_of(item: pytest.Item) -> Hashable:
    """Return what the tests have in common that follow one another."""
    mark = item.get_closest_marker("together")
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    name = mark.args[0] if mark else None
    return (item.path, parameters[name]) if name in parameters else item.nodeid
