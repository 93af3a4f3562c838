"""The speed of Python functions and of their gradients, beside Python's own run of the same function.

For each function of programs.py, with a loop of `--turns` turns: CPU time of Python's own run, and as ratios
to it the run on the engine, its gradient by plain reverse mode, and by bisection; medians over repeats.

Reproduce:

    python -m experiments.functions.speed --repeats 7
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from checkpoint import grad, primops
from experiments import common
from experiments.functions.programs import PROGRAMS


def seconds(action: Callable[[], Any], repeats: int) -> float:
    """Return the median CPU time, after one run that warms up."""
    action()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return statistics.median(times)


def measured(function: Any, turns: int, engine: str, repeats: int) -> dict[str, Any]:
    """Return one row: steps, Python's milliseconds, ratios."""
    python = seconds(lambda: function(1.0, turns), repeats)
    plain = grad(function, engine=engine, schedule="plain")
    bisected = grad(function, engine=engine)
    return {
        "function": function.__name__,
        "steps": primops(lambda x: function(x, turns), 1.0, engine=engine),
        "python": 1e3 * python,
        "run": seconds(lambda: primops(lambda x: function(x, turns), 1.0, engine=engine), repeats) / python,
        "plain": seconds(lambda: plain(1.0, turns), repeats) / python,
        "bisection": seconds(lambda: bisected(1.0, turns), repeats) / python,
    }


def main() -> None:
    parser = common.parser("Python functions beside Python")
    parser.add_argument("--turns", type=int, default=10_000, help="turns of each loop (10,000)")
    options = parser.parse_args()
    rows = [measured(f, options.turns, options.engine, options.repeats) for f in PROGRAMS]
    print(
        common.table(
            ("function", "steps", "Python, ms", "run", "plain", "bisection"),
            [
                (
                    row["function"],
                    f"{row['steps']:,}",
                    f"{row['python']:.2f}",
                    *(f"{row[name]:.0f}" for name in ("run", "plain", "bisection")),
                )
                for row in rows
            ],
        )
    )
    common.save("functions-speed", options.engine, turns=options.turns, repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
