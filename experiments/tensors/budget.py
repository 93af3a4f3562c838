"""Peak growth of the process against the budget, for programs over PyTorch's tensors and NumPy's arrays.

Each row is a process of its own. Its growth is measured from outside: the highest resident memory during the
gradient beyond what the process held just before, with the arguments, after a small gradient of the same
program (Linux only). Only the bytes of y and of the returned cotangents are subtracted. With `each` every
weight is changed within the sweep as soon as its cotangent is final, and nothing is subtracted. The programs
call NumPy's functions, which are PyTorch's for tensors.
What is required: at most 1.05 of the budget.

    chain     200 times sin of 1 MiB, one after another
    layers    a residual network of 1,000 layers, each with its own matrix of 256 x 256 float32
    blocks    1,000 residual blocks of normalisation, two such matrices and a rectifier; a batch of 32
    tree      the sum of a binary tree of products, by recursion
    views     windows of one array, one after another, each multiplied into the sum

Reproduce (with PyTorch; some minutes, 1.5 GB):

    python -m experiments.tensors.budget
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint import BudgetError, profile, value_and_grad
from experiments import common

MIB = 1 << 20
LIMIT = 1.05
# Library, program, budget in MiB, and whether cotangents are taken within the sweep.
ROWS = [
    (library, program, budget, each)
    for library in ("torch", "numpy")
    for program, budget, each in (
        ("chain", 20, False),
        ("layers", 16, False),
        ("layers", 16, True),
        ("blocks", 16, False),
        ("blocks", 16, True),
        ("tree", 40, False),
        ("views", 16, False),
    )
]
HEADER = ("program", "budget", "growth", "less results", "of the budget", "steps", "seconds")
Row = dict[str, Any]


def chain(x: Any, count: int) -> Any:
    for _ in range(count):
        x = np.sin(x)
    return x.sum()


def layers(weights: Any, x: Any) -> Any:
    for w in weights:
        x = x + 0.1 * np.sin(x @ w)
    return x.sum()


def blocks(weights: Any, x: Any) -> Any:
    for w, v in weights:
        centred = x - np.mean(x, axis=1, keepdims=True)
        scale = np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
        x = x + 0.1 * (np.maximum((centred / scale) @ w, 0.0) @ v)
    return np.mean(x * x)


def tree(x: Any, depth: int) -> Any:
    return _branch(x, depth).sum()


def _branch(x: Any, depth: int) -> Any:
    if depth == 0:
        return np.sin(x)
    return _branch(0.9 * x, depth - 1) * _branch(np.cos(x), depth - 1)


def views(x: Any, count: int) -> Any:
    total = x[: len(x) // 2]
    for i in range(count):
        whole = np.sin(x)
        total = total * 0.9 + whole[i : i + len(x) // 2] * whole[i + 1 : i + 1 + len(x) // 2]
    return total.sum()


PROGRAMS: dict[str, Callable[..., Any]] = {
    "chain": chain,
    "layers": layers,
    "blocks": blocks,
    "tree": tree,
    "views": views,
}
SIZES = {"chain": 200, "layers": 1_000, "blocks": 1_000, "tree": 6, "views": 60}
SMALL = {"chain": 3, "layers": 3, "blocks": 3, "tree": 2, "views": 3}


def arguments(xp: Any, program: str, size: int, is_small: bool) -> tuple[Any, ...]:
    """Return the arguments of a program; it is differentiated by the first."""
    if program not in ("layers", "blocks"):
        return xp.full((64 if is_small else MIB // 4,), 0.5, dtype=xp.float32), size
    width = 8 if is_small else 256
    if program == "layers":
        weights = [xp.eye(width, dtype=xp.float32) for _ in range(size)]
        return weights, xp.full((4, width), 0.5, dtype=xp.float32)
    pairs = [(xp.eye(width, dtype=xp.float32), xp.eye(width, dtype=xp.float32)) for _ in range(size)]
    return pairs, xp.linspace(0.0, 1.0, 32 * width, dtype=xp.float32).reshape(32, width)


def namespace(library: str) -> Any:
    """Return the module of a library, which works in one thread."""
    if library == "numpy":
        return np
    import torch  # noqa: PLC0415  (rows of NumPy are measured without it)

    torch.set_num_threads(1)
    return torch


def bytes_of(nest: Any) -> int:
    """Return the bytes of the arrays in lists and tuples."""
    return sum(map(bytes_of, nest)) if isinstance(nest, list | tuple) else int(nest.nbytes)


def measure(library: str, program: str, budget: int, each: bool, size: int) -> Row:
    """Return one measurement in this process."""
    xp = namespace(library)
    of_library = PROGRAMS[program]
    gradient = value_and_grad(of_library, memory="8MiB")
    gradient(*arguments(xp, program, SMALL[program], is_small=True))
    given = arguments(xp, program, size, is_small=False)

    def step(path: Any, cotangent: Any) -> None:
        leaf = given[0]
        for key in path:
            leaf = leaf[key]
        leaf -= 1e-3 * cotangent

    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else what was freed hides what is taken
    before, began = common.fresh_peak(), time.process_time()
    receiver = step if each else None
    gradient = value_and_grad(of_library, memory=budget * MIB, each=receiver)
    with profile() as costs:
        try:
            y, found = gradient(*given)
        except BudgetError as error:
            return {"error": str(error)}
    growth, seconds = common.peak() - before, time.process_time() - began
    results = 0 if each else int(y.nbytes) + bytes_of(found)
    total = costs.total
    row = {"growth": growth, "results": results, "share": (growth - results) / (budget * MIB)}
    return {**row, "seconds": seconds, "forward": total.executed / total.run, "held": total.peak_bytes}


def measured(library: str, program: str, budget: int, each: bool, size: int) -> Row:
    """Return one measurement in a fresh process."""
    case = json.dumps([library, program, budget, each, size])
    command = [sys.executable, "-m", "experiments.tensors.budget", "--case", case]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=common.HERE.parent, env=one_thread
    )
    found: Row = json.loads(done.stdout.splitlines()[-1])
    return found


def line(row: Row) -> list[str]:
    """Return a row of the table; all memory is in MiB, steps are in times of the run."""
    name = f"{row['library']} {row['program']}" + (", each" if row["each"] else "")
    if "error" in row:
        return [name, str(row["budget"]), row["error"], "", "", "", ""]
    grown = row["growth"] / MIB, (row["growth"] - row["results"]) / MIB
    rest = f"{row['share']:.2f}", f"{row['forward']:.2f}", f"{row['seconds']:.2f}"
    return [name, str(row["budget"]), *(f"{each:.1f}" for each in grown), *rest]


def main() -> None:
    options = common.parser("growth of the process by gradients of tensors within budgets")
    options.add_argument("--case", help="measure one case in this process")
    chosen = options.parse_args()
    if chosen.case:
        print(json.dumps(measure(*json.loads(chosen.case))))
        return
    rows = []
    for library, program, budget, each in ROWS:
        case = {"library": library, "program": program, "budget": budget, "each": each}
        rows.append({**case, **measured(library, program, budget, each, SIZES[program])})
        print("  ".join(line(rows[-1])), flush=True)
    print("\n" + common.table(HEADER, [line(row) for row in rows]))
    broken = sum("error" in row or row["share"] > LIMIT for row in rows)
    print(f"\n{broken} of {len(rows)} rows are above {LIMIT} of their budget")
    common.save("tensors-budget", chosen.engine, limit=LIMIT, rows=rows)


if __name__ == "__main__":
    main()
