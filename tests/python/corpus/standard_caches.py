"""Functions that keep their results, and decorated functions that call themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cache

from tests.python.corpus import Example

RATE = 0.5


@cache
def fibonacci(n: int) -> float:
    """A number that takes far too long without a cache."""
    return n * RATE if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@cache
def scaled(x: float, *, by: int = 2) -> float:
    """A function of a real, whose calls are not kept."""
    return x * x * by


@functools.lru_cache
def inverse(n: int) -> float:
    """A function that may fail."""
    return 1.0 / n


def by_caches(x: float) -> tuple[float, ...]:
    """Functions of the module."""
    return fibonacci(40) * x, scaled(x), scaled(x, by=3), scaled(2), inverse(4) * x, inverse(True)


class Spring:
    """An object with methods that keep their results."""

    def __init__(self, k: float) -> None:
        self.k = k

    @functools.lru_cache(maxsize=10)  # noqa: B019  (as people write it)
    def force(self, stretch: float, n: int = 1) -> float:
        return self.k * stretch * n


class Stiff(Spring):
    """A derived one."""

    def force(self, stretch: float, n: int = 1) -> float:  # type: ignore[override]  # one is decorated
        return super().force(2.0 * stretch, n=n) + 1.0


def by_methods(x: float) -> tuple[float, ...]:
    """A cache of a method: its first argument is the object."""
    spring = Spring(x)
    return spring.force(2.0), spring.force(2.0, 3), Stiff(x).force(0.5), Spring(2.0).force(stretch=x)


def paths(x: float, n: int) -> float:
    """Weighted paths through a grid, by a cache of a call."""

    @cache
    def count(i: int, j: int) -> float:
        if i == 0 or j == 0:
            return 1.0
        return 0.5 * count(i - 1, j) + x * count(i, j - 1)

    return count(n, n)


def asked_once(x: float) -> float:
    """What a cached function prints, it prints once for each key."""

    @cache
    def ask(n: int, name: str = "a") -> float:
        print("asked for", n, name)
        return n * x

    return ask(1) + ask(2) + ask(1) + ask(2, "b") + ask(2, "b")


def announced(function: Callable[[int], float]) -> Callable[[int], float]:
    """The function with a line for each call."""

    def call(n: int) -> float:
        print("call", n)
        return function(n)

    return call


def decorated_recursion(x: float) -> float:
    """A decorated function that calls itself calls its decorator, too."""

    @announced
    def factorial(n: int) -> float:
        return x if n == 0 else n * factorial(n - 1)

    return factorial(3)


def of_a_list(x: float) -> float:
    """A list is no key."""
    return fibonacci([1]) * x  # type: ignore[arg-type]


def of_zero(x: float) -> float:
    """A failure is not kept."""
    for _ in range(2):
        try:
            x += inverse(0)
        except ZeroDivisionError as error:
            print(error)
    return x * inverse(0)


EXAMPLES = [
    Example(by_caches, (1.5,)),
    Example(by_methods, (1.5,)),
    Example(paths, (0.75, 9)),
    Example(asked_once, (1.5,)),
    Example(decorated_recursion, (1.5,)),
    Example(of_a_list, (1.5,), raises=TypeError),
    Example(of_zero, (1.5,), raises=ZeroDivisionError),
]
