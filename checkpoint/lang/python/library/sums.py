"""`summed` for use within a program: the sum of what f returns for items, in a tree of their indices.

In: a function of one item, and the items. Out: the sum. What always holds: of n items the left part of the
tree has the greatest power of two below n, so neither the value nor any cotangent depends on how many
workers add the parts (checkpoint.workers). Each part has what it shares with others as a copy of its own, so
its cotangents are sums of that part alone, from +0.0 on; reversal adds those of the right part first.

The variable `summed_item` is what names an item in errors (checkpoint.lang.lanes): -1 for the first.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

EMPTY = "summed has no items: pass zero=, what it is to return then"


def summed(f: Any, *, over: Any, zero: Any = None, workers: Any = None) -> Any:
    """See checkpoint.summed; with threads as workers all parts of the sum are one step, side by side."""
    items = list(over)
    if not items:
        if zero is None:
            raise ValueError(EMPTY)
        return zero
    function, own = prim("py.summands", f, items)
    if prim("py.are-beside", workers):
        return _beside(function, own, workers)
    return _part(function, own, 0)[0]


def _beside(f: Any, items: Any, workers: Any) -> Any:
    """Return the sum of what f returns for items, whose parts workers add."""
    size = prim("py.part-summands", len(items))
    parts: list[Any] = []
    _divided(f, items, 0, size, parts)
    return _joined(prim("py.sums-of-parts", _sum_of, parts, workers), len(items), size, 0)[0]


def _divided(f: Any, items: Any, first: Any, size: Any, parts: Any) -> None:
    """Append the parts of a sum, of at most so many items each; first: the index of the first item."""
    if len(items) <= size:
        parts.append((f, items, first))
        return
    half = prim("py.left-summands", len(items))
    own, part = prim("py.summands", f, items[:half])
    _divided(own, part, first, size, parts)
    own, part = prim("py.summands", f, items[half:])
    _divided(own, part, first + half, size, parts)


def _sum_of(part: Any) -> Any:
    """Return the sum of a part, whose function and items nothing may change in a run of its own either."""
    f, items, first = part
    own, mine = prim("py.summands", f, items)
    return _part(own, mine, first)[0]


def _joined(sums: Any, count: Any, size: Any, place: Any) -> Any:
    """Return the sum of the parts of so many items from a place on, and the place after theirs."""
    if count <= size:
        return sums[place], place + 1
    half = prim("py.left-summands", count)
    left, place = _joined(sums, half, size, place)
    right, place = _joined(sums, count - half, size, place)
    return plus(left, right), place


def _part(f: Any, items: Any, first: Any) -> Any:
    """Return the sum of what f returns for items, and the index after theirs; first: that of the first."""
    count = len(items)
    if count == 1:
        summed_item = -1 - first
        value = f(items[0])
        return value, -summed_item
    half = prim("py.left-summands", count)
    own, part = prim("py.summands", f, items[:half])
    left, after = _part(own, part, first)
    own, part = prim("py.summands", f, items[half:])
    right, after = _part(own, part, after)
    return plus(left, right), after


def plus(left: Any, right: Any) -> Any:
    """Return the sum of two nests of one structure, leaf by leaf."""
    if not prim("py.is-nest", left):
        return left + right
    mine = prim("py.leaves", left)
    others = prim("py.leaves-like", right, left)
    return prim("py.of-leaves", left, [mine[i] + others[i] for i in range(len(mine))])
