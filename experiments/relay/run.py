"""Long runs handed on to threads: wall times on 1 to 4 of them, beside what a model of their events foresees.

    python -m experiments.relay.run [--turns N] [--most N] [--keep]

Question: is the time of a gradient on p workers what its phases let one expect, and what would it be on
many? Steps wait, as for a device or another machine: so many milliseconds forward, and others in reverse.
So threads wait at the same time on any number of cores, however busy. The phases of each segment are measured
on one worker; the model (model.py) foresees the times on others from these, and on 10 to 10,000 workers those
of a run of 20,000 segments. Out: tables; with --keep experiments/results/relay-c.json.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import checkpoint
from checkpoint.prims.paused import PausedSweep
from checkpoint.workers import cuts, relay, segment
from experiments import common
from experiments.relay.model import Segment, foreseen, limit

FORWARD, REVERSE = 0.004, 0.002  # seconds that a step waits
MANY = 20_000  # segments of the run on many workers
WORKERS = (10, 100, 1_000, 10_000)


def _wait(x: float) -> float:
    time.sleep(FORWARD)
    return 0.999 * x


def _wait_pullback(ybar: float, y: float, x: float) -> tuple[float]:
    time.sleep(REVERSE)
    return (0.999 * ybar,)


waits = checkpoint.primitive(_wait, vjp=_wait_pullback)


def chain(x: float, turns: int) -> float:
    """Return a number after many steps that wait."""
    for _ in range(turns):
        x = waits(x)
    return x


@dataclass
class Phases:
    """Seconds of a gradient.

    first: of its first pass. segments: in which each is taped, and reversed, from the last one on.
    """

    first: float = 0.0
    segments: list[tuple[float, float]] = field(default_factory=list)

    def costs(self) -> list[Segment]:
        """Return the segments of the run; the first one, which is not measured, as the others' mean."""
        tape, reverse = (statistics.mean(each[i] for each in self.segments) for i in (0, 1))
        run = self.first / (len(self.segments) + 1)
        return [Segment(run, tape, reverse), *(Segment(run, *each) for each in reversed(self.segments))]


@contextmanager
def phases() -> Iterator[Phases]:
    """Measure the phases of a gradient within a `with`."""
    found = Phases()

    class TimedCuts(cuts.Cuts):
        def run(self, *given: Any) -> Any:
            began = time.perf_counter()
            end = super().run(*given)
            found.first = time.perf_counter() - began
            return end

    class TimedSweep(PausedSweep):
        __slots__ = ("_taped",)

        def __init__(self, *given: Any) -> None:
            began = time.perf_counter()
            super().__init__(*given)
            self._taped = time.perf_counter() - began

        def reverse(self, is_last: bool = False) -> Any:
            began = time.perf_counter()
            cotangent = super().reverse(is_last)
            found.segments.append((self._taped, time.perf_counter() - began))
            return cotangent

    with replaced(relay, "Cuts", TimedCuts), replaced(segment, "PausedSweep", TimedSweep):
        yield found


@contextmanager
def replaced(module: Any, name: str, by: Any) -> Iterator[None]:
    """Have a name of a module stand for something else within a `with`."""
    before = getattr(module, name)
    setattr(module, name, by)
    try:
        yield
    finally:
        setattr(module, name, before)


def measured(turns: int, workers: int) -> tuple[float, float, Phases]:
    """Return a gradient, the seconds that it took on so many threads, and its phases."""
    gradient = checkpoint.grad(chain, workers=workers)
    with phases() as found:
        began = time.perf_counter()
        value = gradient(1.0, turns)
        return value, time.perf_counter() - began, found


def table(turns: int, most: int, repeats: int) -> list[dict[str, Any]]:
    """Return what was measured on 1 to `most` workers, and what was foreseen."""
    expected = checkpoint.grad(chain)(1.0, turns)
    segments = measured(turns, 1)[2].costs()
    rows = []
    for workers in range(1, most + 1):
        runs = [measured(turns, workers) for _ in range(repeats)]
        assert all(value == expected for value, _, _ in runs), "the bits differ"
        seconds = statistics.median(took for _, took, _ in runs)
        model = foreseen(segments, workers)
        rows.append(
            {
                "workers": workers,
                "seconds": seconds,
                "foreseen": model.seconds,
                "limit": limit(segments, workers),
                "segments": len(segments),
            }
        )
    return rows


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--turns", type=common.natural, default=300, help="steps that wait (300)")
    options.add_argument("--most", type=common.natural, default=4, help="workers (1 to 4)")
    chosen = options.parse_args()
    rows = table(chosen.turns, chosen.most, chosen.repeats)
    head = ("workers", "s", "foreseen", "limit")
    lines = [
        [str(row["workers"]), *(f"{row[name]:.2f}" for name in ("seconds", "foreseen", "limit"))]
        for row in rows
    ]
    print(f"{rows[0]['segments']} segments of about {cuts.SECONDS} s")
    print(common.table(head, lines))
    each = Segment(0.02, 0.02, 0.01, 10**6, 10**8)
    many = [{"workers": workers, **vars(foreseen([each] * MANY, workers, 0.002))} for workers in WORKERS]
    lines = [
        [
            f"{row['workers']:,}",
            f"{row['seconds']:.0f}",
            f"{row['states'] / 1e9:.0f}",
            f"{row['tapes'] / 1e9:.0f}",
        ]
        for row in many
    ]
    print(common.table(("workers", "s", "GB of states", "GB of tapes"), lines))
    if chosen.keep:
        common.save("relay", "c", turns=chosen.turns, rows=rows, many=many)


if __name__ == "__main__":
    main()
