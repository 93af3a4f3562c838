"""Programs over PyTorch's tensors, written as their users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def affine(x: Tensor, w: Tensor) -> Tensor:
    return ((x @ w + 1.0) * 2.0 - 0.5 * x).sum()


def indexed(w: Tensor) -> Tensor:
    return (w[1] * w[:, 2]).sum() + w[-1, 0] * w[..., 1].mean()


def changed(w: Tensor) -> Tensor:
    y = w * 1.5
    y[0] = 2.0 * w[1]
    y[1:, 0] += w[0, :3]
    y *= 0.5
    return (y * w).sum()


def loop(w: Tensor, n: int = 6) -> Tensor:
    s = w
    for i in range(n):
        s = s * 0.9 + torch.sin(w) * i
        if s.sum() > 0:
            s = s - w.mean()
    return s.square().sum()


def while_loop(w: Tensor) -> Tensor:
    count = 0
    while (w * w).sum() > 1.0 and count < 40:
        w = 0.8 * w
        count += 1
    return w.sum() * count


def block(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    m = x.mean(1, keepdim=True)
    c = x - m
    v = (c * c).mean(dim=1, keepdim=True)
    h = c / torch.sqrt(v + 1e-5)
    return x + torch.relu(h @ w + b) @ w.T


def residual(x: Tensor, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
    for w, b in layers:
        x = block(x, w, b)
    return (x * x).mean()


def shapes(w: Tensor) -> Tensor:
    y = w.reshape(2, 6).unsqueeze(0).transpose(0, 1).permute(2, 1, 0).squeeze(1)
    z = torch.cat([y, y.flatten(0, 1).view(6, 2) * 2.0], dim=1)
    return (z * torch.stack([z[:, 0], z[:, 1], z[:, 2], z[:, 3]], dim=1)).sum() / z.numel() * z.size(0)


def statistics(w: Tensor) -> Tensor:
    return w.std() + w.var(dim=0).sum() + w.max() - w.amin(dim=1).sum() + w.max(dim=1).values[0]


def probabilities(w: Tensor) -> Tensor:
    p = functional.softmax(w, dim=1)
    return -(p * functional.log_softmax(0.5 * w, dim=1)).sum() + torch.sigmoid(w).prod()


def stopped(w: Tensor) -> Tensor:
    return (w * w.detach()).sum() + (w.clone() * w).sum()


def chosen(w: Tensor) -> Tensor:
    return torch.where(w > 0, w.exp(), 0.1 * w.abs()).clamp(-1.0, 2.0).sum()


class Layer:
    """A layer as an object with parameters."""

    def __init__(self, w: Tensor) -> None:
        self.w = w
        self.calls = 0

    def __call__(self, x: Tensor) -> Tensor:
        self.calls += 1
        return torch.tanh(x @ self.w)


def objects(x: Tensor, w: Tensor) -> Tensor:
    layers = [Layer(w), Layer(w * 0.5)]
    for layer in layers:
        x = layer(x)
    return x.sum() * layers[0].calls


def recursive(w: Tensor, depth: int = 5) -> Tensor:
    if depth == 0:
        return w.sum()
    return recursive(w * 1.1, depth - 1) * 0.5 + w[0, 0]


def corpus(dtype: torch.dtype) -> dict[str, Program]:
    """Return each program with arguments of a dtype."""
    generator = torch.Generator().manual_seed(7)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=dtype, generator=generator)

    x, w = draw(3, 4), draw(4, 4)
    return {
        "affine": (affine, (x, w)),
        "indexed": (indexed, (w,)),
        "changed": (changed, (w,)),
        "loop": (loop, (x,)),
        "while_loop": (while_loop, (x,)),
        "residual": (residual, (x, [(draw(4, 4), draw(4)), (draw(4, 4), draw(4))])),
        "shapes": (shapes, (x,)),
        "statistics": (statistics, (x,)),
        "probabilities": (probabilities, (x,)),
        "stopped": (stopped, (x,)),
        "chosen": (chosen, (x,)),
        "objects": (objects, (x, w)),
        "recursive": (recursive, (x,)),
    }
