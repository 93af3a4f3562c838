"""Slopes: how time and live storage grow with a run of t steps, t = 2^12 .. 2^20.

What is measured, for a loop of arithmetic (experiments/programs/arithmetic.vlad) of t steps or a few
less, by Bisection(base) and Binomial(base=base), each gradient in a fresh process:
- states: the most states kept at once;
- peak: the highest resident memory of the process beyond what it held just before (Linux only), in the
  first gradient: by pages, and with the code that the engine makes on demand;
- live: the most bytes of Python objects at once (tracemalloc) in a last gradient, beyond what was there
  before; with the tuples that Python itself keeps for use again, of which it has a fixed number;
- runs: the steps that were run, forward or taped, for each step of the run;
- time: CPU time of the gradient, the median of several calls after the first one.
What is required: time like t log t, live storage like log t.

How it is fitted, always by least squares over all t (L = log2(t / base), the levels of bisection; a run
within one base case has no logarithm, so each t is beyond 2 base):
- p: time = c t^p, a line through log time and log t;
- p beside log: the same for time / (1 + L): 1 is t log t, below 1 is slower growth than that;
- time / t = a + b L, a line, with b (ns for each doubling) and the part of the variance it explains, R2;
- states = a + b L, a line; q: states = c (1 + L)^q: 1 is a logarithm, below 1 is slower than that;
- s: bytes = c t^s, towards 0 for what grows slower than any power; and bytes = a + b L, a line.

Reproduce (a minute on hybrid, six on interp), then draw it (needs the extra `experiments`):

    python -m experiments.scaling.slopes --engine hybrid
    python -m experiments.scaling.slopes --engine interp
    python -m experiments.scaling.draw
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import statistics
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint import engines
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Schedule
from checkpoint.functions.runs import call_values, primops_values
from experiments import common

PROGRAM = '(include "programs/arithmetic.vlad")'
X = 0.7
SCHEDULES: dict[str, Callable[[int], Schedule]] = {
    "bisection": Bisection,
    "binomial": lambda base: Binomial(base=base),
}
LONGEST = 10.0  # CPU seconds after which a time is not measured again


def program_of(steps: int, engine: Engine) -> Any:
    """Return the loop, with as many turns as a run of `steps` has room for."""
    loop = common.value_of(PROGRAM, engine)

    def count(turns: float) -> int:
        return primops_values(call_values(loop, turns, engine), X, engine)

    fixed = count(0.0)
    turns = (steps - fixed) // (count(1.0) - fixed)
    return call_values(loop, float(turns), engine)


def gradient(options: argparse.Namespace) -> dict[str, Any]:
    """Take one gradient in this process, and return its memory and its time."""
    engine = engines.get(options.engine)
    schedule = SCHEDULES[options.schedule](options.base)
    f = program_of(options.steps, engine)
    before = common.fresh_peak()
    swept = common.reverse(f, X, engine, schedule)
    held = common.peak() - before
    times: list[float] = []
    while not times or (len(times) < options.repeats and sum(times) < LONGEST):
        times.append(common.seconds(lambda: common.reverse(f, X, engine, schedule)))
    live = live_bytes(lambda: common.reverse(f, X, engine, schedule))
    return {
        "schedule": options.schedule,
        "steps": swept.steps,
        "states": swept.counts.most_kept,
        "bytes": held,
        "live": live,
        "runs": (swept.counts.advanced + swept.counts.taped) / swept.steps,
        "seconds": statistics.median(times),
        "times": len(times),
        "spread": (max(times) - min(times)) / statistics.median(times),
    }


def live_bytes(action: Callable[[], Any]) -> int:
    """Return the most bytes of Python objects that a call held at once."""
    gc.collect()
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def in_new_process(schedule: str, power: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return one row of the table, measured in a new process."""
    command = [sys.executable, "-m", "experiments.scaling.slopes", "--schedule", schedule]
    command += ["--engine", options.engine, "--steps", str(2**power)]
    command += ["--base", str(options.base), "--repeats", str(options.repeats)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=common.HERE.parent)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def line(x: Sequence[float], y: Sequence[float]) -> dict[str, float]:
    """Return the line a + b x through points by least squares, and the part of variance that it explains."""
    b, a = statistics.linear_regression(x, y)
    left = sum((v - a - b * u) ** 2 for u, v in zip(x, y, strict=True))
    total = sum((v - statistics.fmean(y)) ** 2 for v in y)
    return {"a": a, "b": b, "r2": 1 - left / total if total else 1.0}


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the exponent p of y = c x^p, by a line through the logarithms."""
    return line([math.log(value) for value in x], [math.log(value) for value in y])["b"]


def fits(rows: list[dict[str, Any]], base: int) -> dict[str, Any]:
    """Return the quantities named in the head of this file, for the rows of one schedule."""
    t = [row["steps"] for row in rows]
    levels = [math.log2(steps / base) for steps in t]
    logs = [1 + level for level in levels]
    seconds, states = ([row[key] for row in rows] for key in ("seconds", "states"))
    return {
        "p": exponent(t, seconds),
        "p beside log": exponent(t, [took / log for took, log in zip(seconds, logs, strict=True)]),
        "ns per step": line(levels, [1e9 * took / steps for took, steps in zip(seconds, t, strict=True)]),
        "states": line(levels, states),
        "q": exponent(logs, states),
        **{
            key: {"s": exponent(t, held), **line(levels, held)}
            for key in ("bytes", "live")
            for held in [[row[key] for row in rows]]
        },
    }


def report(schedule: str, found: dict[str, Any]) -> str:
    """Return the fits of one schedule, in words."""
    step, states = found["ns per step"], found["states"]
    return "\n".join(
        (
            f"{schedule}:",
            f"  time   = c t^{found['p']:.3f};  time / (1 + L) = c t^{found['p beside log']:.3f}",
            f"  time/t = {step['a']:.0f} + {step['b']:.1f} L ns, R2 {step['r2']:.3f}",
            f"  states = {states['a']:.2f} + {states['b']:.3f} L, R2 {states['r2']:.3f}",
            f"  states = c (1 + L)^{found['q']:.2f}",
            *(
                f"  {name} = {held['a'] / 1e3:.1f} + {held['b'] / 1e3:.2f} L kB, R2 {held['r2']:.2f};"
                f" {name} = c t^{held['s']:.3f}"
                for name, held in (("peak", found["bytes"]), ("live", found["live"]))
            ),
        )
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["schedule"],
        f"{row['steps']:,}",
        f"{row['states']}",
        f"{row['bytes'] / 1e3:.0f}",
        f"{row['live'] / 1e3:.1f}",
        f"{row['runs']:.2f}",
        f"{row['seconds']:.4f}",
        f"{1e6 * row['seconds'] / row['steps']:.3f}",
        f"{row['times']}",
        f"{row['spread']:.0%}",
    )


def main() -> None:
    parser = common.parser("slopes of time and live storage over t = 2^12 .. 2^20")
    parser.add_argument("--powers", type=int, nargs=2, default=(12, 20), help="t = 2^first .. 2^last")
    parser.add_argument("--base", type=int, default=512, help="steps that are taped at once")
    parser.add_argument("--schedule", choices=list(SCHEDULES), help="take one gradient, print JSON")
    parser.add_argument("--steps", type=int, default=4096, help="with --schedule: the length of the run")
    options = parser.parse_args()
    if options.schedule is not None:
        print(json.dumps(gradient(options)))
        return
    first, last = options.powers
    rows = [in_new_process(name, k, options) for name in SCHEDULES for k in range(first, last + 1)]
    header = (
        "schedule",
        "steps",
        "states",
        "peak kB",
        "live kB",
        "runs",
        "seconds",
        "us/step",
        "times",
        "spread",
    )
    print(common.table(header, [_cells(row) for row in rows]))
    found = {name: fits([row for row in rows if row["schedule"] == name], options.base) for name in SCHEDULES}
    print(f"\nfitted over t = 2^{first} .. 2^{last}, L = log2(t / {options.base})")
    for name, fitted in found.items():
        print(report(name, fitted))
    common.save(
        "scaling-slopes", options.engine, base=options.base, repeats=options.repeats, rows=rows, fits=found
    )


if __name__ == "__main__":
    main()
