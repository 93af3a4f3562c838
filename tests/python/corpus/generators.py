"""Generators: lazy sequences, coroutines, trees walked by `yield from`, managers made of generators."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.python.corpus import Example


def newton(x: float, guess: float) -> Iterator[float]:
    """Approximations of a square root, without an end."""
    while True:
        print(f"{guess:.3f}")
        yield guess
        guess = 0.5 * (guess + x / guess)


def within(values: Iterable[float], tolerance: float) -> float:
    """The first value that is near the one before it."""
    before = math.inf
    for value in values:
        if abs(value - before) < tolerance:
            return value
        before = value
    return before


def root(x: float) -> float:
    return within(newton(x, 1.0), 1e-6)


def take(count: int, items: Iterable[float]) -> Iterator[float]:
    for i, item in enumerate(items):
        if i == count:
            return
        yield item


def powers(x: float) -> Iterator[float]:
    y = 1.0
    while True:
        yield y
        y *= x


def pipeline(x: float) -> tuple[float, list[float], float]:
    """Generators of generators, taken by functions of all kinds."""
    first, second, *rest = take(5, powers(x))
    total = sum(a * b for a, b in zip(take(4, powers(x)), take(9, powers(second)), strict=False))
    low, high = min(take(3, powers(x))), max(take(4, powers(-x)))
    table = dict(zip("ab", powers(x), strict=False))
    return total + low * high + first, [*rest, *sorted(take(3, powers(x)), reverse=True)], table["b"]


def by_hand(x: float) -> tuple[Any, ...]:
    """`next`, its default, and what is left."""
    items = take(4, powers(x))
    first = next(items)
    second = next(items, 0.0)
    rest = list(items)
    try:
        next(items)
    except StopIteration:
        rest.append(-1.0)
    again = iter([x, 2.0])
    return first, second, rest, next(items, None), next(again), list(again), x in powers(x), len(rest)


@dataclass(frozen=True)
class Tree:
    value: float
    left: Tree | None = None
    right: Tree | None = None

    def walk(self) -> Iterator[float]:
        """The values in order."""
        if self.left is not None:
            yield from self.left.walk()
        yield self.value
        if self.right is not None:
            yield from self.right.walk()

    def total(self) -> Generator[float, None, float]:
        """Yield all values; the result is their weighted sum."""
        below = 0.0
        for child in (self.left, self.right):
            if child is not None:
                below += yield from child.total()
        yield self.value
        return self.value + 0.5 * below


def trees(x: float) -> tuple[list[float], float]:
    tree = Tree(x, Tree(2.0 * x, Tree(1.0)), Tree(-x, None, Tree(x * x)))
    found: list[float] = []
    walk = tree.total()
    while True:
        try:
            found.append(next(walk))
        except StopIteration as stop:
            return [*tree.walk(), *found], stop.args[0]


def averages() -> Generator[float, float, None]:
    """A coroutine that gives the mean of what it was sent."""
    total, count = 0.0, 0
    while True:
        total += yield total / max(count, 1)
        count += 1


def sent(x: float) -> tuple[float, ...]:
    mean = averages()
    next(mean)
    found = tuple([mean.send(x * k) for k in (1.0, 3.0, 5.0)])
    mean.close()
    return (*found, float(len(list(mean))))


def in_turn(x: float) -> list[str]:
    """When each part of two generators runs."""
    notes = []

    def steps(name: str, count: int) -> Iterator[float]:
        nonlocal x
        for i in range(count):
            notes.append(f"{name}{i} {x:.2f}")
            x += 1.0
            yield x
        notes.append(f"{name} ends")

    a, b = steps("a", 2), steps("b", 3)
    for value in a:
        notes.append(f"{value + next(b):.2f}")
    notes.extend(f"rest {value:.2f}" for value in b)
    return notes


def cleaned(x: float) -> Iterator[float]:
    try:
        yield x
        yield x / 0.0
    except ZeroDivisionError as error:
        print("caught", error)
        yield 2.0 * x
    finally:
        print("cleaned")


def with_errors(x: float) -> tuple[list[float], str]:
    """Exceptions inside of generators, and out of them."""
    found = list(cleaned(x))

    def fails() -> Iterator[float]:
        yield x
        raise ValueError("inside")

    failing = fails()
    try:
        for value in failing:
            found.append(value)
    except ValueError as error:
        return [*found, *failing], str(error)
    return found, ""


@contextmanager
def scaled(x: float, factor: float) -> Iterator[float]:
    print("enter")
    try:
        yield x * factor
    except ValueError as error:
        print("swallowed", error)
    finally:
        print("leave")


def managers(x: float) -> tuple[float, str]:
    """Functions that `contextlib.contextmanager` makes managers of."""
    total = 0.0
    with scaled(x, 2.0) as y, scaled(y, 0.5) as z:
        total += y * z
    with scaled(x, 1.0):
        total += 1.0
        raise ValueError("v")
    try:
        with scaled(x, 3.0):
            raise KeyError("k")
    except KeyError as error:
        return total, str(error)
    return total, ""


def no_iterator(x: float) -> float:
    return next([x])  # type: ignore[call-overload,no-any-return]  # Python's own TypeError


def exhausted(x: float) -> float:
    items = take(1, powers(x))
    return next(items) + next(items)


EXAMPLES = [
    Example(root, (2.0,)),
    Example(pipeline, (1.5,)),
    Example(by_hand, (1.5,)),
    Example(trees, (0.7,)),
    Example(sent, (1.5,)),
    Example(in_turn, (0.5,), differentiable=False),
    Example(with_errors, (1.5,)),
    Example(managers, (1.5,)),
    Example(no_iterator, (1.0,), raises=TypeError),
    Example(exhausted, (1.0,), raises=StopIteration),
]
