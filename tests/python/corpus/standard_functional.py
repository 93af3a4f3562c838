"""The functions of functools, operator, heapq and bisect that change nothing."""

from __future__ import annotations

import bisect
import functools
import heapq
import operator
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter, itemgetter, methodcaller

from tests.python.corpus import Example


@dataclass(frozen=True)
class Part:
    """A part with a place in another."""

    mass: float
    place: tuple[float, float]
    name: str = "part"
    inner: Part | None = None

    def moment(self, about: float, scale: float = 1.0) -> float:
        """The moment about a point."""
        return scale * self.mass * (self.place[0] - about)


BY_MASS = attrgetter("mass")
SECOND = itemgetter(1)
MOVED = methodcaller("moment", 1.0)
UPPER = methodcaller("upper")


def by_getters(parts: list[Part], about: float) -> list[float]:
    """Attributes, items and methods by functions that operator makes."""
    heaviest = max(parts, key=BY_MASS)
    names, masses = attrgetter("name", "mass")(heaviest)
    found = [masses, len(UPPER(names)), *map(attrgetter("mass"), parts)]
    found += [SECOND(part.place) for part in sorted(parts, key=attrgetter("mass"))]
    found += map(methodcaller("moment", about, scale=2.0), parts)
    found += itemgetter(0, -1)([part.mass for part in parts])
    inner = [part for part in parts if part.inner is not None]
    return found + list(map(attrgetter("inner.mass"), inner))


def by_operators(x: float, y: float) -> tuple[object, ...]:
    """Functions of operator as values and as calls."""
    return (
        functools.reduce(operator.add, [x, y, 2.0], 1.0),
        operator.concat([x], [y]),
        operator.countOf([x, y, x], x),
        operator.indexOf((x, y), y),
        operator.is_not(x, None),
        operator.length_hint([x, y]),
        [f(x, y) for f in (operator.mul, operator.truediv, operator.sub)],
        operator.contains([x], x),
    )


def no_sequences(x: float) -> float:
    """Numbers are not concatenated."""
    return operator.concat(x, x)  # type: ignore[arg-type, return-value]


def not_there(x: float) -> int:
    """An item that is not there."""
    return operator.indexOf([x], x + 1.0)


def logged(function: Callable[[float], float]) -> Callable[[float], float]:
    """The function with a report of each call."""

    @functools.wraps(function)
    def call(x: float) -> float:
        print("called")
        return function(x)

    return call


def wrapped(x: float) -> float:
    """A decorated function in a function."""

    @logged
    def square(y: float) -> float:
        return y * y

    return square(x) + logged(lambda y: 3.0 * y)(x)


def ranked(xs: list[float], x: float) -> tuple[object, ...]:
    """Extremes of a list, merged lists, places in sorted ones."""
    low, high = heapq.nsmallest(2, xs), heapq.nlargest(2, xs, key=abs)
    merged = list(heapq.merge(sorted(xs), [0.25, 3.0]))
    falling = list(heapq.merge([3.0, 1.0], [2.0], reverse=True))
    at = bisect.bisect(merged, x), bisect.bisect_left(merged, x), bisect.bisect_right(merged, x, 1, 3)
    by_key = bisect.bisect_left([(1.0, 2.0), (2.0, 1.0)], 1.5, key=lambda pair: pair[0])
    return low, high, merged, falling, at, by_key


def before_the_start(xs: list[float]) -> int:
    """A negative bound."""
    return bisect.bisect(xs, 1.0, -1)


PARTS = [
    Part(2.0, (1.0, 0.5), "a", Part(0.5, (0.0, 0.0))),
    Part(3.5, (-1.0, 2.5)),
    Part(1.0, (0.25, 1.5), "c", Part(0.75, (0.0, 0.0))),
]

EXAMPLES = [
    Example(by_getters, (PARTS, 0.5)),
    Example(by_operators, (1.5, 2.5)),
    Example(no_sequences, (1.5,), raises=TypeError),
    Example(not_there, (1.5,), raises=ValueError),
    Example(wrapped, (1.5,)),
    Example(ranked, ([0.5, -2.0, 1.5, 0.75], 1.0)),
    Example(before_the_start, ([0.5],), raises=ValueError),
]
