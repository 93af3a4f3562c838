"""Walking a nest of values and building another from it, without recursion, however deep it is.

Two walks, since values are trees at some boundaries and graphs elsewhere:

    fold          each path is visited by itself; a part that two paths reach has two results
    fold_shared   each object is visited once, and sharing is kept
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


class Branch:
    """A compound item: its parts, and `build`, which makes its result from the list of theirs."""

    __slots__ = ("build", "parts")

    def __init__(self, parts: Sequence[Any], build: Callable[[list[Any]], Any]) -> None:
        self.parts = parts
        self.build = build


class _Open:
    """A branch whose parts are being visited."""

    __slots__ = ("build", "count")

    def __init__(self, build: Callable[[list[Any]], Any], count: int) -> None:
        self.build = build
        self.count = count


def fold(root: Any, open_: Callable[[Any], Any]) -> Any:
    """Return the result for a tree, built from its leaves up.

    open_: returns a Branch for a compound item, and for any other item its result. Items are opened in
        depth-first order, parts from the first to the last; a branch is built after its last part.

    >>> def doubled(item):
    ...     return Branch(item, tuple) if type(item) is tuple else 2 * item
    >>> fold((1, (2, 3)), doubled)
    (2, (4, 6))
    """
    results: list[Any] = []
    pending: list[Any] = [root]
    while pending:
        item = pending.pop()
        if type(item) is _Open:
            first = len(results) - item.count
            results[first:] = [item.build(results[first:])]
            continue
        found = open_(item)
        if type(found) is Branch:
            pending.append(_Open(found.build, len(found.parts)))
            pending.extend(reversed(found.parts))
        else:
            results.append(found)
    return results[0]


def fold_shared(
    root: Any,
    done: dict[int, Any],
    leaf: Callable[[Any], Any],
    parts_of: Callable[[Any], Iterable[Any]],
    build: Callable[[Any, list[Any]], Any],
) -> Any:
    """Return the result for a graph without cycles, built from its leaves up, each object once.

    done: results by the identity of their objects; those that it holds already are taken from there.
    leaf: returns the result for an item, or DESCEND to build it from the results of its parts.

    >>> shared = (1, 2)
    >>> a, b = fold_shared((shared, shared), {}, lambda x: DESCEND if type(x) is tuple else x, tuple,
    ...                    lambda _, parts: list(parts))
    >>> a is b
    True
    """
    stack = [root]
    while stack:
        item = stack[-1]
        if id(item) in done:
            stack.pop()
            continue
        result = leaf(item)
        if result is DESCEND:
            parts = parts_of(item)
            missing = [part for part in parts if id(part) not in done]
            if missing:
                stack.extend(missing)
                continue
            result = build(item, [done[id(part)] for part in parts])
        done[id(item)] = result
        stack.pop()
    return done[id(root)]


class _Descend:
    """The type of DESCEND."""


DESCEND = _Descend()
