"""Time of vmap on engine c beside the same over NumPy with masks, and beside C lane by lane; gradient / run.

    python -m experiments.lanes.run --lanes 4096     # seconds
    python -m experiments.lanes.run                  # 65,536 lanes, two minutes; the results are kept
    python -m experiments.lanes.run --threads 2      # vmap on two threads beside one; the results are kept

All run in this process on one thread in turns; CPU time, medians, after each has had a core for some
seconds, in which loops are translated. Values are compared first: those of C have the same bits. With
--threads it is time by the clock, of vmap alone, and the bits for both numbers of threads are compared.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import checkpoint
from experiments import common, processes
from experiments.lanes import programs

SOURCE = Path(__file__).with_name("lanes.c")
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")
LANES = 65_536
WARM = 6.0  # seconds: in the background the compiler begins late, and takes up to two
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


def _ours(name: str, xs: Any, ns: Any, engine: str) -> dict[str, Run]:
    """Return a run by vmap, and a gradient of it."""
    f = programs.LANES[name]
    mapped = checkpoint.vmap(f, engine=engine)

    def loss(xs: Any) -> Any:
        return np.sum(checkpoint.vmap(f)(xs, ns))

    gradient = checkpoint.value_and_grad(loss, engine=engine)
    return {"vmap": lambda: mapped(xs, ns), "gradient": lambda: gradient(xs)}


def runs(name: str, xs: Any, ns: Any, library: ctypes.CDLL, engine: str) -> dict[str, Run]:
    """Return what does the same in several ways, and a gradient."""
    return {
        **_ours(name, xs, ns, engine),
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


def in_threads(case: str, lanes: int, threads: int, engine: str, repeats: int) -> Row:
    """Return the medians of one case on one thread and on several, in nanoseconds for each lane and turn."""
    name, turns, fewer = programs.CASES[case]
    rng = np.random.default_rng(0)
    count = max(1, lanes // fewer)
    xs, ns = rng.random(count) * 2.0, turns(rng, count)
    both = _ours(name, xs, ns, engine)
    found: dict[str, list[float]] = {}
    for each, run in both.items():
        with _threads(1):
            warm(run)
            want = _bytes(run())
        with _threads(threads):
            warm(run)
            if _bytes(run()) != want:
                raise ValueError(f"the {each} on {threads} threads has other bits")
    for _ in range(repeats):
        for each, run in both.items():
            for number in (1, threads):
                with _threads(number):
                    began = time.perf_counter()
                    run()
                    found.setdefault(f"{each} {number}", []).append(time.perf_counter() - began)
    ns_per_turn = {each: 1e9 * statistics.median(times) / ns.sum() for each, times in found.items()}
    return {"case": case, "lanes": count, "threads": threads, "load": processes.load(), **ns_per_turn}


def _bytes(found: Any) -> tuple[bytes, ...]:
    """Return the bits of an array, or of a value and its gradient."""
    return tuple([np.asarray(each).tobytes() for each in (found if isinstance(found, tuple) else (found,))])


@contextmanager
def _threads(number: int) -> Iterator[None]:
    before = os.environ.get("CHECKPOINT_THREADS")
    os.environ["CHECKPOINT_THREADS"] = str(number)
    try:
        yield
    finally:
        del os.environ["CHECKPOINT_THREADS"]
        if before is not None:
            os.environ["CHECKPOINT_THREADS"] = before


def warm(run: Run) -> None:
    """Run something three times, and until it has had WARM seconds of a core, which are more by the clock."""
    end, calls = time.process_time() + WARM, 0
    while calls < 3 or time.process_time() < end:
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
    options.add_argument("--threads", type=common.natural, help="vmap on so many threads beside one")
    chosen = options.parse_args()
    if chosen.threads is not None:
        _show_threads(chosen)
        return
    with _threads(1), tempfile.TemporaryDirectory() as folder:
        library = by_hand(folder)
        rows = [
            measured(case, chosen.lanes or LANES, library, chosen.engine, chosen.repeats)
            for case in programs.CASES
        ]
    print(common.table(HEADER, list(map(line, rows))))
    if chosen.lanes is None:
        common.save("lanes", chosen.engine, rows=rows)


def _show_threads(chosen: argparse.Namespace) -> None:
    lanes, threads = chosen.lanes or LANES, chosen.threads
    rows = [in_threads(case, lanes, threads, chosen.engine, chosen.repeats) for case in programs.CASES]
    header = (
        "case",
        "lanes",
        "vmap, 1",
        f"vmap, {threads}",
        "ratio",
        "gradient, 1",
        f"gradient, {threads}",
        "ratio",
    )
    print(common.table(header, [_threads_line(row) for row in rows]))
    if chosen.lanes is None:
        common.save("lanes-threads", chosen.engine, rows=rows)


def _threads_line(row: Row) -> list[str]:
    cells = [row["case"], str(row["lanes"])]
    for each in ("vmap", "gradient"):
        one, several = row[f"{each} 1"], row[f"{each} {row['threads']}"]
        cells += [f"{one:.2f}", f"{several:.2f}", f"{one / several:.2f}"]
    return cells


if __name__ == "__main__":
    main()
