"""A program of some 2,000 blocks: how much translation delays its first result.

What is measured: the time on the clock from the text of the program to its gradient, each time in a new
process with an empty cache of translated code, for CHECKPOINT_JIT
- off:        all runs on the virtual machine;
- background: what it is unless it is set;
- wait:       the run waits for each translation.
Each figure is the median of several processes, whose kinds take turns; beside all cores also on one, where
compilers take time from the run. `x off` is the ratio to `off` of the same turn. What is required:
background at most 1.1 times `off`, for runs of all lengths.

The program: 200 functions with a loop and conditionals each, all called one after the other, in a loop of so
many turns.

Reproduce:

    python -m experiments.speed.blocks
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import checkpoint
from checkpoint.cps.passes import compile_blocks
from checkpoint.errors import Source
from checkpoint.functions.program import load
from experiments import common

FUNCTIONS, GROUP = 200, 25
TURNS = (10, 1_000, 10_000)
LIMIT = 1.1
# The values of CHECKPOINT_JIT; "" leaves it as it is unless it is set.
MODES = {"off": "off", "background": "", "wait": "wait"}


def program(functions: int, turns: int) -> str:
    """Return the text of a program whose value is a function of a real."""
    names = [f"f{number}" for number in range(functions)]
    groups = [names[first : first + GROUP] for first in range(0, functions, GROUP)]
    lines = [_function(name, number) for number, name in enumerate(names)]
    lines += [f"(define (g{number} x) {_chain(group)})" for number, group in enumerate(groups)]
    all_groups = _chain([f"g{number}" for number in range(len(groups))])
    turn = f"(let loop ((i {turns}) (x x)) (if (= i 0) x (loop (- i 1) {all_groups})))"
    return "\n".join([*lines, f"(lambda (x) {turn})"]) + "\n"


def _function(name: str, number: int) -> str:
    """Return a function with constants of its own, so that no two are the same code.

    The logarithm's derivative by that of the argument is 1 or -1, so that no gradient grows or vanishes.
    """
    up, down = 1.25 + number / 1_000, 0.75 - number / 2_000
    turn = f"(if (< x {down}) (* {up} x) (* {down} (* x {up / 1.5})))"
    return (
        f"(define ({name} x)\n"
        f"  (let loop ((k {2 + number % 3}) (x x))\n"
        f"    (if (= k 0) (if (> x {up}) (/ {up} x) (* x 1.0625)) (loop (- k 1) {turn}))))"
    )


def _chain(names: list[str]) -> str:
    """Return a composition in which each function is called with the result of the one before."""
    text = "x"
    for name in names:
        text = f"({name} {text})"
    return text


def blocks(text: str) -> int:
    """Return the number of blocks of a program."""
    loaded = load(Source("<blocks>", text))
    return sum(len(procedure.blocks) for procedure in compile_blocks(loaded.thunk, loaded.scopes))


def first_result(text: str) -> tuple[float, float, float]:
    """Return the seconds from the text to the value and gradient, and these, in this process."""
    start = time.perf_counter()
    value, gradient = checkpoint.vjp(checkpoint.read(text, engine="c"), 0.7, engine="c")
    return time.perf_counter() - start, value, gradient


def in_new_process(mode: str, functions: int, turns: int, cores: set[int] | None) -> list[float]:
    """Return that of `first_result` in a new process with an empty cache, which runs on `cores`."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CHECKPOINT_CACHE": folder, "CHECKPOINT_JIT": MODES[mode]}
        if not MODES[mode]:
            del environment["CHECKPOINT_JIT"]
        command = [sys.executable, "-m", "experiments.speed.blocks", "--alone"]
        command += ["--functions", str(functions), "--turns", str(turns)]
        if cores is not None:
            command = ["taskset", "-c", ",".join(map(str, cores)), *command]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=common.HERE.parent
        )
    found: list[float] = json.loads(done.stdout)
    return found


def rows_of(functions: int, turns: int, cores: set[int] | None, repeats: int) -> list[dict[str, Any]]:
    """Return one row for each mode."""
    found: dict[str, list[list[float]]] = {mode: [] for mode in MODES}
    for _ in range(repeats):
        for mode, outcomes in found.items():
            outcomes.append(in_new_process(mode, functions, turns, cores))
    results = {tuple(outcome[1:]) for several in found.values() for outcome in several}
    rows = []
    for mode, several in found.items():
        seconds = statistics.median(outcome[0] for outcome in several)
        ratio = statistics.median(a[0] / b[0] for a, b in zip(several, found["off"], strict=True))
        row = {"mode": mode, "turns": turns, "cores": "all" if cores is None else "one", "seconds": seconds}
        limit = LIMIT if mode == "background" else None
        rows.append({**row, "x off": ratio, "limit": limit, "right": len(results) == 1})
    return rows


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['turns']} turns, {row['cores']} core{'s' if row['cores'] == 'all' else ''}, {row['mode']}",
        f"{1e3 * row['seconds']:.0f}",
        f"{row['x off']:.2f}",
        "" if row["limit"] is None else f"{row['limit']:.1f}",
        "yes" if row["right"] else "NO",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="how much translation delays a first result")
    parser.add_argument("--repeats", type=int, default=5, help="processes of which the median is taken (5)")
    parser.add_argument("--functions", type=int, default=FUNCTIONS, help=f"in the program ({FUNCTIONS})")
    parser.add_argument("--turns", type=int, help=f"of its loop, only so many (each of {TURNS})")
    parser.add_argument("--alone", action="store_true", help="one run, in this process; prints JSON")
    options = parser.parse_args()
    turns = TURNS if options.turns is None else (options.turns,)
    if options.alone:
        print(json.dumps(first_result(program(options.functions, turns[-1]))))
        return
    count = blocks(program(options.functions, turns[0]))
    one = {max(os.sched_getaffinity(0))}
    rows = [
        row
        for number in turns
        for cores in (None, one)
        for row in rows_of(options.functions, number, cores, options.repeats)
    ]
    print(f"{count:,} blocks\n")
    print(
        common.table(("to the first gradient", "ms", "x off", "limit", "right"), [_line(row) for row in rows])
    )
    if options.functions == FUNCTIONS and options.turns is None:
        common.save("speed-blocks", "c", repeats=options.repeats, blocks=count, rows=rows)


if __name__ == "__main__":
    main()
