"""Hares and lynx after Lotka and Volterra, by a method of Runge and Kutta that chooses its own steps.

Plain Python, which knows of no derivatives. The method is that of Dormand and Prince, of orders 5 and 4. A
step whose estimated error is too large is rejected and tried again, with a smaller size. Sizes may be rounded
to whole multiples of 2**-40 years: what is rounded has the derivative 0, so sizes are then constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from experiments.simulation.counts import HARES, LYNX

Rates = tuple[float, float, float, float]  # birth of hares, hunting, feeding of lynx, death of lynx

SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # of the factor by which the size changes after a step
FIRST = 0.0078125  # years
GRID = 2.0**40  # sizes in a year


def step(x: float, y: float, h: float, rates: Rates) -> tuple[float, float, float, float]:
    """Return hares and lynx after a step, and the estimated errors of both."""
    a, b, c, d = rates
    x1, y1 = x * (a - b * y), y * (c * x - d)
    u, v = x + h * (0.2 * x1), y + h * (0.2 * y1)
    x2, y2 = u * (a - b * v), v * (c * u - d)
    u, v = x + h * (3 / 40 * x1 + 9 / 40 * x2), y + h * (3 / 40 * y1 + 9 / 40 * y2)
    x3, y3 = u * (a - b * v), v * (c * u - d)
    u = x + h * (44 / 45 * x1 - 56 / 15 * x2 + 32 / 9 * x3)
    v = y + h * (44 / 45 * y1 - 56 / 15 * y2 + 32 / 9 * y3)
    x4, y4 = u * (a - b * v), v * (c * u - d)
    u = x + h * (19372 / 6561 * x1 - 25360 / 2187 * x2 + 64448 / 6561 * x3 - 212 / 729 * x4)
    v = y + h * (19372 / 6561 * y1 - 25360 / 2187 * y2 + 64448 / 6561 * y3 - 212 / 729 * y4)
    x5, y5 = u * (a - b * v), v * (c * u - d)
    u = x + h * (9017 / 3168 * x1 - 355 / 33 * x2 + 46732 / 5247 * x3 + 49 / 176 * x4 - 5103 / 18656 * x5)
    v = y + h * (9017 / 3168 * y1 - 355 / 33 * y2 + 46732 / 5247 * y3 + 49 / 176 * y4 - 5103 / 18656 * y5)
    x6, y6 = u * (a - b * v), v * (c * u - d)
    u = x + h * (35 / 384 * x1 + 500 / 1113 * x3 + 125 / 192 * x4 - 2187 / 6784 * x5 + 11 / 84 * x6)
    v = y + h * (35 / 384 * y1 + 500 / 1113 * y3 + 125 / 192 * y4 - 2187 / 6784 * y5 + 11 / 84 * y6)
    x7, y7 = u * (a - b * v), v * (c * u - d)
    p, q = (
        71 / 57600 * x1 - 71 / 16695 * x3 + 71 / 1920 * x4,
        71 / 57600 * y1 - 71 / 16695 * y3 + 71 / 1920 * y4,
    )
    p = h * (p - 17253 / 339200 * x5 + 22 / 525 * x6 - x7 / 40)
    q = h * (q - 17253 / 339200 * y5 + 22 / 525 * y6 - y7 / 40)
    return u, v, p, q


def size_of(x: float, y: float, p: float, q: float, tolerance: float) -> float:
    """Return the size of an estimated error, beside which 1 is the greatest that is allowed."""
    return math.sqrt(0.5 * ((p / (tolerance * (1.0 + x))) ** 2 + (q / (tolerance * (1.0 + y))) ** 2))


def next_size(size: float, error: float, is_constant: bool) -> float:
    """Return the size of the step after one of a size, with an error; rounded, if it is to be a constant."""
    factor = MOST if error == 0.0 else min(MOST, max(LEAST, SAFETY * error**-0.2))
    return int(size * factor * GRID) / GRID if is_constant else size * factor


def orbit_to(
    start: Sequence[float], ends: Sequence[float], rates: Rates, tolerance: float, is_constant: bool
) -> tuple[list[tuple[float, float]], int, int]:
    """Return hares and lynx at some times, and the numbers of steps that were accepted and rejected.

    is_constant: whether derivatives take the sizes of steps for constants.
    """
    x, y = start
    found, accepted, rejected = [], 0, 0
    t, size = 0.0, FIRST
    for end in ends:
        while t < end:
            is_last = t + size >= end
            h = end - t if is_last else size
            u, v, p, q = step(x, y, h, rates)
            error = size_of(x, y, p, q, tolerance)
            if error <= 1.0:
                x, y, t = u, v, end if is_last else t + h
                accepted += 1
            else:
                rejected += 1
            if not is_last or error > 1.0:
                size = next_size(h, error, is_constant)
        found.append((x, y))
    return found, accepted, rejected


def many_steps(
    start: Sequence[float], count: int, rates: Rates, tolerance: float, is_constant: bool
) -> tuple[float, float, float, int]:
    """Return hares, lynx and time after so many steps, and how many of them were rejected."""
    x, y = start
    t, size, rejected = 0.0, FIRST, 0
    for _ in range(count):
        u, v, p, q = step(x, y, size, rates)
        error = size_of(x, y, p, q, tolerance)
        if error <= 1.0:
            x, y, t = u, v, t + size
        else:
            rejected += 1
        size = next_size(size, error, is_constant)
    return x, y, t, rejected


def parameters(logs: Sequence[float]) -> tuple[tuple[float, float], Rates]:
    """Return the start and the rates, of their logarithms."""
    x, y, a, b, c, d = [math.exp(value) for value in logs]
    return (x, y), (a, b, c, d)


def misfit(logs: Sequence[float], tolerance: float, is_constant: bool) -> float:
    """Return the sum of the squared differences between the logarithms of an orbit and of the counts."""
    start, rates = parameters(logs)
    ends = [float(year) for year in range(1, len(HARES))]
    found, _, _ = orbit_to(start, ends, rates, tolerance, is_constant)
    total = math.log(start[0] / HARES[0]) ** 2 + math.log(start[1] / LYNX[0]) ** 2
    for i, (x, y) in enumerate(found):
        total += math.log(x / HARES[i + 1]) ** 2 + math.log(y / LYNX[i + 1]) ** 2
    return total


def far(logs: Sequence[float], count: int, tolerance: float, is_constant: bool) -> float:
    """Return the logarithm of the hares after many steps."""
    start, rates = parameters(logs)
    return math.log(many_steps(start, count, rates, tolerance, is_constant)[0])
