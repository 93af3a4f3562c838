"""Objects inside of containers: their own `__eq__`, `__lt__`, `__repr__`, `__hash__` run; sets of objects."""

# mypy: ignore-errors
# ruff: noqa: PLW1641
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field

from tests.python.corpus import Example


class Amount:
    asked = 0

    def __init__(self, value, name="a"):
        self.value = value
        self.name = name
        self.seen = 0.0
        self.times = 0

    def __eq__(self, other):
        if not isinstance(other, Amount):
            return NotImplemented
        self.seen = self.seen + other.value
        self.times += 1
        return self.name == other.name

    def __hash__(self):
        self.times += 100
        return len(self.name)

    def __lt__(self, other):
        self.times += 1
        return self.value < other.value

    def __repr__(self):
        self.times += 1
        return f"<{self.name} {self.value:.3f}>"


class Node:
    def __init__(self, value, *parents):
        self.value = value
        self.parents = set(parents)
        self.grad = 0.0


class Unhashed:
    def __eq__(self, other):
        return True


@dataclass
class Pair:
    first: object
    second: object
    note: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class Key:
    name: str
    owner: object


def equal_lists(x):
    a, b, c = Amount(x), Amount(x * x), Amount(x, "c")
    found = (
        [a, 1.0] == [b, 1.0],
        (a, c) == (b, a),
        [a] == [a, b],
        [a] != [b],
        {"k": a} == {"k": b},
        [a] == [a],
    )
    return found, a.seen, b.seen, a.times, b.times, c.times


def equal_tuples_of_other_lengths(x):
    a, b = Amount(x), Amount(2.0 * x)
    return (a, a) == (b,), (a,) < (b, b), [a] < [b], [[a, 2]] > [[b, 1]], a.seen, a.times, b.times


def equal_dataclasses(x):
    a, b = Amount(x), Amount(x + 1.0)
    return (
        Pair(a, 1) == Pair(b, 1, "other"),
        [Pair(a, 1)] == [Pair(b, 2)],
        Pair(a, b) in [Pair(b, a)],
        a.seen,
        b.seen,
    )


def in_lists(x):
    a, b, c = Amount(x), Amount(x * x), Amount(math.sin(x), "c")
    found = a in [c, 2.0, b], c in (a, b), "a" in [a, b], a not in [c], None in [a]
    return found, a.seen, c.seen, a.times, b.times


def searched(x):
    a, b, c = Amount(x), Amount(x * x), Amount(x, "c")
    xs = [c, b, a, 1.0]
    found = [xs.index(a), xs.count(b), xs.index(a, 2), (c, b).index(b)]
    xs.remove(a)
    return found, [x.name for x in xs[:2]], len(xs), a.seen, b.seen, c.times


def not_found(x):
    return [Amount(x)].index(Amount(x, "other"))


def not_removed(x):
    xs = [Amount(x)]
    xs.remove(Amount(x, "other"))
    return xs


def sorted_objects(x):
    xs = [Amount((x * k * 7.0) % 5.0, str(k)) for k in range(20)]
    found = [a.name for a in sorted(xs)]
    falling = [a.name for a in sorted(xs, reverse=True)]
    xs.sort()
    return found, falling, [a.value for a in xs], [a.times for a in xs]


def sorted_pairs(x):
    xs = [(k % 2, Amount(x * k, "ab"[k % 2])) for k in range(6)]
    return [(k, a.value) for k, a in sorted(xs)], [a.times for _, a in xs]


def many_sorted(x):
    xs = [Amount((x * k * 37.0) % 11.0, str(k)) for k in range(150)]
    return [a.name for a in sorted(xs)], [a.value for a in sorted(xs, key=lambda a: a, reverse=True)][:3]


def extremes(x):
    xs = [Amount(x * k, str(k)) for k in (3, 1, 2)]
    return (
        max(xs, key=lambda a: a.value).name,
        min(xs).value,
        max(xs, key=lambda a: a.name).value,
        [a.times for a in xs],
    )


def texts(x):
    a, b = Amount(x), Amount(x, "b")
    print([a, b], (a,), {"k": b})
    shown = f"{[a]} {(a, b)!r} {Pair(a, [b])} {[[b]]!s}"
    return shown, a.times, b.times, x * a.times


