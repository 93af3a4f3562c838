"""The functions of heapq, bisect and operator that change lists and dictionaries; deep copies."""

from __future__ import annotations

import bisect
import copy
import heapq
import operator
from heapq import heappop, heappush

from tests.python.corpus import Example

Graph = dict[str, list[tuple[str, float]]]


def shortest_paths(graph: Graph, start: str) -> dict[str, float]:
    """Dijkstra's algorithm with a heap of pairs."""
    done: dict[str, float] = {}
    heap = [(0.0, start)]
    while heap:
        far, node = heappop(heap)
        if node in done:
            continue
        done[node] = far
        for other, length in graph[node]:
            if other not in done:
                heappush(heap, (far + length, other))
    return done


def by_heap(xs: list[float]) -> tuple[list[float], list[float], float]:
    """Items in order, by a heap that a function fills; the heap itself; what was replaced."""
    heap: list[float] = []

    def fill(items: list[float]) -> None:
        for item in items:
            heapq.heappush(heap, item)

    fill(xs)
    other = list(xs)
    heapq.heapify(other)
    replaced = heapq.heapreplace(other, 0.75) + 2.0 * heapq.heappushpop(other, 10.0)
    replaced += 3.0 * heapq.heappushpop(other, -10.0)
    return [heapq.heappop(heap) for _ in range(len(xs))], other, replaced


def kept_sorted(xs: list[float]) -> list[float]:
    """A list that stays sorted, and one by the size of its items."""
    found: list[float] = []
    sizes: list[float] = []
    for x in xs:
        bisect.insort(found, x)
        bisect.insort_left(sizes, x, key=abs)
    return found + sizes


def by_operators(xs: list[float]) -> tuple[object, ...]:
    """Changes by functions of operator, seen through another name."""
    d = {"a": xs[0]}
    other, items = d, list(xs)
    operator.setitem(d, "b", xs[1])
    operator.delitem(items, 0)
    same = operator.iconcat(items, [xs[0] * 2.0])  # type: ignore[no-untyped-call]
    return other, items, same


def deep_copies(x: float) -> float:
    """Copies that share nothing with what they were made of, but keep what it shares."""
    row, kept = [x, 2.0 * x], {"a": [x]}
    other = copy.deepcopy((row, row, kept))
    first, same, inner = other
    first.append(3.0 * x)
    inner["a"][0] = 7.0 * x
    row[0] = x * x
    again = copy.deepcopy([first, first])
    again[0][0] *= 2.0
    return same[2] * 10.0 + sum(row) + inner["a"][0] + kept["a"][0] + again[1][0] + first[0]


class Kept:
    """An object that holds a list."""

    def __init__(self, x: float) -> None:
        self.x, self.row = x, [x]


def deep_copies_of_arguments(rows: list[list[float]], table: dict[str, dict[str, float]], x: float) -> float:
    """Copies of what came in may be changed, at every depth."""
    a, b, c = copy.deepcopy(rows), copy.deepcopy(table), copy.deepcopy(KEPT)
    a[0], a[1] = a[1], a[0]
    a[0][0] *= x
    a.append([x])
    b["p"]["q"] = a[0][1] * b["p"]["q"]
    b["r"] = {}
    c.x *= x
    c.row.append(x)
    return a[0][0] + a[2][0] + b["p"]["q"] * len(b) + c.x * sum(c.row) + sum(rows[0]) * len(KEPT.row)


def of_an_empty_heap(x: float) -> float:
    """Nothing is in the heap; the second time nobody handles it."""
    heap: list[float] = []
    try:
        heappop(heap)
    except IndexError as error:
        print(error)
    return x * heapq.heapreplace(heap, x)


def of_no_list(x: float) -> float:
    """A tuple is no heap."""
    heapq.heapify((x, x))  # type: ignore[arg-type]
    return x


GRAPH: Graph = {
    "a": [("b", 1.5), ("c", 4.0)],
    "b": [("c", 2.0), ("d", 7.25)],
    "c": [("d", 1.125)],
    "d": [("a", 0.5)],
}
KEPT = Kept(0.75)
XS = [2.5, -1.0, 4.0, 0.5, 3.25, -2.0, 1.5]

EXAMPLES = [
    Example(shortest_paths, (GRAPH, "a")),
    Example(shortest_paths, (GRAPH, "e"), raises=KeyError),
    Example(by_heap, (XS,)),
    Example(kept_sorted, (XS,)),
    Example(by_operators, (XS,)),
    Example(deep_copies, (1.5,)),
    Example(deep_copies_of_arguments, ([[1.0, 2.0], [3.0, 0.5]], {"p": {"q": 1.5}}, 1.25)),
    Example(of_an_empty_heap, (1.5,), raises=IndexError),
    Example(of_no_list, (1.5,), raises=TypeError),
]
