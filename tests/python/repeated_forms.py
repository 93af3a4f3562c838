"""The beginning of random modules whose function is called repeatedly, and the forms of what follows.

Holes in braces are for parts: {e} a real, {z} and {w} a variable, {c} a constant, {j} an index of three.
generator_repeated.py fills them.
"""

from __future__ import annotations

import re

from tests.python.generator_forms import forms
from tests.python.mixed_blocks import blocks
from tests.support.digest import DIGEST

HEAD = (
    """\
import copy
import functools
import math
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass, field, replace

import numpy as np

RATE = 0.5
COUNT = 3
TABLE = {"a": 0.75, "b": -0.5}
ROWS = [0.25, 1.5, -0.75]
MODE = "soft"
GRID = np.array([0.5, -1.0, 2.0])
Pair = namedtuple("Pair", "left right")


class Trouble(Exception):
    pass


class Shape:
    sides = 2
    scale = 0.5

    def __init__(self, x, y=0.25):
        self.x, self._y = x, y

    @property
    def y(self):
        return self._y * self.scale

    @y.setter
    def y(self, value):
        self._y = value

    @classmethod
    def unit(cls, x):
        return cls(x, cls.scale)

    def area(self):
        return self.x * self.y * self.sides

    def __add__(self, other):
        return type(self)(self.x + other.x, self.y)

    def __lt__(self, other):
        return self.area() < other.area()


class Square(Shape):
    sides = 4

    def area(self):
        return super().area() + math.sin(self.x)


@dataclass
class Cell:
    x: float
    y: float = 0.5
    more: list = field(default_factory=list)


SHAPE = Square(0.3)
CELL = Cell(0.5, -0.25, [1.0, 2.0])


def counter(start, by=0.25):
    total = start

    def add(t):
        nonlocal total
        total = total + by * t
        return total

    return add


def scaled(k):
    return lambda t, n=2: k * t ** n


SCALED = scaled(0.5)


def terms(t, count):
    for i in range(count):
        sent = yield t / (i + 1)
        if sent is not None:
            t = t + sent


def mixed(*args, k=0.5, **more):
    return k * sum(args) + sum(more.values()) + len(more)


def hyper(t):
    return math.tanh(t) if MODE == "soft" else max(-1.0, min(1.0, t))


def rational(t):
    return t / (1.0 + t * t)

"""
    + DIGEST
)

