"""The functions of together.py on PyTorch's tensors, and under torch.func.vmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Run = Callable[[], Any]


def perceptron(x: Any, w: Any, v: Any) -> Any:
    """Return a number of a network with two layers."""
    return torch.sum(torch.tanh(torch.tanh(x @ w) @ v))


def relaxed(x: Any, w: Any, v: Any) -> Any:
    """Return a state after the steps that it needs to become small: torch.func.vmap refuses the loop."""
    turns = 0
    while torch.sum(x * x) > 1.0 and turns < 40:
        x = x - 0.2 * (x - 0.5 * torch.tanh(x @ w))
        turns = turns + 1
    return x


def by_torch(args: tuple[Any, ...], axes: tuple[Any, ...]) -> dict[str, tuple[Run, Run]]:
    """Return a run and a gradient of `perceptron` under torch.func.vmap."""
    mapped: Any = torch.func.vmap(perceptron, axes)
    x = args[0].clone().requires_grad_()

    def gradient() -> Any:
        return torch.autograd.grad(mapped(x, *args[1:]).sum(), x)

    return {"torch.func.vmap": (lambda: mapped(*args), gradient)}


def cases(x: Any, w: Any, v: Any) -> list[Any]:
    """Return the cases of together.py for tensors."""
    torch.set_num_threads(1)
    perceptron.others = by_torch  # type: ignore[attr-defined]
    args = tuple([torch.from_numpy(each) for each in (x, w, v)])
    return [
        ("network, PyTorch", perceptron, args, torch.sum),
        ("a loop of 4 to 13 turns, PyTorch", relaxed, args, torch.sum),
    ]
