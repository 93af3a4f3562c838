"""How random programs that mix features begin and end (generator_mixed.py): imports, classes, functions."""

from __future__ import annotations

from tests.python.mixed_blocks import blocks

HEAD = """\
import contextlib
import functools
import itertools
import math
import operator
from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass, field

import numpy as np

Pair = namedtuple("Pair", "left right")
RATES = {"a": 0.5, "b": -0.25, "c": 1.5}


class Trouble(Exception):
    def __init__(self, amount):
        super().__init__(f"trouble of {amount:.3f}")
        self.amount = amount


class Base:
    def __init__(self, x, *rest, scale=1.0, **more):
        self.x = x * scale
        self.rest = list(rest)
        self.more = more

    def __call__(self, t):
        return math.tanh(t * 0.5 + self.x)

    def __add__(self, other):
        if isinstance(other, Base):
            return type(self)(bounded(self.x + other.x), *self.rest)
        return type(self)(bounded(self.x + other), *self.rest, scale=0.5)

    __radd__ = __add__

    def __mul__(self, k):
        return Base(bounded(self.x * k))

    def __lt__(self, other):
        return self.x < other.x

    def __len__(self):
        return 1 + len(self.rest)

    def __getitem__(self, i):
        return self.rest[i] if i < len(self.rest) else self.x

    def __iter__(self):
        yield self.x
        yield from self.rest

    def __format__(self, spec):
        return f"<{self.x:{spec or '.3f'}}>"

    def __enter__(self):
        self.x *= 0.75
        return self

    def __exit__(self, kind, error, trace):
        self.rest.append(0.5 * self.x)
        return kind is not None and issubclass(kind, Trouble)

    @property
    def level(self):
        return math.sin(self.x) + len(self.rest)

    @level.setter
    def level(self, value):
        self.x = bounded(value)


class Thing(Base):
METHODS


@dataclass
class Cell:
    x: float
    y: float = 0.5
    trail: list = field(default_factory=list)

    def __post_init__(self):
        self.trail.append(self.x)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y


def bounded(t, limit=2.0):
    return limit * math.tanh(t / limit)


def traced(function):
    calls = 0

    @functools.wraps(function)
    def inner(*args, **kwargs):
        nonlocal calls
        calls += 1
        return function(*args, **kwargs) * (1.0 + 0.01 * calls)

    return inner


def plainly_mixed(t, *more, k=0.5, **options):
    return k * math.sin(t) + 0.1 * sum(more) + options.get("shift", 0.0)


def steps(t, count, record=None):
    total = 0.0
    try:
        for i in range(count):
            sent = yield t * (0.5 ** i)
            total += sent or 0.125
    finally:
        if record is not None:
            record.append(total)
    return total


@contextlib.contextmanager
def doubled(cell):
    cell.x *= 2.0
    try:
        yield cell
    except Trouble as error:
        cell.y = bounded(error.amount)
    finally:
        cell.x = bounded(cell.x * 0.5)


def descend(tree, t):
    match tree:
        case (left, right):
            return descend(left, t) + 0.5 * descend(right, t)
        case {"leaf": value, **rest}:
            return value * t + len(rest)
        case [only]:
            return math.cos(only * t)
        case float() | int():
            return tree * t
        case _:
            return 0.0


def collatz(t, depth):
    return t if depth == 0 else collatz(t * 0.5, depth - 1) if t > 0.3 else collatz(0.7 * t + 0.2, depth - 1)


"""

# Methods of Thing, whose classes derive from Base; {m} is an expression of self.x and t.
METHODS = blocks(
    r"""
def bump(self, t=0.5):
    self.x = bounded({m})
    return self

def each(self, t=0.5):
    for i, r in enumerate([*self.rest, self.x]):
        if i > 2:
            return
        yield {m} + r

@classmethod
def of(cls, t, *, twice=False):
    return cls(bounded(t * 2 if twice else t), 0.25)

@staticmethod
def blend(s, t, k=0.5):
    return (1 - k) * s + k * t

def __sub__(self, t):
    return Thing(bounded(self.x - float(t)), *self.rest[:1])

def __contains__(self, t):
    return any(abs(r - t) < 0.5 for r in self)

def __neg__(self):
    t = 0.25
    return Thing(bounded(-({m})), *(-r for r in self.rest[:2]))

@functools.cached_property
def norm(self):
    return math.hypot(self.x, *self.rest[:3], 0.1)

def __getattr__(self, name):
    if name.startswith("rate_"):
        return RATES.get(name[5:], 0.0) * self.x
    raise AttributeError(name)
"""
)

BEGINNING = """\
mixed = traced(plainly_mixed)
u, v, w = x * 0.5, y + 0.25, bounded(x * y)
items = [*xs, u]
a = np.array(xs) * 0.5 + x
b = np.outer(a, a) * 0.1 + np.eye(3)
d = {'a': x, 'b': y}
q = deque([x, y, u], maxlen=4)
o, p = Thing(x, y, scale=0.5), Thing(y)
cell = Cell(v)
seen = set()
counts = Counter()
text = 'ab'"""
END = """\
print(text, len(items), sorted(seen), f'{u:.4f} {o} {n}', counts.most_common(2))
numbers = [u, v, w, *items, *a, *d.values(), *q, o.x, *o.rest, p.x, cell.x, cell.y, *cell.trail]
return [float(t) for t in numbers], b.tolist(), list(d), text, n"""
