"""Random functions of one lane, as text: numbers with branches, loops, recursion, calls and exceptions.

In: a seed. Out: a LaneProgram. Much of what it writes runs in strips of lanes on engine c, which random
programs of tests/python/generator.py hardly ever do: those make lists and objects in every statement.

    make(k, w)         the function of a lane; captures a number, and another, a pair of them, or pairs
    lane(x, n)         a float in [-2, 2], and a float from 1 to 9 that says how long loops are
    by_hand, by_vmap   all lanes: by a loop that copies what is captured for each, and by vmap

What always holds: every loop ends, after fewer than 10 turns; calls recurse fewer than 10 deep.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, TypeVar

Option = TypeVar("Option")

HEAD = """\
import math

import numpy as np

from checkpoint import vmap

SCALE = 0.75

"""
PAIR = """
def captured(k):
    return k * 0.5, 1.25


def copied(w):
    return w[0] * 1.0, w[1]
"""
NUMBER = """
def captured(k):
    return k * 0.5


def copied(w):
    return w * 1.0
"""
SCENE = """
def captured(k):
    return (k * 0.5, 1.25), (k, -0.5), (0.75, k * 0.25)


def copied(w):
    return tuple([(a * 1.0, b * 1.0) for a, b in w])
"""
ENDS = """

def by_hand(xs, ns, k):
    w, results = captured(k), []
    for i in range(len(xs)):
        lane = make(k * 1.0, copied(w))
        results.append(lane(xs[i], ns[i]))
    return results


def by_vmap(xs, ns, k):
    return vmap(make(k, captured(k)))(xs, ns)


def leaves(result):
    if isinstance(result, tuple):
        found = []
        for part in result:
            found = found + leaves(part)
        return found
    return [result]


def by_vmap_of(given):
    return by_vmap(*given)


def weighted_by_hand(xs, ns, k, weights):
    total = 0.0
    for result, weight in zip(by_hand(xs, ns, k), weights):
        for part in leaves(result):
            total = total + part * weight
    return total


def weighted_by_vmap(xs, ns, k, weights):
    total = 0.0
    for part in leaves(by_vmap(xs, ns, k)):
        total = total + np.sum(part * weights)
    return total
