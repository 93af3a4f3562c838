"""Print how far gradients make the process grow where memory is free that other uses have left.

Run it by `python -m tests.driver.kept_pages`, in a process of its own: what others have allocated and freed
is no part of it. It prints the MiB that the process kept of tapes, those by which a gradient of large arrays
makes it grow then, the kept ones included, and those by which a large tape does that follows many arrays.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

import checkpoint
from checkpoint.ctarget.library import runtime
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import ActionsInSeries, Advance, Drop, Keep, Restore, Reverse, Tape
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


def long_behind_many(x: float) -> Any:
    """Hold 48 MiB in arrays that malloc has room for, which are free when the loop begins."""
    many = []
    for _ in range(768):
        many.append(np.ones(8192))
    last = np.ones(8192)
    many.clear()
    for _ in range(1_200_000):
        x = x * 0.999 + 0.01 / x
    return x * last[0]


peaks: list[int] = []  # of the process, when OneTape has taped


class OneTape(Budget):
    """A budget that tapes all behind a step at once."""

    def in_series(self) -> ActionsInSeries:
        yield Keep()
        behind = (yield Advance(20_000)).step
        yield Keep()
        yield Tape(None, MEMORY // 2)
        peaks.append(peak())
        yield Reverse()
        yield Drop(behind)
        yield Restore(0)
        yield Tape(behind)
        yield Reverse()


def grown_behind_many() -> int:
    before = fresh_peak() - int(runtime().lib.ck_pages_kept())
    checkpoint.vjp(long_behind_many, 1.5, engine="c", schedule=OneTape(MEMORY))
    return peaks[0] - before


def main() -> None:
    behind_many = grown_behind_many()
    small = checkpoint.grad(large, engine="c", memory=MEMORY)
    small(np.ones(8))
    checkpoint.grad(long, engine="c", schedule="plain")(1.5)
    gc.collect()
    x = np.ones(SIZE)
    kept = int(runtime().lib.ck_pages_kept())
    before = fresh_peak() - kept
    small(x)
    print(kept >> 20, (peak() - before) >> 20, behind_many >> 20)


if __name__ == "__main__":
    main()
