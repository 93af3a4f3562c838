"""Touched, not alive: a chain over a list costs the same per step however long the list is.

What is measured: a loop of n turns over a list of n numbers, each turn reading one
(experiments/programs/chain.vlad); CPU time of the whole gradient by bisection, the copy of the list at
the entry and the gradient list at the end included. The list is alive in every state that is kept, but
the segment between two states touches only its own part.

Bisection itself runs log2(t / base) times as many steps again, whatever they touch, so there are two
figures: microseconds per step of the run, and per step that was run (forward or taped). Three
bases: the default; 1,000; and one that grows with n (8 base cases), with which a longer run has no
further levels of bisection and `us/step` shows nothing but the list. `ratio` compares with the shortest.
What is required: us/step for n = 10,000 at most 1.5 times that for n = 1,000, on hybrid. (interp makes
a cotangent for all that is alive.)

Reproduce (about a minute on hybrid):

    python -m experiments.scaling.touched --engine hybrid
    python -m experiments.scaling.touched --engine interp --lengths 1000 10000
"""

from __future__ import annotations

import math
from typing import Any

from checkpoint import engines
from checkpoint.ad.values import list_value
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection
from checkpoint.functions.runs import primops_values
from experiments import common

REQUIRED = 1.5
PIECES = 8  # base cases of a run whose base grows with it
BASES = ("10000", "1000", "t/8")


def numbers(length: int) -> Any:
    """Return the list that is walked: numbers in (-1, 1), no two alike."""
    return list_value([math.sin(i) for i in range(length)])


def measure(length: int, base: str, engine: Engine, repeats: int) -> dict[str, Any]:
    """Return one row of the table; `base` is a number of steps, or "t/8"."""
    f = common.value_of('(include "programs/chain.vlad")', engine)
    x = numbers(length)
    steps = primops_values(f, x, engine)
    schedule = Bisection(-(-steps // PIECES) if base == "t/8" else int(base))
    swept = common.reverse(f, x, engine, schedule)
    took, spread = common.median_seconds(lambda: common.reverse(f, x, engine, schedule), repeats)
    ran = swept.counts.advanced + swept.counts.taped
    return {
        "n": length,
        "base": base,
        "steps": steps,
        "states": swept.counts.most_kept,
        "runs per step": ran / steps,
        "seconds": took,
        "us per step": 1e6 * took / steps,
        "us per step run": 1e6 * took / ran,
        "spread": spread,
    }


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows, each with its ratios to the shortest run of the same base."""
    first = {row["base"]: row for row in reversed(rows)}
    return [
        {
            **row,
            "ratio": row["us per step"] / first[row["base"]]["us per step"],
            "ratio run": row["us per step run"] / first[row["base"]]["us per step run"],
        }
        for row in rows
    ]


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["base"],
        f"{row['n']:,}",
        f"{row['steps']:,}",
        f"{row['states']}",
        f"{row['runs per step']:.2f}",
        f"{row['us per step']:.3f}",
        f"{row['ratio']:.2f}",
        f"{row['us per step run']:.3f}",
        f"{row['ratio run']:.2f}",
        f"{row['spread']:.0%}",
    )


def main() -> None:
    parser = common.parser("a chain over a list: what is touched, not what is alive")
    parser.add_argument("--lengths", type=int, nargs="+", default=(1_000, 10_000, 100_000))
    options = parser.parse_args()
    engine = engines.get(options.engine)
    rows = compared(
        [
            measure(length, base, engine, options.repeats)
            for base in BASES
            for length in sorted(options.lengths)
        ]
    )
    header = (
        "base",
        "n",
        "steps",
        "states",
        "runs/step",
        "us/step",
        "ratio",
        "us/step run",
        "ratio",
        "spread",
    )
    print(common.table(header, [_line(row) for row in rows]))
    print(f"\nrequired: a ratio of at most {REQUIRED} for n = 10,000, on hybrid")
    common.save("scaling-touched", engine.name, repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
