"""The time of a gradient over its memory, and over the distance of states: what a budget and a segment cost.

What is measured, in CPU time, of the gradients of Lorenz's system by Euler's method (`lorenz`) and by that
of Runge and Kutta (`rk4`), Python functions:
- first: the first such gradient of a process, after a short one that had what is hot translated, per
  iteration and relative to the smallest memory; each in processes of its own, the memories in turn;
- warm:  later ones in one process, the memories in turn;
- segments: the gradient with states at even distances, a tape from each; per iteration, and the time that a
  segment takes beyond its iterations: the difference to states further apart.
Each figure is a median.

Reproduce (Linux, with a C compiler):

    python -m experiments.speed.budgets --engine c
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from checkpoint import engines
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import (
    Actions,
    ActionsInSeries,
    Keep,
    Restore,
    Reverse,
    Schedule,
    Stride,
    Tape,
    Unwind,
)
from checkpoint.driver.series import one_by_one
from experiments import common
from experiments.speed.rows import steps_of_one
from experiments.speed.subjects import Subject, subject

MEMORIES = ("4MiB", "16MiB", "64MiB", "256MiB", "1GiB")
SIZES = {"lorenz": 10_000_000, "rk4": 1_000_000}
DISTANCES = (500, 2_000, 10_000)  # iterations
WARM = 200_000  # iterations of what has all translated
UNBOUNDED = 2**62  # bytes


@dataclass(frozen=True)
class Uniform:
    """States at even distances, a tape from each; the length of the run need not be known."""

    steps: int

    def actions(self) -> Actions:
        return one_by_one(self.in_series())

    def in_series(self) -> ActionsInSeries:
        start = report = yield Keep()
        while not report.finished:
            report = yield Stride(self.steps, 64, UNBOUNDED, UNBOUNDED)
        kept = range(start.step + self.steps, report.step, self.steps)
        yield Unwind(tuple(reversed(kept)), None, UNBOUNDED, UNBOUNDED)
        yield Restore(start.step)
        yield Tape(kept[0] if kept else None)
        yield Reverse()


@dataclass(frozen=True)
class Singly:
    """The same actions, each asked for by itself."""

    steps: int

    def actions(self) -> Actions:
        return Uniform(self.steps).actions()


def entered(program: str, size: int, engine: Engine) -> Subject:
    """Return a program that is ready to be differentiated, and translated."""
    warm = subject(program, "python", min(size, WARM), engine)
    warm.gradient(Budget("1MiB"))
    warm.gradient(Budget("1MiB"))
    return subject(program, "python", size, engine)


def nanoseconds(chosen: Subject, schedule: Schedule, size: int) -> float:
    """Return the time of one gradient, per iteration."""
    return 1e9 * common.seconds(lambda: chosen.gradient(schedule)) / size


def in_turn(chosen: Subject, schedules: Sequence[Schedule], size: int, repeats: int) -> list[float]:
    """Return the median time of each schedule, per iteration, after one round that does not count."""
    rounds = [[nanoseconds(chosen, each, size) for each in schedules] for _ in range(repeats + 1)]
    return [median(times) for times in zip(*rounds[1:], strict=True)]


def first_in_process(program: str, memory: str, size: int, engine: str) -> float:
    """Return the time of the first gradient of a new process, per iteration."""
    command = [
        sys.executable,
        "-m",
        "experiments.speed.budgets",
        "--engine",
        engine,
        "--first",
        program,
        memory,
    ]
    done = subprocess.run(
        [*command, "--size", str(size)], capture_output=True, text=True, check=True, cwd=common.HERE.parent
    )
    return float(done.stdout)


def over_memory(program: str, size: int, engine: Engine, repeats: int) -> list[dict[str, Any]]:
    """Return a row for each memory."""
    rounds = [
        [first_in_process(program, memory, size, engine.name) for memory in MEMORIES] for _ in range(repeats)
    ]
    first = [median(times) for times in zip(*rounds, strict=True)]
    warm = in_turn(entered(program, size, engine), [Budget(memory) for memory in MEMORIES], size, repeats)
    return [
        {
            "program": program,
            "memory": memory,
            "first": a,
            "x": a / first[0],
            "warm": b,
            "x warm": b / warm[0],
        }
        for memory, a, b in zip(MEMORIES, first, warm, strict=True)
    ]


def over_distance(size: int, engine: Engine, repeats: int) -> list[dict[str, Any]]:
    """Return a row for each distance of states: time per iteration, and microseconds for a segment."""

    def of(length: int) -> Subject:
        return subject("lorenz", "python", length, engine)

    one, chosen = steps_of_one(of), entered("lorenz", size, engine)
    kinds: tuple[Any, ...] = (Uniform, Singly)
    times = in_turn(chosen, [kind(one * distance) for distance in DISTANCES for kind in kinds], size, repeats)
    base = min(times)
    return [
        {
            "distance": distance,
            "in series": times[2 * i],
            "us": (times[2 * i] - base) * distance / 1e3,
            "singly": times[2 * i + 1],
            "us singly": (times[2 * i + 1] - base) * distance / 1e3,
        }
        for i, distance in enumerate(DISTANCES)
    ]


def shown(rows: list[dict[str, Any]]) -> str:
    """Return rows as a table."""
    header = list(rows[0])
    cells = [
        [f"{value:.2f}" if isinstance(value, float) else str(value) for value in row.values()] for row in rows
    ]
    return common.table(header, cells)


def main() -> None:
    parser = common.parser("the time of a gradient over its memory and over the distance of states")
    parser.add_argument("--first", nargs=2, metavar=("PROGRAM", "MEMORY"), help=argparse.SUPPRESS)
    parser.add_argument("--size", type=common.natural, help="iterations, for all programs")
    options = common.keepable(parser).parse_args()
    os.environ.setdefault("CHECKPOINT_JIT", "wait")
    engine = engines.get(options.engine)
    if options.first:
        program, memory = options.first
        print(nanoseconds(entered(program, options.size, engine), Budget(memory), options.size))
        return
    sizes = {program: options.size or size for program, size in SIZES.items()}
    rows = [
        row for program, size in sizes.items() for row in over_memory(program, size, engine, options.repeats)
    ]
    print(shown(rows))
    segments = over_distance(sizes["rk4"], engine, options.repeats)
    print("\n" + shown(segments))
    if options.keep:
        common.save("speed-budgets", engine.name, repeats=options.repeats, rows=rows, segments=segments)


if __name__ == "__main__":
    main()