# Statements: x, y and z are reals, xs has three or more, d has "a" and "b", n is an integer.
STATEMENTS = blocks(
    r"""
{w} = hyper({e})

{w} = {e}

{w} = {e}

for i in range(n):
    {w} = hyper({w} + {e} * i)

while {w} < 1.5 and n < 9:
    {w} = {w} + 0.5 + 0.1 * abs({e})
    n += 1

t = {e}
while abs(t) > 0.1:
    t = t * 0.5
    if t < {c}:
        break
    {w} = hyper({w} + t)
else:
    {w} = {w} * 0.5

xs.append({e})
{w} = hyper(sum(xs) * 0.3)

xs = sorted(xs, key=lambda t: -t * {z})
{w} = xs[0] * 0.5

xs[{j}] = {e}

d["c"] = {e}
{w} = hyper(sum(d.values()))

d = {k: t * 0.5 for k, t in d.items()}

other = copy.copy(d)
other["a"] = {e}
{w} = other["a"] - d["a"]

other = copy.deepcopy([xs, d])
other[0][{j}] = {e}
{w} = hyper(other[0][{j}] + xs[{j}])

shape = Square({e})
shape.y = {e}
{w} = hyper(shape.area() + SHAPE.area())

shapes = [Shape({z}, 0.5), Square({e}), Square.unit({z})]
{w} = hyper(max(shapes).x + sorted(shapes, key=lambda s: s.x)[0].area())

cell = Cell({e}, more=[{z}])
cell.more.append({e})
{w} = hyper(cell.x * cell.y + sum(cell.more))

cell = replace(CELL, x={e})
{w} = cell.x * CELL.y + len(cell.more)

add = counter({e})
add({z})
{w} = hyper(add({e}))

{w} = hyper(sum(terms({e}, {j} + 2)))

gen = terms({e}, 4)
next(gen)
{w} = hyper(gen.send({z}) + next(gen))

try:
    if {z} > {e}:
        raise Trouble({z})
    {w} = hyper({e})
except Trouble as error:
    {w} = 0.5 * error.args[0]
finally:
    xs.append({z})

try:
    {w} = d["none" if {z} > {c} else "a"]
except KeyError:
    {w} = hyper({e})

{w} = hyper(mixed({e}, *xs[:2], k={z}, **d))

{w} = functools.reduce(lambda s, t: 0.5 * s + t, xs, {e})

fs = [lambda t, k=k: k * t for k in (0.5, {z})] + [SCALED]
{w} = hyper(sum(f({e}) for f in fs))

if {e} > {c}:
    {w} = hyper({e})
elif {z} > 0:
    {w} = {w} * 0.5
else:
    {w} = {w} + 0.1

if MODE == "soft" and COUNT > 2:
    {w} = hyper({w} + {e})

q = deque(xs, maxlen=3)
q.append({e})
q.rotate(1)
{w} = hyper(q[0] + q[-1] * 0.5)

groups = defaultdict(list)
for t in xs:
    groups[t > {c}].append(t * {z})
{w} = hyper(sum(groups[True]) - sum(groups[False]))

left, *others = xs
{w} = hyper(left + len(others) * {e})

pair = Pair({e}, {z})
{w} = hyper(pair._replace(left={z}).left + pair[0])

match (n % 3, xs):
    case (0, [first, *_]):
        {w} = hyper(first)
    case (1, _) if {z} > {c}:
        {w} = {w} * 0.5
    case _:
        {w} = hyper({e})

match d:
    case {"a": value, **rest}:
        {w} = hyper(value * {z} + len(rest))

def inner(t, depth=2):
    return t if depth == 0 else inner(t * 0.5 + 0.1 * {z}, depth - 1) + {c} * t
{w} = hyper(inner({e}))

def walk(tree):
    return sum(walk(t) for t in tree) if isinstance(tree, (list, tuple)) else tree * {z}
{w} = hyper(walk([{e}, (xs[0], [xs[1]])]))

rows = [[i * {z} + j for j in range(2)] for i in range(n % 3 + 1)]
rows[0] += [{e}]
{w} = hyper(sum(row[-1] for row in rows))

best = min(range(len(xs)), key=lambda i: abs(xs[i] - {z}))
{w} = hyper(xs[best] * 1.5)
"""
)
OF_ARRAYS = blocks(
    r"""
v = np.array(xs[:3]) * {e}
{w} = float(hyper(v[0]) + v.sum() * 0.1)

v = GRID * {z}
v[{j}] = {e}
{w} = hyper(float(v @ GRID))

v = np.tanh(np.outer(xs[:2], [{e}, {z}]))
{w} = hyper(v[0, 1] + np.max(v))

for t in np.asarray(xs)[:3] * 0.5:
    {w} = hyper({w} + t)

v = np.where(GRID > {c}, GRID * {z}, {e})
{w} = hyper(v.mean())
"""
)
EXPRESSIONS = forms(
    r"""
    ({e} + {e})  ({e} - {e})  ({e} * {e})  math.sin({e})  math.exp(-abs({e}))  hyper({e})
    ({e} / (1.5 + abs({e})))  math.sqrt(1.0 + {e} * {e})  ({e} if {e} > {c} else {e})  max({e}, {e})
    RATE * {e}  TABLE['a'] * {e}  ROWS[{j}]  xs[{j}]  d['a']  d.get('c', {e})  SHAPE.y  CELL.more[0]
    SCALED({e})  len(xs) * {z}  COUNT * {z}  ({e}) ** 2  d['b']  xs[-1]  sum(xs[1:])  n * {z}  abs({e})
    SHAPE.area()  Shape.scale * {e}  {z} % 1.5  (lambda t: t * {z})({e})
    """
)
# The function that is called, of each structure of arguments, and a form of these.
ENTRIES = {
    "reals": """
def entry(x, y, n=3):
    return digest(main(x, y, [x, y, x * y], {"a": y, "b": x}, n))
""",
    "list": """
def entry(xs, n=COUNT):
    return digest(main(xs[0], xs[-1], [*xs], {"a": xs[1], "b": len(xs)}, n))
""",
    "dictionary": """
def entry(p, n=2):
    return digest(main(p["x"], p["y"], list(p["xs"]), {"a": p["d"]["a"], "b": p["x"]}, n))
""",
    "objects": """
def entry(cell, shape):
    d = {"a": shape.x, "b": shape.area()}
    return digest(main(cell.x, shape.y, [*cell.more, cell.y], d, COUNT))
""",
    "several": """
def entry(*xs, **d):
    return digest(main(xs[0], d["b"], list(xs), d, len(xs)))
""",
    "nested": """
def entry(p, q):
    (x, y), rows = p
    return digest(main(x, y, [t for row in rows for t in row], {"a": q.left, "b": q[1]}, len(rows)))
""",
    "array": """
def entry(v, x):
    xs = list(v.ravel())[:4]
    return digest(main(x, float(v[0]), xs, {"a": v[1], "b": 0.5}, len(v)))
""",
}
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "reals": ("x", "y"),
    "list": ("[x, y, z]",),
    "dictionary": ("{'x': x, 'y': y, 'xs': [x, y, z], 'd': {'a': z, 'b': 0.5}}",),
    "objects": ("Cell(x, y, [z, 0.5])", "Square(y)"),
    "several": ("x", "y", "z", "a=x", "b=z"),
    "nested": ("((x, y), [[x, z], (y,)])", "Pair(z, x)"),
    "array": ("np.array([x, y, z])", "x"),
}
CHANGES = (  # of what the module holds
    *["pass"] * 6,
    "RATE = {c}",
    "RATE = 2",
    "COUNT = {j}",
    "TABLE['a'] = {c}",
    "TABLE = {'a': {c}, 'z': 1.0}",
    "ROWS[{j}] = {c}",
    "ROWS = [1.0, {c}, 2, 0.5]",
    "MODE = 'hard'",
    "MODE = 'soft'",
    "GRID[{j}] = {c}",
    "GRID = np.array([{c}, 1.0, 0.25], dtype=np.float32)",
    "SHAPE.x = {c}",
    "SHAPE = Shape({c}, 0.5)",
    "Shape.scale = {c}",
    "Square.sides = {j}",
    "CELL.more[0] = {c}",
    "CELL = Cell({c}, 2, [{c}])",
    "SCALED = scaled({c})",
    "SCALED = math.sin",
    "hyper = rational",
    "Square.area = Shape.area",
    "del Square.sides",
)
KINDS = (  # of numbers in place of floats
    *["{c}"] * 12,
    "1",
    "2",
    "True",
    "np.float64({c})",
    "np.float32({c})",
    "0.0",
    "-0.0",
    "1e200",
    "np.array({c})",
    "math.nan",
)
OTHERS = (  # what may stand in place of a part of an argument
    ("[x, y, z]", "[x, y, z, 0.25]"),
    ("[x, y, z]", "(x, y, z)"),
    ("'a': z, 'b'", "'b': z, 'a'"),
    ("[x, z]", "[x, z, y]"),
    ("np.array([x, y, z])", "np.array([[x, y], [z, x], [y, y]])[:, 0]"),
    ("np.array([x, y, z])", "np.array([x, y, z, 1.0], dtype=np.float32)"),
    ("Square(y)", "Shape(y, z)"),
    ("Cell(x, y, [z, 0.5])", "Cell(x, more=[z, y, x])"),
    ("[[x, z], (y,)]", "[[x, z, y]]"),
)
CONSTANTS = ("0.5", "-1.25", "0.75", "1.5", "-0.3", "2.25", "0.1")
# What calls without a plan need: classes, functions of the module, and what is no arithmetic.
UNPLANNED = re.compile(
    r"[A-Z][a-z]+|SHAPE|CELL|SCALED|deque|copy|sorted|max|min|match|terms|values|items|mixed|np\.|\*\*|reduce"
)
