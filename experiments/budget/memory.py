"""Whether gradients within a budget stay within it, measured from outside. Linux only.

For each program of programs.py and each budget, in a fresh process that has taken a small gradient before:
- gradient: the highest resident memory of the process while the gradient is taken, beyond what it held just
  before;
- run: the same for the run without a gradient, in a process of its own: what the run itself needs;
- beyond: the gradient's less the run's, which is what the gradient adds, beyond the process's own. That is
  what a budget bounds; `of budget` is the share, and more than 1 breaks the promise;
- told: the most that the sweep itself said that it holds, and how much of that were tapes and the cotangent;
  heap: the most that engine c's own heap held (no NumPy arrays);
- forward: steps run, with a tape and without, for each step of the run; kept: states kept at once; actions:
  of the schedule; x run: CPU time, in times of the run's own.
The digits of value and gradient must be those by bisection, to the last bit. A budget that cannot work says
how much is needed: that is quoted.

Reproduce (minutes; the run of 10^8 iterations, which must hold 64 MiB with at most 2.1 forward steps a step,
takes minutes more):

    python -m experiments.budget.memory --engine c
    python -m experiments.budget.memory --engine c --only lorenz --size 100000000 --budgets 4MiB 64MiB
    python -m experiments.budget.memory --engine hybrid
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from checkpoint import engines
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.budget import Budget
from checkpoint.driver.memory import resolve
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import BudgetError
from experiments import common
from experiments.budget.fixed import Known, Spaced
from experiments.budget.programs import PROGRAMS
from experiments.budget.taking import Told, ran, taken

MIB = 1 << 20
BUDGETS = {"c": ("4MiB", "16MiB", "64MiB", "256MiB"), "": ("1MiB", "4MiB", "16MiB")}
BASE = {"c": 1_000_000, "": 10_000}  # of bisection, in steps
WARM = "64MiB"
KINDS: dict[str, Callable[..., Schedule]] = {
    "Budget": lambda memory: Budget(memory=memory),
    "Plain": Plain,
    "Bisection": Bisection,
    "Binomial": lambda snapshots, base: Binomial(snapshots=snapshots, base=base),
    "Spaced": Spaced,
    "Known": Known,
}
LONGEST = 600.0  # seconds that one measurement may take


def of(table: dict[str, Any], engine: str) -> Any:
    """What holds for an engine."""
    return table.get(engine, table[""])


def schedule_of(spec: list[Any]) -> Schedule:
    """The schedule that a name of KINDS and its parameters make."""
    kind, *parameters = spec
    return KINDS[kind](*parameters)


def measure(program: str, size: int, spec: list[Any], engine_name: str) -> dict[str, Any]:
    """One measurement in this process. spec: of a schedule; empty for the run without a gradient."""
    engine, chosen = engines.get(engine_name), PROGRAMS[program]
    small = chosen.make(chosen.small, engine)
    small.gradient(Bisection(base=50))
    small.gradient(Budget(memory=WARM))
    subject = chosen.make(size, engine)
    if not spec:
        return ran(subject).row()
    told = Told(schedule_of(spec))
    try:
        found = taken(subject, told).row()
    except BudgetError as error:
        return {"error": str(error)}
    return {
        **found,
        "held": told.held,
        "tapes": told.tapes,
        "cotangent": told.cotangent,
        "actions": told.done,
    }


def measured(program: str, size: int, spec: list[Any], engine: str) -> dict[str, Any]:
    """The same in a fresh process; what that dies of is told as its error."""
    case = json.dumps([program, size, spec, engine])
    command = [sys.executable, "-m", "experiments.budget.memory", "--case", case]
    root = common.HERE.parent
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {LONGEST:g} seconds"}
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        return {"error": f"the process ended with {done.returncode}: {said[-1]}"}
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def rows_of(program: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each budget of a program."""
    chosen = PROGRAMS[program]
    size = options.size or (chosen.full if options.engine == "c" else chosen.slow)
    run = measured(program, size, [], options.engine)
    reference = measured(program, size, ["Bisection", of(BASE, options.engine)], options.engine)
    rows = [row_of(reference, None, run, reference)]
    for budget in options.budgets or of(BUDGETS, options.engine):
        found = measured(program, size, ["Budget", budget], options.engine)
        rows.append(row_of(found, budget, run, reference))
    return [{"program": program, "n": size, **row} for row in rows]


