"""The growth of this process by a gradient of tensors within a budget: run as a module, one case a process.

In: the name of a program, a budget in MiB; and, if a pullback is to be called instead, how often. Out,
printed: by how many bytes the process has grown, less those of the cotangents that are returned; and how many
pages the system has given it in the same gradient again.
"""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from typing import Any

import torch

from checkpoint import grad, pullback
from experiments.common import fresh_peak, peak


def chain(x: Any, count: int) -> Any:
    for _ in range(count):
        x = torch.sin(x)
    return x.sum()


def layers(weights: Any, x: Any) -> Any:
    for w in weights:
        x = x + 0.1 * torch.sin(x @ w)
    return x.sum()


def case(name: str, is_small: bool) -> tuple[Any, tuple[Any, ...]]:
    """Return a program and its arguments, at its size or a small one."""
    if name == "long":
        return chain, (torch.full((4 if is_small else 2**15,), 0.5), 3 if is_small else 1_000)
    if name == "chain":
        return chain, (torch.full((4 if is_small else 2**18,), 0.5), 3 if is_small else 200)
    width, count = (4, 3) if is_small else (256, 160)
    return layers, ([torch.eye(width) for _ in range(count)], torch.full((2, width), 0.5))


def gradient_of(program: Any, arguments: tuple[Any, ...], budget: int, calls: int) -> Any:
    """Return the gradient, or what the last call of a pullback returns."""
    if not calls:
        return grad(program, memory=budget)(*arguments)
    value, pull = pullback(program, *arguments, memory=budget)
    with pull:
        for _ in range(calls):
            found = None  # only one result is there at a time
            found = pull(torch.ones_like(value))
    return found


def main(name: str, budget: int, calls: int = 0) -> None:
    torch.set_num_threads(1)
    small, arguments = case(name, is_small=True)
    gradient_of(small, arguments, 4 << 20, calls)
    program, arguments = case(name, is_small=False)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = fresh_peak()
    gradient = gradient_of(program, arguments, budget << 20, calls)
    found = gradient if isinstance(gradient, list) else [gradient]
    growth = peak() - before - sum(x.nbytes for x in found)
    pages = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    gradient_of(program, arguments, budget << 20, calls)
    print(growth, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - pages)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
