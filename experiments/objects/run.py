"""Compare programs with objects with their functional twins: runs and gradients, on engine c.

    python -m experiments.objects.run [--rounds 9] [--only WORD]

Out: a line for each subject and mode, and experiments/results/objects-c.json. `cold` is the first call in a
new process; `warm` the median of later calls, twins in turn, where translation to C is waited for
(CHECKPOINT_JIT). Times are CPU seconds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import checkpoint
from experiments.common import parser, save, table
from experiments.objects import layers, particles

ROOT = Path(__file__).resolve().parents[2]
WARMING = 1.5  # CPU seconds of each program, in which what runs long is translated
Function = Callable[..., Any]
Subject = tuple[Function, Function, tuple[Any, ...]]


def subjects() -> dict[str, Subject]:
    """Return the programs with objects, their twins, and the arguments of both."""
    weights = layers.weights_of((8, 16, 16, 4))
    samples = layers.samples_of(5, 8)
    arrays = [(np.array(matrix), np.array(bias)) for matrix, bias in layers.weights_of((40, 60, 60, 10))]
    points = [np.array(sample) for sample in layers.samples_of(10, 40)]
    return {
        "n-body": (particles.of_objects, particles.of_lists, (particles.bodies_of(5), 400, 0.001)),
        "layers": (layers.of_layers, layers.of_functions, (weights, samples, 10)),
        "array layers": (layers.of_array_layers, layers.of_array_functions, (arrays, points, 20)),
    }


MODES = ("run", "gradient")


def action(function: Function, mode: str, args: tuple[Any, ...]) -> Callable[[], Any]:
    """Return what one call does: run the function as a program, or give its gradient."""
    if mode == "run":
        return lambda: checkpoint.primops(lambda given: function(*given), args, engine="c")
    return lambda: checkpoint.grad(function, engine="c")(*args)


def seconds(call: Callable[[], Any]) -> float:
    """Return the CPU time of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def cold(name: str, mode: str, which: int) -> float:
    """Return the CPU time of the first call in this process."""
    subject = subjects()[name]
    function = subject[1] if which else subject[0]
    return seconds(action(function, mode, subject[2]))


def in_new_process(name: str, mode: str, which: int) -> float:
    """Return `cold`, of a new process."""
    command = [sys.executable, "-m", "experiments.objects.run", "--cold", json.dumps([name, mode, which])]
    usual = {name: value for name, value in os.environ.items() if name != "CHECKPOINT_JIT"}
    ended = subprocess.run(command, cwd=ROOT, env=usual, capture_output=True, text=True, check=True)
    return float(ended.stdout)


def warm(name: str, mode: str, rounds: int) -> list[float]:
    """Return the median CPU times of a program and its twin, called in turn."""
    os.environ["CHECKPOINT_JIT"] = "wait"
    function, twin, args = subjects()[name]
    calls = [action(each, mode, args) for each in (function, twin)]
    for call in calls:
        start = time.process_time()
        while time.process_time() - start < WARMING:
            call()
    times = [[seconds(call) for call in calls] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rounds", type=int, default=9, help="warm calls of each (9)")
    options.add_argument("--only", default="", help="the subjects whose names contain this word")
    options.add_argument("--cold", default="", help="measure one first call: [subject, mode, 0 or 1]")
    chosen = options.parse_args()
    if chosen.cold:
        print(cold(*json.loads(chosen.cold)))
        return
    rows: list[dict[str, Any]] = []
    for name in subjects():
        for mode in MODES if chosen.only in name else ():
            times = warm(name, mode, chosen.rounds)
            first = [in_new_process(name, mode, which) for which in (0, 1)]
            rows.append({"subject": name, "mode": mode, "warm": times, "cold": first})
            print(name, mode, f"{times[0] / times[1]:.2f}", f"{first[0] / first[1]:.2f}", flush=True)
    lines = [
        [f"{row['subject']}, {row['mode']}", *[f"{1e3 * t:.2f}" for t in (*row["warm"], *row["cold"])]]
        for row in rows
    ]
    print(table(["ms", "warm", "twin", "cold", "twin"], lines))
    if not chosen.only:
        save("objects", "c", rows=rows)


if __name__ == "__main__":
    main()
