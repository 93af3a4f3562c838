"""The paper's benchmark on an engine, beside the same on an array in C by hand.

What is measured, in CPU seconds: value and gradient of experiments/programs/paper-run.vlad, whose vector is a
list, by bisection down to `base` steps; and of by_hand_paper.c by bisection down to as many turns as that is
(n, l, phi as in the paper; C is compiled with the engines' rounding): the first call, with its translation,
and the median of the next ones.
What is required: value and gradient of both agree to 1e-8 of the greatest coordinate.

Reproduce (Linux or macOS, with a C compiler; a minute on engine c):

    python -m experiments.speed.paper --engine c
"""

from __future__ import annotations

import ctypes
import io
import os
import statistics
import sys
from dataclasses import asdict, dataclass
from typing import Any

from checkpoint import engines
from checkpoint.driver.schedule import Bisection
from experiments import common
from experiments.speed.by_hand import library

PROGRAM = '(include "programs/paper-run.vlad") (cons run x)'
RELATIVE = 1e-8  # the orders of addition differ, over some 10,000 turns


@dataclass(frozen=True)
class Size:
    """n, l and phi as in the paper; base: how many steps are taped at once."""

    n: int
    l: int  # noqa: E741  (the paper's name)
    phi: int
    base: int


def in_lists(size: Size, engine_name: str, repeats: int) -> tuple[common.Reversal, list[float]]:
    """Return the reversal on an engine, and the seconds of its calls."""
    engine = engines.get(engine_name)
    sys.stdin = io.StringIO(f"{size.n} {size.l} {size.phi}\n")
    program = common.value_of(PROGRAM, engine)
    swept: Any = None

    def action() -> None:
        nonlocal swept
        swept = common.reverse(program.car, program.cdr, engine, Bisection(size.base))

    times = [common.seconds(action) for _ in range(1 + repeats)]
    return swept, times


def by_hand(size: Size, steps: int, repeats: int) -> tuple[float, list[float], list[float], int]:
    """Return value, gradient and seconds in C, and how many turns its tape has. steps: the engine's."""
    functions = library(fused=False)
    functions.paper_turns.restype = ctypes.c_int64
    turns = functions.paper_turns(ctypes.c_int64(size.l), ctypes.c_int64(size.phi))
    taped = max(1, size.base * turns // steps)
    n = size.n
    x, g = ((ctypes.c_double * n)(*[float(n - i) for i in range(n)]) for _ in range(2))
    functions.paper_bisection.restype = ctypes.c_double
    value = 0.0

    def action() -> None:
        nonlocal value
        counts = (ctypes.c_int64(n), ctypes.c_int64(turns))
        value = functions.paper_bisection(*counts, x, g, ctypes.c_int64(taped))

    times = [common.seconds(action) for _ in range(1 + repeats)]
    return value, list(g), times, taped


def main() -> None:
    parser = common.keepable(common.parser("the paper's benchmark beside C by hand"))
    parser.add_argument("--n", type=common.natural, default=1_000)
    parser.add_argument("--l", type=common.natural, default=811)
    parser.add_argument("--phi", type=common.natural, default=3)
    parser.add_argument("--base", type=common.natural, default=1_000_000, help="steps that are taped at once")
    options = parser.parse_args()
    os.environ.setdefault("CHECKPOINT_JIT", "wait")
    size = Size(options.n, options.l, options.phi, options.base)
    swept, times = in_lists(size, options.engine, options.repeats)
    value, expected, times_c, taped = by_hand(size, swept.steps, options.repeats)
    allowed = RELATIVE * max(map(abs, expected))
    found = common.items(swept.gradient)
    right = all(abs(a - b) <= allowed for a, b in zip(found, expected, strict=True))
    right = right and abs(swept.value - value) <= RELATIVE * value
    first, seconds, c = times[0], statistics.median(times[1:]), statistics.median(times_c[1:])
    print(f"{swept.steps:,} steps, {swept.counts.most_kept} capsules; the tape in C has {taped} turns")
    print(f"engine {options.engine}: first {first:.2f} s, then {seconds:.2f} s, C {c:.3f} s; {right=}")
    print(f"{first / c:.1f} and {seconds / c:.1f} times as long as C")
    if options.keep:
        measured = {"steps": swept.steps, "first": first, "seconds": seconds, "C": c, "right": right}
        common.save("speed-paper", options.engine, **asdict(size), repeats=options.repeats, **measured)


if __name__ == "__main__":
    main()
