"""Dictionaries whose keys are reals, objects, functions and sets."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass

from tests.python.corpus import Example


class Node:
    """Is hashed by its identity."""

    def __init__(self, x):
        self.x = x
        self.links = []


class Named:
    """Is hashed by its name alone."""

    def __init__(self, name, x):
        self.name = name
        self.x = x

    def __hash__(self):
        return len(self.name)

    def __eq__(self, other):
        return isinstance(other, Named) and self.name == other.name


@dataclass(frozen=True)
class Cell:
    row: int
    column: int = 0


@dataclass(frozen=True)
class Point:
    x: float
    y: float


def double(x):
    return 2.0 * x


TABLE = {0.5: 2.0, (1, 2.5): 3.0, "a": 0.25}


def real_keys(x):
    found = {}
    for key in (x, 2.0 * x, x * x, x):
        found[key] = found.get(key, 0.0) + key * key
    return found, sum(key * value for key, value in found.items()), len(found)


def by_identity(x):
    nodes = [Node(x), Node(2.0 * x), Node(x * x)]
    nodes[0].links = nodes[1:]
    nodes[1].links = nodes[2:]
    distance, pending = {nodes[0]: 0.0}, [nodes[0]]
    while pending:
        node = pending.pop()
        for other in node.links:
            further = distance[node] + node.x * other.x
            if other not in distance or further < distance[other]:
                distance[other] = further
                pending.append(other)
    nodes[2].x = math.sin(x)
    return [node.x * length for node, length in distance.items()], Node(x) in distance


def by_hash(x):
    table = {Named("a", x): x}
    table[Named("b", x)] = 2.0 * x
    table[Named("a", 3.0)] += x * x
    first = next(iter(table))
    removed = table.pop(Named("a", 0.0))
    table[Named("c", x)] = x
    return first.x, removed, [each.name for each in table], table[Named("b", 0.0)], Named("a", x) in table


def dataclass_keys(x):
    grid = {Cell(i, j): x * i + j for i in range(3) for j in range(2)}
    memo = {}

    def paths(cell):
        if cell not in memo:
            memo[cell] = grid[cell] + (paths(Cell(cell.row - 1, cell.column)) if cell.row else 1.0)
        return memo[cell]

    return paths(Cell(2, 1)), len(memo), grid[Cell(1)], {Point(x, 1.0): x}[Point(x, 1.0)]


def function_keys(x):
    weights = {double: x, math.sin: 2.0, Node: 1.0}
    found = [f(x) * weights[f] for f in weights if f is not Node]
    return found, weights[double], weights.get(abs), type(Node(x)) in weights


def set_keys(x):
    table = {frozenset([1, 2]): x, range(3): 2.0 * x, None: x, b"a": 1.0, (x, "a"): 4.0}
    table[frozenset([2, 1])] *= x
    return table[frozenset([1, 2])] + table[range(3)] + table[None], table[x, "a"]


def other_dictionaries(x):
    lists, counts, ordered = defaultdict(list), Counter([1.5, 1.5, x]), OrderedDict()
    lists[x].append(x)
    lists[x].append(2.0)
    ordered[x], ordered[0.5] = 1.0, x
    ordered.move_to_end(x)
    return lists[x], counts[1.5], counts.most_common(1), list(ordered), counts, ordered


def all_methods(x):
    table = dict([(x, 1.0)], a=2.0)
    table.update({2.5: x}, b=x)
    table |= {"q": 1.0}
    more = {"c": x, **table, 0.5: table.setdefault(7.5, x)}
    del table[2.5]
    copy = table.copy()
    copy["a"] = table.pop("b") + table.pop("none", x)
    print(table, len(more), list(reversed(copy)), 7.5 in table, f"{table.keys() == copy.keys()}")
    ended = copy.popitem()
    copy.clear()
    return (
        table,
        more,
        copy,
        ended,
        more == dict(more),
        more == table,
        bool(copy),
        list(table.values()),
        {} | more,
    )


def nested(x):
    table = {x: {}}
    table[x]["a"] = [x]
    table[x]["a"].append(x * x)
    table[x]["a"][0] += x
    for key, inner in table.items():
        inner[key] = key
    match table:
        case {0.7: {"a": found}, **rest}:
            return found, table[x][x], rest
    return table


def missing_key(x):
    print("before")
    table = {x: 1.0}
    try:
        return table[0.25]
    except KeyError as error:
        print(error)
    del table["b"]


def unhashable_key(x):
    return {x: 1.0, (1, [x]): 2.0}


def from_outside(x):
    return TABLE[0.5] * x + TABLE[1, 2.5], list(TABLE), dict(TABLE)


def of_arguments(table, x):
    return sum(table.values()) * table[1.5] * x, {**table, x: x}


def missing_outside(x):
    try:
        return TABLE[2.5 * x]
    except KeyError as error:
        return error.args[0] * x, TABLE.get(x, x), {x: x}[x]


class ByAddress:
    """Is hashed by its address, and compares by its name."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        print("asked")
        return self.name == other.name

    def __hash__(self):
        return id(self)


def by_address(x):
    p, q = ByAddress("a"), ByAddress("a")
    table = {p: x, q: 2.0}
    table[p] *= x
    print(len({p, q, p}), p in table, ByAddress("a") in table, p == q)
    return table[p] * table[q]


EXAMPLES = [
    Example(by_address, (0.7,)),
    Example(real_keys, (0.7,)),
    Example(by_identity, (0.7,)),
    Example(by_hash, (0.7,)),
    Example(dataclass_keys, (0.7,)),
    Example(function_keys, (0.7,)),
    Example(set_keys, (0.7,)),
    Example(other_dictionaries, (0.7,)),
    Example(all_methods, (0.7,)),
    Example(nested, (0.7,), differentiable=False),
    Example(missing_key, (0.7,), raises=KeyError),
    Example(unhashable_key, (0.7,), raises=TypeError),
    Example(from_outside, (0.7,)),
    Example(missing_outside, (0.7,)),
    Example(of_arguments, ({1.5: 2.0, "a": 3.0}, 0.7), differentiable=False),
]
