"""The paper's benchmark: live storage and steps of both reverse modes while the run doubles.

What is measured, for l = 2^k (experiments/programs/paper-run.vlad says what n, l and phi are):
- memory: the highest resident memory of a process while it takes the gradient, beyond what it held just
  before; each gradient in a fresh process, the median of several. Linux only (VmHWM, which is reset
  before; getrusage would count the parent process from before the exec, too);
- capsules: the most states kept at once; entries: those of the longest tape; again: the steps run beyond
  the t of the run itself, and the bound t (1 + ceil(log2(t / base))) that they must keep;
- CPU time of the gradient, the median of the same runs.
What is required: the value n(n+1)(2n+1)/12 and the gradient x to a relative 1e-9; the capsules of
bisection grow by at most 4 for a run 16 times as long, memory of plain reverse mode doubles.

Reproduce (some minutes on interp), then draw the curve (needs the extra `experiments`):

    python -m experiments.memory.paper --engine interp
    python -m experiments.memory.draw --engine interp
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
import subprocess
import sys
from typing import Any

from checkpoint import engines
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from experiments import common

PROGRAM = '(include "programs/paper-run.vlad") (cons run x)'
RELATIVE = 1e-9
MODES = ("plain", "bisection")


def gradient(mode: str, engine_name: str, base: int) -> dict[str, Any]:
    """Take one gradient in this process; n, l and phi come from standard input."""
    engine = engines.get(engine_name)
    schedule: Schedule = Plain() if mode == "plain" else Bisection(base)
    program = common.value_of(PROGRAM, engine)
    before = common.fresh_peak()
    swept: Any = None

    def action() -> None:
        nonlocal swept
        swept = common.reverse(program.car, program.cdr, engine, schedule)

    seconds = common.seconds(action)
    x, found = common.items(program.cdr), common.items(swept.gradient)
    n = len(x)
    right = _close([swept.value], [n * (n + 1) * (2 * n + 1) / 12]) and _close(found, x)
    return {
        "right": right,
        "steps": swept.steps,
        "bytes": common.peak() - before,
        "capsules": swept.counts.most_kept,
        "entries": swept.entries,
        "again": swept.counts.advanced + swept.counts.taped - swept.steps,
        "seconds": seconds,
    }


def _close(found: list[float], expected: list[float]) -> bool:
    return all(abs(a - b) <= RELATIVE * abs(b) for a, b in zip(found, expected, strict=True))


def in_new_process(mode: str, power: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return one gradient's measurements, made in a process of its own."""
    command = [sys.executable, "-m", "experiments.memory.paper", "--mode", mode]
    command += ["--engine", options.engine, "--base", str(options.base)]
    done = subprocess.run(
        command,
        input=f"{options.n} {2**power} {options.phi}\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=common.HERE.parent,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def row(mode: str, power: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return one row of the table: counts, which are the same every time, and medians."""
    runs = [in_new_process(mode, power, options) for _ in range(options.repeats)]
    measured = {key: statistics.median(run[key] for run in runs) for key in ("bytes", "seconds")}
    steps = runs[0]["steps"]
    bound = steps * (1 + max(0, math.ceil(math.log2(steps / options.base)))) if mode == "bisection" else 0
    right = all(run["right"] for run in runs)
    return {"mode": mode, "l": 2**power, **runs[0], **measured, "bound": bound, "right": right}


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["mode"],
        f"{row['l']}",
        f"{row['steps']:,}",
        f"{row['bytes'] / 1e6:.2f}",
        f"{row['capsules']}",
        f"{row['entries']:,}",
        f"{row['again']:,}",
        f"{row['bound']:,}",
        f"{row['seconds']:.2f}",
        "yes" if row["right"] and row["again"] <= row["bound"] else "NO",
    )


def growth(rows: list[dict[str, Any]]) -> int:
    """Return the most capsules that bisection adds for a run at most 16 times as long."""
    checkpointed = [row for row in rows if row["mode"] == "bisection"]
    added: list[int] = [
        longer["capsules"] - shorter["capsules"]
        for shorter, longer in itertools.combinations(checkpointed, 2)
        if longer["steps"] <= 16 * shorter["steps"]
    ]
    return max(added)


def main() -> None:
    parser = common.parser("live storage of both reverse modes on the paper's benchmark")
    parser.set_defaults(repeats=3)
    parser.add_argument("--n", type=int, default=4)
    parser.add_argument("--phi", type=int, default=3)
    parser.add_argument("--powers", type=int, nargs=2, default=(2, 10), help="l = 2^first .. 2^last")
    parser.add_argument("--base", type=int, default=2_000, help="bisection: steps that are taped at once")
    parser.add_argument("--mode", choices=MODES, help="take one gradient in this process, print JSON")
    options = parser.parse_args()
    if options.mode is not None:
        print(json.dumps(gradient(options.mode, options.engine, options.base)))
        return
    first, last = options.powers
    rows = [row(mode, power, options) for mode in MODES for power in range(first, last + 1)]
    header = ("mode", "l", "steps", "MB", "capsules", "entries", "again", "bound", "seconds", "right")
    print(common.table(header, [_line(row) for row in rows]))
    print(f"\nbisection keeps at most {growth(rows)} capsules more for a run up to 16 times as long")
    parameters = {key: getattr(options, key) for key in ("n", "phi", "base", "repeats")}
    common.save("memory-paper", options.engine, **parameters, rows=rows)


if __name__ == "__main__":
    main()
