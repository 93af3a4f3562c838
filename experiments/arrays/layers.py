"""The time per layer of gradients of deep chains of layers, each with its own weights.

A layer is tanh(w x) of a vector; the weights are a list of matrices, an argument by which the chain is
differentiated. CPU time of the gradient per layer, medians over repeats, for a shallow chain and a deep one:
by plain reverse mode, by the schedule that is used unless one is chosen, and written by hand in NumPy.
What is required: per layer at most 1.3 times as much in the deep chain.

Reproduce:

    python -m experiments.arrays.layers --repeats 5
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint import grad
from experiments import common

LIMIT = 1.3


def chain(weights: Any, x: Any) -> Any:
    """Return the sum of the last layer's outputs."""
    for w in weights:
        x = np.tanh(w @ x)
    return np.sum(x)


def by_hand(weights: Any, x: Any) -> Any:
    """Return the gradient of `chain` as one writes it by hand."""
    outputs = [x]
    for w in weights:
        outputs.append(np.tanh(w @ outputs[-1]))
    g = np.ones_like(x)
    found = []
    for w, y, before in zip(weights[::-1], outputs[:0:-1], outputs[-2::-1], strict=True):
        raw = g * (1.0 - y * y)
        found.append(np.outer(raw, before))
        g = w.T @ raw
    return found[::-1]


def problem(layers: int, width: int) -> tuple[Any, Any]:
    """Return weights that keep the signal in bounds, and an input."""
    rng = np.random.default_rng(2)
    scale = 1.0 / np.sqrt(width)
    return [scale * rng.normal(size=(width, width)) for _ in range(layers)], rng.normal(size=width)


def per_layer(action: Callable[..., Any], layers: int, width: int, repeats: int) -> float:
    """Return the median time of a gradient in microseconds per layer; short ones are taken several times."""
    args = problem(layers, width)
    calls = max(1, 2_000 // layers)

    def batch() -> None:
        for _ in range(calls):
            action(*args)

    batch()
    return 1e6 * statistics.median(common.seconds(batch) for _ in range(repeats)) / (calls * layers)


def main() -> None:
    parser = common.parser("time per layer of deep chains")
    parser.add_argument("--depths", type=int, nargs=2, default=(100, 10_000), help="layers (100 10000)")
    parser.add_argument("--width", type=int, default=16, help="length of the vectors (16)")
    options = parser.parse_args()
    actions = {
        "plain": grad(chain, engine=options.engine, schedule="plain"),
        "default": grad(chain, engine=options.engine),
        "by hand": by_hand,
    }
    rows: list[dict[str, Any]] = []
    for name, action in actions.items():
        times = [per_layer(action, depth, options.width, options.repeats) for depth in options.depths]
        rows.append({"gradient": name, "us per layer": times, "ratio": times[1] / times[0]})
    print(
        common.table(
            ("us per layer", *(f"{depth:,}" for depth in options.depths), "ratio", "limit"),
            [
                (
                    row["gradient"],
                    *(f"{t:.2f}" for t in row["us per layer"]),
                    f"{row['ratio']:.2f}",
                    f"{LIMIT}",
                )
                for row in rows
            ],
        )
    )
    common.save(
        "arrays-layers",
        options.engine,
        depths=options.depths,
        width=options.width,
        repeats=options.repeats,
        limit=LIMIT,
        rows=rows,
    )


if __name__ == "__main__":
    main()
