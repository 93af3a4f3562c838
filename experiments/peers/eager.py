"""Tools that record each operation of Python's: HIPS autograd, and PyTorch on tensors of one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd
import autograd.numpy as anp
import torch

from experiments.peers.subjects import ARGUMENTS, FUNCTIONS, Peer, Run
from experiments.speed.subjects import inner_count

torch.set_num_threads(1)


def hips(program: str, n: int) -> Run:
    """Return value and gradient by HIPS autograd."""
    function = FUNCTIONS[program] if program == "lorenz" else _nested_by(anp.sqrt)
    arguments = ARGUMENTS[program]
    of = autograd.value_and_grad(function, argnum=tuple(range(len(arguments))))

    def run() -> tuple[float, list[float]]:
        value, gradient = of(*arguments, n)
        return float(value), [float(number) for number in gradient]

    return run


def tensors(program: str, n: int) -> Run:
    """Return value and gradient by PyTorch."""
    function = FUNCTIONS[program] if program == "lorenz" else _nested_by(torch.sqrt)

    def run() -> tuple[float, list[float]]:
        arguments = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in ARGUMENTS[program]]
        value = function(*arguments, n)
        gradient = torch.autograd.grad(value, arguments)
        return value.item(), [number.item() for number in gradient]

    return run


def _nested_by(sqrt: Callable[[Any], Any]) -> Callable[..., Any]:
    def nested(y: Any, n: int) -> Any:
        power = 1
        for _ in range(n):
            power = 3 * power % n
            for _ in range(inner_count(n, 1 + 1007 * power % n)):
                y = sqrt(y * y)
        return y

    return nested


PEERS: dict[str, Peer] = {"HIPS autograd": hips, "PyTorch, eager": tensors}
