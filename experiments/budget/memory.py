"""Measure from outside whether gradients within a budget stay within it. Linux only.

How to read the table, whose lines appear as they are measured; all memory is in MiB:
- budget: what Budget was given; `bisection` is Bisection, beside it, with a base that suits the engine;
- beyond: the highest resident memory of the process during the gradient, beyond what it held just before,
  less the same of the run without a gradient: what the gradient adds, which is what a budget bounds;
- share: of the budget. More than 1 breaks the promise;
- run: what the run itself needs;
- told: the most that the sweep itself said that it holds, the run's own state included, and how much of
  that were tapes and the cotangent; heap: the most that engine c's own heap held (no NumPy arrays);
- forward: steps run, with a tape and without, for each step of the run; kept: states kept at once; actions:
  of the schedule; s: CPU time; x run: in times of the run's own;
- right: whether the digits of value and gradient are those by bisection, to the last bit.
A budget that cannot work says how much is needed: that is quoted, and twice as much is tried.

Reproduce (minutes; the run of 10^8 iterations, which must hold 64 MiB with at most 2.1 forward steps a step,
takes minutes more):

    python -m experiments.budget.memory --engine c
    python -m experiments.budget.memory --engine c --only lorenz --size 100000000 --budgets 4MiB 64MiB
    python -m experiments.budget.memory --engine hybrid
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checkpoint.driver.memory import resolve
from experiments import common
from experiments.budget.programs import PROGRAMS
from experiments.budget.taking import MIB, Row, measured, show

BUDGETS = {"c": ("4MiB", "16MiB", "64MiB", "256MiB")}
SMALL_BUDGETS = ("1MiB", "4MiB", "16MiB")
BASE = {"c": 1_000_000}  # of bisection, in steps
SMALL_BASE = 10_000
HEADER = ["budget", "beyond", "share", "run", "told", "tapes", "cot.", "heap", "forward", "kept", "actions"]


def rows_of(program: str, size: int, budgets: Sequence[str], engine: str) -> Iterator[Row]:
    """Yield a row by bisection, one for each budget of a program, and for twice what a refused one needs."""
    run = measured(program, size, [], engine)
    bisected = measured(program, size, ["Bisection", BASE.get(engine, SMALL_BASE)], engine)
    yield row_of(bisected, None, run, bisected)
    for budget in budgets:
        row = row_of(measured(program, size, ["Budget", budget], engine), resolve(budget), run, bisected)
        yield row
        if "needed" in row:
            twice = 2 * row["needed"]
            yield row_of(measured(program, size, ["Budget", twice], engine), twice, run, bisected)


def row_of(found: Row, budget: int | None, run: Row, reference: Row) -> Row:
    """Return the findings, beside the run and the gradient by bisection (budget: None)."""
    row = {"budget": budget, "run": run, **found}
    if "error" in found:
        return row
    row["beyond"] = found["bytes"] - run["bytes"]
    row["share"] = row["beyond"] / budget if budget else 0.0
    row["forward"] = (found["advanced"] + found["taped"]) / run["advanced"]
    row["right"] = found["digits"] == reference.get("digits")
    return row


def breaks(row: Row) -> bool:
    """Return whether a row breaks the promise."""
    return "error" not in row and (not row["right"] or row["share"] > 1.0)


def line(row: Row) -> list[str]:
    """Return a row of the table."""
    budget = "bisection" if row["budget"] is None else f"{row['budget'] / MIB:.4g}"
    if "error" in row:
        return [budget, "refused" if "needed" in row else "failed", "  " + row["error"]]
    amounts = [f"{row[key] / MIB:.2f}" for key in ("held", "tapes", "cotangent", "heap")]
    share = f"{row['share']:.2f}" if row["budget"] else "-"
    counts = [f"{row['forward']:.3f}", f"{row['kept']}", f"{row['actions']}"]
    times = row["seconds"] / max(row["run"]["seconds"], 1e-9)
    memory = [f"{row['beyond'] / MIB:.2f}", share, f"{row['run']['bytes'] / MIB:.2f}", *amounts]
    right = f"{row['right']}" + ("  BROKEN" if breaks(row) else "")
    return [budget, *memory, *counts, f"{row['seconds']:.2f}", f"{times:.1f}", right]


def main() -> None:
    parser = common.parser("the memory of gradients within budgets")
    parser.add_argument("--only", nargs="*", default=[], choices=list(PROGRAMS), help="only these programs")
    parser.add_argument("--size", type=int, help="another size")
    parser.add_argument("--budgets", nargs="*", help="other budgets, as 64MiB")
    options = parser.parse_args()
    budgets = options.budgets or BUDGETS.get(options.engine, SMALL_BUDGETS)
    rows: list[Row] = []
    show("", [*HEADER, "s", "x run", "right"])
    for program in options.only or PROGRAMS:
        chosen = PROGRAMS[program]
        size = options.size or (chosen.full if options.engine == "c" else chosen.slow)
        for row in rows_of(program, size, budgets, options.engine):
            show(f"{program} {size:,}", line(row))
            rows.append({"program": program, "n": size, **row})
    print(f"\n{sum(map(breaks, rows))} of {len(rows)} break the promise or have other digits")
    if not options.only and options.size is None:
        common.save("budget-memory", options.engine, rows=rows)


if __name__ == "__main__":
    main()
