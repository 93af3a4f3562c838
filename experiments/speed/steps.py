"""Microseconds a step: forward, taped and reversed, and checkpointed by bisection.

What is measured, for a loop of arithmetic, a program over lists and one of closures: the CPU time of
- forward:    the run without derivatives;
- plain:      the gradient by one tape of the whole run (`*j`), forward and reversal together;
- bisection:  the gradient by divide and conquer (`checkpoint-*j`), and how many steps that runs in all
              for each step of the run.
Each figure is the median of several calls, divided by the steps of the run; `spread` is the widest
(highest - lowest) / median of the three. What is required: forward at most 3 microseconds on interp for
the loop of arithmetic.

Reproduce:

    python -m experiments.speed.steps --engine interp
"""

from __future__ import annotations

from typing import Any

from checkpoint import engines
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.functions.runs import call_values, primops_values
from experiments import common

# The iterations of each program that make about 10^5 steps.
PROGRAMS = {"arithmetic": 2_000, "lists": 130, "closures": 1_600}


def measure(name: str, iterations: float, engine: Engine, repeats: int, base: int) -> dict[str, Any]:
    """Return one row of the table."""
    f = call_values(common.value_of(f'(include "programs/{name}.vlad")', engine), iterations, engine)
    x = 0.7
    swept = common.reverse(f, x, engine, Bisection(base))
    forward, spread = common.median_seconds(lambda: call_values(f, x, engine), repeats)
    plain, spread_plain = common.median_seconds(lambda: common.reverse(f, x, engine, Plain()), repeats)
    bisection, spread_bisection = common.median_seconds(
        lambda: common.reverse(f, x, engine, Bisection(base)), repeats
    )
    steps = primops_values(f, x, engine)
    scale = 1e6 / steps
    return {
        "program": name,
        "steps": steps,
        "forward": forward * scale,
        "plain": plain * scale,
        "bisection": bisection * scale,
        "steps run per step": (swept.counts.advanced + swept.counts.taped) / steps,
        "spread": max(spread, spread_plain, spread_bisection),
    }


def main() -> None:
    parser = common.parser("microseconds a step")
    parser.add_argument("--scale", type=float, default=1.0, help="make the runs this many times as long")
    parser.add_argument("--base", type=int, default=10_000, help="bisection: steps that are taped at once")
    options = parser.parse_args()
    engine = engines.get(options.engine)
    rows = [
        measure(name, float(round(count * options.scale)), engine, options.repeats, options.base)
        for name, count in PROGRAMS.items()
    ]
    print(
        common.table(
            ("us/step", "steps", "forward", "plain", "bisection", "runs/step", "spread"),
            [
                (
                    row["program"],
                    f"{row['steps']:,}",
                    f"{row['forward']:.2f}",
                    f"{row['plain']:.2f}",
                    f"{row['bisection']:.2f}",
                    f"{row['steps run per step']:.2f}",
                    f"{row['spread']:.0%}",
                )
                for row in rows
            ],
        )
    )
    common.save("speed-steps", engine.name, base=options.base, repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
