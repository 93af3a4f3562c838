"""An engine beside hand-written C: ratios of the time for one iteration, in one run on one pinned core.

What is measured, for the programs of subjects.py as text and as Python functions, in CPU time:
- forward:   the run without derivatives;
- segment:   the gradient by one tape of the whole run, forward and reversal together;
- bisection: the gradient by divide and conquer, beside C with a checkpoint every 10,000 iterations; what
             C takes that divides and conquers, too, stands below the table;
- again:     the gradient by a run without a tape, and one on it in two halves, beside C that runs forward
             once and then stores all.
C is compiled twice, with the engines' rounding (`C`) and with fused multiply-adds (`FMA`); `x C` and `x FMA`
are the ratios. Each figure is the median of several calls. Memory is measured in processes of their own:
see memory.py. Of operations on arrays it is the time beyond NumPy's own (experiments/arrays/overhead.py).

`limit` is what is required of engine c: of a ratio, or in the unit of the row. Engines in Python run
smaller sizes, which change little of a time per iteration; their measurements are for comparison.

Reproduce (Linux, with a C compiler):

    python -m experiments.speed.run --engine c
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection
from experiments import common
from experiments.speed import memory
from experiments.speed.by_hand import ByHand, nanoseconds, room
from experiments.speed.subjects import LANGUAGES, POINT, Subject, X, subject

RELATIVE = 1e-9
# Required of engine c, as ratios to C: (program, what).
LIMITS = {
    ("lorenz", "forward"): 10.0,
    ("lorenz", "segment"): 12.0,
    ("lorenz", "bisection"): 30.0,
    ("deep", "forward"): 5.0,
    ("deep", "again"): 8.0,
}
MAPPED_LIMIT = 160.0  # ns an iteration
LORENZ_MB, DEEP_MB, CAPSULES_TIMES, ARRAY_US = 12.0, 64.0, 2.0, 1.0


@dataclass(frozen=True)
class Sizes:
    """How many iterations each measurement has; base: of bisection, in steps."""

    forward: int = 1_000_000
    segment: int = 100_000
    bisection: int = 10_000_000
    depth: int = 1_000_000
    mapped: int = 200_000
    base: int = 1_000_000
    capsules: int = 1_000
    turns: int = 300


FULL = Sizes()
SMALL = Sizes(2_000, 1_000, 4_000, 20_000, 500, 20_000, 1_000, 100)


def measurements(
    program: str, language: str, sizes: Sizes, engine: Engine
) -> Iterator[tuple[str, int, Callable[[], Any]]]:
    """What is done with a program: its name, the iterations, and what returns value and gradient."""

    def forward(chosen: Subject) -> Callable[[], Any]:
        return lambda: (chosen.forward().value, [])

    if program == "lorenz":
        yield "forward", sizes.forward, forward(subject(program, language, sizes.forward, engine))
        yield "segment", sizes.segment, subject(program, language, sizes.segment, engine).segment
        long = subject(program, language, sizes.bisection, engine)
        yield "bisection", sizes.bisection, lambda: long.gradient(Bisection(base=sizes.base))
    elif program == "deep":
        chosen = subject(program, language, sizes.depth, engine)
        yield "forward", sizes.depth, forward(chosen)
        yield "segment", sizes.depth, chosen.segment
        halves = Bisection(base=(chosen.forward().steps + 1) // 2)
        yield "again", sizes.depth, lambda: chosen.gradient(halves)
    else:
        yield "forward", sizes.mapped, forward(subject(program, language, sizes.mapped, engine))


def in_c(program: str, what: str, hand: ByHand, size: int) -> Callable[[], tuple[float, list[float]]]:
    """The same by hand."""
    if program == "mapped":
        return lambda: hand.mapped(size, POINT)
    if what == "forward":
        return lambda: hand.lorenz(size, POINT) if program == "lorenz" else hand.deep(size, X)
    if what == "bisection":
        return lambda: hand.lorenz_checkpoints(size, POINT)
    stored = room(3 * size if program == "lorenz" else size)
    if program == "lorenz":
        return lambda: hand.lorenz_stored(size, POINT, stored)
    if what == "segment":
        return lambda: hand.deep_gradient(size, X, stored)
    return lambda: (hand.deep(size, X), hand.deep_gradient(size, X, stored))[1]


def size_in_c(program: str, what: str) -> int:
    """C always runs the full size: a small one would be too short to be timed."""
    if program == "mapped":
        return FULL.mapped
    if program == "deep":
        return FULL.depth
    return {"forward": FULL.forward, "segment": FULL.segment, "bisection": FULL.bisection}[what]


def is_right(found: tuple[float, list[float]], expected: tuple[float, list[float]]) -> bool:
    """Whether value and gradient are those of C, whose sums are in another order."""
    pairs = zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True)
    return all(abs(a - b) <= RELATIVE * max(abs(b), 1.0) for a, b in pairs)


def rows_of(
    program: str, language: str, sizes: Sizes, engine: Engine, repeats: int
) -> Iterator[dict[str, Any]]:
    """The rows of one program."""
    exact, fused = ByHand(), ByHand(fused=True)
    for what, size, action in measurements(program, language, sizes, engine):
        right = is_right(action(), in_c(program, what, exact, size)())
        by_hand = size_in_c(program, what)
        c, fma = (
            nanoseconds(in_c(program, what, hand, by_hand), by_hand, repeats) for hand in (exact, fused)
        )
        ns = nanoseconds(action, size, repeats)
        limit = MAPPED_LIMIT / c if program == "mapped" else LIMITS.get((program, what))
        row = {"program": program, "language": language, "what": what, "n": size, "right": right}
        yield {**row, "ns": ns, "C": c, "FMA": fma, "x C": ns / c, "x FMA": ns / fma, "limit": limit}


def others(sizes: Sizes, engine: str, repeats: int) -> Iterator[dict[str, Any]]:
    """What is no ratio to C: memory, capsules, arrays."""
    for what, size, limit in (("lorenz", sizes.bisection, LORENZ_MB), ("deep", sizes.depth, DEEP_MB)):
        # Deep: as `again` of the times, which is in two halves; its steps are at most 16 a level.
        base = sizes.base if what == "lorenz" else 8 * size
        found = memory.in_new_process(what, size, base, engine)
        yield {"what": f"gradient of {what}, n = {size:,}, MB", "found": found / 1e6, "limit": limit}
    one, many = (memory.in_new_process("capsules", count, 0, engine) for count in (1, sizes.capsules))
    yield {
        "what": f"memory of {sizes.capsules:,} capsules / of one",
        "found": many / one,
        "limit": CAPSULES_TIMES,
    }
    yield from arrays(sizes.turns, engine, repeats)


def arrays(turns: int, engine: str, repeats: int) -> Iterator[dict[str, Any]]:
    """The most that an operation on arrays takes beyond NumPy's own time."""
    from experiments.arrays import overhead  # noqa: PLC0415  (the rest needs no NumPy)

    with tempfile.TemporaryDirectory() as folder:
        found = [
            overhead.measured(operation, turns, engine, repeats, Path(folder))
            for operation in overhead.OPERATIONS
        ]
    worst = max(found, key=lambda row: float(row["forward"]))
    what = f"array operation beyond NumPy, us: {worst['operation']}"
    yield {"what": what, "found": worst["forward"], "limit": ARRAY_US}


