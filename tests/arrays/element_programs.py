"""Random programs that read, compare and set elements of arrays, as texts.

A program has three arrays, of one and two axes and of few or many elements, an argument of four, and two
numbers; an object, a list and a dictionary that hold arrays, a function that captures one, and a list of
numbers. In nested branches within loops it sets elements, slices and numbers to random expressions of these.
All that it computes is of moderate size, and its result is a number.
"""

from __future__ import annotations

from random import Random

BEGINNING = """
import math
import numpy as np

N, M = {n}, {m}

class Holder:
    def __init__(self, x, y):
        self.x = x
        self.y = y

def f(x):
    a = np.tile(x, 40)[:N] * {factor}
    b = np.tile(x[:3], (M, 1)) * 1.0
    c = np.zeros(N)
    s, t = 0.0, x[1]
    index, chosen = np.arange(30) * 7 % N, np.arange(30) % 3 == 1
    w, held, numbers = np.cos(a), Holder(a * 0.5, b * 0.25), [x[0], x[1] * x[2], x[3]]
    rows, named = [a * 1.5, w * 0.5, x], dict(w=w, v=a * 0.3)

    def at(k):
        return w[k % N] * x[1]
"""
RESULTS = (
    "np.sum(np.tanh(held.x)) + np.sum(np.tanh(held.y)) + np.tanh(numbers[-1]) + np.sum(np.tanh(rows[0])) + s",
    "np.sum(np.tanh(a)) + np.sum(np.tanh(c) * np.arange(N)) + np.sum(np.tanh(b) * b) + s + t",
    "np.tanh(s) + np.tanh(t) + np.tanh(a[1]) * np.tanh(c[2])",
)


class Writer:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def program(self) -> str:
        """Return the text of a function f of an array of four numbers."""
        random = self.random
        sizes = {"n": random.choice([3, 5, 20, 70]), "m": random.choice([2, 4, 17])}
        lines = [BEGINNING.format(**sizes, factor=random.choice(["1.0", "x[0]", "0.5"])).rstrip()]
        for _ in range(random.randint(1, 3)):
            lines.append(f"    for i in range({random.choice([3, 6, 11])}):")
            for _ in range(random.randint(1, 5)):
                lines += self.statement(8, 0)
            lines.append(random.choice(["        a = np.tanh(a)", "        s = math.tanh(s)"]))
        return "\n".join([*lines, f"    return {random.choice(RESULTS)}", ""])

    def statement(self, indent: int, depth: int) -> list[str]:
        """Return the lines of a statement."""
        if depth < 2 and self.random.random() < 0.15:
            return self.branch(indent, depth)
        choices = [
            f"a[{self.place()}] = {self.expression()}",
            f"c[{self.place()}] {self.random.choice(['+=', '-=', '*='])} {self.expression()}",
            f"b[{self.two_places()}] = {self.expression()}",
            f"s = 0.3 * s + math.tanh({self.expression()})",
            f"t = math.tanh({self.expression()})",
            "c[1:3] = a[0:2] * 0.5",
            f"c[index[i]] += {self.expression()}",
            "a = a * 0.9 + 0.01",
            f"held.x[{self.place()}] = np.tanh({self.expression()})",
            f"held.y[{self.two_places()}] += {self.expression()}",
            f"rows[{self.random.choice(['0', 'i % 2'])}][{self.place()}] *= {self.expression()}",
            f"numbers.append(np.tanh({self.expression()}))",
            f"numbers[{self.random.randint(-3, 2)}] = math.tanh({self.expression()})",
            "s = s + 0.1 * b[i % M][0] * b[i % M][-1]",
            f"a[{self.place()}], c[{self.place()}] = c[{self.place()}], a[{self.place()}]",
        ]
        return [" " * indent + self.random.choice(choices)]

    def branch(self, indent: int, depth: int) -> list[str]:
        test = f"{self.leaf()} {self.random.choice(['<', '>', '<=', '!='])} {self.expression(2)}"
        if self.random.random() < 0.2:
            sign, by = self.random.choice(["<", ">", "=="]), self.random.randint(-2, 2)
            test = f"index[i] {sign} index[i - 1] + {by}"
        chosen, other = (self.statement(indent + 4, depth + 1) for _ in range(2))
        return [f"{' ' * indent}if {test}:", *chosen, f"{' ' * indent}else:", *other]

    def expression(self, depth: int = 0) -> str:
        """Return an expression that is deep by so many operations already."""
        choice = self.random.random()
        if depth > 2 or choice < 0.4:
            return self.leaf()
        x, y = self.expression(depth + 1), self.expression(depth + 1)
        if choice < 0.8:
            return f"({x} {self.random.choice('+-*')} {y})"
        forms = [
            f"({x} / (2.5 + abs({y})))",
            f"math.sin({x})",
            f"np.cos({x})",
            f"float({x})",
            f"-({x})",
            f"max({x}, {y})",
            f"abs({x})",
            f"({x}) ** {self.random.choice(['2', '3', '2.0'])}",
            f"np.exp(-abs({x}))",
            f"np.sqrt(abs({x}) + 0.25)",
            f"np.tanh({x})",
            f"math.atan2({x}, 2.0 + abs({y}))",
            f"round({x}) * ({y})",
            f"np.maximum({x}, {y})",
            f"np.minimum({x}, {y})",
            f"np.hypot({x}, 0.5 + abs({y}))",
            f"({x}) % (1.5 + abs({y}))",
            f"({x}) // 0.7 * ({y})",
            f"(0.5 + abs({x})) ** np.tanh({y})",
            f"(0.5 + abs({x})) ** math.tanh({y})",
            f"({x}) * a.shape[0] / held.y.size",
            f"int(math.floor({x})) * ({y})",
        ]
        return self.random.choice(forms)

    def leaf(self) -> str:
        numbers = ["s", "t", repr(round(self.random.uniform(-2.0, 2.0), 2)), str(self.random.randint(-3, 3))]
        elements = [
            f"a[{self.place()}]",
            "a[index[i]]",
            f"c[index[i] - {self.random.randint(0, 2)}]",
            "(s if chosen[i] else t)",
            f"c[{self.place()}]",
            f"b[{self.two_places()}]",
            f"x[{self.random.randint(0, 3)}]",
            "at(i)",
            f"b[i % M][{self.random.randint(-3, 2)}]",
            "(a[-1] * index[i] * 0.05)",
            f"held.x[{self.place()}]",
            f"held.y[{self.two_places()}]",
            f"rows[i % 3][{self.random.randint(-3, 2)}]",
            f"named['w'][{self.place()}]",
            f"numbers[{self.random.randint(-3, 2)}]",
        ]
        return self.random.choice(numbers + 2 * elements)

    def place(self) -> str:
        factor, offset = self.random.randint(1, 3), self.random.randint(0, 4)
        return self.random.choice(
            [f"(i * {factor} + {offset}) % N", "-1 - i % N", str(self.random.randint(-2, 2))]
        )

    def two_places(self) -> str:
        return self.random.choice([f"i % M, {self.random.randint(-3, 2)}", "-1, i % 3", "i % M, i % 3"])


def program(seed: int) -> str:
    """Return the text of the program of a seed."""
    return Writer(Random(f"elements {seed}")).program()
