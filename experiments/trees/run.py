"""Time per tree of a TreeLSTM's value and gradient, beside the same recursion in PyTorch with eager autograd.

Both run in this process on one thread, tree by tree in turns; CPU time. Of each tree the median of several
gradients is taken. First it is checked that the values and gradients agree.

Reproduce, with PyTorch, on a quiet machine:

    OPENBLAS_NUM_THREADS=1 python -m experiments.trees.run
    OPENBLAS_NUM_THREADS=1 python -m experiments.trees.run --full

With --keep the results and the picture that the README shows are written anew.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from checkpoint import value_and_grad
from experiments import common
from experiments.trees import models

GOAL = 2.0
PICTURE = Path(__file__).parent / "trees.png"
Gradient = Callable[[models.Tree, int], Any]
Row = dict[str, Any]


def gradients(
    width: int, engine: str, schedule: str | None, dtype: str = "float32"
) -> tuple[Gradient, Gradient]:
    """Return what gives value and gradient here, and in PyTorch."""
    p = models.parameters(width, dtype)
    chosen: dict[str, Any] = {} if schedule is None else {"schedule": schedule}
    ours, peer = value_and_grad(models.loss, engine=engine, **chosen), models.Peer(p)
    return lambda tree, label: ours(p, tree, np.array(label)), peer.gradient


def difference(mine: Any, other: Any) -> float:
    """Return how far apart two values with gradients are, beside the largest element of each."""
    pairs = [
        (np.asarray(mine[0]), np.asarray(other[0])),
        *zip(mine[1], map(np.asarray, other[1]), strict=True),
    ]
    return max([float(np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-30)) for a, b in pairs])


def check(pair: tuple[Gradient, Gradient], trees: list[tuple[models.Tree, int]]) -> None:
    """Refuse gradients that differ; of doubles, since with floats rounding adds up over a large tree."""
    for tree, label in trees:
        apart = difference(pair[0](tree, label), pair[1](tree, label))
        if not apart < 1e-8:
            raise ValueError(f"the gradients of a tree differ by {apart}")


def measured(
    pair: tuple[Gradient, Gradient], trees: list[tuple[models.Tree, int]], repeats: int
) -> list[Row]:
    """Return for each tree its size and the median CPU seconds of both, which take turns."""
    for gradient in pair:
        gradient(*trees[0])  # which translates
    times: list[tuple[list[float], list[float]]] = [([], []) for _ in trees]
    for _ in range(repeats):
        for (tree, label), both in zip(trees, times, strict=True):
            for gradient, found in zip(pair, both, strict=True):
                start = time.process_time()
                gradient(tree, label)
                found.append(time.process_time() - start)
    return [
        {"nodes": models.size(tree), "ours": statistics.median(mine), "PyTorch": statistics.median(other)}
        for (tree, _), (mine, other) in zip(trees, times, strict=True)
    ]


def ratio(rows: list[Row]) -> float:
    """Return by how much PyTorch takes longer: the median over the trees."""
    return float(statistics.median([row["PyTorch"] / row["ours"] for row in rows]))


def per_node(rows: list[Row], who: str) -> float:
    """Return the microseconds per node, the median over the trees."""
    return float(statistics.median([row[who] / row["nodes"] for row in rows])) * 1e6


def draw(found: dict[str, list[Row]]) -> None:
    """Draw the times per tree by the number of nodes."""
    import matplotlib as mpl  # noqa: PLC0415  # an extra

    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(1, len(found), figsize=(4.2 * len(found), 3.8), sharey=True, squeeze=False)
    for axis, (name, rows) in zip(axes[0], found.items(), strict=True):
        for who, colour in (("PyTorch", "tab:orange"), ("ours", "tab:blue")):
            label = "PyTorch, eager" if who == "PyTorch" else "checkpoint"
            nodes = [row["nodes"] for row in rows]
            axis.loglog(nodes, [row[who] * 1e3 for row in rows], "o", color=colour, markersize=3, label=label)
        axis.set_title(f"{name}: {ratio(rows):.2f} times as fast", fontsize=10)
        axis.set_xlabel("nodes of the tree")
        axis.set_xticks([200, 500, 1_000, 2_000], ["200", "500", "1,000", "2,000"])
        axis.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("milliseconds for value and gradient")
    axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=110)
    print(f"drawn to {PICTURE}")


def _draw_if_possible(found: dict[str, list[Row]]) -> None:
    try:
        draw(found)
    except ModuleNotFoundError as error:
        print(f"no picture: {error.name} is not installed")


def main() -> int:
    parser = common.keepable(common.parser(__doc__ or ""))
    parser.add_argument("--count", type=common.natural, default=10, help="how many trees (10)")
    parser.add_argument(
        "--widths", type=common.natural, nargs="+", default=[32, 64], help="of states (32 64)"
    )
    parser.add_argument("--schedule", help="plain, bisection, ... (the default one)")
    parser.add_argument("--full", action="store_true", help="100 trees, widths 32, 64 and 150")
    options = parser.parse_args()
    count, widths = (100, [32, 64, 150]) if options.full else (options.count, options.widths)
    chosen = models.trees(count, 200, 3_000)
    found = {}
    for width in widths:
        check(gradients(width, options.engine, options.schedule, "float64"), chosen[:3])
        pair = gradients(width, options.engine, options.schedule)
        found[f"width {width}"] = measured(pair, chosen, options.repeats)
    table = [
        [name, *[f"{per_node(rows, who):.0f}" for who in ("ours", "PyTorch")], f"{ratio(rows):.2f}"]
        for name, rows in found.items()
    ]
    print(
        f"{len(chosen)} trees of {sum(models.size(tree) for tree, _ in chosen)} nodes; microseconds per node"
    )
    print(common.table(("state", "checkpoint", "PyTorch", "times as fast"), table))
    if options.keep:
        common.save("trees", options.engine, schedule=options.schedule or "default", goal=GOAL, rows=found)
        _draw_if_possible(found)
    return 0 if min(map(ratio, found.values())) >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
