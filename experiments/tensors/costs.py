"""Gradients on the engine beside PyTorch's autograd and beside code written by hand in NumPy.

operations   `x = x * w; x = x + w` on arrays of 16 numbers: microseconds and tape bytes per operation
blocks       residual blocks (layer norm, matrix, relu, matrix) on a batch: microseconds per block

All cases of a program run in turn, as often as `--repeats` says: CPU times, medians over the rounds, of
ratios too: each of two times in one round. A result lives until the next one is there, so that no time
depends on whether the allocator has given memory back to the system in between. PyTorch is left out where it
is missing. Gradients must agree.

Reproduce:

    python -m experiments.tensors.costs --repeats 31
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import numpy as np

from checkpoint import grad, primops
from checkpoint.driver.effects import Effects
from checkpoint.functions.python_functions import run_of
from experiments import common
from experiments.tensors.programs import (
    network,
    network_by_hand,
    products,
    products_by_hand,
    torch_network,
    weights,
)

Action = Callable[[], Any]
Cases = dict[str, Action]
HAS_TORCH = importlib.util.find_spec("torch") is not None

# What is divided by what, and the bound of the ratio.
RATIOS: dict[str, tuple[tuple[str, str, float], ...]] = {
    "operations": (
        ("NumPy", "by hand", 2.0),
        ("NumPy, run", "Python", 2.0),
        ("tensors", "autograd", 0.9),
    ),
    "blocks": (
        ("NumPy", "by hand", 1.25),
        ("NumPy", "autograd", 1.15),
        ("tensors", "autograd", 1.15),
    ),
}


def _as_tensors(torch: Any, args: Any) -> Any:
    if isinstance(args, list | tuple):
        return type(args)([_as_tensors(torch, item) for item in args])
    return torch.from_numpy(args.copy()) if isinstance(args, np.ndarray) else args


def _leaves(args: Any) -> list[Any]:
    if isinstance(args, list | tuple):
        return [leaf for item in args for leaf in _leaves(item)]
    return [args] if hasattr(args, "shape") else []


def _of_torch(ours: Any, theirs: Any, args: Any, argnums: tuple[int, ...], engine: str) -> Cases:
    """Return the cases of PyTorch: on the engine, and by autograd with the same functions."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    tensors, wanted = _as_tensors(torch, args), _as_tensors(torch, args)
    leaves = [leaf.requires_grad_() for leaf in _leaves(wanted)]
    gradient = grad(ours, argnums, engine=engine, schedule="plain")
    return {
        "tensors": lambda: gradient(*tensors),
        "autograd": lambda: torch.autograd.grad(theirs(*wanted), leaves),
    }


def operations(turns: int, engine: str) -> Cases:
    """Return the cases on small arrays."""
    args = (np.ones(16, np.float32), np.full(16, 0.999, np.float32), turns)
    gradient = grad(products, (0, 1), engine=engine, schedule="plain")
    cases: Cases = {
        "by hand": lambda: products_by_hand(*args),
        "NumPy": lambda: gradient(*args),
        "Python": lambda: products(*args),
        "NumPy, run": lambda: primops(lambda a: products(*a), args, engine=engine),
    }
    return {**cases, **(_of_torch(products, products, args, (0, 1), engine) if HAS_TORCH else {})}


def blocks(layers: int, engine: str, width: int = 256, batch: int = 32) -> Cases:
    """Return the cases of residual blocks."""
    args = weights(layers, width, batch)
    gradient = grad(network, (0, 1, 2, 3), engine=engine, schedule="plain")
    cases: Cases = {"by hand": lambda: network_by_hand(*args), "NumPy": lambda: gradient(*args)}
    torch = _of_torch(torch_network, torch_network, args, (0, 1, 2, 3), engine) if HAS_TORCH else {}
    return {**cases, **torch}


def tape_bytes(turns: int, engine: str) -> float:
    """Return the bytes of the process per operation that a tape takes beside the arrays' elements."""
    x, w = np.ones(16, np.float32), np.full(16, 0.999, np.float32)
    for warm_up in (True, False):
        call = run_of(products, (x, w, 10 if warm_up else turns), {}, engine)
        before = common.fresh_peak()
        recording = call.engine.tape(call.engine.start(0, call.u, call.tags), None, Effects())
        found = common.peak() - before
        del recording
    return found / (2 * turns) - x.nbytes / 2  # of two operations, one reads an array


def checked(cases: Cases) -> None:
    """Run each case once, and raise if gradients differ by more than rounding."""
    expected = _leaves(cases["by hand"]())
    for name in ("NumPy", "tensors", "autograd"):
        if name in cases:
            for x, y in zip(_leaves(cases[name]()), expected, strict=True):
                np.testing.assert_allclose(np.asarray(x), y, rtol=1e-3, atol=1e-5, err_msg=name)


def timed(cases: Cases, repeats: int) -> dict[str, list[float]]:
    """Return the CPU seconds of each case in each round; all of them run in turn.

    A result lives until the case has run again, as gradients do until a step has used them.
    """
    checked(cases)
    times: dict[str, list[float]] = {name: [] for name in cases}
    kept: dict[str, Any] = {}
    for _ in range(repeats):
        for name, action in cases.items():
            gc.collect()
            start = time.process_time()
            result = action()
            times[name].append(time.process_time() - start)
            kept[name] = result
            del result
    return times


def report(program: str, found: dict[str, list[float]], count: int) -> dict[str, Any]:
    """Print the figures of a program, and return them."""
    each = {name: 1e6 * statistics.median(times) / count for name, times in found.items()}
    print(common.table((program, "us"), [(name, f"{us:.2f}") for name, us in each.items()]))
    ratios = {
        f"{x} / {y}": statistics.median([a / b for a, b in zip(found[x], found[y], strict=True)])
        for x, y, _ in RATIOS[program]
        if {x, y} <= set(each)
    }
    for x, y, bound in RATIOS[program]:
        if f"{x} / {y}" in ratios:
            print(f"{x} / {y}: {ratios[f'{x} / {y}']:.2f} (wanted: {bound})")
    print()
    return {"program": program, "us": each, "ratios": ratios}


def main() -> None:
    parser = common.parser("gradients of tensors beside PyTorch and NumPy by hand")
    parser.add_argument("--turns", type=int, default=2000, help="turns of small operations (2000)")
    parser.add_argument("--layers", type=int, default=8, help="residual blocks (8)")
    options = parser.parse_args()
    bytes_each = tape_bytes(50_000, options.engine)  # first, while little is free to use again
    rows = [
        report(
            "operations", timed(operations(options.turns, options.engine), options.repeats), 2 * options.turns
        ),
        report("blocks", timed(blocks(options.layers, options.engine), options.repeats), options.layers),
    ]
    print(f"tape: {bytes_each:.0f} bytes per operation beside the elements of arrays")
    common.save("tensors-costs", options.engine, repeats=options.repeats, rows=rows, tape_bytes=bytes_each)


if __name__ == "__main__":
    main()
