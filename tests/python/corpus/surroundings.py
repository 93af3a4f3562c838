"""What a program reads of its surroundings is a graph: functions in tables, objects that form cycles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.python.corpus import Example
from tests.python.corpus.objects import Node

TABLE: dict[str, Callable[..., Any]] = {}


def registered(function: Callable[..., Any]) -> Callable[..., Any]:
    TABLE[function.__name__] = function
    return function


@registered
def even(n: int, x: float) -> float:
    return x if n == 0 else TABLE["odd"](n - 1, x * 1.5)


@registered
def odd(n: int, x: float) -> float:
    return -x if n == 0 else TABLE["even"](n - 1, x=x + 1.0)


def by_turns(x: float) -> tuple[float, float]:
    """Functions that call one another through a table that holds them."""
    return TABLE["even"](5, x), TABLE["odd"](4, x)


class Vector:
    """A class of which the functions in the table know nothing."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = a, b

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.a + other.a, self.b + other.b)

    def __mul__(self, by: float) -> Vector:
        return Vector(self.a * by, self.b * by)

    def length(self) -> float:
        return math.hypot(self.a, self.b)


@registered
def midpoint(f: Callable[[Any], Any], y: Any, h: float) -> Any:
    return y + f(y + f(y) * (h / 2)) * h


@registered
def longest(vectors: list[Any]) -> Any:
    return max(vectors, key=lambda v: v.length())


@registered
def offset(y: Vector, by: float) -> Vector:
    return Vector(y.a + by, y.b)


def integrated(rate: float) -> tuple[float, float]:
    """Objects pass between a program and the functions in a table."""
    y = Vector(1.0, 0.5)
    for _ in range(5):
        y = TABLE["midpoint"](lambda v: Vector(-rate * v.b, rate * v.a), y, 0.1)
    moved = TABLE["offset"](y, rate)
    return TABLE["longest"]([y, moved, y * 0.5]).length(), (moved + y).a


ROOT = Node(2.0)
LEFT, RIGHT = Node(0.5, ROOT), Node(-1.5, ROOT)
LEAF = Node(3.0, LEFT)
RING: list[Any] = [1.5]
RING.append(RING)


def climbed(x: float) -> tuple[float, int, bool, bool]:
    """Globals that are one cyclic structure."""
    scaled = x * ROOT.total() + LEAF.weight * x ** LEAF.depth()
    return scaled, len(ROOT.children), LEAF.parent is LEFT, RIGHT.parent is ROOT.children[0]


def around(x: float) -> tuple[float, bool]:
    """A list that contains itself."""
    return x * RING[1][1][0], RING[1] is RING


class Machine:
    """An object that holds functions which know it."""

    def __init__(self, gain: float) -> None:
        self.gain = gain
        self.actions: dict[str, Callable[[float], float]] = {"amplify": self.amplify, "twice": self.twice}

    def amplify(self, x: float) -> float:
        return self.gain * x

    def twice(self, x: float) -> float:
        return self.actions["amplify"](self.actions["amplify"](x))


MACHINE = Machine(1.25)


def driven(x: float) -> float:
    """Bound methods in the attributes of their object."""
    return MACHINE.actions["twice"](x) + MACHINE.actions["amplify"](2.0)


EXAMPLES = [
    Example(by_turns, (1.5,)),
    Example(integrated, (0.7,)),
    Example(climbed, (1.5,)),
    Example(around, (1.5,)),
    Example(driven, (0.5,)),
]