def pin() -> None:
    """Stay on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    limit = "" if row["limit"] is None else f"{row['limit']:.1f}"
    return (
        f"{row['program']} {row['language']} {row['what']}",
        *(f"{row[name]:.1f}" for name in ("ns", "C", "FMA", "x C", "x FMA")),
        limit,
        "yes" if row["right"] else "NO",
    )


def main() -> None:
    parser = common.parser("an engine beside hand-written C")
    parser.add_argument("--only", default="", help="only the program of this name")
    parser.add_argument("--small", action="store_true", help="sizes for an engine in Python")
    options = parser.parse_args()
    pin()
    engine = engines.get(options.engine)
    sizes = FULL if engine.name == "c" and not options.small else SMALL
    programs = [name for name in ("lorenz", "deep", "mapped") if options.only in name]
    rows = [
        row
        for program in programs
        for language in LANGUAGES
        for row in rows_of(program, language, sizes, engine, options.repeats)
    ]
    print(
        common.table(
            ("ns/iteration", "engine", "C", "FMA", "x C", "x FMA", "limit", "right"), [_line(r) for r in rows]
        )
    )
    bisection = ByHand()
    ns = nanoseconds(
        lambda: bisection.lorenz_bisection(FULL.bisection, POINT), FULL.bisection, options.repeats
    )
    print(f"\nbisection of lorenz by hand: {ns:.1f} ns/iteration")
    if options.only:
        return
    more = list(others(sizes, engine.name, options.repeats))
    cells = [(row["what"], f"{row['found']:.2f}", f"{row['limit']:.1f}") for row in more]
    print("\n" + common.table(("", "found", "limit"), cells))
    common.save("speed-by-hand", engine.name, repeats=options.repeats, rows=rows, others=more, bisection=ns)


if __name__ == "__main__":
    main()
