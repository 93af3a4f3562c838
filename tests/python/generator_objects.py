"""Random programs of objects: aliases, changes, links, inheritance, properties, operators, deletion.

In: choices, by hypothesis or by a seeded generator. Out: a Program as that of generator.py, whose `main`
returns the attributes of all objects that are left, and which of them are one.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tests.python.generator import NUMBERS, Program

HEAD = """\
import math
from dataclasses import dataclass, field


class A:
    total = 0.5

    def __init__(self, x, y=1.0):
        self.x = x
        self.y = y
        self.items = [x]
        self.link = None

    def step(self, k):
        self.x += k * self.y
        self.items.append(self.x)
        return self

    def add(self, k):
        self.total += k
        return self.total

    @property
    def p(self):
        return self.x * 2.0

    @p.setter
    def p(self, value):
        if value > 50.0:
            raise ValueError("too large")
        self.x = value / 2.0

    def __add__(self, other):
        if not isinstance(other, A):
            return NotImplemented
        return type(self)(self.x + other.x, self.y - other.y)

    def __iadd__(self, other):
        self.items.extend(other.items)
        self.y += other.y
        return self

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value

    def __call__(self, k=1.5):
        return math.tanh(self.x) * k + self.y

    def __iter__(self):
        return iter(self.items)


class B(A):
    def __init__(self, x, y=2.0, z=0.25):
        super().__init__(y, x)
        self.z = z

    def step(self, k):
        self.z *= 0.5
        super().step(k + self.z)
        return self

    @property
    def q(self):
        return self.z + self.p

    def __radd__(self, other):
        return A(self.z, 3.0)

    def __eq__(self, other):
        return isinstance(other, A) and self.x == other.x

    def __lt__(self, other):
        return self.x < other.x


class C(A):
    __slots__ = ("w",)
    total = 1.5

    def step(self, k):
        self.w = k
        return super().step(-k)

    def __bool__(self):
        return self.x > 1.0

    def __getattr__(self, name):
        if name == "w":
            raise AttributeError("no w yet")
        return 0.75


@dataclass
class D:
    x: float
    y: float = 0.5
    items: list = field(default_factory=list)
    link: object = None

    def step(self, k):
        self.items = [*self.items, k]
        self.x -= k
        return self


