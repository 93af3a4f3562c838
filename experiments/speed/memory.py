"""Measure the memory of gradients and capsules, each in a process of its own. Linux only.

What is measured, in bytes:
- lorenz, deep: the highest resident memory while the gradient is taken by bisection, beyond what the process
  held just before, when short gradients had made everything ready;
- budget: the same of lorenz by the schedule that is used unless one is chosen, in 64 MB;
- capsules: how much more memory the process holds with `count` capsules of one run in which 100,000 pairs
  stay alive than before that run.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.ad.values import Pair
from checkpoint.driver.budget import Budget
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Schedule
from experiments import common
from experiments.speed.rows import MEMORY
from experiments.speed.subjects import Subject, X, from_text, subject

PAIRS = 100_000
WHATS = ("lorenz", "deep", "budget", "capsules")
WARM = 5_000  # iterations of what makes all ready: enough for it to be translated


def gradient(program: str, size: int, schedule: Schedule, engine: Engine) -> int:
    """Return the bytes of one gradient."""
    for base in (100, 100_000):
        subject(program, "vlad", min(size, WARM), engine).gradient(Bisection(base=base))
    chosen = subject(program, "vlad", size, engine)
    gc.collect()
    before = common.fresh_peak()
    chosen.gradient(schedule)
    return common.peak() - before


def capsules(count: int, pairs: int, engine: Engine) -> int:
    """Return the bytes of one run's capsules, taken at even distances while its loop runs."""

    def alive(turns: int) -> Subject:
        return from_text("capsules", Pair(float(pairs), float(turns)), X, engine)

    built, end = (alive(turns).forward().steps for turns in (0, 2_000))
    run, effects = alive(2_000), Effects()
    gc.collect()
    before = resident()
    state, kept = run.start(), []
    for number in range(count):
        state = engine.advance(state, built + (end - built) * number // count, effects)
        kept.append(engine.capsule(state))
    gc.collect()
    return resident() - before


def resident() -> int:
    """Return the memory that the process holds now, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmRSS")))


def in_new_process(what: str, size: int, base: int, engine: str) -> int:
    """Return the bytes that one measurement finds; size: iterations, depth, or number of capsules."""
    command = [sys.executable, "-m", "experiments.speed.memory", what]
    command += ["--size", str(size), "--base", str(base), "--engine", engine]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=common.HERE.parent)
    result: int = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="the bytes of one measurement")
    parser.add_argument("what", choices=WHATS)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--base", type=int, default=1_000_000)
    parser.add_argument("--engine", required=True)
    options = parser.parse_args()
    engine: Any = engines.get(options.engine)
    if options.what == "capsules":
        print(capsules(options.size, PAIRS, engine))
    elif options.what == "budget":
        print(gradient("lorenz", options.size, Budget(MEMORY), engine))
    else:
        print(gradient(options.what, options.size, Bisection(base=options.base), engine))


if __name__ == "__main__":
    main()