"""
_numbers = count(1)


@dataclass(frozen=True)
class LaneProgram:
    """A text. fails: whether some lanes may raise, by the text's own statements. has_reals: whether what a
    lane returns has a derivative.
    """

    text: str
    fails: bool
    has_reals: bool

    def namespace(self) -> dict[str, Any]:
        """Return the module of the text, compiled as if from a file."""
        name = f"<lanes {next(_numbers)}>"
        linecache.cache[name] = (len(self.text), None, self.text.splitlines(keepends=True), name)
        found: dict[str, Any] = {"__name__": "random_lanes"}
        exec(compile(self.text, name, "exec", dont_inherit=True), found)
        return found


class Writer:
    """The writer of one program. reals, tuples: the variables that hold a float, or a pair of floats."""

    def __init__(self, random: Random, fails: bool, scene: bool) -> None:
        self.random = random
        self.fails = fails
        self.scene = scene  # whether lanes capture a tuple of pairs
        self.lines: list[str] = []
        self.depth = 0
        self.names = 0
        self.reals: list[str] = []
        self.writable: list[str] = []
        self.pairs: list[str] = []
        self.returned = ""
        self.turns = "n"  # what says how many turns a loop has

    # Choices and lines

    def pick(self, options: Sequence[Option]) -> Option:
        return self.random.choice(options)

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    def name(self, word: str) -> str:
        self.names += 1
        return f"{word}{self.names}"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write a block; what it binds is not known after it."""
        self.line(head)
        known = len(self.reals), len(self.writable), len(self.pairs)
        self.depth += 1
        yield
        self.depth -= 1
        del self.reals[known[0] :], self.writable[known[1] :], self.pairs[known[2] :]

    # Expressions

    def atom(self) -> str:
        if self.pairs and self.chance(15):
            return f"{self.pick(self.pairs)}[{self.pick((0, 1))}]"
        return self.pick(NUMERALS) if self.chance(20) else self.pick(self.reals)

    def real(self, size: int = 2) -> str:
        """Return an expression of a float that no lane fails in, unless numbers become huge."""
        if size <= 0 or self.chance(20):
            return self.atom()
        a, b = self.real(size - 1), self.real(size - 2)
        return self.pick((*PLAIN * 3, *FUNCTIONS)).format(a=a, b=b, t=self.test(size - 2))

    def test(self, size: int = 1) -> str:
        a, b = self.real(size), self.pick((*NUMERALS, self.atom()))
        simple = f"{a} {self.pick(('<', '<=', '>', '>=', '==', '!='))} {b}"
        if size > 0 and self.chance(15):
            return f"({simple} {self.pick(('and', 'or'))} {self.test(0)})"
        return f"not ({simple})" if self.chance(8) else simple

    # Statements

    def statements(self, fuel: int) -> None:
        for _ in range(fuel):
            self.pick(STATEMENTS)(self)

    def assign(self) -> None:
        if self.writable and self.chance(60):
            self.change(2)
            return
        name, value = self.name("a"), self.real()
        self.line(f"{name} = {value}")
        self.reals.append(name)
        self.writable.append(name)

    def change(self, size: int) -> None:
        """Write an assignment to a variable, which mostly depends on what it was."""
        name = self.pick(self.writable)
        self.line(f"{name} = {self.pick(CHANGES).format(name=name, a=self.real(size))}")

    def exchange(self) -> None:
        if len(self.writable) > 1:
            a, b = self.random.sample(self.writable, 2)
            self.line(f"{a}, {b} = {self.real(2)}, {self.real(2)}")

    def pair(self) -> None:
        own = [u for u in self.pairs if u not in ("w", "best")]
        if own and self.chance(40):
            u = self.pick(own)
            self.line(f"{u} = ({u}[1] * 0.5, {self.real(2)})")
            return
        name, value = self.name("u"), f"({self.real(2)}, {self.real(2)})"
        self.line(f"{name} = {value}")
        self.pairs.append(name)

    def branch(self) -> None:
        with self.block(f"if {self.test()}:"):
            self.inner()
        for _ in range(self.pick((0, 0, 1))):
            with self.block(f"elif {self.test()}:"):
                self.inner()
        if self.chance(60):
            with self.block("else:"):
                self.inner()

    def inner(self) -> None:
        """Write the statements of a block; they are few where blocks are deep."""
        self.change(2)
        if self.depth < 4 and self.chance(25):
            self.statements(1)

    def loop(self) -> None:
        turn = self.name("t")
        form = self.pick(("while", "while", "for", "flag"))
        if form == "for":
            with self.block(f"for {turn} in range({self.pick((2, 3, f'int({self.turns})'))}):"):
                self.turn(turn)
            return
        self.line(f"{turn} = 0.0")
        self.reals.append(turn)
        also = f" and {self.test(0)}" if form == "flag" else ""
        with self.block(f"while {turn} < {self.pick((self.turns, self.turns, '3.0'))}{also}:"):
            self.line(f"{turn} = {turn} + 1.0")
            self.turn(turn)

    def turn(self, turn: str) -> None:
        self.inner()
        if self.chance(25):
            self.line(f"if {self.test()}:")
            self.line(f"    {self.pick(('break', 'continue', self.returning()))}")
        if self.chance(30):
            self.line(f"{self.pick(self.writable)} = {self.pick(self.writable)} * 0.5 + {turn} * 0.25")

    def walk(self) -> None:
        """Write a loop over the captured pairs, of which a lane holds one that it chooses."""
        self.line("best = w[0]")
        with self.block(self.pick(("for each in w:", "for i in range(len(w)):"))):
            if "range" in self.lines[-1]:
                self.line("each = w[i]")
            self.line(f"if each[0] * {self.atom()} > {self.atom()}:")
            self.line(f"    best = {self.pick(('each', '(each[1], x)'))}")
            self.line(f"x = x * 0.5 + each[{self.pick((0, 1))}] * {self.real(1)}")
        self.line("x = x + best[0] * best[1]")
        self.pairs.append("best")

    def early(self) -> None:
        with self.block(f"if {self.test()}:"):
            self.line(self.returning())

    def returning(self) -> str:
        return "return " + self.returned.format(
            a=f"{self.pick(self.writable)} * 0.5 + {self.real(2)}",
            b=self.real(1),
            t=self.test(),
            i=self.pick((1, 2)),
        )

    def failing(self) -> None:
        if self.fails:
            self.line(self.pick(FAILING).format(a=self.atom(), w=self.pick(self.writable), n=self.pick(RARE)))

    # Functions

    def helper(self, name: str) -> None:
        """Write a function of two floats; it may return early, or recur."""
        self.returned, self.reals, self.writable, self.pairs = "{a}", ["a", "a", "b"], ["a"], []
        self.turns = "2.0"
        with self.block(f"def {name}(a, b):"):
            if name.startswith("deep"):
                self.line("if b < 1.0:")
                self.line(f"    return {self.real(2)}")
                inner = f"{name}({self.real(2)}, b - {self.pick(('1.0', '2.0'))})"
                self.line(f"return {self.pick(AROUND).format(inner=inner, a=self.real(1))}")
            else:
                self.early()
                self.line(f"return {self.real(2)}")
        self.reals, self.writable, self.pairs = [], [], []
        self.line("")

    def program(self) -> LaneProgram:
        returned, shared = self.pick(RETURNED), PAIR if self.chance(25) else NUMBER
        shared = SCENE if self.scene else shared
        helpers = [self.pick(HELPERS)] if self.chance(40) else []
        for name in helpers:
            self.helper(name)
        self.returned, self.turns = returned, "n"
        with self.block("def make(k, w):"):
            with self.block("def lane(x, n):"):
                self.reals = ["x", "x", "x", "x", "n", "k", *(["w"] if shared is NUMBER else [])]
                self.writable, self.pairs = ["x"], ["w"] if shared is PAIR else []
                self.body(helpers)
            self.line("")
            self.line("return lane")
        text = HEAD + "\n".join(self.lines) + "\n" + shared + ENDS
        return LaneProgram(text, self.fails, returned not in WITHOUT_REALS)

    def body(self, helpers: list[str]) -> None:
        for name in helpers:
            second = "n" if name.startswith("deep") else self.atom()
            self.line(f"x = x * 0.5 + {name}({self.real(1)}, {second})")
        if self.scene:
            self.walk()
        else:
            self.line(f"x = x + {'w[0]' if 'w' in self.pairs else 'w'} * {self.real(1)}")
        self.statements(self.pick((0, 0, 1)))
        self.loop()
        self.statements(self.pick((0, 0, 1)))
        if self.fails:
            self.failing()
        self.line(self.returning())


