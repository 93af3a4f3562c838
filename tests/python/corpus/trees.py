"""Trees of tuples and of dataclasses: walks, searches, derivatives, games."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tests.python.corpus import Example

Nested: TypeAlias = "float | tuple[Nested, ...] | list[Nested]"
Expr: TypeAlias = "float | str | tuple[str, Expr] | tuple[str, Expr, Expr]"


@dataclass(frozen=True)
class Node:
    """A binary search tree."""

    key: float
    left: Node | None = None
    right: Node | None = None


@dataclass
class Branch:
    """A part of a mobile: a weight at the end, or two branches."""

    length: float
    weight: float = 0.0
    children: tuple[Branch, ...] = ()

    @property
    def total(self) -> float:
        return self.weight + sum(child.total for child in self.children)

    def depth(self) -> int:
        return 1 + max((child.depth() for child in self.children), default=0)


@dataclass(frozen=True)
class Split:
    """A decision on one feature."""

    feature: str
    threshold: float
    below: Split | float
    above: Split | float


def nested_sum(tree: Nested) -> float:
    """The sum of all leaves."""
    if isinstance(tree, (tuple, list)):
        return sum(nested_sum(child) for child in tree)
    return tree


def map_leaves(f: Callable[[float], float], tree: Nested) -> Nested:
    """The same tree with f applied to its leaves."""
    if isinstance(tree, tuple):
        return tuple(map_leaves(f, child) for child in tree)
    if isinstance(tree, list):
        return [map_leaves(f, child) for child in tree]
    return f(tree)


def tree_energy(tree: Nested, scale: float) -> float:
    """The squares of scaled leaves."""
    return nested_sum(map_leaves(lambda x: (scale * x) ** 2, tree))


def flatten(tree: Nested) -> list[float]:
    """All leaves in order, gathered by a nested function."""
    leaves: list[float] = []

    def visit(part: Nested) -> None:
        if isinstance(part, float):
            leaves.append(part)
        else:
            for child in part:
                visit(child)

    visit(tree)
    return leaves


def deepest(tree: Nested) -> tuple[int, float]:
    """The depth and the value of the deepest leaf."""
    if isinstance(tree, float):
        return 0, tree
    below = [deepest(child) for child in tree]
    depth, value = max(below, key=lambda pair: pair[0])
    return depth + 1, value


def insert(tree: Node | None, key: float) -> Node:
    """A new tree that also holds a key."""
    if tree is None:
        return Node(key)
    if key < tree.key:
        return Node(tree.key, insert(tree.left, key), tree.right)
    return Node(tree.key, tree.left, insert(tree.right, key))


def in_order(tree: Node | None) -> list[float]:
    """The keys from left to right."""
    return [] if tree is None else [*in_order(tree.left), tree.key, *in_order(tree.right)]


def tree_sort(values: Sequence[float]) -> list[float]:
    """Sorting by a search tree."""
    tree = None
    for value in values:
        tree = insert(tree, value)
    return in_order(tree)


def nearest(tree: Node | None, target: float, best: float = math.inf) -> float:
    """The key nearest to a target."""
    if tree is None:
        return best
    if abs(tree.key - target) < abs(best - target):
        best = tree.key
    return nearest(tree.left if target < tree.key else tree.right, target, best)


def gap_to_nearest(values: Sequence[float], target: float) -> float:
    """The squared distance to the nearest of some values."""
    tree = None
    for value in values:
        tree = insert(tree, value)
    return (nearest(tree, target) - target) ** 2


def torque(branch: Branch) -> float:
    """The torques of all parts of a mobile."""
    return branch.length * branch.total + sum(map(torque, branch.children))


def mobile_report(branch: Branch) -> dict[str, float]:
    """Weight, torque and depth of a mobile."""
    return {"total": branch.total, "torque": torque(branch), "depth": branch.depth()}


def evaluate(expression: Expr, names: dict[str, float]) -> float:
    """The value of an expression."""
    if isinstance(expression, str):
        return names[expression]
    if not isinstance(expression, tuple):
        return expression
    match expression:
        case ("+", a, b):
            return evaluate(a, names) + evaluate(b, names)
        case ("*", a, b):
            return evaluate(a, names) * evaluate(b, names)
        case ("/", a, b):
            return evaluate(a, names) / evaluate(b, names)
        case ("sin" | "sine", a):
            return math.sin(evaluate(a, names))
        case (name, a) if name == "exp":
            return math.exp(evaluate(a, names))
        case _:
            raise ValueError(f"unknown operator {expression[0]!r}")


def derive(expression: Expr, x: str) -> Expr:
    """The derivative of an expression, as an expression."""
    match expression:
        case ("+", a, b):
            return ("+", derive(a, x), derive(b, x))
        case ("*", a, b):
            return ("+", ("*", derive(a, x), b), ("*", a, derive(b, x)))
        case ("sin", a):
            return ("*", ("sin", ("+", a, math.pi / 2)), derive(a, x))
        case ("exp", a):
            return ("*", expression, derive(a, x))
        case _:
            return 1.0 if expression == x else 0.0


def slope(names: dict[str, float], factor: float) -> float:
    """The slope of exp(x sin(factor y x)) at a point, by symbols."""
    formula: Expr = ("exp", ("*", "x", ("sin", ("*", ("*", factor, "y"), "x"))))
    return evaluate(derive(formula, "x"), names)


def huffman_cost(weights: dict[str, float]) -> tuple[float, dict[str, str]]:
    """The mean length of a Huffman code, and the code."""
    queue: list[tuple[float, dict[str, str]]] = [(w, {symbol: ""}) for symbol, w in weights.items()]
    cost = 0.0
    while len(queue) > 1:
        queue.sort(key=lambda pair: pair[0])
        (w0, zeros), (w1, ones) = queue.pop(0), queue.pop(0)
        codes = {symbol: "0" + code for symbol, code in zeros.items()}
        codes.update({symbol: "1" + code for symbol, code in ones.items()})
        queue.append((w0 + w1, codes))
        cost += w0 + w1
    return cost, queue[0][1]


def decide(tree: Split | float, sample: dict[str, float]) -> float:
    """The leaf that a sample falls into."""
    while isinstance(tree, Split):
        tree = tree.below if sample[tree.feature] < tree.threshold else tree.above
    return tree


def soft_decide(tree: Split | float, sample: dict[str, float], sharpness: float = 4.0) -> float:
    """A mean of all leaves, weighted by smooth decisions."""
    if not isinstance(tree, Split):
        return tree
    p = 1 / (1 + math.exp(-sharpness * (sample[tree.feature] - tree.threshold)))
    above, below = soft_decide(tree.above, sample, sharpness), soft_decide(tree.below, sample, sharpness)
    return p * above + (1 - p) * below


def minimax(tree: Nested, maximize: bool = True, low: float = -math.inf, high: float = math.inf) -> float:
    """The value of a game by alpha-beta search."""
    if isinstance(tree, float):
        return tree
    best = -math.inf if maximize else math.inf
    for child in tree:
        value = minimax(child, not maximize, low, high)
        if maximize:
            best = max(best, value)
            low = max(low, best)
        else:
            best = min(best, value)
            high = min(high, best)
        if low >= high:
            break
    return best


def hanoi_energy(disks: int, weight: float) -> float:
    """The work of moving a tower, by recursion."""

    def move(n: int, source: int, target: int) -> float:
        if n == 0:
            return 0.0
        spare = 3 - source - target
        work = move(n - 1, source, spare) + n * weight * abs(source - target)
        return work + move(n - 1, spare, target)

    return move(disks, 0, 2)


def is_even(n: int, x: float) -> float:
    """Mutual recursion: multiplies on even steps."""
    return x if n == 0 else is_odd(n - 1, x * 1.01)


def is_odd(n: int, x: float) -> float:
    """Mutual recursion: adds on odd steps."""
    return -x if n == 0 else is_even(n - 1, x + 0.01)


TREE: Nested = (1.0, (2.5, [0.5, -1.0], (3.0,)), 4.0)
MOBILE = Branch(1.0, children=(Branch(2.0, 3.0), Branch(0.5, 1.0, (Branch(0.25, 4.0),))))
WEIGHTS = {"a": 0.45, "b": 0.13, "c": 0.12, "d": 0.16, "e": 0.09, "f": 0.05}
FOREST = Split("x", 0.5, Split("y", 1.0, 1.0, 2.5), Split("y", -1.0, -3.0, 4.0))
FORMULA: Expr = ("/", ("+", "x", ("*", 2.0, "y")), ("sine", ("exp", "x")))
GAME: Nested = (((3.0, 5.0), (6.0, 9.0)), ((1.0, 2.0), (0.5, -1.0)), ((4.5, 7.0), (8.0, 2.0)))

EXAMPLES = [
    Example(nested_sum, (TREE,)),
    Example(tree_energy, (TREE, 0.7)),
    Example(flatten, (TREE,)),
    Example(deepest, (TREE,)),
    Example(tree_sort, ([5.0, 2.0, 8.5, 1.0, 3.5],)),
    Example(gap_to_nearest, ([5.0, 2.0, 8.5, 1.0, 3.5], 4.1)),
    Example(mobile_report, (MOBILE,)),
    Example(evaluate, (FORMULA, {"x": 0.3, "y": 1.2})),
    Example(evaluate, (("-", 1.0, 2.0), {}), raises=ValueError),
    Example(evaluate, (FORMULA, {"x": 0.3}), raises=KeyError),
    Example(slope, ({"x": 0.4, "y": 0.9}, 1.5)),
    Example(huffman_cost, (WEIGHTS,)),
    Example(decide, (FOREST, {"x": 0.7, "y": 0.2})),
    Example(soft_decide, (FOREST, {"x": 0.7, "y": 0.2})),
    Example(minimax, (GAME,)),
    Example(hanoi_energy, (5, 1.5)),
    Example(is_even, (21, 1.0)),
    Example(is_even, (250, 1.0)),
]
