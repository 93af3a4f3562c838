"""Gradients of deep networks by this package, PyTorch and JAX: times in turn, memory in new processes.

In: a module with a network of PyTorch's tensors: weights(depth), batch(), stem(net, *data), block(x, w),
head(x, net, *data), loss(net, *data), tensors(nest), BLOCK_BYTES, BLOCK_TENSORS. Out: rows for tables. All
work in one thread; times are CPU seconds.

Memory is what a process grows by during a gradient, less the bytes of the gradient. A *cap* is a bound that
the system sets on all that the process takes beyond its imports: weights, gradients, everything. A failure is
a row with the words of the tool that failed.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import math
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from experiments import common, processes
from experiments.extras import needed

PROCESS = "experiments.deep"
MIB = 1 << 20
TENSOR_BYTES = 1500  # of a weight besides its elements: what PyTorch and this package have for each
RATE = 1e-4
FIRST, FACTOR, HALVINGS = 32, 4, 3  # of a search for the deepest network
Row = dict[str, Any]
Method = Callable[[], float]

# The methods, by their names in the tables

PLAIN, BUDGET, BISECTION = "checkpoint, plain", "checkpoint, memory=", "checkpoint, bisection"
INDIVIDUAL, RIGHT = "checkpoint, individual", "checkpoint, right-branching"
TORCH, TORCH_EACH, TORCH_ROOT = "PyTorch", "PyTorch, checkpoint per block", "PyTorch, checkpoint_sequential"
JAX, JAX_REMAT = "JAX, scan", "JAX, scan with remat"
OURS, PEERS = (PLAIN, BUDGET, BISECTION, INDIVIDUAL, RIGHT), (TORCH, TORCH_EACH, TORCH_ROOT)
JAX_METHODS = (JAX, JAX_REMAT)
METHODS = (*OURS, *PEERS)


def ours(model: Any, name: str, net: Any, data: tuple[Any, ...], memory: int, steps: bool) -> Method:
    """Return one gradient by this package; steps: weights are changed within it, and no gradient is kept."""
    import checkpoint  # noqa: PLC0415 (peers are measured without it)

    choices: dict[str, dict[str, Any]] = {
        PLAIN: {"schedule": "plain"},
        BUDGET: {"memory": memory},
        BISECTION: {"schedule": checkpoint.Bisection()},
        INDIVIDUAL: {"schedule": checkpoint.Individual(calls_of=model.block)},
        RIGHT: {"schedule": checkpoint.RightBranching()},
    }

    def step(path: Any, gradient: Any) -> None:
        leaf = net
        for key in path:
            leaf = getattr(leaf, key) if isinstance(key, str) else leaf[key]
        leaf.sub_(gradient, alpha=RATE)

    taken = step if steps else None
    gradient = checkpoint.value_and_grad(model.loss, engine="c", each=taken, **choices[name])
    return lambda: float(gradient(net, *data)[0])


def theirs(model: Any, name: str, net: Any, data: tuple[Any, ...], steps: bool) -> Method:
    """Return one gradient by PyTorch, in the weights' `grad`; steps: as for `ours`."""
    from torch.utils.checkpoint import checkpoint, checkpoint_sequential  # noqa: PLC0415

    leaves = model.tensors(net)
    for leaf in leaves:
        leaf.requires_grad_()
        if steps:
            leaf.register_post_accumulate_grad_hook(_taken)

    def each(x: Any) -> Any:
        for w in net.blocks:
            x = checkpoint(model.block, x, w, use_reentrant=False)
        return x

    def by_root(x: Any) -> Any:
        blocks = [lambda x, w=w: model.block(x, w) for w in net.blocks]
        segments = max(1, round(math.sqrt(len(blocks))))
        return checkpoint_sequential(blocks, segments, x, use_reentrant=False)

    def plain(x: Any) -> Any:
        for w in net.blocks:
            x = model.block(x, w)
        return x

    through = {TORCH: plain, TORCH_EACH: each, TORCH_ROOT: by_root}[name]

    def run() -> float:
        for leaf in leaves:
            leaf.grad = None
        y = model.head(through(model.stem(net, *data)), net, *data)
        y.backward()
        return float(y.detach())

    return run


def _taken(leaf: Any) -> None:
    leaf.data.sub_(leaf.grad, alpha=RATE)
    leaf.grad = None


def method(model: Any, name: str, depth: int, memory: int, steps: bool = False) -> Method:
    """Return one gradient by a method, with weights of its own."""
    if name in JAX_METHODS:
        jax_net = importlib.import_module(model.__name__.replace(".net", ".jax_net"))
        found: Method = jax_net.gradient(depth, name == JAX_REMAT)
        return found
    net, data = model.weights(depth), model.batch()
    if name in OURS:
        return ours(model, name, net, data, memory, steps)
    return theirs(model, name, net, data, steps)


def one_thread() -> None:
    """Let PyTorch work in one thread."""
    with needed():
        import torch  # noqa: PLC0415

    torch.set_num_threads(1)


# Tables

TIMES = ("depth", "method", "ms per block", "of PyTorch's", "spread")
MEMORY = ("depth", "method", "ms per block", "MiB beside weights and gradient", "loss")


def time_lines(rows: Sequence[Row]) -> list[list[str]]:
    """Return the lines of a table of times."""
    return [
        [str(row["depth"]), row["method"], f"{row['ms']:.3f}", f"{row['ratio']:.2f}", f"{row['spread']:.0%}"]
        for row in rows
    ]


