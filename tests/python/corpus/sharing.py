"""Lists and dictionaries with several names, changed through one of them; variables that functions share."""

from __future__ import annotations

import copy
import operator
import types
from collections import ChainMap, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from tests.python.corpus import Example


class Row(list[float]):
    """Has attributes beside its items."""


def two_names(x: float) -> float:
    a = [x]
    b = a
    b.append(x * x)
    a[0] = 2.0 * x
    return b[0] * a[1] + len(a)


def rows_of_one(x: float) -> list[list[float]]:
    """The well-known mistake: all rows are one list."""
    matrix = [[x] * 2] * 3
    matrix[0][1] = x * x
    return matrix


def passed(x: float) -> float:
    def fill(xs: list[float]) -> None:
        while len(xs) < 4:
            xs.append(xs[-1] * x)

    kept = [1.0, x]
    fill(kept)
    return sum(kept)


def in_a_dictionary(x: float) -> float:
    table: dict[int, list[float]] = {1: [x]}
    table.get(1, []).append(x * 3.0)
    other = table
    other[2] = table[1]
    other[2][0] = x * x
    return table[1][0] * table[2][1]


def graph(x: float) -> float:
    """Neighbours refer to each other: a node is a part of itself."""
    nodes: list[list[Any]] = [[x * i] for i in range(4)]
    for i, node in enumerate(nodes):
        node.append(nodes[(i + 1) % 4])
        node.append(nodes[i - 1])
    total, node = 0.0, nodes[0]
    for i in range(11):
        node[0] = node[0] + node[1][0] * node[2][0]
        total = total + node[0]
        node = node[1 + i % 2]
    return total


def moved_under_its_names(x: float) -> float:
    a = [x, 2.0 * x, 3.0, x * x]
    b, c = a, {0: a}
    b.reverse()
    a.insert(1, x + 1.0)
    del c[0][2]
    b.sort()
    a += [b[0]]
    a[1:3] = [c[0][-1] * 2.0]
    return sum(v * (i + 1) for i, v in enumerate(c[0]))


def late_variables(x: float) -> list[float]:
    """Functions see a variable as it is when they are called."""
    lines: list[Callable[[float], float]] = []
    for i in (1, 2):
        lines.append(lambda y: y * i)  # noqa: B023
    scale = 2.0
    lines.append(lambda y: y * scale)
    scale = x
    return [line(x) for line in lines]


def returned_step(x: float) -> float:
    k = x

    def step(t: float) -> Callable[[float], float]:
        nonlocal k
        scaled = lambda u: u * k  # noqa: E731
        k = k + t
        return scaled

    return step(x)(2.0)


def error_that_is_gone(x: float) -> str:
    told: list[Callable[[], str]] = []
    try:
        x = x / 0.0
    except ZeroDivisionError as error:  # noqa: F841
        told = [lambda: str(error)]  # noqa: F821
    return told[0]()


class Box:
    def __init__(self, x: float) -> None:
        self.x = x
        self.items = [x]


def copies(x: float) -> tuple[Any, ...]:
    """A copy is another object with the same parts, of whatever type."""
    box, tags, queue = Box(x), {"a"}, deque([x])
    counts = defaultdict(float, a=x)
    boxes = box, copy.copy(box)
    boxes[1].x = x * x
    boxes[1].items.append(2.0)
    more = copy.copy(tags), copy.copy(queue), copy.copy(counts)
    more[0].add("b")
    more[1].append(x)
    more[2]["b"] += x
    sizes = [len(each) for each in (tags, queue, counts, *more)]
    return box.x, boxes[1].x, box is boxes[1], box.items is boxes[1].items, sizes


def copies_of_collections(x: float) -> Any:
    """Copy collections, and an object whose class derives from one: what the copies hold has cotangents."""
    queue, counts, ordered = deque([x]), defaultdict(float, a=x), OrderedDict(a=x * x)
    row = Row([x])
    row.shared = [x]  # type: ignore[attr-defined]
    copies = copy.copy(queue), copy.copy(counts), copy.copy(ordered), copy.copy(row)
    for each in (queue, row):
        each.append(100.0)
    row.shared.append(x)  # type: ignore[attr-defined]
    counts["a"] = ordered["a"] = 100.0
    total = copies[0][0] * copies[1]["a"] + copies[2]["a"] * copies[3][0]
    return total * len(copies[3].shared) + len(copies[0]) + len(copies[3])  # type: ignore[attr-defined]


def copies_of_namespaces(x: float) -> Any:
    """A copy of a namespace shares what the attributes hold."""
    space = types.SimpleNamespace(items=[x], table={"a": x})
    other = copy.copy(space)
    other.items.append(x * x)
    space.table["a"] = 3.0 * x
    other.more = x
    return sum(space.items) + other.table["a"], other.items is space.items, len(vars(space))


def copies_that_share(x: float) -> float:
    """A copy of an iterator is at the same items; one of a ChainMap has another first dictionary only."""
    items, first, second = [x, 2.0 * x, 3.0 * x], {"a": x}, {"b": x * x}
    over = iter(items)
    next(over)
    later = copy.copy(over)
    items[1] = x * x
    chain = ChainMap(first, second)
    other = copy.copy(chain)
    other["a"] = 7.0
    second["b"] = 5.0 * x
    return next(over) * next(later) + next(later) * chain["a"] + other["a"] * other["b"]


def copy_of_an_argument(box: Any) -> float:
    other = copy.copy(box)
    other.x *= 3.0
    return other.x * box.x  # type: ignore[no-any-return]


def merged_in_place(x: float) -> tuple[object, ...]:
    """A dictionary that `|=` changes, seen through another name; integers and sets beside it."""
    a: dict[str, float] = {"k": x}
    b, bits, some = a, 4, {1}
    also = some
    for i in range(3):
        a |= {"z": x * x * i, "k": 2.0 * x}
        bits |= i
        some |= {i}
    joined: Any = operator.ior
    return b["z"] * b["k"], len(b), bits, sorted(also), joined(a, {"q": x}) is b, b["q"]


EXAMPLES = [
    Example(merged_in_place, (1.5,)),
    Example(copies, (0.7,)),
    Example(copies_of_collections, (0.7,)),
    Example(copies_of_namespaces, (1.5,)),
    Example(copies_that_share, (1.5,)),
    Example(copy_of_an_argument, (Box(0.7),)),
    Example(two_names, (0.7,)),
    Example(rows_of_one, (0.7,)),
    Example(passed, (0.7,)),
    Example(in_a_dictionary, (0.7,)),
    Example(graph, (0.7,)),
    Example(moved_under_its_names, (0.7,)),
    Example(late_variables, (0.7,)),
    Example(returned_step, (0.7,)),
    Example(error_that_is_gone, (0.7,), raises=NameError),
]
