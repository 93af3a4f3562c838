"""Sets: what has been seen, what two collections share, values without repetitions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.python.corpus import Example

VOWELS = frozenset("aeiou")
FORBIDDEN = {"bad", "worse"}


@dataclass(frozen=True)
class Node:
    name: str
    level: int = 0


class Edge(NamedTuple):
    start: int
    end: int


def unique(items: Iterable[float]) -> list[float]:
    """The items without repetitions, in their order."""
    seen: set[float] = set()
    kept = []
    for item in items:
        if item not in seen:
            seen.add(item)
            kept.append(item)
    return kept


def distinct_sum(x: float, y: float) -> tuple[float, int]:
    """Reals in sets keep their derivatives."""
    values = unique([x, y, x, 2.0 * x, y])
    table = {v * v for v in values}
    return sum(sorted(table)) + max({x, y}) + math.prod(sorted({x, x, y})), len(table)


def components(edges: Sequence[tuple[int, int]], weights: Sequence[float]) -> list[float]:
    """The total weight of each connected component of a graph."""
    neighbours: dict[int, set[int]] = {}
    for a, b in edges:
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    found, visited = [], set[int]()
    for start in sorted(neighbours):
        if start in visited:
            continue
        pending, total = {start}, 0.0
        while pending:
            node = pending.pop()
            visited.add(node)
            total += weights[node]
            pending |= neighbours[node] - visited
        found.append(total)
    return found


def algebra(x: float) -> list[Any]:
    """Operators, comparisons and methods."""
    a, b = {1, 2, 3}, frozenset([3, 4])
    c = a.copy()
    c.update([7], (8, 9))
    c.difference_update({1, 9})
    c.discard(100)
    c.remove(2)
    d = set(b)
    d ^= {4, 5}
    d -= {5}
    d &= {3, 6}
    return [
        sorted(a | b), sorted(a & b), sorted(a - b), sorted(b ^ a), sorted(c), sorted(d), a < b, {3} <= a,
        a >= {1}, a == {3, 2, 1}, a != b, {1} == frozenset([1]), a.isdisjoint({9}), a.issubset(range(9)),
        a.issuperset([1, 1]), a.union([7], (8,)), a.intersection([1, 9]), b.difference({3}), len(a | b),
        a.symmetric_difference([1]), bool(set()), not a, 2 in a, 2.0 in a, True in a, "a" not in VOWELS,
        isinstance(b, frozenset), isinstance(b, set), [*sorted({x, 2.0 * x})],
    ]  # fmt: skip


def shared(x: float) -> tuple[int, bool, bool, float]:
    """Changes are seen by all names of a set."""
    groups = {"a": {1}, "b": set[int]()}
    same = groups["a"]
    same |= {5}
    groups["a"].add(6)
    same.clear()
    same.add(2)

    def note(found: set[int]) -> None:
        found.add(9)

    note(same)
    first = same
    same = same | {1}
    return len(groups["a"]), first is groups["a"], first is same, x * sum(groups["a"])


def keys(x: float) -> dict[str, Any]:
    """Elements of every kind that can be in a set here."""
    nodes = {Node("a"), Node("b", 1), Node("a", 0), Node("a")}
    edges = {Edge(1, 2), Edge(1, 2), (1, 2), (2, 1)}
    mixed = {
        1,
        len(nodes) / 2.0,
        len(nodes) > 1,
        "1",
        None,
        (1, x),
        (1, x),
        frozenset([1, 2]),
        frozenset([2, 1]),
        x,
        x * 1.0,
    }
    return {
        "nodes": len(nodes),
        "edges": len(edges),
        "mixed": len(mixed),
        "has": (Node("b", 1) in nodes, (2, 1) in edges, frozenset([2, 1]) in mixed, x in mixed, -x in mixed),
    }


def words(text: str, scale: float) -> tuple[float, list[str]]:
    """Hidden sets, sets of letters, sets in conditions."""
    kept = sorted({word for word in text.split() if word not in FORBIDDEN and set(word) & VOWELS})
    return scale * len({letter for word in kept for letter in word}), kept


def unpacked(x: float) -> tuple[float, list[float], tuple[int, ...]]:
    """Where Python iterates over a set."""
    total = 0.0
    for value in {x}:
        total += value
    for i, value in enumerate(frozenset([x, x])):
        total += i + value
    (only,) = {3.0 * x}
    items = [1.0]
    items.extend({x})
    items[:1] = {2.0 * x}
    return total + only + sum({x, 2.0}) + min({x, 5.0}), [*items, *map(abs, {x})], tuple(sorted({3, 1, 2}))


def of_arguments(names: set[str], chosen: Sequence[str], x: float) -> float:
    """A set as an argument."""
    return x * len(names & set(chosen)) + sum(x for name in chosen if name in names)


def unhashable(x: float) -> int:
    return len({(1, 2), [x]})  # Python's own TypeError


def missing(x: float) -> float:
    found = {1, 2}
    found.remove(3)
    return x


def empty(x: float) -> float:
    found = {x}
    return found.pop() + found.pop()


def wrong_operand(x: float) -> Any:
    return {1, 2} | [x]  # type: ignore[operator]  # Python's own TypeError


def frozen(x: float) -> None:
    frozenset([1]).add(2)  # type: ignore[attr-defined]  # Python's own AttributeError


EXAMPLES = [
    Example(unique, ([1.5, 2.0, 1.5, 3.0, 2.0],), differentiable=False),
    Example(distinct_sum, (1.5, -0.5)),
    Example(components, ([(0, 1), (2, 3), (3, 4), (5, 5)], [1.0, 2.0, 0.5, 0.25, 4.0, 8.0])),
    Example(algebra, (1.5,)),
    Example(shared, (1.5,)),
    Example(keys, (1.5,), differentiable=False),
    Example(words, ("a bad cat saw worse dogs try", 0.5)),
    Example(unpacked, (1.25,)),
    Example(of_arguments, ({"a", "b"}, ["a", "c", "a"], 1.5)),
    Example(unhashable, (1.0,), raises=TypeError),
    Example(missing, (1.0,), raises=KeyError),
    Example(empty, (1.0,), raises=KeyError),
    Example(wrong_operand, (1.0,), raises=TypeError),
    Example(frozen, (1.0,), raises=AttributeError),
]
