"""One peer's gradients of the programs, timed, in a process that needs nothing but the peer and NumPy.

Called by experiments/arrays/peers.py as `python peer.py NAME PROGRAM REPEATS`. Printed, as JSON: the median
seconds of a gradient, and what its entries add up to; or why the peer is not there.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Gradient = Callable[[Any], Any]
SOURCE = Path(__file__).with_name("programs.py")


def programs(namespace: str) -> dict[str, Any]:
    """Return the programs over another namespace than NumPy's."""
    text = SOURCE.read_text(encoding="utf-8").replace("import numpy as np", f"import {namespace} as np")
    module = types.ModuleType("programs")
    exec(compile(text, str(SOURCE), "exec"), module.__dict__)
    return {program.__name__: program for program in module.PROGRAMS}


def with_autograd() -> tuple[dict[str, Gradient], Callable[[Any], Any]]:
    from autograd import grad  # noqa: PLC0415

    return {name: grad(f) for name, f in programs("autograd.numpy").items()}, lambda x: x


def with_jax(jit: bool) -> tuple[dict[str, Gradient], Callable[[Any], Any]]:
    import jax  # noqa: PLC0415

    jax.config.update("jax_enable_x64", True)

    def gradient(f: Any) -> Gradient:
        made = jax.grad(f)
        made = jax.jit(made) if jit else made
        return lambda x: jax.block_until_ready(made(x))

    made = {name: gradient(f) for name, f in programs("jax.numpy").items()}
    return made, lambda x: jax.tree_util.tree_map(jax.numpy.asarray, x)


def with_torch() -> tuple[dict[str, Gradient], Callable[[Any], Any]]:
    torch = importlib.import_module("torch")

    torch.set_num_threads(1)

    def tensor(x: Any) -> Any:
        return tuple(map(tensor, x)) if isinstance(x, tuple) else torch.tensor(x, requires_grad=True)

    def gradient(f: Any) -> Gradient:
        return lambda x: torch.autograd.grad(f(x), x if isinstance(x, tuple) else (x,))

    return {name: gradient(f) for name, f in programs("torch").items()}, tensor


PEERS: dict[str, Callable[[], tuple[dict[str, Gradient], Callable[[Any], Any]]]] = {
    "autograd": with_autograd,
    "jax": lambda: with_jax(False),
    "jax, jit": lambda: with_jax(True),
    "torch": with_torch,
}


def checksum(gradient: Any) -> float:
    """Return the sum of all entries."""
    if isinstance(gradient, list | tuple):
        return sum(map(checksum, gradient))
    return float(np.sum(np.asarray(gradient)))


def timed(gradient: Gradient, x: Any, repeats: int) -> dict[str, float]:
    """Return the median time of a gradient after one that warms up, and its checksum."""
    found = gradient(x)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        gradient(x)
        times.append(time.process_time() - start)
    return {"seconds": statistics.median(times), "checksum": checksum(found)}


def main() -> None:
    name, program, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
    namespace: dict[str, Any] = {"__name__": "programs"}
    exec(SOURCE.read_text(encoding="utf-8"), namespace)
    try:
        gradients, convert = PEERS[name]()
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    print(json.dumps(timed(gradients[program], convert(namespace["arguments"](np)[program]), repeats)))


if __name__ == "__main__":
    main()
