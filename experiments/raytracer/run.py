"""One gradient through a ray tracer, by methods in turn, then the time and memory of each at each size.

    python -m experiments.raytracer.run          # small: about a minute
    python -m experiments.raytracer.run --full   # images up to 1280x960; the results are kept
    python -m experiments.raytracer.run --full --size 1280x960 --only where --cap 4096

Out: two tables; with --full experiments/results/raytracer-c.json, in which rows replace those of the same
method, size, memory and cap, so that it may be run in parts.
"""

from __future__ import annotations

import gc
import importlib.util
import statistics
from typing import Any

from checkpoint.cli.demo_inverse import BEGIN
from experiments import common, processes
from experiments.raytracer import methods
from experiments.raytracer.methods import JAX, LOOP, METHODS, MIB, TORCH, VMAP

PROCESS = "experiments.raytracer.methods"
IN_TURN, IN_TURN_FULL = (24, 18), (160, 120)
SMALL: dict[tuple[int, int], tuple[str, ...]] = {(24, 18): (VMAP,), (160, 120): (LOOP, TORCH, JAX)}
FULL = dict.fromkeys([(160, 120), (320, 240), (640, 480), (1280, 960)], METHODS)
OURS = (VMAP, LOOP)
WARM = 2  # first calls, in which libraries are loaded and what runs long is translated, for the most part
MEMORY = 1024  # MiB that memory= allows
KEY = ("method", "size", "memory", "cap")  # what identifies a row
TIMES = ("size", "method", "ms", "us per pixel", "exits per pixel", "of PyTorch's", "spread")
ALONE = ("size", "method", "s", "us per pixel", "MiB", "loss")
Row = dict[str, Any]


def available(names: tuple[str, ...]) -> list[str]:
    """Return the methods whose libraries are installed."""
    needs = {TORCH: "torch", JAX: "jax"}
    return [name for name in names if importlib.util.find_spec(needs.get(name, "numpy")) is not None]


def in_turn(size: tuple[int, int], names: list[str], memory: int, rounds: int, warm: int = WARM) -> list[Row]:
    """Return the times of methods that take turns in this process, after so many first calls of each; and how
    often translated code is left.
    """
    runs = {name: methods.method(name, *size, memory) for name in names}
    for run in runs.values():
        for _ in range(warm):
            run(BEGIN)
    found: dict[str, list[float]] = {name: [] for name in names}
    exits: dict[str, float | None] = dict.fromkeys(names)
    for _ in range(rounds):
        for name, run in runs.items():
            gc.collect()
            before = methods.unit_runs() if name in OURS else 0
            found[name].append(common.seconds(lambda run=run: run(BEGIN)))  # type: ignore[misc]
            if name in OURS:
                exits[name] = (methods.unit_runs() - before) / (size[0] * size[1])
    medians = {name: statistics.median(each) for name, each in found.items()}
    return [
        {"method": name, "size": _shown(size), "seconds": median, "us": 1e6 * median / (size[0] * size[1])}
        | {"ratio": median / medians[TORCH] if TORCH in medians else None}
        | {"exits": exits[name]}
        | {"spread": (max(found[name]) - min(found[name])) / median}
        for name, median in medians.items()
    ]


def alone(size: tuple[int, int], name: str, memory: int, cap: int | None) -> Row:
    """Return the row of a method in a process of its own."""
    case = {"name": name, "width": size[0], "height": size[1], "memory": memory, "cap": cap}
    row = {"method": name, "size": _shown(size), "memory": memory, "cap": cap, "load": processes.load()}
    found = processes.row_of(PROCESS, case)
    if "seconds" in found:
        row["us"] = 1e6 * found["seconds"] / (size[0] * size[1])
    return {**row, **found}


def _shown(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def size_of(text: str) -> tuple[int, int]:
    """Return the width and height that a text as 160x120 names."""
    width, height = text.split("x")
    return int(width), int(height)


def _time_line(row: Row) -> list[str]:
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
    exits = "" if row["exits"] is None else f"{row['exits']:.2f}"
    ms, us = f"{1e3 * row['seconds']:.1f}", f"{row['us']:.2f}"
    return [row["size"], row["method"], ms, us, exits, ratio, f"{row['spread']:.0%}"]


def _alone_line(row: Row) -> list[str]:
    start = [row["size"], row["method"]]
    if "error" in row:
        return [*start, row["error"], "", "", ""]
    return [
        *start,
        *(f"{row['seconds']:.2f}", f"{row['us']:.2f}", f"{row['growth'] / MIB:.0f}", f"{row['loss']:.10f}"),
    ]


def main() -> None:
    """Run the experiment as the command line says."""
    options = common.parser("gradients through a ray tracer")
    options.add_argument("--full", action="store_true", help="all sizes; the results are kept")
    options.add_argument("--memory", type=int, default=MEMORY, help=f"MiB that memory= allows ({MEMORY})")
    options.add_argument("--cap", type=int, help="MiB that any process may take beyond its imports")
    options.add_argument("--size", type=size_of, action="append", help="these sizes only, none in turn")
    options.add_argument("--warm", type=int, default=WARM, help=f"first calls in turn, not measured ({WARM})")
    options.add_argument("--only", default="", help="methods whose names contain this")
    chosen = options.parse_args()
    memory, cap = chosen.memory * MIB, chosen.cap and chosen.cap * MIB
    sizes = FULL if chosen.full else SMALL
    if chosen.size:
        sizes = dict.fromkeys(chosen.size, METHODS)
    times: list[Row] = []
    if not chosen.size and not chosen.only:
        first = IN_TURN_FULL if chosen.full else IN_TURN
        times = in_turn(first, available(METHODS), memory, chosen.repeats, chosen.warm)
        print(common.table(TIMES, list(map(_time_line, times))) + "\n", flush=True)
    rows: list[Row] = []
    for size, names in sizes.items():
        for name in available(names):
            if chosen.only in name:
                rows.append(alone(size, name, memory, cap))
                print("  ".join(_alone_line(rows[-1])), flush=True)
                if chosen.full:
                    _keep(times, rows)
    print("\n" + common.table(ALONE, list(map(_alone_line, rows))))


def _keep(times: list[Row], rows: list[Row]) -> None:
    before = common.saved("raytracer", "c")
    found = {tuple(row[field] for field in KEY): row for row in (*before.get("rows", ()), *rows)}
    kept = sorted(found.values(), key=lambda row: size_of(row["size"]))
    common.save("raytracer", "c", times=times or before.get("times", []), rows=kept)


if __name__ == "__main__":
    main()
