"""`summed` for use within a program: the sum of what f returns for items, in a tree of their indices.

In: a function of one item, and the items. Out: the sum. What always holds: of n items the left part of the
tree has the greatest power of two below n, so neither the value nor any cotangent depends on how many
workers add the parts (checkpoint.workers). Each part has what it shares with others as a copy of its own, so
its cotangents are sums of that part alone, from +0.0 on; reversal adds those of the right part first.

The variable `summed_item` is what names an item in errors (checkpoint.driver.raised): -1 for the first.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

EMPTY = "summed has no items: pass zero=, what it is to return then"


def summed(f: Any, *, over: Any, zero: Any = None, workers: Any = None) -> Any:
    """See checkpoint.summed; within a program items are run one after the other, whatever `workers` says."""
    items = list(over)
    if not items:
        if zero is None:
            raise ValueError(EMPTY)
        return zero
    function, own = prim("py.summands", f, items)
    return _part(function, own, 0)[0]


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