def row_of(
    found: dict[str, Any], budget: str | None, run: dict[str, Any], reference: dict[str, Any]
) -> dict[str, Any]:
    """What was found, beside the run and the gradient by bisection (budget: None)."""
    bytes = None if budget is None else resolve(budget)
    row = {"budget": bytes, "run": {key: run[key] for key in ("steps", "seconds", "bytes", "heap")}}
    if "error" in found:
        return {**row, "error": found["error"]}
    beyond = found["bytes"] - run["bytes"]
    forward = (found["advanced"] + found["taped"]) / run["steps"]
    right = found.pop("digits") == reference.get("digits", "") if budget is not None else True
    share = None if bytes is None else beyond / bytes
    return {**row, **found, "beyond": beyond, "share": share, "forward": forward, "right": right}


def breaks(row: dict[str, Any]) -> bool:
    """Whether a row breaks the promise."""
    return "error" not in row and (not row["right"] or (row["share"] is not None and row["share"] > 1.0))


HEADER = (
    "MiB",
    "budget",
    "run",
    "gradient",
    "beyond",
    "of budget",
    "told",
    "tapes",
    "cot.",
    "heap",
    "forward",
    "kept",
    "actions",
    "s",
    "x run",
    "right",
)


def line(row: dict[str, Any]) -> tuple[str, ...]:
    """A row of the table, all memory in MiB."""
    name = f"{row['program']} {row['n']:,}"
    budget = "bisection" if row["budget"] is None else f"{row['budget'] / MIB:g}"
    run = f"{row['run']['bytes'] / MIB:.1f}"
    if "error" in row:
        return (name, budget, run, *["-"] * (len(HEADER) - 3))
    return (
        name,
        budget,
        run,
        *(f"{row[key] / MIB:.2f}" for key in ("bytes", "beyond")),
        "-" if row["share"] is None else f"{row['share']:.2f}",
        *(f"{row[key] / MIB:.2f}" for key in ("held", "tapes", "cotangent", "heap")),
        f"{row['forward']:.3f}",
        f"{row['kept']}",
        f"{row['actions']}",
        f"{row['seconds']:.2f}",
        f"{row['seconds'] / max(row['run']['seconds'], 1e-9):.1f}",
        "NO" if breaks(row) else "yes",
    )


def main() -> None:
    parser = common.parser("the memory of gradients within budgets")
    parser.add_argument("--only", nargs="*", default=[], help="only these programs")
    parser.add_argument("--size", type=int, help="another size")
    parser.add_argument("--budgets", nargs="*", help="other budgets, as 64MiB")
    parser.add_argument("--case", help="one measurement in this process, as JSON; prints JSON")
    options = parser.parse_args()
    if options.case is not None:
        print(json.dumps(measure(*json.loads(options.case))))
        return
    rows = []
    for program in options.only or PROGRAMS:
        rows += rows_of(program, options)
        print(f"{program}: done", file=sys.stderr, flush=True)
    print(common.table(HEADER, [line(row) for row in rows]))
    for row in rows:
        if "error" in row:
            print(f"\n{row['program']}, {row['budget'] or 0:,} bytes: {row['error']}")
    print(f"\n{sum(map(breaks, rows))} of {len(rows)} break the promise or have other digits")
    if not options.only and options.size is None:
        common.save("budget-memory", options.engine, rows=rows)


if __name__ == "__main__":
    main()
