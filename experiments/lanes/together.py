"""Time of `vmap(f, exact=False)` beside the loop over lanes, and beside torch.func.vmap where that can.

    python -m experiments.lanes.together     # 1,000 lanes, half a minute; torch where it is installed

All run in this process on one thread, in turns; medians of wall time in ms, for a run and for a gradient.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import checkpoint

LANES = 1000
TURNS = 5
Run = Callable[[], Any]
Case = tuple[str, Callable[..., Any], tuple[Any, ...], Callable[[Any], Any]]


def perceptron(x: Any, w: Any, v: Any) -> Any:
    """Return a number of a network with two layers."""
    return np.sum(np.tanh(np.tanh(x @ w) @ v))


def relaxed(x: Any, w: Any, v: Any) -> Any:
    """Return a state after the steps that it needs to become small."""
    turns = 0
    while np.sum(x * x) > 1.0 and turns < 40:
        x = x - 0.2 * (x - 0.5 * np.tanh(x @ w))
        turns = turns + 1
    return x


def root(a: Any) -> Any:
    """Return a square root by Newton's method, of a number of Python's."""
    x = a if a > 1.0 else 1.0
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def cases(count: int) -> list[Case]:
    """Return functions of one lane with their arguments, and how results are summed."""
    rng = np.random.default_rng(0)
    x, w, v = 2.0 * rng.normal(size=(count, 16)), rng.normal(size=(16, 16)) / 4.0, rng.normal(size=(16, 8))
    found: list[Case] = [
        ("network, NumPy", perceptron, (x, w, v), np.sum),
        ("a loop of 4 to 13 turns, NumPy", relaxed, (x, w, v), np.sum),
        ("Newton's method, floats", root, (rng.uniform(0.1, 300.0, size=count),), np.sum),
    ]
    if importlib.util.find_spec("torch") is not None:
        from experiments.lanes import in_torch  # noqa: PLC0415  (torch need not be installed)

        found += in_torch.cases(x, w, v)
    return found


def runs(case: Case) -> dict[str, tuple[Run, Run]]:
    """Return a run and a gradient, in each way."""
    _, f, args, total = case
    axes = (0, *[None] * (len(args) - 1))

    def way(exact: bool) -> tuple[Run, Run]:
        def loss(*args: Any) -> Any:
            return total(checkpoint.vmap(f, axes, exact=exact)(*args))

        mapped, slope = checkpoint.vmap(f, axes, exact=exact), checkpoint.grad(loss)
        return lambda: mapped(*args), lambda: slope(*args)

    found = {"together": way(False), "loop": way(True)}
    others = getattr(f, "others", None)
    return found if others is None else {**found, **others(args, axes)}


def measured(run: Run) -> float:
    """Return the wall time of a run in ms."""
    start = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - start)


def rows(count: int) -> list[list[str]]:
    """Return the lines of the table."""
    found = []
    for case in cases(count):
        ways = runs(case)
        times: dict[tuple[str, int], list[float]] = {(way, i): [] for way in ways for i in range(2)}
        for turn in range(TURNS + 1):
            for way, pair in ways.items():
                for i, run in enumerate(pair):
                    taken = measured(run)
                    if turn:
                        times[way, i].append(taken)
        middle = {key: statistics.median(values) for key, values in times.items()}
        cells = [f"{middle[way, 0]:.1f}, {middle[way, 1]:.1f}" if way in ways else "-" for way in WAYS]
        gains = [f"{middle['loop', i] / middle['together', i]:.0f}" for i in range(2)]
        found.append([case[0], *cells, ", ".join(gains)])
    return found


WAYS = ("together", "loop", "torch.func.vmap")


def main() -> None:
    """Print the table."""
    print(f"| {LANES} lanes; run, gradient in ms | " + " | ".join(WAYS) + " | loop / together |")
    print("| --- | " + " | ".join(["---:"] * (len(WAYS) + 1)) + " |")
    for row in rows(LANES):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