def memory_line(row: Row) -> list[str]:
    """Return the line of a table of memory."""
    start = [str(row["depth"]), row["method"]]
    if "error" in row:
        return [*start, row["error"], "", ""]
    return [*start, f"{row['ms']:.3f}", f"{row['growth'] / MIB:.0f}", f"{row['loss']:.4f}"]


# Times, in turn


def times(module: str, depth: int, names: Sequence[str], memory: int, rounds: int) -> list[Row]:
    """Return the times of methods that take turns in this process, after a first call of each."""
    one_thread()
    model = importlib.import_module(module)
    methods = {name: method(model, name, depth, memory) for name in names}
    for run in methods.values():
        for _ in range(2):  # in the first what runs long is translated
            run()
    found: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):
        for name, run in methods.items():
            gc.collect()
            found[name].append(common.seconds(run))
    least = statistics.median(found[TORCH])
    return [
        {"method": name, "depth": depth, "ms": 1e3 * median / depth, "ratio": median / least}
        | {"spread": (max(each) - min(each)) / median}
        for name, each in found.items()
        for median in [statistics.median(each)]
    ]


# Memory, in processes of their own


def growth(module: str, name: str, depth: int, memory: int, cap: int | None, steps: bool) -> Row:
    """Return the time and growth of one gradient in this process, after one of a small network."""
    if name not in JAX_METHODS:
        one_thread()
    model = importlib.import_module(module)
    method(model, name, 3, 8 * MIB, steps)()
    gc.collect()
    if cap is not None:
        processes.limit(cap)
    run = method(model, name, depth, memory, steps)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else what was freed hides what is taken
    before, began = common.fresh_peak(), time.process_time()
    loss = run()
    seconds = time.process_time() - began
    weights = depth * model.BLOCK_BYTES
    grown = common.peak() - before - (0 if steps else weights)
    return {
        "loss": loss,
        "seconds": seconds,
        "ms": 1e3 * seconds / depth,
        "growth": grown,
        "weights": weights,
    }


def measured(
    module: str, name: str, depth: int, memory: int = 0, cap: int | None = None, steps: bool = False
) -> Row:
    """Return the growth of a new process, or what it said when it failed."""
    case = {"module": module, "name": name, "depth": depth, "memory": memory, "cap": cap, "steps": steps}
    row = {"method": name, "depth": depth, "memory": memory, "cap": cap, "each": steps}
    return {**row, "load": processes.load(), **processes.row_of(PROCESS, case)}


# The deepest network under a cap


def largest(module: str, name: str, cap: int, limit: int, seconds: float) -> list[Row]:
    """Return the rows of ever deeper networks under a cap, up to a depth or a time; all have one parent."""
    case = {"module": module, "name": name, "cap": cap, "limit": limit, "seconds": seconds}
    ended = processes.ended(PROCESS, case)
    ended.check_returncode()
    rows: list[Row] = json.loads(ended.stdout.splitlines()[-1])
    return rows


def search(module: str, name: str, cap: int, limit: int, seconds: float) -> list[Row]:
    """Return the same rows, measured in forks of this process, which has imported what they need.

    Depths grow by FACTOR; between the last that ends and the first that fails HALVINGS more are tried.
    """
    one_thread()
    model = importlib.import_module(module)
    model.batch()
    if name in OURS:
        import checkpoint  # noqa: F401, PLC0415 (peers are measured without it)

    rows: list[Row] = []

    def tried(depth: int) -> bool:
        memory = _memory(model, depth, cap)
        case = {"module": module, "name": name, "depth": depth, "memory": memory, "cap": cap, "steps": True}
        rows.append(
            {"method": name, "depth": depth, "memory": memory, "load": processes.load()} | _forked(case)
        )
        said = rows[-1].get("error") or f"{rows[-1]['seconds']:.1f} s"
        print(f"  {name} {depth}: {said}", file=sys.stderr, flush=True)
        return "error" not in rows[-1]

    good, bad, depth = 0, 0, FIRST
    while depth <= limit and not bad:
        if tried(depth):
            good, depth = depth, FACTOR * depth
        else:
            bad = depth
        if good and FACTOR * rows[-1].get("seconds", 0.0) > seconds:
            break
    for _ in range(HALVINGS if bad else 0):
        depth = round(math.sqrt(max(good, 1) * bad))
        if tried(depth):
            good = depth
        else:
            bad = depth
    return rows


def _forked(case: dict[str, Any]) -> Row:
    """Return the row of a fork, or why there is none."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as source:
            said = source.read()
        _, status = os.waitpid(child, 0)
        found: Row = json.loads(said) if said else {"error": f"ended with status {status}"}
        return found
    try:
        row = growth(**case)
    except BaseException as error:  # a fork ends here, whatever happens
        row = {"error": processes.last_words(f"{type(error).__name__}: {error}")}
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    os.write(writing, json.dumps(row).encode())
    os._exit(0)


def _memory(model: Any, depth: int, cap: int) -> int:
    """Return what a budget may take under a cap: most of what the weights leave."""
    weights = depth * (model.BLOCK_BYTES + TENSOR_BYTES * model.BLOCK_TENSORS)
    return max(int(0.75 * (cap - weights)), MIB)


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(search(**asked) if "limit" in asked else growth(**asked)))
