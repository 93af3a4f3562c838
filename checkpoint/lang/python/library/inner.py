"""Comparisons, sorting and texts of containers in which objects have methods of their own for them.

Python runs these methods; the primitives do not. So where a class of the program has such a method, and an
object of it is found inside of a list, tuple, dictionary or dataclass, what Python does in C is done here
(calls/inner.py chooses).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


def equal(x: Any, y: Any) -> Any:
    """Return x == y, of two containers."""
    parts = prim("py.compared", x, y)
    if parts is None:
        return False
    left, right = parts
    for i in range(min(len(left), len(right))):
        if not (prim("py.is-same", left[i], right[i]) or left[i] == right[i]):
            return False
    return len(left) == len(right)


def difference(x: Any, y: Any) -> Any:
    """Return the first position at which two sequences differ; the length of the shorter one if none."""
    for i in range(min(len(x), len(y))):
        if not (prim("py.is-same", x[i], y[i]) or x[i] == y[i]):
            return i
    return min(len(x), len(y))


def less(x: Any, y: Any) -> Any:
    """Return x < y, of two sequences."""
    i = difference(x, y)
    return x[i] < y[i] if i < len(x) and i < len(y) else len(x) < len(y)


def less_or_equal(x: Any, y: Any) -> Any:
    """Return x <= y, of two sequences."""
    i = difference(x, y)
    return x[i] <= y[i] if i < len(x) and i < len(y) else len(x) <= len(y)


def greater(x: Any, y: Any) -> Any:
    """Return x > y, of two sequences."""
    i = difference(x, y)
    return x[i] > y[i] if i < len(x) and i < len(y) else len(x) > len(y)


def greater_or_equal(x: Any, y: Any) -> Any:
    """Return x >= y, of two sequences."""
    i = difference(x, y)
    return x[i] >= y[i] if i < len(x) and i < len(y) else len(x) >= len(y)


def fields_equal(self: Any, other: Any) -> Any:
    """Return what the `__eq__` of a dataclass returns."""
    parts = prim("py.compared", self, other)
    return NotImplemented if parts is None else parts[0] == parts[1]


def fields_less(self: Any, other: Any) -> Any:
    """Return what the `__lt__` of a dataclass returns."""
    parts = prim("py.compared", self, other)
    return NotImplemented if parts is None else parts[0] < parts[1]


def fields_less_or_equal(self: Any, other: Any) -> Any:
    """Return what the `__le__` of a dataclass returns."""
    parts = prim("py.compared", self, other)
    return NotImplemented if parts is None else parts[0] <= parts[1]


def fields_greater(self: Any, other: Any) -> Any:
    """Return what the `__gt__` of a dataclass returns."""
    parts = prim("py.compared", self, other)
    return NotImplemented if parts is None else parts[0] > parts[1]


def fields_greater_or_equal(self: Any, other: Any) -> Any:
    """Return what the `__ge__` of a dataclass returns."""
    parts = prim("py.compared", self, other)
    return NotImplemented if parts is None else parts[0] >= parts[1]


def contains(x: Any, v: Any) -> Any:
    """Return v in x, of a list or tuple."""
    return any(prim("py.is-same", item, v) or item == v for item in x)


def position(x: Any, v: Any, first: Any = 0, end: Any = None) -> Any:
    """Return x.index(v, first, end), of a list or tuple."""
    for i in prim("py.positions", x, first, end):
        if prim("py.is-same", x[i], v) or x[i] == v:
            return i
    if isinstance(x, list):
        raise ValueError(f"{v!r} is not in list")
    raise ValueError("tuple.index(x): x not in tuple")


def position_to_remove(x: Any, v: Any) -> Any:
    """Return the position of the item that x.remove(v) removes."""
    for i in range(len(x)):
        if prim("py.is-same", x[i], v) or x[i] == v:
            return i
    raise ValueError("list.remove(x): x not in list")


def count(x: Any, v: Any) -> Any:
    """Return x.count(v), of a list or tuple."""
    found = 0
    for item in x:
        if prim("py.is-same", item, v) or item == v:
            found += 1
    return found


# Sorting: as Python does, up to 63 items; longer lists are merged of sorted ones.

SHORT = 64


def order(keys: Any, reverse: Any) -> Any:
    """Return the positions of the items in the order of a stable sort."""
    positions = list(range(len(keys)))
    if reverse:
        positions.reverse()
    found = in_order(keys, positions)
    if reverse:
        found.reverse()
    return tuple(found)


def in_order(keys: Any, positions: Any) -> Any:
    """Return positions in the order of the items there."""
    if len(positions) < SHORT:
        return by_insertion(keys, positions)
    middle = len(positions) // 2
    left, right = in_order(keys, positions[:middle]), in_order(keys, positions[middle:])
    found = []
    i = 0
    for each in right:
        while i < len(left) and not keys[each] < keys[left[i]]:
            found.append(left[i])
            i += 1
        found.append(each)
    return found + left[i:]


def by_insertion(keys: Any, positions: Any) -> Any:
    """Return positions in the order of the items there; the items are compared in Python's order."""
    run = run_of(keys, positions)
    for at in range(run, len(positions)):
        pivot = positions[at]
        left, right = 0, at
        while left < right:
            middle = (left + right) // 2
            if keys[pivot] < keys[positions[middle]]:
                right = middle
            else:
                left = middle + 1
        positions.insert(left, positions.pop(at))
    return positions


