"""The cost of calls of Python functions beside their runs: import, first gradient, further calls.

What is measured, in CPU time, as the median of several processes or of several batches of calls:
- import:  `import checkpoint`, in a fresh process;
- first:   the first gradient of a function of ten lines, after that import, in a fresh process;
- call:    `primops(f, x)` of a function of ten operations that has been called before, and of that the run;
- grad:    `grad(f)(x)` of the same function, and of that the run, its tape and its reversal.
`beyond` is what the last two take beside the run: inputs are read, arguments enter, results leave.
What is required on the fastest engine: import 150 ms, first 100 ms, beyond 20 microseconds.

Reproduce:

    python -m experiments.calls.overhead
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checkpoint import grad, primops
from checkpoint.driver.effects import Effects
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Bisection
from checkpoint.functions.python_functions import run_of
from checkpoint.functions.run import Run
from experiments import common

LIMITS = {"import": 150.0, "first": 100.0, "beyond": 20.0}

FRESH = '''"""A function of ten lines, and what its first gradient takes."""

import math
import time

start = time.process_time()
import checkpoint

imported = time.process_time() - start


def loss(x):
    total = 0.0
    velocity = 1.0
    for i in range(10):
        force = -math.sin(x) * 0.5
        velocity += 0.1 * force
        x += 0.1 * velocity
        if x > 1.0:
            total += x * x
    total += math.exp(-velocity)
    return total


start = time.process_time()
checkpoint.grad(loss, engine=ENGINE)(0.7)
print(imported, time.process_time() - start)
'''


def ten_operations(x: float) -> float:
    """Do ten operations: a run so short that its surroundings show."""
    y = x * x + 3.0
    z = math.sin(y) - x / y
    return z * z * 0.5 + math.exp(-z)


def fresh(engine: str, repeats: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of the import and of the first gradient, each in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fresh.py"
        path.write_text(FRESH.replace("ENGINE", repr(engine)), encoding="utf-8")
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, str(path)]
        outputs = [
            subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            ).stdout.split()
            for _ in range(repeats + 1)  # the first compiles all modules
        ]
    imports, firsts = zip(*[[1e3 * float(word) for word in words] for words in outputs[1:]], strict=True)
    return list(imports), list(firsts)


def microseconds(action: Callable[[], Any], repeats: int, calls: int) -> float:
    """Return the median over batches of the time of one call, in microseconds."""
    times = []
    for _ in range(repeats + 1):  # the first batch warms up
        start = time.process_time()
        for _ in range(calls):
            action()
        times.append((time.process_time() - start) / calls)
    return 1e6 * statistics.median(times[1:])


def reversal(call: Run) -> Any:
    """Run a gradient alone: forward, its tape, and back."""
    engine = call.engine
    sweep = Sweep(engine, Effects(), seed=lambda end: engine.seed(end, 1.0))
    return sweep.run(engine.start(0, call.u, call.tags), Bisection())


def warm(engine: str, repeats: int, calls: int) -> list[dict[str, Any]]:
    """Return one row for each kind of call: the whole, the run, and the difference, in microseconds."""
    x = 0.7
    derivative = grad(ten_operations, engine=engine)
    call = run_of(ten_operations, (x,), {}, engine)
    chosen = call.engine

    def forward() -> Any:
        return chosen.advance(chosen.start(0, call.u, call.tags), None, Effects())

    rows = []
    for name, whole, run in (
        ("call", lambda: primops(ten_operations, x, engine=engine), forward),
        ("grad", lambda: derivative(x), lambda: reversal(call)),
    ):
        total, alone = microseconds(whole, repeats, calls), microseconds(run, repeats, calls)
        rows.append({"what": name, "call": total, "run": alone, "beyond": total - alone})
    return rows


def main() -> None:
    parser = common.parser("what calls cost beside their runs")
    parser.add_argument("--calls", type=int, default=2_000, help="calls in a batch (2,000)")
    options = parser.parse_args()
    imports, firsts = fresh(options.engine, options.repeats)
    started = {"import": statistics.median(imports), "first": statistics.median(firsts)}
    rows = warm(options.engine, options.repeats, options.calls)
    print(
        common.table(
            ("ms", "median", "limit"),
            [(name, f"{value:.1f}", f"{LIMITS[name]:.0f}") for name, value in started.items()],
        )
    )
    print()
    print(
        common.table(
            ("us", "call", "run", "beyond", "limit"),
            [
                (
                    row["what"],
                    f"{row['call']:.1f}",
                    f"{row['run']:.1f}",
                    f"{row['beyond']:.1f}",
                    f"{LIMITS['beyond']:.0f}",
                )
                for row in rows
            ],
        )
    )
    common.save(
        "calls-overhead",
        options.engine,
        repeats=options.repeats,
        calls=options.calls,
        milliseconds={"import": imports, "first": firsts},
        limits=LIMITS,
        rows=rows,
    )


if __name__ == "__main__":
    main()
