"""What choosing costs: a gradient within a budget beside the best fixed schedule that a search finds.

For each program of programs.py the search takes the gradient by each candidate, in a process of its own: one
tape of the whole run; Spaced and Known (fixed.py), which know the run's length beforehand and so need no
counting pass; Bisection and Binomial. Memory is measured from outside (memory.py says how), beyond the run's
own. For each budget the candidates that stay within it are compared by CPU time. The fastest few and Budget
are then measured by turns, each in a fresh process, and medians taken; `ratio` is Budget's over the best of
them. What is required is at most 1.1. Linux only.

Reproduce (a quarter of an hour):

    python -m experiments.budget.choosing --engine c
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from typing import Any

from checkpoint.driver.binomial import snapshots_for
from checkpoint.driver.memory import resolve
from experiments import common
from experiments.budget.memory import MIB, measured
from experiments.budget.programs import PROGRAMS

REQUIRED = 1.1
FINALISTS = 3
SIZES = {"lorenz": 2_000_000, "growing": 200_000, "doubling": 1 << 18, "uneven": 1_000_000, "table": 100_000}
SLOW = {"lorenz": 10_000, "growing": 5_000, "doubling": 1 << 14, "uneven": 5_000, "table": 1_000}
BUDGETS = {"c": ("8MiB", "32MiB"), "": ("2MiB", "8MiB")}
PIECES = (2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 256, 512)  # base cases of a run
REPETITIONS = (2, 3)  # of treeverse; once is Spaced
FEWER = PIECES[2::2]


def candidates(length: int) -> Iterator[list[Any]]:
    """Schedules for a run of so many steps, as memory.KINDS names them."""
    yield ["Plain"]
    for pieces in PIECES:
        yield ["Spaced", length, -(-length // pieces)]
    for pieces in FEWER:
        base = -(-length // pieces)
        for repetitions in REPETITIONS:
            snapshots = snapshots_for(length, repetitions, base)
            yield ["Known", length, snapshots, base]
        yield ["Binomial", snapshots_for(length, 1, base), base]
        yield ["Bisection", base]


def searched(program: str, size: int, engine: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The run, and each candidate with what it took; those that failed are left out, but not in silence."""
    run = measured(program, size, [], engine)
    found = []
    for spec in candidates(run["steps"]):
        row = measured(program, size, spec, engine)
        if "error" in row:
            print(f"{program}: {spec}: {row['error']}", file=sys.stderr)
            continue
        found.append({"spec": spec, "beyond": row["bytes"] - run["bytes"], "seconds": row["seconds"]})
    return run, found


def compared(
    program: str, size: int, budget: str, run: dict[str, Any], found: list[dict[str, Any]], options: Any
) -> dict[str, Any]:
    """Budget beside the best of the candidates within the same bytes."""
    bytes = resolve(budget)
    row = {"program": program, "n": size, "budget": bytes, "run": run["seconds"]}
    fitting = sorted((one for one in found if one["beyond"] <= bytes), key=lambda one: float(one["seconds"]))
    specs: list[list[Any]] = [["Budget", budget], *(one["spec"] for one in fitting[:FINALISTS])]
    times: list[list[float]] = [[] for _ in specs]
    for _ in range(options.repeats):
        for spec, mine in zip(specs, times, strict=True):
            once = measured(program, size, spec, options.engine)
            if "error" in once:
                return {**row, "error": once["error"]}
            mine.append(once["seconds"])
            if spec[0] == "Budget":
                row["beyond"] = once["bytes"] - run["bytes"]
                row["forward"] = (once["advanced"] + once["taped"]) / run["steps"]
    medians = [statistics.median(mine) for mine in times]
    if len(medians) == 1:
        return {**row, "seconds": medians[0], "error": "no fixed schedule fits"}
    best = min(range(1, len(medians)), key=medians.__getitem__)
    ratio = medians[0] / medians[best]
    return {**row, "seconds": medians[0], "best": medians[best], "spec": specs[best], "ratio": ratio}


def line(row: dict[str, Any]) -> tuple[str, ...]:
    """A row of the table."""
    name = (f"{row['program']} {row['n']:,}", f"{row['budget'] / MIB:g}")
    if "error" in row:
        return (*name, *["-"] * 6, row["error"])
    return (
        *name,
        f"{row['beyond'] / MIB:.2f}",
        f"{row['forward']:.2f}",
        f"{row['run']:.3f}",
        f"{row['seconds']:.3f}",
        f"{row['best']:.3f}",
        f"{row['ratio']:.2f}",
        " ".join(map(str, row["spec"])),
    )


def rows_of(program: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row for each budget of a program."""
    size = (SIZES if options.engine == "c" else SLOW)[program]
    run, found = searched(program, size, options.engine)
    for budget in options.budgets or BUDGETS.get(options.engine, BUDGETS[""]):
        yield {**compared(program, size, budget, run, found, options), "candidates": found}


def main() -> None:
    parser = common.parser("what choosing costs")
    parser.add_argument("--only", nargs="*", default=[], choices=list(SIZES), help="only these programs")
    parser.add_argument("--budgets", nargs="*", help="other budgets, as 64MiB")
    options = parser.parse_args()
    assert SIZES.keys() <= PROGRAMS.keys()
    rows: list[dict[str, Any]] = []
    for program in options.only or SIZES:
        rows += rows_of(program, options)
        print(f"{program}: done", file=sys.stderr)
    header = ("", "MiB", "beyond", "forward", "run s", "budget s", "best s", "ratio", "best fixed schedule")
    print(common.table(header, [line(row) for row in rows]))
    slow = [row for row in rows if row.get("ratio", 0.0) > REQUIRED]
    print(f"\n{len(slow)} of {len(rows)} take more than {REQUIRED} times the best")
    if not options.only:
        common.save("budget-choosing", options.engine, repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
