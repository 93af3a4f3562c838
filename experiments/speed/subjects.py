"""The programs of this experiment, as text and as Python functions, ready to run on an engine.

P1  the Lorenz system by n steps of Euler's method, a loop                        lorenz
P2  f(k) = x if k = 0 else sin(f(k - 1)) * 1.0001 + x, a recursion that is deep   deep
P3  P1 with its state in a list of pairs, updated by a map                        mapped

A Subject is a procedure and its argument, entered. What is done with it is what an engine offers, so that
conversions of arguments are no part of any time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.numbers import one
from checkpoint.ad.values import Pair, list_value
from checkpoint.calls import call_of
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Schedule
from checkpoint.runs import call_values
from experiments import common

# Where the system starts, and its sigma, rho and beta.
POINT = (1.0, 1.1, 20.0, 10.0, 28.0, 8.0 / 3.0)
X = 0.5


def lorenz(x: float, y: float, z: float, sigma: float, rho: float, beta: float, n: int) -> float:
    h = 5 / n
    for _ in range(n):
        dx = sigma * (y - x)
        dy = x * (rho - z) - y
        dz = x * y - beta * z
        x = x + h * dx
        y = y + h * dy
        z = z + h * dz
    return x


def deep(x: float, k: int) -> float:
    return x if k == 0 else math.sin(deep(x, k - 1)) * 1.0001 + x


def each(f: Callable[[Any], Any], items: Any) -> Any:
    return None if items is None else (f(items[0]), each(f, items[1]))


def mapped(x: float, y: float, z: float, sigma: float, rho: float, beta: float, n: int) -> float:
    h = 5 / n
    state = (x, (y, (z, None)))
    for _ in range(n):
        x, y, z = state[0], state[1][0], state[1][1][0]
        moves = ((x, sigma * (y - x)), ((y, x * (rho - z) - y), ((z, x * y - beta * z), None)))
        state = each(lambda item: item[0] + h * item[1], moves)
    return state[0]


@dataclass(frozen=True)
class Subject:
    """u: the pair of a closure and its argument; tags: above all that are in it."""

    engine: Engine
    u: Pair
    tags: int

    def start(self) -> Any:
        return self.engine.start(0, self.u, self.tags)

    def forward(self) -> Any:
        """The state at the end of the run."""
        return self.engine.advance(self.start(), None, Effects())

    def segment(self) -> tuple[float, list[float]]:
        """Value and gradient by one tape of the whole run."""
        start = self.start()
        recording = self.engine.tape(start, None, Effects())
        end = recording.end
        cotangent = self.engine.reverse(recording, self.engine.seed(end, one(end.value)))
        return end.value, self._gradient(start, cotangent)

    def gradient(
        self, schedule: Schedule, start: Any = None, counts: Counts | None = None
    ) -> tuple[float, list[float]]:
        """Value and gradient as a schedule takes them. start: one of its own; counts: where to count."""
        start = self.start() if start is None else start
        sweep = Sweep(self.engine, Effects(), seed=lambda end: self.engine.seed(end, one(end.value)))
        sweep.counts = Counts() if counts is None else counts
        end, cotangent = sweep.run(start, schedule)
        return end.value, self._gradient(start, cotangent)

    def _gradient(self, start: Any, cotangent: Any) -> list[float]:
        """What the reals of the argument have received, in their order (those of the closure come before)."""
        received = self.engine.argument_cotangents(start, cotangent, numbers(self.u))
        return received[len(received) - len(numbers(self.u.cdr)) :]


def from_text(name: str, size: Any, argument: Any, engine: Engine) -> Subject:
    """The program of NAME.vlad for a size."""
    f = common.value_of(f'(include "{name}.vlad")', engine, common.HERE / "speed")
    return Subject(engine, enter(Pair(call_values(f, size, engine), argument)), 0)


def from_python(function: Callable[..., float], arguments: tuple[Any, ...], engine: Engine) -> Subject:
    """A Python function for its arguments."""
    call = call_of(function, arguments, {}, engine.name)
    return Subject(call.engine, call.u, call.tags)


def subject(program: str, language: str, size: int, engine: Engine) -> Subject:
    """One of the programs, in one of LANGUAGES, for a size."""
    if language == "python":
        point = (X,) if program == "deep" else POINT
        return from_python({f.__name__: f for f in (lorenz, deep, mapped)}[program], (*point, size), engine)
    return from_text(program, float(size), X if program == "deep" else list_value(POINT), engine)


LANGUAGES = ("vlad", "python")