def run_before_3_13(keys: Any, positions: Any) -> Any:
    """Return the length of the run with which positions begin; one that descends is reversed."""
    n = len(positions)
    if n < 2:
        return n
    run = 2
    if keys[positions[1]] < keys[positions[0]]:
        while run < n and keys[positions[run]] < keys[positions[run - 1]]:
            run += 1
        positions[:run] = positions[:run][::-1]
        return run
    while run < n and not keys[positions[run]] < keys[positions[run - 1]]:
        run += 1
    return run


def run_from_3_13(keys: Any, positions: Any) -> Any:
    """Return the length of the run with which positions begin; one that descends may have equal items.

    It is made ascending, equal items in their order, and continues with the items after it that fit.
    """
    n = len(positions)
    run = 1
    while run < n and not keys[positions[run]] < keys[positions[run - 1]]:
        run += 1
    if run >= n:
        return n
    if run > 1:
        if keys[positions[0]] < keys[positions[run - 1]]:
            return run
        positions[:run] = positions[:run][::-1]
    run += 1
    equal = 0
    while run < n:
        if keys[positions[run]] < keys[positions[run - 1]]:
            positions[run - equal - 1 : run] = positions[run - equal - 1 : run][::-1]
            equal = 0
        elif keys[positions[run - 1]] < keys[positions[run]]:
            break
        else:
            equal += 1
        run += 1
    positions[run - equal - 1 : run] = positions[run - equal - 1 : run][::-1]
    positions[:run] = positions[:run][::-1]
    while run < n and not keys[positions[run]] < keys[positions[run - 1]]:
        run += 1
    return run


run_of = run_from_3_13 if sys.version_info >= (3, 13) else run_before_3_13


def shown(x: Any) -> Any:
    """Return repr(x), of a container."""
    opening, names, closing = prim("py.frame", x)
    if isinstance(x, dict):
        return "{" + ", ".join([f"{key!r}: {x[key]!r}" for key in x]) + "}"
    items = prim("py.shown-items", x)
    texts = [name + repr(item) for name, item in zip(names, items, strict=True)]
    return opening + ", ".join(texts) + closing


# What stands for methods that `dataclasses` makes, where these override others of the program's.
GENERATED: dict[str, Callable[..., Any]] = {
    "__eq__": fields_equal,
    "__lt__": fields_less,
    "__le__": fields_less_or_equal,
    "__gt__": fields_greater,
    "__ge__": fields_greater_or_equal,
    "__repr__": shown,
}

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    each: each
    for each in (
        *(equal, less, less_or_equal, greater, greater_or_equal, contains, position, position_to_remove),
        *(count, order, *GENERATED.values()),
    )
}
