"""Time of vmap on engine c beside the same over NumPy with masks, and beside C lane by lane; gradient / run.

    python -m experiments.lanes.run --lanes 4096     # seconds
    python -m experiments.lanes.run                  # 65,536 lanes, two minutes; the results are kept

All run in this process on one thread in turns; CPU time, medians, after each has run for some seconds, in
which loops are translated. Values are compared first: those of C have the same bits.
"""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import checkpoint
from experiments import common
from experiments.lanes import programs

SOURCE = Path(__file__).with_name("lanes.c")
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")
LANES = 65_536
WARM = 5.0
Row = dict[str, Any]
Run = Callable[[], Any]


def by_hand(folder: str) -> ctypes.CDLL:
    """Return the compiled functions of lanes.c."""
    library = Path(folder) / "lanes.so"
    subprocess.run(["cc", *FLAGS, str(SOURCE), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def _in_c(function: Any, xs: Any, ns: Any) -> Run:
    pointer = ctypes.POINTER(ctypes.c_double)
    to = np.empty(len(xs))
    given = [array.ctypes.data_as(pointer) for array in (xs, ns, to)]

    def run() -> Any:
        function(*given, ctypes.c_long(len(xs)))
        return to

    return run


def runs(name: str, xs: Any, ns: Any, library: ctypes.CDLL, engine: str) -> dict[str, Run]:
    """Return what does the same in several ways, and a gradient."""
    mapped = checkpoint.vmap(programs.LANES[name], engine=engine)

    def loss(xs: Any) -> Any:
        return np.sum(checkpoint.vmap(programs.LANES[name])(xs, ns))

    gradient = checkpoint.value_and_grad(loss, engine=engine)
    return {
        "vmap": lambda: mapped(xs, ns),
        "gradient": lambda: gradient(xs),
        "masks": lambda: programs.MASKED[name](xs, ns),
        "C": _in_c(getattr(library, name), xs, ns),
    }


def measured(case: str, lanes: int, library: ctypes.CDLL, engine: str, repeats: int) -> Row:
    """Return the medians of one case, in nanoseconds for each lane and turn, and their ratios."""
    name, turns, fewer = programs.CASES[case]
    rng = np.random.default_rng(0)
    count = max(1, lanes // fewer)
    xs, ns = rng.random(count) * 2.0, turns(rng, count)
    all_runs = runs(name, xs, ns, library, engine)
    check(all_runs)
    found: dict[str, list[float]] = {each: [] for each in all_runs}
    for run in all_runs.values():
        warm(run)
    for _ in range(repeats):
        for each, run in all_runs.items():
            found[each].append(common.seconds(run))
    ns_per_turn = {each: 1e9 * statistics.median(times) / ns.sum() for each, times in found.items()}
    return {"case": case, "lanes": count, "turns": float(ns.mean()), **ns_per_turn}


def warm(run: Run) -> None:
    """Run something three times, and until WARM seconds have passed."""
    end, calls = time.perf_counter() + WARM, 0
    while calls < 3 or time.perf_counter() < end:
        run()
        calls += 1


def check(all_runs: dict[str, Run]) -> None:
    """Refuse values that are not those of C, bit for bit; NumPy's sin and exp may differ in the last one."""
    want = all_runs["C"]()
    if all_runs["vmap"]().tobytes() != want.tobytes():
        raise ValueError("vmap and C differ")
    if not np.allclose(all_runs["masks"](), want, rtol=1e-6):
        raise ValueError("NumPy and C differ")


def line(row: Row) -> list[str]:
    """Return a row of the table."""
    times = [f"{row[each]:.1f}" for each in ("vmap", "masks", "C", "gradient")]
    ratios = [row["masks"] / row["vmap"], row["vmap"] / row["C"], row["gradient"] / row["vmap"]]
    return [row["case"], str(row["lanes"]), *times, *[f"{ratio:.2f}" for ratio in ratios]]


HEADER = ("case", "lanes", "vmap", "masks", "C", "gradient", "masks/vmap", "vmap/C", "gradient/vmap")


def main() -> None:
    """Run the experiment as the command line says."""
    options = common.parser(__doc__ or "")
    options.add_argument("--lanes", type=common.natural, help=f"({LANES}, and the results are kept)")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = by_hand(folder)
        rows = [
            measured(case, chosen.lanes or LANES, library, chosen.engine, chosen.repeats)
            for case in programs.CASES
        ]
    print(common.table(HEADER, list(map(line, rows))))
    if chosen.lanes is None:
        common.save("lanes", chosen.engine, rows=rows)


if __name__ == "__main__":
    main()
