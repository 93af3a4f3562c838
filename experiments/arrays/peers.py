"""Gradients of programs over arrays beside those of other packages that differentiate.

For each program of experiments/arrays/programs.py: the median CPU time of a gradient on the engine, by plain
reverse mode and by the schedule that is used unless one is chosen, as a multiple of the time of the function
in NumPy; the same by HIPS autograd, by JAX (with and without jit, whose compilation is not counted) and by
PyTorch, on one CPU. A peer that is not installed is left out by name. All gradients must agree.

Reproduce; `--peers` is a Python that has the peers, if this one has not:

    python -m experiments.arrays.peers --repeats 9 --peers PYTHON
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from typing import Any

import numpy as np

from checkpoint import grad
from experiments import common
from experiments.arrays import peer
from experiments.arrays.programs import PROGRAMS, arguments

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}


def ours(engine: str, repeats: int) -> dict[str, dict[str, Any]]:
    """Return the times of the function in NumPy, and of our gradients."""
    args = arguments(np)
    found: dict[str, dict[str, Any]] = {"numpy": {}, "plain": {}, "default": {}}
    for program in PROGRAMS:
        name = program.__name__
        found["numpy"][name] = peer.timed(program, args[name], repeats)
        found["plain"][name] = peer.timed(grad(program, engine=engine, schedule="plain"), args[name], repeats)
        found["default"][name] = peer.timed(grad(program, engine=engine), args[name], repeats)
    return found


def theirs(name: str, program: str, pythons: list[str], repeats: int, limit: float) -> dict[str, Any]:
    """Return a peer's result from the first Python that has it, or the reason why it is left out."""
    environment = {**os.environ, **ONE_THREAD}
    answer: dict[str, Any] = {}
    for python in pythons:
        command = [python, peer.__file__, name, program, str(repeats)]
        try:
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return {"missing": f"{program} takes more than {limit:.0f} s"}
        answer = json.loads(done.stdout.splitlines()[-1])
        if "missing" not in answer:
            break
    return answer


def of_peers(names: list[str], pythons: list[str], repeats: int, limit: float) -> dict[str, dict[str, Any]]:
    """Return the peers' rows, after printing which are left out."""
    rows: dict[str, dict[str, Any]] = {}
    for name in peer.PEERS:
        for program in names:
            answer = theirs(name, program, pythons, repeats, limit)
            if "missing" in answer:
                print(f"{name} is left out: {answer['missing']}")
            else:
                rows.setdefault(name, {})[program] = answer
    return rows


def _ratio(row: Any, base: Any) -> str:
    return "-" if row is None else f"{row['seconds'] / base['seconds']:.1f}"


def main() -> None:
    parser = common.parser("gradients beside those of other packages")
    parser.add_argument("--peers", nargs="*", default=[], help="other Pythons, which have peers")
    parser.add_argument("--limit", type=float, default=100.0, help="seconds for a peer's program (100)")
    options = parser.parse_args()
    names = [program.__name__ for program in PROGRAMS]
    rows = ours(options.engine, options.repeats)
    rows |= of_peers(names, [sys.executable, *options.peers], options.repeats, options.limit)
    for found in list(rows.values())[1:]:
        for name, row in found.items():
            expected = rows["plain"][name]["checksum"]
            assert math.isclose(row["checksum"], expected, rel_tol=1e-6, abs_tol=1e-6), (name, found)
    base = rows["numpy"]
    print(
        common.table(
            ("times NumPy's run", *names),
            [
                ("(NumPy, ms)", *(f"{1e3 * base[name]['seconds']:.2f}" for name in names)),
                *(
                    (who, *(_ratio(found.get(name), base[name]) for name in names))
                    for who, found in rows.items()
                    if who != "numpy"
                ),
            ],
        )
    )
    common.save("arrays-peers", options.engine, repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
