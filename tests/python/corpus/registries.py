"""Functions in dictionaries, each a program of its own: what they make is taken apart around them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.python.corpus import Example


def pairs(x: float) -> Iterator[tuple[float, float]]:
    for k in (1.0, 2.0):
        yield k, k * x


MAKERS: dict[str, Callable[..., Any]] = {
    "pairs": pairs,
    "zip": lambda x: zip([x, x], [1.0, 2.0], strict=True),
    "map": lambda x: map(math.exp, [x, x]),
    "set": lambda x: {1, 2},
    "slice": lambda x: slice(0, 2),
    "zeros": lambda x: np.zeros(3) + x,
    "module": lambda x: math,
    "type": lambda x: np.float64,
}


class Total:
    def __init__(self) -> None:
        self.value = 0.0

    def add(self, items: Any) -> None:
        for item in items:
            if len(item) == 2:
                u, v = item
                self.value += u * v


def generated(x: float) -> float:
    """A generator, in a program without any of its own."""
    total = Total()
    total.add(MAKERS["pairs"](x))
    return total.value


def lazily(x: float) -> float:
    zipped, mapped = MAKERS["zip"](x), MAKERS["map"](x)
    once: float = sum(a * b for a, b in zipped) + sum(mapped)
    total: float = once + sum(a for a, _ in zipped) + sum(mapped)
    return total


def of_sets(x: float) -> float:
    made, same = MAKERS["set"](x), MAKERS["set"](x)
    total = 0.0
    for k in made:
        total += k * x
    return total + len(made - same) + (x if made == same else 0.0)


def of_slices(x: float) -> float:
    total: float = sum([x, 2.0 * x, 3.0 * x][MAKERS["slice"](x)])
    return total


def put(array: Any) -> None:
    array[0] = 3.0


def of_arrays(x: float) -> float:
    """An array, of which a function of the program changes an element."""
    made = MAKERS["zeros"](x)
    put(made)
    return float(made[0] * x + made[1])


def of_modules(x: float) -> float:
    return float(MAKERS["module"](x).sin(x) + MAKERS["type"](x)(x))


EXAMPLES = [Example(each, (0.7,)) for each in (generated, lazily, of_sets, of_slices, of_arrays, of_modules)]
