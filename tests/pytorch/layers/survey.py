"""Try every layer of torch.nn in a program: `python -m tests.pytorch.layers.survey [WORD ...]`.

`--engines=c,hybrid` chooses engines, `--json` prints an object. Each sample runs in a process of its own with
a time limit: a copy of this one, made by fork. Out: one line for each name and engine, "bits" (value and
gradient are PyTorch's to the bit), "close" (to 1e-4), "refused: TEXT" (an error of this package) or
"fails: TEXT".
"""

from __future__ import annotations

import functools
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

import checkpoint
from checkpoint.errors import CheckpointError
from tests.pytorch.layers.samples import HAS_STATE, SAMPLES

LIMIT = 120.0  # seconds


def total(y: Any, weights: Any) -> Any:
    """Return the sum of all elements of a result, each with its weight."""
    if isinstance(y, tuple):
        found = 0.0
        for part in y:
            found = found + total(part, weights)
        return found
    if y is None:
        return 0.0
    return (y * weights[: y.numel()].reshape(y.shape)).sum()


def program(module: Any, inputs: Any, weights: Any) -> Any:
    return total(module(*inputs), weights)


def drawn(name: str) -> tuple[Any, tuple[Any, ...], Any]:
    torch.manual_seed(1)
    module, inputs = SAMPLES[name]()
    return module, inputs, torch.randn(8000)


def leaves(inputs: Any) -> list[Any]:
    """Return the tensors of real elements of a nest, in order."""
    if isinstance(inputs, tuple | list):
        return [leaf for part in inputs for leaf in leaves(part)]
    return [inputs] if isinstance(inputs, torch.Tensor) and inputs.is_floating_point() else []


def expected(name: str) -> list[Any]:
    """Return PyTorch's value and gradients of a sample."""
    module, inputs, weights = drawn(name)
    variables = [*module.parameters(), *[x.requires_grad_() for x in leaves(inputs)]]
    torch.manual_seed(2)
    value = program(module, inputs, weights)
    found = torch.autograd.grad(value, variables, allow_unused=True)
    each = zip(found, variables, strict=True)
    return [value.detach(), *[torch.zeros_like(x) if g is None else g for g, x in each]]


def found(name: str, engine: str) -> list[Any]:
    """Return the same by this package."""
    module, inputs, weights = drawn(name)
    state = name in HAS_STATE
    torch.manual_seed(2)
    argnums = tuple([i for i, given in enumerate((list(module.parameters()), leaves(inputs))) if given])
    derivative = checkpoint.value_and_grad(program, argnums, engine=engine, has_state=state)
    value, gradients = derivative(module, inputs, weights)
    each = dict(zip(argnums, gradients, strict=True))
    parameters = [p.detach() for p in each[0].parameters()] if 0 in each else []
    return [value[0] if state else value, *parameters, *leaves(each.get(1, ()))]


def outcome(name: str, engine: str) -> str:
    try:
        wanted = expected(name)
    except Exception as problem:  # the sample itself is at fault
        return f"bad sample: {type(problem).__name__}: {problem}"
    try:
        given = found(name, engine)
    except CheckpointError as problem:
        return f"refused: {problem}"
    except Exception as problem:
        return f"fails: {type(problem).__name__}: {problem}"
    if len(given) != len(wanted):
        return f"fails: {len(given)} tensors, not {len(wanted)}"
    if all(map(torch.equal, given, wanted)):
        return "bits"
    if all(
        a.shape == b.shape and torch.allclose(a, b, 1e-4, 1e-5) for a, b in zip(given, wanted, strict=True)
    ):
        return "close"
    return "fails: other gradients"


def in_a_process(work: Callable[[], str], limit: float) -> str:
    """Return what work returns in a copy of this process; how it ended otherwise."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.write(write, work().encode()[:4000])
        os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], limit)
    text = os.read(read, 65536).decode() if ready else f"fails: takes more than {limit:.0f} seconds"
    if not ready:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(read)
    return text or f"fails: ends with {status}"


def survey(names: list[str], engines: list[str], show: Callable[[str], None]) -> dict[str, dict[str, str]]:
    """Return the outcomes by name and engine."""
    torch.set_num_threads(1)
    checkpoint.grad(program, 1)(torch.nn.Tanh(), (torch.ones(2),), torch.ones(2))  # loads what all need
    outcomes: dict[str, dict[str, str]] = {}
    for name in names:
        for engine in engines:
            start = time.monotonic()
            text = in_a_process(functools.partial(outcome, name, engine), LIMIT)
            outcomes.setdefault(name, {})[engine] = text
            show(f"{name:40} {engine:7} {time.monotonic() - start:5.1f} s  {text}")
    return outcomes


def main(arguments: list[str]) -> None:
    chosen = [each.partition("=")[2].split(",") for each in arguments if each.startswith("--engines=")]
    words = [each for each in arguments if not each.startswith("--")]
    names = [name for name in SAMPLES if not words or any(word in name for word in words)]
    quiet = "--json" in arguments
    outcomes = survey(
        names, chosen[0] if chosen else ["c", "hybrid"], print if not quiet else lambda line: None
    )
    if quiet:
        print(json.dumps(outcomes))


if __name__ == "__main__":
    main(sys.argv[1:])
