"""Arrays that are built element by element: the time of an element, for longer and longer arrays.

CPU time for each element of Python's own run, the run on the engine, and the gradient by plain reverse mode,
by the schedule that is used unless one is chosen, and by bisection down to 1,000 steps; medians over repeats.
What is required: that it does not grow with the length.

Reproduce:

    python -m experiments.arrays.building --repeats 3
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint import Bisection, grad, primops
from experiments import common

LENGTHS = (1_000, 3_000, 10_000, 30_000)
COLUMNS = ("python", "run", "plain", "default", "base 1,000")


def build(a: float, n: int) -> Any:
    """Return the sum of an array whose elements are made of one another."""
    y = np.zeros(n)
    y[0] = a
    for i in range(1, n):
        y[i] = 0.5 * y[i - 1] + a
    return np.sum(y)


def measured(n: int, engine: str, repeats: int) -> dict[str, Any]:
    """Return one row: microseconds for each element."""
    actions: dict[str, Callable[[], Any]] = {
        "python": lambda: build(0.3, n),
        "run": lambda: primops(lambda a: build(a, n), 0.3, engine=engine),
        "plain": lambda: grad(build, engine=engine, schedule="plain")(0.3, n),
        "default": lambda: grad(build, engine=engine)(0.3, n),
        "base 1,000": lambda: grad(build, engine=engine, schedule=Bisection(base=1_000))(0.3, n),
    }
    row: dict[str, Any] = {"n": n}
    for name, action in actions.items():
        action()
        row[name] = 1e6 * statistics.median(common.seconds(action) for _ in range(repeats)) / n
    return row


def main() -> None:
    parser = common.parser("arrays built element by element")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, help="elements of the arrays")
    options = parser.parse_args()
    rows = [measured(n, options.engine, options.repeats) for n in options.lengths]
    print(
        common.table(
            ("us per element", *COLUMNS),
            [(f"{row['n']:,}", *(f"{row[name]:.2f}" for name in COLUMNS)) for row in rows],
        )
    )
    common.save("arrays-building", options.engine, repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
