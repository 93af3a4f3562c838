"""A process that hands a gradient with a journal on to others, to be killed: prints the result if it has one.

In: a directory.
"""

from __future__ import annotations

import math
import sys

import checkpoint
from checkpoint.durable.journal import pace
from checkpoint.workers import Processes

TURNS = 16_000


def swing(x: float, angle: float, turns: int) -> float:
    v = 0.0
    for i in range(turns):
        v -= 0.001 * math.sin(angle) * x
        angle += 0.001 * v
        if i % 4_000 == 0:
            print(f"after {i}")
    return 0.5 * v * v - math.cos(angle)


def main(folder: str) -> None:
    pace.SECONDS = 0.05
    pace.SHARE = 1.0
    print("begun", flush=True)
    with Processes(2) as workers:
        f = checkpoint.value_and_grad(swing, engine="hybrid", memory="4MiB", journal=folder, workers=workers)
        print(f"result {f(1.5, 0.7, TURNS)!r}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
