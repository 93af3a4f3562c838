"""Reductions and scans by an operator of the user's, beside the same by `np.add`, which has rules of its own.

    python -m experiments.combinators.run [--items N]    # some seconds

Question: what does an operator cost that nothing is known of? Methods take turns; times of the processor,
medians. Out: a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import checkpoint
from checkpoint import arrays
from checkpoint.functions.resumption import as_function
from experiments import common
from experiments.adbench.run import measured

BINS = 100  # items of each index


def added(a: Any, b: Any) -> Any:
    """Return the sum, as an operator of which no rule is known."""
    return b + a


def losses(items: int) -> dict[str, Callable[[Any, Any], Any]]:
    """Return functions of an operator and items, of which gradients are taken."""
    at = np.random.default_rng(1).integers(0, items // BINS, items)
    dest = np.zeros(items // BINS)
    return {
        "reduce": lambda op, x: arrays.reduce(op, x) ** 2,
        "scan": lambda op, x: np.sum(arrays.scan(op, x) ** 2),
        "reduce_by_index": lambda op, x: np.sum(arrays.reduce_by_index(op, dest, at, x) ** 2),
    }


def methods_of(loss: Callable[[Any, Any], Any], op: Any, x: Any, engine: str) -> dict[str, Callable[[], Any]]:
    """Return a run and a gradient by an operator."""
    gradient = checkpoint.grad(loss, 1, engine=engine)
    return {
        f"run {op.__name__}": lambda: as_function(loss).call((op, x), {}, engine).value(),
        f"gradient {op.__name__}": lambda: gradient(op, x),
    }


def rows_of(items: int, repeats: int, engine: str) -> list[list[str]]:
    """Return a row for each combinator: a run and a gradient by both operators, and their ratios."""
    x = np.random.default_rng(0).random(items)
    rows = []
    for name, loss in losses(items).items():
        methods = {**methods_of(loss, np.add, x, engine), **methods_of(loss, added, x, engine)}
        times = measured(methods, repeats)
        found = []
        for what in ("run", "gradient"):
            known, own = 1e3 * times[f"{what} add"], 1e3 * times[f"{what} added"]
            found += [f"{known:.1f}", f"{own:.1f}", f"{own / known:.1f}"]
        rows.append([name, *found])
    return rows


def main() -> None:
    options = common.parser(__doc__.splitlines()[0])
    options.add_argument("--items", type=common.natural, default=1_000_000)
    chosen = options.parse_args()
    head = ("combinator", "run, np.add", "own", "ratio", "gradient, np.add", "own", "ratio")
    print(common.table(head, rows_of(chosen.items, chosen.repeats, chosen.engine)))


if __name__ == "__main__":
    main()
