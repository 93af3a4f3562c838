"""The gradient that is killed and measured, and a process that takes it with a journal.

In: a directory, or "" for no journal; a number of turns; the memory. Out, a line each: what a kill would lose
now, as `Progress` says it, ten times a second; at the end the result.
"""

from __future__ import annotations

import sys

import checkpoint
from checkpoint import Progress

MEMORY = "64MiB"


def lorenz(sigma: float, rho: float, turns: int) -> float:
    x, y, z = 1.0, 1.0, 1.0
    for _ in range(turns):
        dx = sigma * (y - x)
        dy = x * (rho - z) - y
        dz = x * y - 2.6666666666666665 * z
        x = x + 0.000001 * dx
        y = y + 0.000001 * dy
        z = z + 0.000001 * dz
    return x * x + y * y + z * z


def gradient(journal: str | None, turns: int, memory: str = MEMORY, told: bool = False) -> object:
    """Return the value and the gradient; told: print how much a kill would lose."""

    def tell(progress: Progress) -> None:
        print(f"{progress.phase} {progress.step} {progress.unsaved:.3f}", flush=True)

    f = checkpoint.value_and_grad(
        lorenz, argnums=(0, 1), memory=memory, journal=journal, progress=tell if told else False
    )
    return f(10.0, 28.0, turns)


if __name__ == "__main__":
    print("result", gradient(sys.argv[1], int(sys.argv[2]), told=True), flush=True)
