"""Gradients of two loops by the tools of this field: time, memory, compilation, each in a process of its own.

What is measured is said in alone.py, the programs are in subjects.py, what each tool runs in own.py,
jax_loops.py, enzyme.py, tapes.py, casadi_folds.py and eager.py. Tools that are not installed are left out,
with a line.

Reproduce:

    pip install jax equinox diffrax enzyme-ad casadi autograd torch cmeel-cppad; apt install libadolc-dev
    python -m experiments.peers.run            # six minutes
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
from collections.abc import Sequence
from typing import Any

from experiments import common
from experiments.peers.own import PEERS as OWN
from experiments.processes import row_of
from experiments.speed.peers import FLAG

# What the module of each peer needs, and the peers' names: they are imported in processes of their own.
NEEDS = {
    "jax_loops": ("diffrax",),
    "enzyme": ("enzyme_ad",),
    "tapes": ("cmeel",),
    "casadi_folds": ("casadi",),
    "eager": ("autograd", "torch"),
}
NAMES = {
    "own": tuple(OWN),
    "jax_loops": (
        "JAX, scan",
        "JAX, two levels of jax.checkpoint",
        "equinox, checkpointed while_loop",
        "diffrax, RecursiveCheckpointAdjoint",
    ),
    "enzyme": ("Enzyme, C++",),
    "tapes": ("CppAD", "ADOL-C"),
    "casadi_folds": ("CasADi, folds in folds",),
    "eager": ("HIPS autograd", "PyTorch, eager"),
}
SIZES = {"lorenz": 1_000_000, "nested": 2**16}
SLOW = {"eager": {"lorenz": 10_000, "nested": 2**10}}  # a turn of theirs costs the same for every n
PATIENCE = 100.0  # seconds for one process


def not_installed(module: str) -> list[str]:
    """Return the packages that the peers of a module need and that are not there."""
    return [name for name in NEEDS.get(module, ()) if importlib.util.find_spec(name) is None]


def measured(program: str, modules: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of the peers of some modules, of which those that are not installed are left out."""
    rows = []
    for module in modules:
        names = NAMES[module]
        if missing := not_installed(module):
            print(f"not installed: {', '.join(missing)}; left out: {', '.join(names)}")
            continue
        count = SLOW.get(module, SIZES)[program]
        for name, flag in itertools.product(names, ("", FLAG) if module == "jax_loops" else ("",)):
            case = {"module": module, "name": name, "program": program, "n": count}
            row = row_of("experiments.peers.alone", case, flag, PATIENCE)
            rows.append({"program": program, "peer": f"{name}, flag" if flag else name, "n": count, **row})
    return rows


def line(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of a row."""
    if "ns" not in row:
        return row["peer"], "-", "-", "-", row.get("cannot") or row["error"]
    right = "" if row["right"] else "WRONG"
    return row["peer"], f"{row['ns']:.1f}", f"{row['MiB']:.1f}", f"{row['first']:.2f}", right


def main() -> None:
    """Measure, print a table for each program, and keep the rows if asked."""
    parser = common.keepable(argparse.ArgumentParser(description="gradients of loops"))
    parser.add_argument(
        "--only", nargs="+", choices=NAMES, default=tuple(NAMES), help="peers of these modules"
    )
    options, rows = parser.parse_args(), []
    for program in SIZES:
        found = measured(program, options.only)
        table = common.table(("", "ns/turn", "MiB", "first, s", ""), [line(row) for row in found])
        print(f"\n{program}\n{table}", flush=True)
        rows += found
    if options.keep:
        common.save("peers", "c", rows=rows)


if __name__ == "__main__":
    main()
