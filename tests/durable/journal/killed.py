"""A process that takes a gradient with a journal, to be killed: prints the result when it has one.

In: a directory, an engine, and how many seconds lie between durable points at least.
"""

from __future__ import annotations

import math
import sys

import checkpoint
from checkpoint.durable.journal import pace


def swing(x: float, angle: float) -> float:
    v = 0.0
    for i in range(400_000):
        v -= 0.001 * math.sin(angle) * x
        angle += 0.001 * v
        if i % 100_000 == 0:
            print(f"after {i}")
    return 0.5 * v * v - math.cos(angle)


def main(folder: str, engine: str, seconds: str) -> None:
    pace.SECONDS = float(seconds)
    pace.SHARE = 1.0
    journal = folder or None
    f = checkpoint.value_and_grad(swing, argnums=(0, 1), engine=engine, memory="1MiB", journal=journal)
    found = f(1.5, 0.7)
    print(f"result {found!r}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
