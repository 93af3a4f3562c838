"""The cost of choosing: a gradient within a budget beside the best fixed schedule that a search finds.

For each program of programs.py and each budget the search takes gradients by schedules of fixed.py, which
know the run's length beforehand and so need no counting pass: one tape of the whole run; Spaced; Known, with
2 and 3 repetitions; the run in from 2 to 8,192 pieces, up to where smaller ones take longer, twice in turn.
Memory is measured from outside (taking.py, memory.py), beyond the run's own. The fastest few that fit and
Budget are then measured by turns, each time in a fresh process, and medians of CPU time are taken.

How to read the table: forward: steps that Budget ran, with a tape and without, for each step of the run;
run s, budget s, best s: CPU seconds; ratio: Budget's of the best's, which should be at most 1.1 (`LONG` where
it is not); the best of the schedules, and how much memory it had, in MiB.

Reproduce (less than ten minutes; 10^7 iterations: --only lorenz --size 10000000):

    python -m experiments.budget.choosing --engine c
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from math import log2
from typing import Any

from checkpoint.driver.binomial import snapshots_for
from checkpoint.driver.memory import resolve
from experiments import common
from experiments.budget.programs import PROGRAMS
from experiments.budget.taking import MIB, Row, measured, show

REQUIRED = 1.1
FINALISTS = 2
LONGEST = 20.0  # seconds that a candidate may take
SIZES = {"lorenz": 2_000_000, "growing": 100_000, "doubling": 1 << 18, "uneven": 200_000, "deep": 300_000}
SLOW = {"lorenz": 10_000, "growing": 3_000, "doubling": 1 << 14, "uneven": 5_000, "deep": 3_000}
BUDGETS = {"c": ("1MiB", "4MiB", "64MiB")}
SMALL_BUDGETS = ("1MiB", "4MiB")
PIECES = [round(2 ** (k / 2)) for k in range(2, 27)]  # base cases of a run
REPETITIONS = (2, 3)  # of treeverse; once is Spaced
HEADER = ["MiB", "beyond", "forward", "actions", "run s", "budget s", "best s", "ratio"]


def kinds(length: int) -> Iterator[list[list[Any]]]:
    """Yield the schedules for a run of the given length, as taking.KINDS names them: a list for each kind."""
    yield [["Plain"]]
    yield [["Spaced", length, -(-length // pieces)] for pieces in PIECES]
    for repetitions in REPETITIONS:
        bases = [-(-length // pieces) for pieces in PIECES[::2]]
        yield [["Known", length, snapshots_for(length, repetitions, base), base] for base in bases]


class Search:
    """Fixed schedules for a run, each measured once. beyond: the bytes beyond the run's own."""

    def __init__(self, program: str, size: int, engine: str) -> None:
        self.case = program, size, engine
        self.run = self.measured([])
        self.found: dict[str, Row] = {}

    def measured(self, spec: list[Any]) -> Row:
        """Return a measurement of the run by a schedule."""
        program, size, engine = self.case
        return measured(program, size, spec, engine, LONGEST)

    def best(self, budget: int) -> list[list[Any]]:
        """Return the fastest schedules that fit, the best first."""
        fitting: list[tuple[float, list[Any]]] = []
        for kind in kinds(self.run["advanced"]):
            fitting += self._fitting(kind, budget)
        return [spec for _, spec in sorted(fitting)[:FINALISTS]]

    def _fitting(self, kind: list[list[Any]], budget: int) -> Iterator[tuple[float, list[Any]]]:
        """Yield the schedules of a kind that fit, with their seconds, until two take longer in turn."""
        i, worse, best = 0, 0, float("inf")
        while i < len(kind) and worse < 2:
            spec = kind[i]
            row = self.found.setdefault(str(spec), {}) or self.measured(spec)
            self.found[str(spec)] = row
            beyond = row.get("bytes", 0) - self.run["bytes"]
            if "error" in row:
                worse += 1
            elif beyond <= budget:
                yield row["seconds"], spec
                worse = worse + 1 if row["seconds"] > best else 0
                best = min(best, row["seconds"])
            i += max(int(log2(max(beyond, 1) / budget)), 1)  # half an octave each: those surely do not fit


def compared(search: Search, budget: int, repeats: int) -> Row:
    """Return Budget beside the best of the schedules within the same bytes."""
    specs: list[list[Any]] = [["Budget", budget], *search.best(budget)]
    rounds = [[search.measured(spec) for spec in specs] for _ in range(repeats)]
    row = {"budget": budget, "run": search.run["seconds"]}
    mine = rounds[-1][0]
    if "error" in mine or len(specs) == 1:
        return {**row, "error": mine.get("error", "no fixed schedule fits"), "found": specs[1:]}
    row["beyond"] = mine["bytes"] - search.run["bytes"]
    row["forward"] = (mine["advanced"] + mine["taped"]) / search.run["advanced"]
    medians = [statistics.median(one["seconds"] for one in column) for column in zip(*rounds, strict=True)]
    best = min(range(1, len(medians)), key=medians.__getitem__)
    theirs = rounds[-1][best]
    row |= {"actions": mine["actions"], "seconds": medians[0], "best": medians[best], "spec": specs[best]}
    return {**row, "theirs": theirs["bytes"] - search.run["bytes"], "ratio": medians[0] / medians[best]}


def line(row: Row) -> list[str]:
    """Return a row of the table."""
    cells = [f"{row['budget'] / MIB:g}"]
    if "error" in row:
        return [*cells, "  " + row["error"], str(row["found"])]
    cells += [f"{row['beyond'] / MIB:.2f}", f"{row['forward']:.2f}", f"{row['actions']}"]
    cells += [f"{row[key]:.3f}" for key in ("run", "seconds", "best")]
    long = "  LONG" if row["ratio"] > REQUIRED else ""
    return [
        *cells,
        f"{row['ratio']:.2f}",
        " ".join(map(str, row["spec"])),
        f"{row['theirs'] / MIB:.1f}",
        long,
    ]


def main() -> None:
    parser = common.parser("what choosing costs")
    parser.set_defaults(repeats=3)
    parser.add_argument("--only", nargs="*", default=[], choices=list(PROGRAMS), help="only these programs")
    parser.add_argument("--size", type=int, help="another size")
    parser.add_argument("--budgets", nargs="*", help="other budgets, as 64MiB")
    options = parser.parse_args()
    rows: list[Row] = []
    show("", [*HEADER, "best fixed schedule"])
    for program in options.only or SIZES:
        size = options.size or (SIZES if options.engine == "c" else SLOW)[program]
        search = Search(program, size, options.engine)
        for budget in options.budgets or BUDGETS.get(options.engine, SMALL_BUDGETS):
            row = compared(search, resolve(budget), options.repeats)
            show(f"{program} {size:,}", line(row))
            rows.append({"program": program, "n": size, **row})
    slow = [row for row in rows if row.get("ratio", 0.0) > REQUIRED]
    print(f"\n{len(slow)} of {len(rows)} take more than {REQUIRED} times the best")
    if not options.only and options.size is None:
        common.save("budget-choosing", options.engine, repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
