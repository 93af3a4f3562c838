"""An engine beside hand-written C: ratios of the time for one iteration, in one run on one pinned core.

What is measured, for the programs of subjects.py as text and as Python functions, in CPU time:
- forward:   the run without derivatives, its steps counted;
- segment:   the gradient by one tape of the whole run, forward and reversal, beside C that stores all;
- gradient:  the gradient as it is taken unless something else is asked for, in 64 MB, beside C with a
             checkpoint every 10,000 iterations (of the nested loops: every 10,000 steps, online);
- bisection: the gradient by divide and conquer down to 1,000 iterations, beside C that does the same;
- again:     the gradient by a run without a tape, and one on it in two halves, beside C that runs forward
             once and then stores all.
C is compiled twice, with the engines' rounding (`C`) and with fused multiply-adds (`FMA`); `x C` and `x FMA`
are the ratios. Each figure is the median of several calls, after some that are not counted, in which what is
hot is translated (CHECKPOINT_JIT=wait, unless the environment says something else). Memory is measured in
processes of their own: see memory.py; what translation takes: compiling.py. Of operations on arrays it is the
time beyond NumPy's own (experiments/arrays/overhead.py).

`limit` is what is required of engine c, `goal` what is aimed at: ratios to C unless a unit is named. Engines
in Python run smaller sizes, which change little of a time per iteration; their measurements are for
comparison.

Reproduce (Linux, with a C compiler):

    python -m experiments.speed.run --engine c
    python -m experiments.speed.run --engine c --language vlad --only rk4
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.driver.engine import Engine
from experiments import common
from experiments.speed import memory
from experiments.speed.by_hand import ByHand, nanoseconds
from experiments.speed.rows import (
    FULL,
    LIMITS,
    PROGRAMS,
    SMALL,
    WHATS,
    Measurement,
    Sizes,
    in_c,
    is_right,
    measurements,
    sizes_in_c,
)
from experiments.speed.subjects import LANGUAGES

WARM = 2  # calls that are not counted, besides the one whose outcome is looked at


def row_of(measured: Measurement, language: str, repeats: int) -> dict[str, Any]:
    """Return one row: whether the outcome is right, and the times."""
    program, what, size = measured.program, measured.what, measured.size
    right = is_right(measured.action(), in_c(program, what, ByHand(), size)())
    size_c, times, iterations = sizes_in_c(program, what)
    c, fma = (
        nanoseconds(in_c(program, what, hand, size_c, times), iterations, repeats)
        for hand in (ByHand(), ByHand(fused=True))
    )
    ns = nanoseconds(measured.action, measured.iterations, repeats, WARM)
    asked = LIMITS.get((program, what))
    return {
        "program": program,
        "language": language,
        "what": what,
        "n": size,
        "right": right,
        "ns": ns,
        "C": c,
        "FMA": fma,
        "x C": ns / c,
        "x FMA": ns / fma,
        "limit": asked and asked.limit,
        "goal": asked and asked.goal,
        "unit": asked and asked.unit,
    }


def rows_of(
    sizes: Sizes, engine: Engine, languages: tuple[str, ...], only: str, repeats: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows whose names contain `only`."""
    for program in PROGRAMS:
        for language in languages:
            if not any(only in _name(program, language, what) for what in WHATS[program]):
                continue
            for measured in measurements(program, language, sizes, engine):
                if only in _name(program, language, measured.what):
                    yield row_of(measured, language, repeats)


def _name(program: str, language: str, what: str) -> str:
    return f"{program} {language} {what}"


def others(
    sizes: Sizes, engine: str, repeats: int
) -> Iterator[tuple[str, Callable[[], float], float, float]]:
    """Yield the rows that are no ratio to C: name, measurement, limit, goal."""

    def megabytes(what: str, size: int, base: int) -> Callable[[], float]:
        return lambda: memory.in_new_process(what, size, base, engine) / 1e6

    def times() -> float:
        one, many = (memory.in_new_process("capsules", count, 0, engine) for count in (1, sizes.capsules))
        return many / one

    n, depth = sizes.gradient, sizes.depth
    yield f"gradient of lorenz, n = {n:,}, in 64 MB: MB", megabytes("budget", n, 0), 64.0, 64.0
    yield f"gradient of lorenz, n = {n:,}, by bisection: MB", megabytes("lorenz", n, 1_000_000), 12.0, 12.0
    # As `again` of the times, which is in two halves; its steps are at most 16 a level.
    yield f"gradient of deep, n = {depth:,}: MB", megabytes("deep", depth, 8 * depth), 64.0, 30.0
    yield f"memory of {sizes.capsules:,} capsules / of one", times, 2.0, 2.0
    worst = "array operation beyond NumPy, the slowest: us"
    yield worst, lambda: arrays(sizes.turns, engine, repeats), 1.0, 1.0


def arrays(turns: int, engine: str, repeats: int) -> float:
    """Return the most microseconds that an operation on arrays takes beyond NumPy's own time."""
    from experiments.arrays import overhead  # noqa: PLC0415  (the rest needs no NumPy)

    with tempfile.TemporaryDirectory() as folder:
        found = [
            overhead.measured(operation, turns, engine, repeats, Path(folder))
            for operation in overhead.OPERATIONS
        ]
    return max(float(row["forward"]) for row in found)


def pin() -> None:
    """Pin the process to one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    unit = " ns" if row["unit"] == "ns" else ""
    return (
        _name(row["program"], row["language"], row["what"]),
        *(f"{row[name]:.2f}" for name in ("ns", "C", "FMA", "x C", "x FMA")),
        *("" if row[name] is None else f"{row[name]:.1f}{unit}" for name in ("limit", "goal")),
        "" if row["limit"] is None else "yes" if _held(row) else "NO",
        "yes" if row["right"] else "NO",
    )


def _held(row: dict[str, Any]) -> bool:
    return bool(row["ns" if row["unit"] == "ns" else "x C"] <= row["limit"])


HEADER = ("ns/iteration", "engine", "C", "FMA", "x C", "x FMA", "limit", "goal", "held", "right")


def main() -> None:
    parser = common.parser("an engine beside hand-written C")
    parser.add_argument("--only", default="", help="only the rows with this in their names")
    parser.add_argument("--language", default="both", choices=[*LANGUAGES, "both"])
    parser.add_argument("--small", action="store_true", help="sizes for an engine in Python")
    options = parser.parse_args()
    pin()
    os.environ.setdefault("CHECKPOINT_JIT", "wait")
    engine = engines.get(options.engine)
    sizes = FULL if engine.name == "c" and not options.small else SMALL
    languages = LANGUAGES if options.language == "both" else (options.language,)
    rows = list(rows_of(sizes, engine, languages, options.only, options.repeats))
    if rows:
        print(common.table(HEADER, [_line(row) for row in rows]))
    more = [
        {"what": what, "found": measure(), "limit": limit, "goal": goal}
        for what, measure, limit, goal in others(sizes, engine.name, options.repeats)
        if options.only in what
    ]
    if more:
        cells = [
            (str(row["what"]), *(f"{row[name]:.2f}" for name in ("found", "limit", "goal"))) for row in more
        ]
        print("\n" + common.table(("", "found", "limit", "goal"), cells))
    if not options.only and options.language == "both":
        jit = os.environ["CHECKPOINT_JIT"]
        common.save("speed-by-hand", engine.name, repeats=options.repeats, jit=jit, rows=rows, others=more)


if __name__ == "__main__":
    main()
