"""Loops over single elements: gradients on arrays, beside those on lists of floats, and Python's own runs.

Each program takes an array or a list of floats, and does the same steps on both. `python -m
experiments.arrays.elements` prints for each the nanoseconds per turn of its innermost loop: processor time,
the least of several rounds, in each of which all are taken in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from checkpoint import vjp

ROUNDS = 5


def squares(a: Any, turns: int) -> Any:
    """Elements are read."""
    total = 0.0
    for _ in range(turns):
        for i in range(len(a)):
            total = total + a[i] * a[i]
    return total


def heat(u: Any, turns: int) -> Any:
    """One array is computed from another one, element by element."""
    u, v = u.copy(), u.copy()
    for _ in range(turns):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, v = v, u
    return u[3] * u[4]


def relaxed(a: Any, turns: int) -> Any:
    """An array is changed in place."""
    a = a.copy()
    for _ in range(turns):
        for i in range(1, len(a) - 1):
            a[i] += 0.25 * (a[i - 1] - a[i + 1])
    return a[3] * a[4]


def limited(a: Any, turns: int) -> Any:
    """Elements are compared."""
    total = 0.0
    for _ in range(turns):
        for i in range(len(a)):
            if a[i] > 0.5:
                total = total + a[i] * a[i]
            else:
                total = total - a[i] / (1.0 + a[i] * a[i])
    return total


PROGRAMS: list[Callable[[Any, int], Any]] = [squares, heat, relaxed, limited]


def seconds(work: Callable[[], Any]) -> float:
    """Return how long some work takes, in processor time."""
    start = process_time()
    work()
    return process_time() - start


def gradient(program: Callable[[Any, int], Any], x: Any, turns: int) -> Any:
    """Return the value and the cotangent of x."""
    return vjp(lambda y: program(y, turns), x, 1.0)


def measured(program: Callable[[Any, int], Any], size: int, turns: int) -> dict[str, float]:
    """Return the nanoseconds per innermost turn of the gradient, and of Python's own run, on both kinds."""
    array = np.linspace(0.0, 1.0, size)
    given = {"array": array, "list": array.tolist()}
    works: dict[str, Callable[[], Any]] = {}
    for kind, x in given.items():
        works[f"gradient, {kind}"] = partial(gradient, program, x, turns)
        works[f"Python, {kind}"] = partial(program, x, turns)
    for work in works.values():  # what runs long is translated
        for _ in range(3):
            work()
    times = {name: [seconds(work)] for name, work in works.items()}
    for _ in range(ROUNDS - 1):
        for name, work in works.items():
            times[name].append(seconds(work))
    return {name: 1e9 * min(each) / (size * turns) for name, each in times.items()}


def main() -> None:
    """Print a table."""
    for program in PROGRAMS:
        found = measured(program, 400, 500)
        words = ", ".join([f"{name} {each:.0f}" for name, each in found.items()])
        ratios = (
            found["gradient, array"] / found["gradient, list"],
            found["gradient, array"] / found["Python, array"],
        )
        print(f"{program.__name__}: {words} ns; {ratios[0]:.2f} of lists, {ratios[1]:.2f} of Python")


if __name__ == "__main__":
    main()
