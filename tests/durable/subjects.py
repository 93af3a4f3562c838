"""Functions whose runs are saved, in a module of their own, so that pickles and other processes find them.

Each is of one argument; ARGUMENTS has that by the function's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

import checkpoint

RATE = 0.25
TABLE = [1.5, -0.5, 2.0]


class Mode(Enum):
    SLOW = 1
    FAST = 2


@dataclass
class Particle:
    x: float
    v: float
    tags: list[str]


def _cubed_pullback(ybar: float, y: float, x: float) -> tuple[float]:
    return (3.0 * x * x * ybar,)


def _cubed(x: float) -> float:
    return x**3


cubed = checkpoint.primitive(_cubed, vjp=_cubed_pullback)


def loop(x: float) -> float:
    y = x
    for i in range(30):
        y = math.sin(y) + RATE * x if i % 3 else y * 0.99
    return y


def containers(x: float) -> Any:
    found: dict[Any, Any] = {"a": [x, 2.0 * x], 3: (x, "text", b"bytes", None, True), ("k", 1): 1 << 100}
    cycle: list[Any] = [x]
    cycle.append(cycle)
    found["a"].append(found["a"][0] * TABLE[0])
    total = 0.0
    for value in found["a"]:
        total += value * cycle[0]
    return total + found[3][0] * float(found[("k", 1)] >> 99)


def objects(p: Particle) -> float:
    for _ in range(10):
        p = Particle(p.x + 0.1 * p.v, p.v - 0.1 * p.x, [*p.tags, "moved"])
    mode = Mode.FAST if p.x > 0.0 else Mode.SLOW
    return p.x * p.v + float(len(p.tags)) * (1.0 if mode is Mode.FAST else 2.0)


def deep(x: float) -> float:
    def down(n: int, y: float) -> float:
        return y if n == 0 else math.cos(down(n - 1, y * 1.01)) + y

    return down(60, x)


def arrays(w: Any) -> Any:
    views = [w[0], w[:, 1], w.T]
    y = np.zeros(3)
    for i in range(4):
        y = np.tanh(w @ y + views[i % 2])
        y[0] = y[0] * 2.0
    return y.sum() + (views[2] * 0.5).sum()


def derivatives(x: float) -> Any:
    slope = checkpoint.grad(loop)(x)
    rest = checkpoint.interrupt(loop, x, 20)
    return slope + checkpoint.resume(rest)


def handlers(x: float) -> float:
    total = x
    for i in range(4):
        try:
            total += TABLE[i] * x
        except IndexError as error:
            total += float(len(str(error))) * x
        finally:
            total *= 1.5
    return total


def primitives(x: float) -> float:
    part = Fraction(1, 3)
    return cubed(x) * float(part) + cubed(2.0 * x)


def generators(x: float) -> Any:
    def powers() -> Any:
        y = x
        while True:
            yield y
            y *= x

    source = powers()
    return sum(next(source) for _ in range(5))


def higher(f: Callable[[float], float]) -> float:
    return f(2.0) * f(0.5)


def shifted(x: float) -> float:
    return x * x + RATE


ARGUMENTS: dict[str, Any] = {
    "loop": 0.7,
    "containers": 1.3,
    "objects": Particle(1.0, 0.5, ["start"]),
    "deep": 0.3,
    "arrays": np.array([[0.1, -0.4, 0.3], [0.2, 0.5, -0.7], [-0.5, 0.6, 0.8]]),
    "derivatives": 0.4,
    "handlers": 0.9,
    "primitives": 1.1,
    "generators": 1.2,
    "higher": shifted,
}
