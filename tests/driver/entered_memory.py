"""Print how far memory grows in a gradient whose arguments are many reals, as tracemalloc finds it.

Run it by `python -m tests.driver.entered_memory NAME BYTES`, with CHECKPOINT_JIT=off: in a process of its
own, since tracemalloc counts what all threads allocate. It prints two numbers: the peak during the gradient,
and what of that the result has.
"""

from __future__ import annotations

import math
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import checkpoint
from tests.support.tracing import traced

COUNT, WARM = 20_000, 100


def of_numbers(xs: list[float], w: float) -> float:
    total = 0.0
    for x in xs:
        total += math.sin(x * w) * x
    return total


def of_rows(rows: list[list[float]], w: float) -> float:
    total = 0.0
    for a, b in rows:
        total += math.sin(a * w) * b
    return total


def numbers(count: int) -> list[float]:
    return [float(i) for i in range(count)]


def rows(count: int) -> list[list[float]]:
    return [[float(i), 2.0 * i] for i in range(count)]


# Each by its many reals, and by the other argument.
RUNS: dict[str, tuple[Callable[..., float], Callable[[int], Any], int]] = {
    "numbers": (of_numbers, numbers, 0),
    "constant numbers": (of_numbers, numbers, 1),
    "rows": (of_rows, rows, 0),
    "constant rows": (of_rows, rows, 1),
}


def main(name: str, memory: int) -> None:
    """Measure one gradient, after one of few reals, in which programs are made."""
    f, data, by = RUNS[name]
    gradient = checkpoint.grad(f, by, engine="c", memory=memory)
    gradient(data(WARM), 0.5)
    xs = data(COUNT)
    with traced():
        before = tracemalloc.get_traced_memory()[0]
        result = gradient(xs, 0.5)
        held, peak = tracemalloc.get_traced_memory()
        del result
        print(peak - before, held - tracemalloc.get_traced_memory()[0])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
