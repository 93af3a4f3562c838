"""A gradient whose states outgrow the memory, with a disk as a second level and without one.

The program is `turns` turns of y = tanh(w @ y) + 0.1 x with square matrices, whose tape takes some 2 arrays a
turn. It is taken within all the memory that it wants, and within fractions of that (--times 10: a tenth), by
running steps again and with `spill=`, in turn, --repeats times; the results must have the same bits. Told are
medians of wall clock and of CPU seconds of all threads, and their ratios to those with enough memory.

Reproduce (quiet; --folder on a disk, not in memory):

    python -m experiments.spill.run --times 10 60 --repeats 5 --keep
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import checkpoint
from experiments import common

Seconds = tuple[float, float]  # by the clock on the wall, and of the processor


def program(turns: int) -> Any:
    def loss(w: Any, x: Any) -> Any:
        y = x
        for _ in range(turns):
            y = np.tanh(w @ y) + 0.1 * x
        return np.sum(y * y)

    return loss


def arguments(width: int) -> tuple[Any, Any]:
    random = np.random.default_rng(1)
    return random.normal(size=(width, width)) / np.sqrt(width), random.normal(size=(width, width))


def timed(f: Any, args: tuple[Any, ...], **how: Any) -> tuple[Seconds, bytes]:
    """Return the seconds that a gradient takes, and the bits of its results."""
    began, spent = time.perf_counter(), time.process_time()
    y, bars = checkpoint.value_and_grad(f, (0, 1), **how)(*args)
    seconds = time.perf_counter() - began, time.process_time() - spent
    return seconds, b"".join([np.asarray(part).tobytes() for part in (y, *bars)])


def ways_of(folder: str, wanted: int, times: list[int]) -> dict[str, dict[str, Any]]:
    """Return the options of the gradients that are compared, by the rows of the table."""
    ways: dict[str, dict[str, Any]] = {"enough": {"memory": 2 * wanted}}
    for each in times:
        bytes = wanted // each
        ways[f"1/{each}"] = {"memory": bytes}
        ways[f"1/{each}, disk"] = {"memory": bytes, "spill": folder}
    return ways


def compared(
    engine: str, width: int, turns: int, times: list[int], repeats: int, folder: str
) -> dict[str, dict[str, Any]]:
    """Return for each way the medians of its seconds, and their ratios to those with enough memory."""
    f, args = program(turns), arguments(width)
    ways = ways_of(folder, 2 * turns * 8 * width * width, times)
    found: dict[str, list[Seconds]] = {name: [] for name in ways}
    _, want = timed(f, args, engine=engine, **ways["enough"])
    for _ in range(repeats):
        for name, how in ways.items():
            seconds, bits = timed(f, args, engine=engine, **how)
            assert bits == want, f"{name} has other bits"
            found[name].append(seconds)
    medians = {
        name: [statistics.median(column) for column in zip(*all, strict=True)] for name, all in found.items()
    }
    enough = medians["enough"]
    return {
        name: {
            "wall": round(wall, 3),
            "cpu": round(cpu, 3),
            "wall ratio": round(wall / enough[0], 2),
            "cpu ratio": round(cpu / enough[1], 2),
        }
        for name, (wall, cpu) in medians.items()
    }


def main() -> None:
    """Run the experiment by the options of the command line."""
    options = common.keepable(common.parser(__doc__ or ""))
    options.add_argument("--width", type=common.natural, default=256, help="of the matrices")
    options.add_argument("--turns", type=common.natural, default=3000)
    options.add_argument("--times", type=common.natural, nargs="+", default=[10, 60])
    options.add_argument("--folder", type=Path, default=Path(), help="on the disk to be used; else here")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        found = compared(given.engine, given.width, given.turns, given.times, given.repeats, folder)
    header = ["memory", "wall, s", "cpu, s", "wall ratio", "cpu ratio"]
    print(common.table(header, [[name, *map(str, row.values())] for name, row in found.items()]))
    if given.keep:
        sizes = {"width": given.width, "turns": given.turns, "repeats": given.repeats}
        common.save("spill", given.engine, **sizes, rows=found)


if __name__ == "__main__":
    main()
