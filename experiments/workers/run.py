"""Gradients of many items on one and more workers: wall time, and what the same work takes without any.

    python -m experiments.workers.run [--items N] [--turns N] [--workers N]

Question: how much faster do two cores make a sum of gradients, and what do threads and processes cost? The
item is a loop over numbers (Python's, translated to C), some 50 ms long. Times are wall times, of methods in
turn, medians; workers are started before they are measured. Out: a table; with --keep
experiments/results/workers-c.json.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import checkpoint
from checkpoint.workers import Processes, Threads, Workers
from experiments import common

RATE = 1e-7


def orbit(x: float, turns: int) -> float:
    """Return a number after many turns of a loop."""
    y = x
    for _ in range(turns):
        y = y - RATE * (y * y - x)
    return y


class Term:
    """The value and gradient of one item."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.gradient = checkpoint.value_and_grad(orbit)

    def __call__(self, x: float) -> Any:
        return self.gradient(x, self.turns)


def measured(methods: dict[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Return wall times of methods that take turns, after a first call of each; all give the same bits."""
    expected = {repr(method()) for method in methods.values()}
    assert len(expected) == 1, expected
    found: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, method in methods.items():
            begun = time.perf_counter()
            method()
            found[name].append(time.perf_counter() - begun)
    return found


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--items", type=common.natural, default=32, help="items of a sum (32)")
    options.add_argument(
        "--turns", type=common.natural, default=2_000_000, help="turns of an item (2,000,000)"
    )
    options.add_argument("--workers", type=common.natural, default=2, help="workers (2)")
    chosen = options.parse_args()
    xs = [1.0 + 0.01 * i for i in range(chosen.items)]
    term = Term(chosen.turns)
    with Threads(1) as one, Threads(chosen.workers) as threads, Processes(chosen.workers) as processes:
        there: dict[str, Workers | None] = {
            "no workers": None,
            "Threads(1)": one,
            f"Threads({chosen.workers})": threads,
        }
        there[f"Processes({chosen.workers})"] = processes
        methods: dict[str, Callable[[], Any]] = {
            name: partial(checkpoint.summed, term, over=xs, workers=workers)
            for name, workers in there.items()
        }
        times = measured(methods, chosen.repeats)
    alone = statistics.median(times["no workers"])
    rows = [
        {
            "workers": name,
            "ms": 1e3 * statistics.median(each) / chosen.items,
            "times": alone / statistics.median(each),
        }
        for name, each in times.items()
    ]
    lines = [[row["workers"], f"{row['ms']:.1f}", f"{row['times']:.2f}"] for row in rows]
    print(common.table(("", "ms per item", "times as fast"), lines))
    if chosen.keep:
        common.save("workers", "c", items=chosen.items, turns=chosen.turns, rows=rows)


if __name__ == "__main__":
    main()
