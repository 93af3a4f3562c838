"""The runs of this experiment: Python functions, and texts where that is natural, each for a size n.

    lorenz      the Lorenz system by n steps of Euler's method: many cheap steps, hardly a state
    constant    the same, so short that one tape of it fits everywhere
    growing     a list that grows to n elements and shrinks again, three times over
    pairs       the same with a list of pairs, as text (pairs.vlad)
    doubling    an array that doubles from 1 kB, until it has n doubles, and halves again, many times over
    uneven      n turns with hardly a tape; n / 100 with 1,000 times as much; n turns beside a large list
    table       a dictionary of objects that grows to n keys, and is rewritten twice
    deep        a recursion n deep: the stack is the state

A run is a Subject (experiments/speed/subjects.py): a procedure and its argument, ready on an engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from checkpoint.ad.graph import enter
from checkpoint.ad.values import Pair, list_value
from checkpoint.driver.engine import Engine
from checkpoint.functions.runs import call_values
from experiments import common
from experiments.speed.subjects import POINT, Subject, X, deep, from_python, from_text, lorenz

TIMES = 3  # how often the list grows and shrinks
FIRST = 128  # doubles in the array before it doubles
SWINGS = 10  # how often it does, and halves again
HEAVY = 100  # the length of the list that is made anew: such a step has 1,000 times the tape of a cheap one


def growing(x: float, n: int) -> float:
    """A list that grows by append and shrinks by pop, with arithmetic on its ends."""
    total = 0.0
    for _ in range(TIMES):
        xs = [x]
        for _ in range(n):
            xs.append(0.5 * xs[-1] + x * xs[0])
        for _ in range(n):
            last = xs.pop()
            total = 0.999 * total + last * xs[-1]
    return total


def doubling(x: float, n: int) -> float:
    """An array that doubles and halves: work that goes with its size, and tiny steps beside."""
    total = 0.0
    for _ in range(SWINGS):
        a = x * np.linspace(0.1, 0.9, FIRST)
        while a.size < n:
            a = np.concatenate((a, 0.5 * np.sin(a)))
            for _ in range(20):
                total = 0.999 * total + 0.001 * x
        while a.size > FIRST:
            half = a.size // 2
            a = np.cos(a[:half]) + a[half:] * 0.5
            total = total + a[0] * 0.5
        total = total + np.sum(a * a)
    return float(total)


def uneven(x: float, n: int) -> float:
    """Whole numbers, which leave hardly a tape; a list that is made anew each turn; reads of a large list."""
    place = 1
    for _ in range(n):
        place = (5 * place + 3) % 1024
    row = [x * k + place for k in range(HEAVY)]
    for _ in range(n // HEAVY):
        row = row[1:] + row[:1]
        row[0] = 0.5 * row[0] + 0.1 * row[HEAVY // 2]
    y = sum(row)
    large = [x * k + y for k in range(n // 10)]
    for i in range(n):
        y = 0.999 * y + 0.001 * large[(7 * i) % len(large)]
    return y


@dataclass
class Body:
    """The position and velocity of a body."""

    x: float
    v: float


def table(x: float, n: int) -> float:
    """A dictionary of objects, made and then rewritten, each from another of its entries."""
    bodies = {}
    for i in range(n):
        bodies[i] = Body(x * i, 0.5 * x)
    for _ in range(2):
        for i in range(n):
            body, other = bodies[i], bodies[(7 * i + 3) % n]
            bodies[i] = Body(0.9 * body.x + 0.1 * other.v, body.v - 0.001 * other.x)
    return bodies[0].x + bodies[n // 2].v


@dataclass(frozen=True)
class Program:
    """A run for a size: at the full size of engines in C, of those in Python, and at that of the tests."""

    make: Callable[[int, Engine], Subject]
    full: int
    slow: int
    small: int


def _python(function: Callable[..., float], *before: Any) -> Callable[[int, Engine], Subject]:
    return lambda n, engine: from_python(function, (*before, n), engine)


def _lorenz_text(n: int, engine: Engine) -> Subject:
    return from_text("lorenz", float(n), list_value(POINT), engine)


def _deep_text(n: int, engine: Engine) -> Subject:
    return from_text("deep", float(n), X, engine)


def _pairs(n: int, engine: Engine) -> Subject:
    f = common.value_of('(include "pairs.vlad")', engine, common.HERE / "budget")
    return Subject(engine, enter(Pair(call_values(f, float(n), engine), X)), 0)


PROGRAMS = {
    "lorenz": Program(_python(lorenz, *POINT), 10_000_000, 20_000, 200),
    "lorenz.vlad": Program(_lorenz_text, 10_000_000, 20_000, 200),
    "constant": Program(_python(lorenz, *POINT), 1_000, 1_000, 300),
    "growing": Program(_python(growing, X), 1_000_000, 10_000, 300),
    "pairs.vlad": Program(_pairs, 1_000_000, 10_000, 300),
    "doubling": Program(_python(doubling, X), 1 << 19, 1 << 16, 1 << 10),
    "uneven": Program(_python(uneven, X), 1_000_000, 10_000, 1_000),
    "table": Program(_python(table, X), 100_000, 1_000, 50),
    "deep": Program(_python(deep, X), 1_000_000, 10_000, 300),
    "deep.vlad": Program(_deep_text, 1_000_000, 10_000, 300),
}
