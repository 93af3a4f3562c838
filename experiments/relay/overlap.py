"""Long runs handed on to two threads, beside the default on one core, and the least that their phases allow.

    OPENBLAS_NUM_THREADS=1 python -m experiments.relay.overlap [--only TEXT] [--scale N] [--keep]

Question: how much faster is a gradient whose segments are taped ahead on a second core? A loop over three
numbers, and layers of a network with one thread of a BLAS; default and threads take turns, and give the same
bits. F, T, R are the seconds of the first pass, of taping and of reversing, in the same runs on threads; no
overlap of these takes less than F + max(R, (T + R) / 2), the limit. Times are medians. Wall times mean
something on two cores without other load alone; CPU times nearly always. --scale divides the turns. Out: a
table; with --keep experiments/results/relay-overlap-c.json.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import checkpoint
from checkpoint.workers import Threads, Workers
from experiments import common
from experiments.relay.run import Phases, phases
from experiments.speed.subjects import lorenz

WORKERS = 2
SIZE = 300  # rows and columns of a layer


def layers(h: Any, w: Any, count: int) -> Any:
    """Return the sum of what so many layers of a network with shared weights give."""
    import numpy as np  # noqa: PLC0415  (the loop over numbers needs no NumPy)

    for _ in range(count):
        h = np.tanh(h @ w)
    return h.sum()


@dataclass(frozen=True)
class Subject:
    """A gradient. f: of `arguments` and of a number of turns. argnums: by which it is differentiated."""

    name: str
    f: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    argnums: tuple[int, ...]
    turns: int
    memory: str

    def gradient(self, workers: Workers | None) -> Callable[..., Any]:
        """Return the function that gives value and gradient."""
        options: dict[str, Any] = {"argnums": self.argnums, "memory": self.memory, "workers": workers}
        return checkpoint.value_and_grad(self.f, **options)


def numbers() -> tuple[float, ...]:
    return 0.9, 0.0, 0.5, 10.0, 28.0, 8.0 / 3.0


def matrices() -> tuple[Any, ...]:
    import numpy as np  # noqa: PLC0415  (as above)

    draws = np.random.default_rng(1)
    return draws.normal(size=(SIZE, SIZE)), draws.normal(size=(SIZE, SIZE)) / SIZE**0.5


SUBJECTS = (
    Subject("Lorenz", lorenz, numbers, (0, 3, 4, 5), 10**8, "64MiB"),
    Subject("Lorenz", lorenz, numbers, (0, 3, 4, 5), 10**8, "2GiB"),
    Subject("layers", layers, matrices, (0, 1), 400, "60MiB"),
)


@dataclass(frozen=True)
class Run:
    """One gradient. wall, busy: seconds by the clock, and of the processor."""

    bits: str
    wall: float
    busy: float
    phases: Phases


def bits_of(value: Any) -> str:
    """Return all bits of numbers and arrays in tuples."""
    if isinstance(value, tuple):
        return " ".join(map(bits_of, value))
    return float(value).hex() if isinstance(value, float) else bytes(value).hex()


def run(subject: Subject, turns: int, workers: Workers | None) -> Run:
    """Take the gradient once."""
    gradient, arguments = subject.gradient(workers), subject.arguments()
    with phases() as found:
        began, busy = time.perf_counter(), time.process_time()
        value = gradient(*arguments, turns)
        wall, busy = time.perf_counter() - began, time.process_time() - busy
    return Run(bits_of(value), wall, busy, found)


def row_of(subject: Subject, scale: int, repeats: int, threads: Workers) -> dict[str, Any]:
    """Return what was measured in runs that take turns, after a first one of each."""
    turns = max(subject.turns // scale, 1)
    alone: list[Run] = []
    handed: list[Run] = []
    for _ in range(repeats + 1):
        alone.append(run(subject, turns, None))
        handed.append(run(subject, turns, threads))
    assert len({each.bits for each in alone + handed}) == 1, "the bits differ"

    def median(runs: list[Run], of: Callable[[Run], float]) -> float:
        return statistics.median(map(of, runs[1:]))

    return {
        "program": subject.name,
        "turns": turns,
        "memory": subject.memory,
        "segments": len(handed[-1].phases.segments) + 1,
        "alone": median(alone, lambda each: each.wall),
        "alone, CPU": median(alone, lambda each: each.busy),
        "handed on": median(handed, lambda each: each.wall),
        "handed on, CPU": median(handed, lambda each: each.busy),
        "F": median(handed, lambda each: each.phases.first),
        "T": median(handed, lambda each: sum(taped for taped, _ in each.phases.segments)),
        "R": median(handed, lambda each: sum(reversal for _, reversal in each.phases.segments)),
        "limit": median(handed, _limit),
        "of the limit": median(handed, lambda each: _limit(each) / each.wall),
    }


def _limit(found: Run) -> float:
    """Return what the phases allow; the first segment, which the caller reverses, counts as nothing."""
    taping, reversal = (sum(each[i] for each in found.phases.segments) for i in (0, 1))
    return found.phases.first + max(reversal, (taping + reversal) / WORKERS)


def _line(row: dict[str, Any]) -> list[str]:
    times = ("alone", "alone, CPU", "handed on", "handed on, CPU", "F", "T", "R", "limit")
    faster, share = row["alone"] / row["handed on"], row["of the limit"]
    what = f"{row['program']}, {row['turns']:,} turns, {row['memory']}"
    return [what, *(f"{row[name]:.3f}" for name in times), f"{faster:.2f}", f"{share:.2f}"]


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--only", default="", help="subjects whose names contain this")
    options.add_argument("--scale", type=common.natural, default=1, help="so many times fewer turns")
    chosen = options.parse_args()
    subjects = [each for each in SUBJECTS if chosen.only in f"{each.name} {each.memory}"]
    if any(each.f is layers for each in subjects) and os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        raise SystemExit("set OPENBLAS_NUM_THREADS=1: else the default has all cores for its matrices")
    with Threads(WORKERS) as threads:
        rows = [row_of(each, chosen.scale, chosen.repeats, threads) for each in subjects]
    head = ("s", "alone", "CPU", "threads", "CPU", "F", "T", "R", "limit", "times as fast", "of the limit")
    print(common.table(head, [_line(row) for row in rows]))
    if chosen.keep:
        common.save("relay-overlap", "c", rows=rows)


if __name__ == "__main__":
    main()
