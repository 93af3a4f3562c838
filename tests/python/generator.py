"""Random programs, as text, from a grammar of all the Python that is translated.

In: choices, by hypothesis or by a seeded generator. Out: a Program, whose function `main` takes two floats, a
list of floats and an int. Most run to their end; some raise, by an operation or by `raise`.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.python.generator_functions import Functions
from tests.python.generator_scope import Frame

HEAD = """\
import contextlib
import dataclasses
import functools
import math
from collections import namedtuple
from dataclasses import dataclass

K = 0.75
TABLE = [0.5, -1.5, 2.0]
CONFIG = {"a": 1.5, "b": -0.5}
Q = namedtuple("Q", "a b")


class Odd(ValueError):
    pass


@dataclass(frozen=True)
class P:
    x: float
    y: float

    def norm(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def scaled(self, k):
        return P(self.x * k, self.y * k)

    def __add__(self, other):
        return P(self.x + other.x, self.y + other.y)

    @property
    def total(self):
        return self.x + self.y


@dataclass(frozen=True)
class Guard:
    x: float
    swallows: bool

    def __enter__(self):
        print("in", self.x)
        return self.x + 1.0

    def __exit__(self, kind, error, traceback):
        print("out", error, kind is None, kind is KeyError)
        return self.swallows and kind is not TypeError


def square(t):
    return t * t


def scale(k, t):
    return k * t


def statistics_mean(items):
    return sum(items) / len(items)


"""
NUMBERS = (0.5, 1.0, 0.0, -1.5, 2.25, -0.0, 0.3)
_numbers = count(1)


@dataclass(frozen=True)
class Program:
    """A text, the arguments of its function, and whether it may be refused."""

    text: str
    args: tuple[Any, ...]
    may_refuse: bool

    def function(self) -> Callable[..., Any]:
        """Return the function `main`, compiled as if from a file."""
        name = f"<random {next(_numbers)}>"
        linecache.cache[name] = (len(self.text), None, self.text.splitlines(keepends=True), name)
        namespace: dict[str, Any] = {"__name__": "random_program"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(self.text, name, "exec", dont_inherit=True)
        exec(code, namespace)
        main: Callable[..., Any] = namespace["main"]
        return main


class Writer(Functions):
    """The writer of one program."""

    def program(self) -> Program:
        """Return a program; fuel: the approximate number of its statements."""
        for _ in range(self.upto(2)):
            self.helper()
        self.frame = Frame(result=self.pick("FTFLD"))
        with self.indented("def main(x, y, xs, n):"):
            for name in "xy":
                self.new("F", name)
            self.new("L", "xs", owned=False)
            self.new("I", "n")
            self.line("items = list(xs)")
            self.new("L", "items")
            while self.fuel > 0:
                self.fuel -= 1
                if self.statement(3):
                    break
            else:
                self.line(f"return {self.everything()}")
        args = (
            self.pick(NUMBERS),
            self.pick(NUMBERS),
            [self.pick(NUMBERS) for _ in range(1 + self.upto(3))],
            self.upto(4),
        )
        return Program(HEAD + "\n".join(self.lines) + "\n", args, self.may_refuse)

    def everything(self) -> str:
        """Return all data of the function, so that every difference is visible."""
        found = [v.name for v in self.frame.variables if v.definite and v.kind != "C"]
        with self.without_effects():
            return f"({', '.join([*found, self.F(1)])},)"


def program(random: Random, fuel: int = 14) -> Program:
    """Return a program; fuel: its approximate number of statements."""
    return Writer(random, 1 + random.randrange(fuel)).program()


def programs(fuel: int = 14) -> st.SearchStrategy[Program]:
    """Return a strategy for programs that shrink."""
    return st.randoms(use_true_random=False).map(lambda random: program(random, fuel))
