"""Walking a nest of values and building another from it, without recursion, however deep it is.

Two walks, since values are trees at some boundaries and graphs elsewhere:

    fold          each path is visited by itself; a part that two paths reach has two results
    fold_shared   each object is visited once, and sharing is kept; what may be part of a cycle is made first,
                  and filled afterwards
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


class Cycle(ValueError):
    """Raised by `fold` for an item that is a part of itself."""

    def __init__(self, item: object) -> None:
        super().__init__("it is a part of itself")
        self.item = item


class Branch:
    """A compound item: its parts, and `build`, which makes its result from the list of theirs.

    item: the item, if it may be a part of itself.
    """

    __slots__ = ("build", "item", "parts")

    def __init__(self, parts: Sequence[Any], build: Callable[[list[Any]], Any], item: object = None) -> None:
        self.parts = parts
        self.build = build
        self.item = item


class _Open:
    """A branch whose parts are being visited."""

    __slots__ = ("branch", "count")

    def __init__(self, branch: Branch) -> None:
        self.branch = branch
        self.count = len(branch.parts)


def fold(root: Any, open_: Callable[[Any], Any]) -> Any:
    """Return the result for a tree, built from its leaves up.

    open_: returns a Branch for a compound item, and for any other item its result. Items are opened in
        depth-first order, parts from the first to the last; a branch is built after its last part. Cycle is
        raised where a branch's item is opened within itself.

    >>> def doubled(item):
    ...     return Branch(item, tuple) if type(item) is tuple else 2 * item
    >>> fold((1, (2, 3)), doubled)
    (2, (4, 6))
    """
    results: list[Any] = []
    pending: list[Any] = [root]
    within: set[int] = set()  # the identities of the items of open branches
    while pending:
        item = pending.pop()
        if type(item) is _Open:
            first = len(results) - item.count
            results[first:] = [item.branch.build(results[first:])]
            within.discard(id(item.branch.item))
            continue
        found = open_(item)
        if type(found) is Branch:
            if found.item is not None:
                if id(found.item) in within:
                    raise Cycle(found.item)
                within.add(id(found.item))
            pending.append(_Open(found))
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
    fill: Callable[[Any, Any, list[Any]], None],
) -> Any:
    """Return the result for a graph, built from its leaves up, each object once.

    done: results by the identity of their objects; those that it holds already are taken from there.
    leaf: returns the result for an item, DESCEND to build it from the results of its parts, or
        Hollow(result): then `fill(item, result, parts)` completes it once there are results for its parts.
        There must be such an item on each cycle.

    >>> shared = (1, 2)
    >>> a, b = fold_shared((shared, shared), {}, lambda x: DESCEND if type(x) is tuple else x, tuple,
    ...                    lambda _, parts: list(parts), fill=lambda *_: None)
    >>> a is b
    True
    """
    stack: list[Any] = [root]
    hollow: list[Any] = []
    while stack or hollow:
        if not stack:
            item = hollow.pop()
            parts = parts_of(item)
            stack = [part for part in parts if id(part) not in done]
            if not stack:
                fill(item, done[id(item)], [done[id(part)] for part in parts])
            else:
                hollow.append(item)
            continue
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
        elif type(result) is Hollow:
            result = result.result
            hollow.append(item)
        done[id(item)] = result
        stack.pop()
    return done[id(root)]


class Hollow:
    """The result for an item whose parts have none yet."""

    __slots__ = ("result",)

    def __init__(self, result: Any) -> None:
        self.result = result


class _Descend:
    """The type of DESCEND."""


DESCEND = _Descend()
