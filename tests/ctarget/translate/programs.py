"""Functions of two numbers that run long enough to be translated, with what translation must handle."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def lorenz(x: float, y: float) -> float:
    s, r, b, z, i = 10.0, 28.0, 8 / 3, 20.0, 1000
    while i > 0:
        x, y, z = x + 0.01 * (s * (y - x)), y + 0.01 * (x * (r - z) - y), z + 0.01 * (x * y - b * z)
        i -= 1
    return x


def nested(x: float, y: float) -> float:
    """Two headers, and functions of the C library."""
    i = 0
    while i < 150:
        j = 0
        while j < 10 + i % 5:
            x = math.sin(x) * y + math.sqrt(x * x + 1.0) / (2.0 + y * y)
            j += 1
        y = y * 0.999 + 0.001 * x
        i += 1
    return x + y


def branches(x: float, y: float) -> float:
    """Many paths to one header."""
    i = 0
    while i < 2000:
        if x > y:
            x = x * 0.5 + y**2 * 0.1
        elif i % 3 == 0:
            y = -y * 0.3 + x / (1.0 + x * x)
        else:
            x, y = y + 0.1, x * 0.9
        i += 1
    return x * y


def tuples(x: float, y: float) -> float:
    """Tuples that need not be made."""
    p: Any = (x, (y, 1.5))
    for _ in range(2000):
        p = (p[0] * 0.99 + p[1][0] * 0.01, (p[1][0] * 0.98 + abs(p[0]) * 0.01, p[1][1]))
    total: float = p[0] + p[1][0] * p[1][1]
    return total


def _deep(k: int, x: float) -> float:
    return x if k == 0 else math.sin(_deep(k - 1, x * 0.999)) + x * 0.1


def recursion(x: float, y: float) -> float:
    """Frames that are pushed and popped."""
    t = 0.0
    i = 0
    while i < 5:
        t = t * 0.5 + _deep(500, x) * y
        i += 1
    return t


def linked(x: float, y: float) -> float:
    """A list that is made, then walked."""
    cells: Any = None
    i = 0
    while i < 2000:
        cells = (x * 0.99 + i * 0.001, cells)
        x = x * 0.999 + y * 0.01
        i += 1
    s = 0.0
    while cells is not None:
        s = s * 0.9 + cells[0] * y
        cells = cells[1]
    return s


def closures(x: float, y: float) -> float:
    def step(a: float) -> Callable[[float], float]:
        return lambda t: t * a + x * 0.01

    z = y
    i = 0
    while i < 1500:
        z = step(0.9 + 0.001 * math.sin(z))(z)
        i += 1
    return z


def integers(x: float, y: float) -> float:
    """Quotients, remainders and comparisons of integers, beside reals."""
    i, a, k = 97, 0, 0
    while k < 1500:
        a = (a + i * i % 17) // 2
        i = i // 2 if i % 2 == 0 else 3 * i + 1
        x = x + y / i - a * 0.001
        if i == 4:
            i = 97 + k
        k += 1
    return x


def overflow(x: float, y: float) -> float:
    """Integers that become too large for C, after a while."""
    k, i = 1, 0
    while i < 1500:
        k = k * 3 if i % 100 < 60 else 1
        x = x * 0.99 + y * (k % 5)
        i += 1
    return x


def fails(x: float, y: float) -> float:
    """Raises in the end."""
    i = 0
    while i < 2000:
        x = math.log(x) + y if i == 1990 else x * 0.99 - 0.02
        i += 1
    return x


def swapped(x: float, y: float) -> float:
    """A ring of moves, an invariant that comes late, zeros of either sign."""
    a, b, c, d = 0.5, 0.25, 3.0, 7.0
    i = 0
    while i < 2000:
        a, b = b, a
        c = d
        x = x * a + y * c * 0.01
        y = y * 0.99 - 0.0 * x
        i += 1
    return x + y


PROGRAMS = [
    *(lorenz, nested, branches, tuples, recursion, linked, closures, integers, overflow, fails, swapped),
]
