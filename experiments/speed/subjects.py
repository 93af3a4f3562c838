"""The programs of this experiment, as text and as Python functions, ready to run on an engine.

P1  the Lorenz system by n steps of Euler's method, a loop                        lorenz
P2  f(k) = x if k = 0 else sin(f(k - 1)) * 1.0001 + x, a recursion that is deep   deep
P3  P1 with its state in a list of pairs, updated by a map                        mapped
    the Lorenz system by n steps of the method of Runge and Kutta                  rk4
    two nested loops, of which the inner one's length changes                      nested

A Subject is a procedure and its argument, entered. What is done with it is what an engine offers, so that
conversions of arguments are no part of any time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.numbers import one
from checkpoint.ad.values import Pair, list_value
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Schedule
from checkpoint.functions.python_functions import run_of
from checkpoint.functions.runs import call_values
from experiments import common

# The initial state of the system, and its sigma, rho and beta.
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


def rate(x: float, y: float, z: float, sigma: float, rho: float, beta: float) -> tuple[float, float, float]:
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


def rk4(x: float, y: float, z: float, sigma: float, rho: float, beta: float, n: int) -> float:
    h = 5 / n
    half = h / 2
    sixth = h / 6
    for _ in range(n):
        ax, ay, az = rate(x, y, z, sigma, rho, beta)
        bx, by, bz = rate(x + half * ax, y + half * ay, z + half * az, sigma, rho, beta)
        cx, cy, cz = rate(x + half * bx, y + half * by, z + half * bz, sigma, rho, beta)
        dx, dy, dz = rate(x + h * cx, y + h * cy, z + h * cz, sigma, rho, beta)
        x = x + sixth * (ax + 2 * bx + 2 * cx + dx)
        y = y + sixth * (ay + 2 * by + 2 * cy + dy)
        z = z + sixth * (az + 2 * bz + 2 * cz + dz)
    return x


def inner_count(n: int, k: int) -> int:
    """Return n / 2^floor(lg k) for a power of two n and 1 <= k <= n."""
    count = 1
    while n > k:
        n //= 2
        count *= 2
    return count


def nested(y: float, n: int) -> float:
    power = 1
    for _ in range(n):
        power = 3 * power % n
        for _ in range(inner_count(n, 1 + 1007 * power % n)):
            y = math.sqrt(y * y)
    return y


@dataclass(frozen=True)
class Subject:
    """u: the pair of a closure and its argument; tags: above all that are in it. found: its numbers, the last
    `arguments` of them those of the argument: what a call knows before it is measured.
    """

    engine: Engine
    u: Pair
    tags: int

    @cached_property
    def found(self) -> list[Any]:
        return numbers(self.u)

    @cached_property
    def arguments(self) -> int:
        return len(numbers(self.u.cdr))

    def start(self) -> Any:
        return self.engine.start(0, self.u, self.tags)

    def forward(self) -> Any:
        """Return the state at the end of the run."""
        return self.engine.advance(self.start(), None, Effects())

    def segment(self) -> tuple[float, list[float]]:
        """Return value and gradient by one tape of the whole run."""
        start = self.start()
        recording = self.engine.tape(start, None, Effects())
        end = recording.end
        cotangent = self.engine.reverse(recording, self.engine.seed(end, one(end.value)))
        return end.value, self._gradient(start, cotangent)

    def gradient(
        self, schedule: Schedule, start: Any = None, counts: Counts | None = None
    ) -> tuple[float, list[float]]:
        """Return value and gradient by a schedule. start: one of its own; counts: where to count."""
        start = self.start() if start is None else start
        sweep = Sweep(self.engine, Effects(), seed=lambda end: self.engine.seed(end, one(end.value)))
        sweep.counts = Counts() if counts is None else counts
        end, cotangent = sweep.run(start, schedule)
        return end.value, self._gradient(start, cotangent)

    def _gradient(self, start: Any, cotangent: Any) -> list[float]:
        """Return the cotangents of the argument's reals, in order (the closure's come before)."""
        received = self.engine.argument_cotangents(start, cotangent, self.found)
        return received[len(received) - self.arguments :]


def from_text(name: str, size: Any, argument: Any, engine: Engine) -> Subject:
    """Return the program of NAME.vlad for a size."""
    f = common.value_of(f'(include "{name}.vlad")', engine, common.HERE / "speed")
    return Subject(engine, enter(Pair(call_values(f, size, engine), argument)), 0)


def from_python(function: Callable[..., float], arguments: tuple[Any, ...], engine: Engine) -> Subject:
    """Return the subject of a Python function and its arguments."""
    call = run_of(function, arguments, {}, engine.name)
    return Subject(call.engine, call.u, call.tags)


FUNCTIONS: dict[str, Callable[..., float]] = {f.__name__: f for f in (lorenz, deep, mapped, rk4, nested)}


def subject(program: str, language: str, size: int, engine: Engine) -> Subject:
    """Return one of the programs, in one of LANGUAGES, for a size."""
    alone = program in {"deep", "nested"}  # their argument is one real
    if language == "python":
        return from_python(FUNCTIONS[program], (*((X,) if alone else POINT), size), engine)
    return from_text(program, float(size), X if alone else list_value(POINT), engine)


LANGUAGES = ("vlad", "python")
