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
    heapq.nlargest: nlargest_,
    heapq.nsmallest: nsmallest_,
    heapq.merge: merge_,
}
