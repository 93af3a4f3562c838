"""Walking a nest of values and building another from it, without recursion, however deep it is.

Two walks, since values are trees at some boundaries and graphs elsewhere:

    fold          each path is visited by itself; a part that two paths reach has two results
    fold_shared   each object is visited once, and sharing is kept; what may be part of a cycle is made first,
                  and filled afterwards
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from checkpoint.ad.values import Pair


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


# Lists of reals, as chains of pairs: walks over values take them pair by pair in loops of their own, in the
# same order, to the same results. What is behind the last pair that begins with a real is left to the walks.


def reach_reals(value: Any, seen: set[int], found: list[Any], others: list[Any]) -> Any:
    """Add the reals and the pairs along a list that were not seen; return what is behind these."""
    while type(value) is Pair and type(value.car) is float and id(value) not in seen:
        seen.add(id(value))
        others.append(value)
        if id(value.car) not in seen:
            seen.add(id(value.car))
            found.append(value.car)
        value = value.cdr
    return value


def entered_list(value: Any) -> Branch:
    """Return the branch of a list with new locations of its reals, whose one part is what is behind these."""
    reals = []
    while type(value) is Pair and type(value.car) is float:
        reals.append(value.car * 1.0)
        value = value.cdr
    return Branch((value,), lambda parts: _list_of(reals, parts[0]))


def _list_of(reals: list[float], rest: Any) -> Any:
    for real in reversed(reals):
        rest = Pair(real, rest)
    return rest


class RealLists:
    """Rebuilds lists of reals within `fold_shared`.

    done: as there. special: returns the result for an atom or another value, or DESCEND. build: as there.
    """

    __slots__ = ("_build", "_declined", "_done", "_special")

    def __init__(
        self,
        done: dict[int, Any],
        special: Callable[[Any], Any],
        build: Callable[[Any, tuple[Any, Any]], Any],
    ) -> None:
        self._done = done
        self._special = special
        self._build = build
        self._declined: set[int] = set()  # pairs of lists that end in what has no result yet

    def rebuilt(self, value: Any) -> Any:
        """Return the result for a pair, and note those of the pairs behind it; DESCEND: none is known yet."""
        done, pairs = self._done, []
        result = self._special(value)
        if result is not DESCEND:
            return result
        while type(value) is Pair and type(value.car) is float and self._is_open(value):
            pairs.append(value)
            value = value.cdr
        if not pairs or (value is not None and id(value) not in done):
            self._declined.update(map(id, pairs))
            return DESCEND
        result = self._of_atom(value)
        for pair in reversed(pairs):
            result = done[id(pair)] = self._build(pair, (self._of_atom(pair.car), result))
        return result

    def _is_open(self, pair: Pair) -> bool:
        return id(pair) not in self._done and id(pair) not in self._declined

    def _of_atom(self, value: Any) -> Any:
        return self._done[id(value)] if id(value) in self._done else self._special(value)
