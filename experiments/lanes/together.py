"""Time of `vmap(f, exact=False)` beside the loop over lanes, and beside torch.func.vmap where that can.

    python -m experiments.lanes.together     # 1,000 lanes, half a minute; torch where it is installed

All run in this process on one thread, in turns; medians of wall time in ms, for a run and for a gradient.
"""

from __future__ import annotations

import importlib
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
# A name, a function, its arguments, how results are summed, and torch where torch.func.vmap can run it.
Case = tuple[str, Callable[..., Any], tuple[Any, ...], Callable[[Any], Any], Any]
Ways = dict[str, tuple[Run, Run]]


def programs(xp: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two functions of one lane, on arrays of NumPy or on tensors of PyTorch."""

    def perceptron(x: Any, w: Any, v: Any) -> Any:
        """Return a number of a network with two layers."""
        return xp.sum(xp.tanh(xp.tanh(x @ w) @ v))

    def relaxed(x: Any, w: Any, v: Any) -> Any:
        """Return a state after the steps that it needs to become small: torch.func.vmap refuses the loop."""
        turns = 0
        while xp.sum(x * x) > 1.0 and turns < 40:
            x = x - 0.2 * (x - 0.5 * xp.tanh(x @ w))
            turns = turns + 1
        return x

    return perceptron, relaxed


def root(a: Any) -> Any:
    """Return a square root by Newton's method, of a number of Python's."""
    x = a if a > 1.0 else 1.0
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def cases(count: int) -> list[Case]:
    """Return the functions of one lane with their arguments."""
    rng = np.random.default_rng(0)
    x, w, v = 2.0 * rng.normal(size=(count, 16)), rng.normal(size=(16, 16)) / 4.0, rng.normal(size=(16, 8))
    perceptron, relaxed = programs(np)
    found: list[Case] = [
        ("network, NumPy", perceptron, (x, w, v), np.sum, None),
        ("a loop of 4 to 13 turns, NumPy", relaxed, (x, w, v), np.sum, None),
        ("Newton's method, floats", root, (rng.uniform(0.1, 300.0, size=count),), np.sum, None),
    ]
    if importlib.util.find_spec("torch") is not None:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        perceptron, relaxed = programs(torch)
        args = tuple([torch.from_numpy(each) for each in (x, w, v)])
        found += [
            ("network, PyTorch", perceptron, args, torch.sum, torch),
            ("a loop of 4 to 13 turns, PyTorch", relaxed, args, torch.sum, None),
        ]
    return found


def runs(case: Case) -> Ways:
    """Return a run and a gradient, in each way."""
    _, f, args, total, torch = case
    axes = (0, *[None] * (len(args) - 1))

    def way(exact: bool) -> tuple[Run, Run]:
        def loss(*args: Any) -> Any:
            return total(checkpoint.vmap(f, axes, exact=exact)(*args))

        mapped, slope = checkpoint.vmap(f, axes, exact=exact), checkpoint.grad(loss)
        return lambda: mapped(*args), lambda: slope(*args)

    found = {"together": way(False), "loop": way(True)}
    if torch is not None:
        found["torch.func.vmap"] = by_torch(torch, f, args, axes)
    return found


def by_torch(
    torch: Any, f: Callable[..., Any], args: tuple[Any, ...], axes: tuple[Any, ...]
) -> tuple[Run, Run]:
    """Return a run and a gradient under torch.func.vmap."""
    mapped = torch.func.vmap(f, axes)
    x = args[0].clone().requires_grad_()
    return lambda: mapped(*args), lambda: torch.autograd.grad(mapped(x, *args[1:]).sum(), x)


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
