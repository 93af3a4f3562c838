"""The cost of array arguments beside the run: what each takes per call, used or not.

A function is called with many small arrays, of which it uses one: in a list, in a dictionary of strings, in
objects, as arguments of their own. Its gradient is taken by the arrays, and by another argument, for which
they are constants. CPU time of one call for each array, the least of several calls, after one that
translates. What is required: 1 microsecond for those in a list.

Reproduce, on a quiet machine:

    python -m experiments.tensors.boundary --count 100000
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint import grad
from experiments import common

LIMIT = 1.0


class Layer:
    """Two arrays as attributes."""

    def __init__(self) -> None:
        self.weight = np.ones(3)
        self.bias = np.ones(3)


def of_list(weights: Any, x: Any) -> Any:
    return np.sum(weights[0] * x)


def of_dict(weights: Any, x: Any) -> Any:
    return np.sum(weights["0"] * x)


def of_objects(weights: Any, x: Any) -> Any:
    return np.sum(weights[0].weight * x)


def nests(count: int) -> dict[str, tuple[Callable[..., Any], Any]]:
    """Return functions by the kind of their argument, with an argument that holds so many arrays."""
    return {
        "list": (of_list, [np.ones(3) for _ in range(count)]),
        "tuple": (of_list, tuple([np.ones(3) for _ in range(count)])),
        "dict": (of_dict, {str(i): np.ones(3) for i in range(count)}),
        "objects": (of_objects, [Layer() for _ in range(count // 2)]),
    }


def seconds(f: Callable[..., Any], nest: Any, by: int, engine: str, repeats: int) -> float:
    """Return the CPU time of one gradient."""
    gradient, x = grad(f, by, engine=engine), np.ones(3)
    gradient(nest, x)
    found = []
    for _ in range(repeats):
        start = time.process_time()
        gradient(nest, x)
        found.append(time.process_time() - start)
    return min(found)


def main() -> int:
    parser = common.parser(__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="how many arrays there are")
    options = parser.parse_args()
    count, how = options.count, (options.engine, options.repeats)
    print(f"{'arrays in':10}{'wanted, us':>12}{'constant, us':>14}")
    within = True
    for kind, (f, nest) in nests(count).items():
        empty = seconds(of_list, [np.ones(3)], 0, *how)
        times = [(seconds(f, nest, by, *how) - empty) / count * 1e6 for by in (0, 1)]
        print(f"{kind:10}{times[0]:12.2f}{times[1]:14.2f}")
        within &= kind != "list" or max(times) <= LIMIT
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
