"""Print how far a gradient of large arrays makes the process grow, where tapes have left pages that it keeps.

Run it by `python -m tests.driver.kept_pages`, in a process of its own: what others have allocated and freed
is no part of it. It prints the MiB that the process kept, and those by which it grew, the kept ones included.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

import checkpoint
from checkpoint.ctarget.library import runtime
from experiments.common import fresh_peak, peak

MEMORY = 80 * 2**20
SIZE = 2**20  # elements: 8 MiB


def long(x: float) -> float:
    for _ in range(2_000_000):
        x = x * 0.999 + 0.01 / x
    return x


def large(x: Any) -> Any:
    kept = [x * (i + 1.0) for i in range(4)]
    total = 0.0 * x
    for each in kept:
        total = total + each
    return np.sum(total)


def main() -> None:
    small = checkpoint.grad(large, engine="c", memory=MEMORY)
    small(np.ones(8))
    checkpoint.grad(long, engine="c", schedule="plain")(1.5)
    gc.collect()
    x = np.ones(SIZE)
    kept = int(runtime().lib.ck_pages_kept())
    before = fresh_peak() - kept
    small(x)
    print(kept >> 20, (peak() - before) >> 20)


if __name__ == "__main__":
    main()
