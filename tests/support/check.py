"""Gradient checks: in a random direction, against differences, with relative tolerances only.

No tolerance is absolute, and every comparison is written so that NaN fails it.
"""

from __future__ import annotations

from random import Random
from typing import Any

from checkpoint.ad.graph import ATOMS, numbers, parts_of, replace
from checkpoint.ad.tangent import tangent_of
from checkpoint.driver.engine import Engine
from checkpoint.functions import runs
from tests.support.corpus import Case
from tests.support.world import World


def direction(x: Any, random: Random) -> Any:
    """Return a tangent of x with numbers drawn from -1 to 1."""
    return tangent_of(x, [random.uniform(-1.0, 1.0) for _ in numbers(x)])


def dot(a: Any, b: Any) -> tuple[float, float]:
    """Return the dot product of two tangents of one value, and the sum of the magnitudes of its terms."""
    terms = [p * q for p, q in zip(_leaves(a), _leaves(b), strict=True)]
    return sum(terms), sum(map(abs, terms))


def _leaves(tangent: Any) -> list[float]:
    """Yield the numbers of a tangent of data, once for each path."""
    found, pending = [], [tangent]
    while pending:
        part = pending.pop()
        if type(part) is float:
            found.append(part)
        elif type(part) not in ATOMS:
            pending.extend(reversed(parts_of(part)))
    return found


def agree(a: float, b: float, tolerance: float, size: float = 0.0) -> None:
    """Assert that two numbers are near, relative to their size or to that of the terms of their sums."""
    assert near(a, b, tolerance, size), f"{a!r} and {b!r}"


def near(a: float, b: float, tolerance: float, size: float = 0.0) -> bool:
    """Return whether two numbers are near."""
    return abs(a - b) <= tolerance * max(abs(a), abs(b), size)


def against_differences(
    case: Case, v: Any, slope: float, engine: Engine, text: str = "", size: float = 0.0
) -> None:
    """Assert that the slope along v is near the central difference of one of several widths.

    size: the magnitude of the terms that the slope was summed from.
    """

    def along(width: float) -> float:
        found = numbers(case.x)
        moved = [number + width * w for number, w in zip(found, _leaves(v), strict=True)]
        with World(text):
            y = runs.call_values(case.f, replace(case.x, found, moved), engine)
        return dot(y, case.ybar)[0]

    def central(width: float) -> float:
        return (along(width) - along(-width)) / (2 * width)

    def extrapolated(width: float) -> float:
        return (4 * central(width / 2) - central(width)) / 3

    tried = []
    for width in (1e-3, 1e-4, 1e-2, 1e-5, 1e-6):
        tried.append(extrapolated(width))
        if near(tried[-1], slope, 1e-6, size):
            return
    best = min(tried, key=lambda difference: abs(difference - slope))
    agree(best, slope, 1e-6, size)