NUMERALS = ("0.5", "-1.5", "2.0", "0.1", "-0.0", "SCALE", "1", "1e-3")
CHANGES = ("{name} * 0.5 + {a}", "{name} - ({a}) * 0.25", "({name} + {a}) * 0.5", "{a}")
PLAIN = (
    "{a} + {b}",
    "{a} - {b}",
    "({a} + {b}) * 0.5",
    "({a}) * 0.75",
    "({a}) * ({b}) * 0.25",
    "({a}) / (2.0 + abs({b}))",
    "abs({a})",
    "-({a})",
    "({a} if {t} else {b})",
)
FUNCTIONS = (
    "math.sin({a})",
    "math.cos({a})",
    "math.tanh({a})",
    "math.exp(-abs({a}))",
    "math.sqrt(abs({a}))",
    "math.atan2({a}, {b})",
    "math.log1p(abs({a}))",
    "math.copysign({a}, {b})",
    "math.hypot({a}, {b})",
    "math.floor(math.sin({a}))",
    "(abs({a}) + 0.5) ** 1.5",
    "max({a}, {b})",
    "min({a}, {b}, 1.0)",
)
HELPERS = ("help1", "help1", "deep1")
RARE = ("7.0", "8.0", "9.0")
FAILING = (
    "{w} = {a} / (n - {n})",
    "{w} = math.sqrt(n - 1.5)",
    "if n == {n}:\n            raise ValueError(n)",
    "if n == {n}:\n            print({a})",
    "{w} = math.log(n - {n}) if n >= {n} else {w}",
    "{w} = math.exp(800.0 if n == {n} else 0.5)",
)
AROUND = ("{inner}", "{inner} + {a}", "{inner} * 0.5", "{a} - {inner}")
RETURNED = ("{a}", "{a}", "{a}", "({a}, {b})", "({a}, {i})", "({a}, ({b}, x))", "{t}", "{i}")
WITHOUT_REALS = ("{t}", "{i}")
STATEMENTS: tuple[Callable[[Writer], None], ...] = (
    Writer.assign,
    Writer.assign,
    Writer.exchange,
    Writer.pair,
    Writer.branch,
    Writer.branch,
    Writer.loop,
    Writer.early,
)


def lane_program(seed: int, scene: bool = False) -> LaneProgram:
    """Return a program; in one of four some lanes may fail or print. scene: whether they walk over pairs."""
    random = Random(seed)
    return Writer(random, random.random() < 0.25, scene).program()


def arguments(width: int) -> tuple[list[float], list[float], float, list[float]]:
    """Return the items of lanes, a number that they share, and weights of their results."""
    random = Random(width)
    xs = [random.choice((0.0, -0.0, 1.0, random.uniform(-2.0, 2.0))) for _ in range(width)]
    ns = [float(random.choice((1, 2, 3, 4, 5, 6, 7, 8, 9))) for _ in range(width)]
    return xs, ns, 1.25, [random.uniform(-1.0, 1.0) for _ in range(width)]
