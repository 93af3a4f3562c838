"""The functions of heapq and bisect."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


def bisect_right_(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """See bisect.bisect_right."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low = lo
    high = len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            high = middle
        else:
            low = middle + 1
    return low


def bisect_left_(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """See bisect.bisect_left."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low = lo
    high = len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            low = middle + 1
        else:
            high = middle
    return low


def insort_right_(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """See bisect.insort_right."""
    a.insert(bisect_right_(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left_(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """See bisect.insort_left."""
    a.insert(bisect_left_(a, x if key is None else key(x), lo, hi, key=key), x)


def _rise(heap: Any, start: Any, at: Any) -> None:
    """Move the item at a place towards the start until its parent is not greater."""
    item = heap[at]
    while at > start:
        above = (at - 1) >> 1
        parent = heap[above]
        if not item < parent:
            break
        heap[at] = parent
        at = above
    heap[at] = item


def _sink(heap: Any, at: Any) -> None:
    """Move the lesser child up, down to a leaf, and from there the item that was at a place."""
    end = len(heap)
    start = at
    item = heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _rise(heap, start, at)


def _check(heap: Any) -> None:
    if not isinstance(heap, list):
        prim("py.standard", "heapq.heapify", heap)


def heapify_(heap: Any, /) -> Any:
    """See heapq.heapify."""
    _check(heap)
    for i in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, i)


def heappush_(heap: Any, item: Any, /) -> Any:
    """See heapq.heappush."""
    _check(heap)
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop_(heap: Any, /) -> Any:
    """See heapq.heappop."""
    _check(heap)
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    least = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return least


def heapreplace_(heap: Any, item: Any, /) -> Any:
    """See heapq.heapreplace."""
    _check(heap)
    if len(heap) == 0:
        raise IndexError("index out of range")
    least = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return least


def heappushpop_(heap: Any, item: Any, /) -> Any:
    """See heapq.heappushpop."""
    _check(heap)
    if len(heap) > 0 and heap[0] < item:
        least = heap[0]
        heap[0] = item
        _sink(heap, 0)
        return least
    return item


def nsmallest_(n: Any, iterable: Any, key: Any = None) -> Any:
    """See heapq.nsmallest."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest_(n: Any, iterable: Any, key: Any = None) -> Any:
    """See heapq.nlargest."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def merge_(*iterables: Any, key: Any = None, reverse: Any = False) -> Any:
    """See heapq.merge."""
    columns = [prim("py.sequence", each) for each in iterables]
    at = [0 for _ in columns]
    found: list[Any] = []
    while True:
        best = -1
        value = None
        for i in range(len(columns)):
            if at[i] < len(columns[i]):
                item = columns[i][at[i]]
                measure = item if key is None else key(item)
                if best < 0 or (measure > value if reverse else measure < value):
                    best = i
                    value = measure
        if best < 0:
            return found
        found.append(columns[best][at[best]])
        at[best] += 1


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    bisect.bisect_left: bisect_left_,
    bisect.bisect_right: bisect_right_,
    bisect.insort_left: insort_left_,
    bisect.insort_right: insort_right_,
    heapq.heapify: heapify_,
    heapq.heappop: heappop_,
    heapq.heappush: heappush_,
    heapq.heappushpop: heappushpop_,
    heapq.heapreplace: heapreplace_,
    heapq.nlargest: nlargest_,
    heapq.nsmallest: nsmallest_,
    heapq.merge: merge_,
}