"""
_STATEMENTS = (
    "o{i} = {cls}({e}, {e})",
    "o{i} = {cls}({e})",
    "o{i} = o{j}",
    "o{i}.x = {e}",
    "o{i}.{a} {op}= {e}",
    "o{i}.items.append({e})",
    "o{i}.items[-1] {op}= {e}",
    "o{i}.items = o{j}.items",
    "o{i}.items = o{j}.items[:3]",
    "o{i}.link = o{j}",
    "o{i}.link = objs",
    "f{n} = o{i}.step({e}).x",
    "f{n} = o{i}.step({e}) is o{j}",
    "o{i}.p = {e}",
    "f{n} = o{i}.p + o{j}.total",
    "f{n} = o{i}.add({e})",
    "o{i} += o{j}",
    "o{i} = o{i} + o{j}",
    "o{i}.extra = {e}",
    "del o{i}.{d}",
    "f{n} = getattr(o{i}, 'extra', {e})",
    "f{n} = hasattr(o{i}, '{d}') + {e}",
    "setattr(o{i}, '{a}', {e})",
    "objs.append(o{i})",
    "o{i} = objs.pop()",
    "o{i}.x, o{j}.y = o{j}.y, o{i}.x",
    "f{n} = 1.0 if o{i} is o{j} else {e}",
    "f{n} = 1.0 if o{i} == o{j} else {e}",
    "f{n} = 1.0 if o{i} in objs else 2.0",
    "f{n} = o{i}[0] * o{j}({e})",
    "o{i}[0] {op}= {e}",
    "f{n} = len(o{i}) + (1.0 if o{j} else 0.0)",
    "f{n} = sum(o{i}) + max(o{j}.items)",
    "table['{k}'] = o{i}",
    "table['{k}'].x {op}= {e}",
    "f{n} = (lambda t: t * o{i}.x)({e})",
    "print(type(o{i}).__name__, isinstance(o{j}, A))",
    "o{i} = change(o{j}, {e})",
)
_BLOCKS = (
    "for o in objs:",
    "for v in o{i}:",
    "if f{n} > {c}:",
    "if o{i} is not o{j}:",
    "while len(o{i}.items) < 3:",
    "try:",
)
_ATTRIBUTES = ("x", "y", "x", "p", "z", "total", "q")


class Writer:
    """The writer of one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []

    def expression(self) -> str:
        i, j = self.random.randrange(3), self.random.randrange(3)
        number = self.random.choice(NUMBERS)
        choices = (
            "x",
            "y",
            f"f{i}",
            f"{number}",
            f"o{i}.x",
            f"o{i}.y * {number}",
            f"f{i} + f{j} * 0.5",
            f"o{i}.items[0]",
            f"math.sin(o{i}.x)",
        )
        return self.random.choice(choices)

    def filled(self, pattern: str) -> str:
        while "{e}" in pattern:
            pattern = pattern.replace("{e}", self.expression(), 1)
        r = self.random
        return pattern.format(
            i=r.randrange(3),
            j=r.randrange(3),
            n=r.randrange(3),
            cls=r.choice("AABBCD"),
            a=r.choice(_ATTRIBUTES),
            d=r.choice(("extra", "extra", "link", "total", "w", "q")),
            op=r.choice("+-*"),
            k=r.choice("ab"),
            c=r.choice(NUMBERS),
        )

    def statement(self, depth: int, indent: str) -> None:
        if depth and self.random.random() < 0.25:
            head = self.random.choice(_BLOCKS)
            self.lines.append(indent + self.filled(head))
            inside = indent + "    "
            if head.startswith("while"):
                self.lines.append(f"{inside}{self.filled('o{i}.items.append({e})')}")
                self.lines.append(f"{inside}n -= 1")
                self.lines.append(f"{inside}if n < 0:\n{inside}    break")
            for _ in range(1 + self.random.randrange(2)):
                self.statement(depth - 1, inside)
            if head.startswith("for"):
                self.lines.append(f"{inside}n -= 1")
                self.lines.append(f"{inside}if n < 0:\n{inside}    break")
            if head == "try:":
                self.lines.append(f"{indent}except (AttributeError, ValueError, IndexError) as error:")
                self.lines.append(f"{inside}print(type(error).__name__)")
        else:
            self.lines.append(indent + self.filled(self.random.choice(_STATEMENTS)))

    def program(self, fuel: int) -> Program:
        """Return a program; fuel: the number of its statements."""
        start = [
            "    o0, o1, o2 = A(x), B(y, x), D(x * y)",
            "    f0, f1, f2 = x, y, xs[0]",
            "    objs = [o0, o1]",
            "    table = {'a': o0, 'b': o2}",
        ]
        for _ in range(fuel):
            self.statement(2, "    ")
        end = [
            "    every = [o0, o1, o2, *objs, *table.values()]",
            "    state = [(o.x, o.y, [*o.items], type(o).__name__) for o in every]",
            "    same = [a is b for a in every for b in every]",
            "    return f0, f1, f2, state, same",
        ]
        change = [
            "def change(o, k):",
            "    o.x += k",
            "    return o.step(k)",
            "",
            "",
            "def main(x, y, xs, n):",
        ]
        text = HEAD + "\n".join([*change, *start, *self.lines, *end]) + "\n"
        numbers = [self.random.choice(NUMBERS) for _ in range(3)]
        return Program(text, (numbers[0], numbers[1], [numbers[2]], 6), False)


def program(random: Random, fuel: int = 10) -> Program:
    """Return a program of at most so many statements."""
    return Writer(random).program(1 + random.randrange(fuel))


def objects_programs(fuel: int = 10) -> st.SearchStrategy[Program]:
    """Return a strategy for programs of objects that shrink."""
    return st.randoms(use_true_random=False).map(lambda random: program(random, fuel))
