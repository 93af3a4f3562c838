"""Python functions of several kinds, each a loop whose length is an argument, for speed.py."""

from __future__ import annotations

import math
from dataclasses import dataclass


def arithmetic(x: float, n: int) -> float:
    """A damped oscillator whose spring changes with the side."""
    v, h = 0.0, 0.001
    for _ in range(n):
        force = -x - 0.1 * v
        if x < 0.0:
            force = force - 0.5 * x
        v = v + h * force
        x = x + h * v
    return x * x + v * v


def integers(x: float, n: int) -> float:
    """Pseudo-random numbers from integers."""
    state, total = 12345, 0.0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        total += x * (state / 2147483648)
    return total


def written_list(x: float, n: int) -> float:
    """Diffusion on a list that is written in place."""
    u = [x * i for i in range(20)]
    for _ in range(n // 20):
        for i in range(1, len(u) - 1):
            u[i] += 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    return sum(u)


def new_lists(x: float, n: int) -> float:
    """Averages of neighbours, a new list each turn."""
    u = [x * i for i in range(20)]
    for _ in range(n // 20):
        u = [0.5 * (a + b) for a, b in zip(u, u[1:] + u[:1], strict=True)]
    return sum(u)


@dataclass
class Body:
    """The position and velocity of a body."""

    x: float
    v: float


def _moved(body: Body, h: float) -> Body:
    return Body(body.x + h * body.v, body.v - h * body.x)


def objects(x: float, n: int) -> float:
    """An object made anew each turn by a function."""
    body = Body(x, 0.0)
    for _ in range(n):
        body = _moved(body, 0.01)
    return body.x


def dictionary(x: float, n: int) -> float:
    """Two entries of a dictionary, written by turns."""
    d = {"a": x, "b": 1.0}
    for _ in range(n):
        d["a"] = d["a"] * 0.99 + d["b"] * 0.01
        d["b"] = d["b"] + 0.001 * d["a"]
    return d["a"]


def handlers(x: float, n: int) -> float:
    """An exception every third turn."""
    total = 0.0
    for i in range(n):
        try:
            if i % 3 == 0:
                raise ValueError("third")
            total += math.sqrt(x)
        except ValueError:
            total += 1.0
    return total


PROGRAMS = (arithmetic, integers, written_list, new_lists, objects, dictionary, handlers)
