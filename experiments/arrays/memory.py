"""The highest memory of long chains of operations on large arrays, in multiples of one array.

For each chain of experiments/arrays/chains.py: the run, and its gradient by bisection, on the engine and as
one writes them in NumPy by hand. What is measured is the highest resident memory of a fresh process beyond
what it held just before, with the argument (Linux only: VmHWM, which is reset before). The engine's bisection
goes down to one turn of the loop (`steps`), as the one by hand does, or to tapes of two arrays (`bytes`).
By hand, forward, is Python's own run of the chain.
What is required: that of the loop by hand, which forward holds two arrays, the argument not counted.

Reproduce (gigabytes of memory):

    python -m experiments.arrays.memory --megabytes 100 --turns 32
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint import Bisection, grad, primops
from experiments import common
from experiments.arrays.chains import CHAINS, gradient_by_hand

MODES = ("forward by hand", "forward", "gradient by hand", "gradient, steps", "gradient, bytes")


def action(mode: str, name: str, x: Any, turns: int, engine: str) -> Callable[[], Any]:
    """Return the action to measure."""
    chain = next(chain for chain in CHAINS if chain.__name__ == name)
    if mode == "forward by hand":
        return lambda: chain(x, turns)
    if mode == "forward":
        return lambda: primops(lambda x: chain(x, turns), x, engine=engine)
    if mode == "gradient by hand":
        return lambda: gradient_by_hand(name, x, turns)
    small = np.ones(3)
    one, two = (primops(lambda x, n=n: chain(x, n), small, engine=engine) for n in (10, 11))
    schedule = Bisection(base=two - one)
    if mode == "gradient, bytes":
        schedule = Bisection(tape_bytes=2 * x.nbytes)
    return lambda: grad(chain, engine=engine, schedule=schedule)(x, turns)


def measure(mode: str, name: str, megabytes: int, turns: int, engine: str) -> float:
    """Return the peak in this process, in multiples of the array."""
    action(mode, name, np.ones(10), turns, engine)()  # what is loaded once is no part
    x = np.full(megabytes * 1_000_000 // 8, 0.5)
    wanted = action(mode, name, x, turns, engine)
    before = common.fresh_peak()
    wanted()
    return (common.peak() - before) / x.nbytes


def measured(*case: Any) -> float:
    """Return the peak in a fresh process, in multiples of the array."""
    code = f"from experiments.arrays import memory; print(memory.measure(*{json.dumps(case)}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> None:
    parser = common.parser("memory of chains on large arrays")
    parser.add_argument("--megabytes", type=int, default=100, help="size of one array (100)")
    parser.add_argument("--turns", type=int, default=32, help="turns of the loop (32)")
    options = parser.parse_args()
    case = (options.megabytes, options.turns, options.engine)
    rows: list[dict[str, Any]] = [
        {"chain": chain.__name__, **{mode: measured(mode, chain.__name__, *case) for mode in MODES}}
        for chain in CHAINS
    ]
    print(
        common.table(
            ("arrays", *MODES), [(row["chain"], *(f"{row[mode]:.2f}" for mode in MODES)) for row in rows]
        )
    )
    common.save("arrays-memory", options.engine, megabytes=options.megabytes, turns=options.turns, rows=rows)


if __name__ == "__main__":
    main()
