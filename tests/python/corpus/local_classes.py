"""Classes defined inside functions: which read its variables, derive from one another, are made by calls."""

# mypy: ignore-errors
# Written without annotations, as people write them; what Python says of it is compared.

from __future__ import annotations

import enum
import functools
import math
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, NamedTuple, Protocol, TypeVar

from tests.python.corpus import Example

RATE = 0.25


class Body:
    unit = 2.0

    def __init__(self, m):
        self.m = m

    def weight(self):
        return self.m * self.unit


def simple(x):
    class Point:
        """A point."""

        def __init__(self, a, b=2.0):
            self.a, self.b = a, b

        def norm(self):
            return math.sqrt(self.a**2 + self.b**2)

        def __add__(self, other):
            return Point(self.a + other.a, self.b + other.b)

        def __repr__(self):
            return f"Point({self.a:.2f}, {self.b:.2f})"

    total = Point(x) + Point(x * x, 3.0)
    print(total)
    return total.norm()


def captures(x, n):
    scale = x * 2.0
    offset = n

    class Line:
        slope = 3.0

        def at(self, t):
            return scale * t * self.slope + offset

        def twice(self, t):
            def inner(u):
                return self.at(u) + scale

            return inner(t) + inner(2.0 * t)

    return Line().twice(x)


def late(x):
    class Counter:
        def bump(self, by):
            nonlocal total, calls
            total = total + by
            calls += 1
            return helper(total)

    total, calls = 0.0, 0

    def helper(v):
        return v * v + x

    c = Counter()
    for i in range(4):
        c.bump(x * i)
    return total * helper(total) + calls


def changed_list(x):
    seen = []

    class Logger:
        def log(self, v):
            seen.append(v)
            return len(seen)

    logger = Logger()
    logger.log(x)
    n = logger.log(x * x)
    return sum(seen) * n, seen


def derived(x):
    class Shape(ABC):
        def __init__(self, r):
            self.r = r

        @abstractmethod
        def area(self): ...

        def twice(self):
            return 2.0 * self.area()

    class Disc(Shape):
        def area(self):
            return math.pi * self.r**2

    class Ring(Disc):
        def __init__(self, r, inner):
            super().__init__(r)
            self.inner = inner

        def area(self):
            return super().area() - Disc(self.inner).area()

    shapes = [Disc(x), Ring(2.0 * x, x)]
    try:
        Shape(x)
    except TypeError as error:
        print(error)
    return sum(s.twice() for s in shapes), [type(s).__name__ for s in shapes], isinstance(shapes[1], Disc)


def of_module_class(x):
    class Heavy(Body):
        unit = 3.0

        def weight(self):
            return super().weight() + RATE

    return Heavy(x).weight() * Body(x).weight()


def plain_dataclass(x):
    @dataclass
    class Pair:
        a: float
        b: float = 2.0
        tags: list = field(default_factory=list)

        def product(self):
            return self.a * self.b

    p = Pair(x)
    p.a += 1.0
    p.tags.append("x")
    q = Pair(x, b=x)
    return p.product() + q.product(), p == q, p == Pair(p.a, 2.0, ["x"]), repr(p)


def frozen_dataclass(x):
    @dataclass(frozen=True, order=True)
    class Key:
        level: float
        name: str = "k"

    keys = sorted([Key(2.0 * x), Key(x, "b"), Key(x, "a")])
    return keys[0].level * keys[2].level, [k.name for k in keys]


def named_tuples(x):
    P = namedtuple("P", ["a", "b"])
    Q = namedtuple("Q", "u v", defaults=(3.0,))

    class R(NamedTuple):
        s: float
        t: float = 1.5

        def both(self):
            return self.s + self.t

    p, q, r = P(x, 2.0), Q(x), R(x)
    a, b = p
    return a * b + q.u * q.v + r.both() + p._replace(a=1.0).a, P._fields, r._asdict()["t"]


def enumerations(x):
    class Kind(Enum):
        LOW = 1
        HIGH = 2

        def factor(self):
            return 0.5 if self is Kind.LOW else 3.0

    class Flag(enum.IntEnum):
        A = enum.auto()
        B = enum.auto()

    kind = Kind.HIGH if x > 1.0 else Kind.LOW
    return kind.factor() * x + Flag.B, kind.name, Kind(1) is Kind.LOW, [k.value for k in Kind]


def members(x):
    class Thing:
        count = 0
        names = ("a", "b")

        def __init__(self, v):
            Thing.count += 1
            self._v = v

        @property
        def v(self):
            return self._v

        @v.setter
        def v(self, value):
            self._v = value * 2.0

        @staticmethod
        def scaled(y):
            return y * x

        @classmethod
        def of(cls, y):
            return cls(y * y)

        @functools.cached_property
        def heavy(self):
            return self._v**3

    t, u = Thing(x), Thing.of(x)
    t.v = x
    return t.v + u.v * Thing.scaled(2.0) + t.heavy, Thing.count, u.names


def computed_attributes(x):
    factor = x + 1.0

    class Config:
        rate = factor * 2.0
        steps: int = len("abc")
        limit = RATE

        def value(self):
            return self.rate * self.steps + self.limit

    c = Config()
    before = c.value()
    c.rate = x
    return before * c.value() * Config.rate


def own_exception(x):
    class TooLarge(ValueError):
        def __init__(self, v):
            super().__init__(f"{v:.1f} is too large")
            self.v = v

    def check(v):
        if v > 2.0:
            raise TooLarge(v)
        return v

    try:
        return check(x) + check(x * 5.0)
    except TooLarge as error:
        print(error)
        return error.v * x


def protocols(x):
    T = TypeVar("T")

    class Stack(Generic[T]):
        def __init__(self) -> None:
            self.items: list[T] = []

        def push(self, item: T) -> None:
            self.items.append(item)

        def pop(self) -> T:
            return self.items.pop()

    class HasArea(Protocol):
        def area(self) -> float: ...

    stack = Stack()
    stack.push(x)
    stack.push(x * 2.0)
    return stack.pop() - 3.0 * stack.pop()


def iterators(x):
    class Countdown:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return self

        def __next__(self):
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            return self.n * x

    class Span:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            for i in range(self.n):
                yield i * x

    return sum(Countdown(4)) + sum(Span(3))


EXAMPLES = [
    Example(simple, (0.7,)),
    Example(captures, (0.7, 3)),
    Example(late, (0.7,)),
    Example(changed_list, (0.7,)),
    Example(derived, (0.7,), differentiable=False),
    Example(of_module_class, (0.7,)),
    Example(plain_dataclass, (0.7,), differentiable=False),
    Example(frozen_dataclass, (0.7,), differentiable=False),
    Example(named_tuples, (0.7,), differentiable=False),
    Example(enumerations, (0.7,), differentiable=False),
    Example(enumerations, (1.7,), differentiable=False),
    Example(members, (0.7,), differentiable=False),
    Example(computed_attributes, (0.7,)),
    Example(own_exception, (0.7,)),
    Example(protocols, (0.7,)),
    Example(iterators, (0.7,)),
]