def graph(x):
    a = Node(x)
    b = Node(a.value * 2.0, a)
    c = Node(a.value * b.value, a, b)
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for parent in node.parents:
                visit(parent)
            order.append(node)

    visit(c)
    c.grad = 1.0
    for node in reversed(order):
        for parent in node.parents:
            parent.grad += node.grad * node.value / parent.value
    return a.grad, b.grad, len(order), len(seen), [a in seen, Node(x) in seen]


def operations(x):
    a, b, c = Node(x), Node(2.0 * x), Node(x * x)
    left, right = {a, b}, {b, c}
    both = left | right
    found = [len(both), len(left & right), len(left - right), len(left ^ right), left <= both, left == {b, a}]
    both.remove(b)
    both.discard(b)
    left.update(right)
    both ^= {a}
    return (
        found,
        max(n.value for n in both),
        sorted(n.value for n in left),
        len(frozenset(left)),
        both.isdisjoint(right),
    )


def by_own_hash(x):
    a, b, c, d = Amount(x), Amount(2.0 * x), Amount(x, "b"), Amount(3.0 * x, "bb")
    found = {a, b, c, d}
    kept = sorted(e.name for e in found)
    found.remove(Amount(0.5 * x))
    sizes = [
        len(found),
        Amount(x, "b") in found,
        Amount(x, "c") in found,
        len({a, c} & {b}),
        {a, c} == {Amount(x, "b"), b},
    ]
    return kept, sizes, sum(e.value for e in found), c.seen > 0.0


def colliding(x):
    found = set()
    for k in range(6):
        found.add(Amount(x * k, "abcdef"[k]))
    for k in (1, 0, 4):
        found.discard(Amount(x, "abcdef"[k]))
    return (
        sorted(e.name for e in found),
        sum(e.value for e in found),
        Amount(x, "c") in found,
        Amount(x, "b") in found,
    )


def tuples_of_objects(x):
    a, b = Node(x), Node(2.0 * x)
    edges = {(a, b), (b, a), (a, b)}
    keys = {Key("k", a), Key("k", b), Key("k", a)}
    return len(edges), (a, b) in edges, (a, a) in edges, len(keys), Key("k", b) in keys, x


def unhashable(x):
    return {Unhashed(), x}


def in_frozen(x):
    a = Amount(x)
    return len({1, 2.0, "a", None, (1, 2), a}), hash(a) == hash(Amount(2.0 * x)), a.times, x


def from_outside(nodes):
    seen = set()
    total = 0.0
    for node in [*nodes, *nodes]:
        if node not in seen:
            seen.add(node)
            total += node.value
    return total, len(seen)


def copied(x):
    a = Node(x)
    seen = {a}
    b = copy.copy(a)
    b.value = b.value * 3.0
    b.parents.add(a)
    c = copy.deepcopy(a)
    c.value += 1.0
    return a.value, b.value, c.value, b in seen, c in seen, len(a.parents), len(c.parents)


def changed_by_comparing(x):
    a = Amount(x)
    for k in range(5):
        if [a] == [Amount(x * k)]:
            a.value = a.value + a.seen
    return a.value, a.seen


EXAMPLES = [
    Example(equal_lists, (0.7,)),
    Example(equal_tuples_of_other_lengths, (0.7,)),
    Example(equal_dataclasses, (0.7,)),
    Example(in_lists, (0.7,)),
    Example(searched, (0.7,)),
    Example(not_found, (0.7,), raises=ValueError),
    Example(not_removed, (0.7,), raises=ValueError),
    Example(sorted_objects, (0.7,)),
    Example(sorted_pairs, (0.7,)),
    Example(many_sorted, (0.7123,)),
    Example(extremes, (0.7,)),
    Example(texts, (0.7,)),
    Example(graph, (0.7,)),
    Example(operations, (0.7,)),
    Example(by_own_hash, (0.7,)),
    Example(colliding, (0.7,)),
    Example(tuples_of_objects, (0.7,)),
    Example(unhashable, (0.7,), raises=TypeError),
    Example(in_frozen, (0.7,)),
    Example(from_outside, ([Node(0.7), Node(0.3), Node(1.5)],)),
    Example(copied, (0.7,)),
    Example(changed_by_comparing, (0.7,)),
]
