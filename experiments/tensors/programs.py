"""Programs over tensors that run in NumPy, PyTorch and here, and their gradients written by hand in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

# Two operations on small arrays


def products(x: Any, w: Any, turns: int) -> Any:
    """Return the sum after turns of a product and a sum."""
    for _ in range(turns):
        x = x * w
        x = x + w
    return x.sum()


def products_by_hand(x: Any, w: Any, turns: int) -> Any:
    """Return the gradient of `products` by x and w."""
    before = []
    for _ in range(turns):
        before.append(x)
        x = x * w
        x = x + w
    g, of_w = np.ones_like(x), np.zeros_like(w)
    for y in reversed(before):
        of_w += g
        of_w += g * y
        g = g * w
    return g, of_w


# A residual network: layer norm, two matrices, relu


def network(x: Any, first: Any, biases: Any, second: Any) -> Any:
    """Return the mean square of the last of some residual blocks, of NumPy's arrays."""
    for i in range(len(first)):
        c = x - np.mean(x, axis=1, keepdims=True)
        v = np.mean(c * c, axis=1, keepdims=True)
        h = c / np.sqrt(v + 1e-5)
        x = x + np.maximum(h @ first[i] + biases[i], 0.0) @ second[i]
    return np.mean(x * x)


def torch_network(x: Any, first: Any, biases: Any, second: Any) -> Any:
    """Return the same of PyTorch's tensors."""
    import torch  # noqa: PLC0415, may be missing

    for i in range(len(first)):
        c = x - x.mean(1, keepdim=True)
        v = (c * c).mean(1, keepdim=True)
        h = c / torch.sqrt(v + 1e-5)
        x = x + torch.relu(h @ first[i] + biases[i]) @ second[i]
    return (x * x).mean()


def network_by_hand(x: Any, first: Any, biases: Any, second: Any) -> Any:
    """Return the gradient of `network` by all its arguments."""
    kept = []
    for w, b, u in zip(first, biases, second, strict=True):
        c = x - x.mean(axis=1, keepdims=True)
        s = np.sqrt((c * c).mean(axis=1, keepdims=True) + np.float32(1e-5))
        h = c / s
        a = h @ w
        a += b
        np.maximum(a, 0, out=a)
        kept.append((h, s, a))
        x = x + a @ u
    g = x * np.float32(2.0 / x.size)
    found = []
    for w, u in zip(first[::-1], second[::-1], strict=True):
        h, s, a = kept.pop()
        of_a = g @ u.T
        of_a *= a > 0
        found.append((h.T @ of_a, of_a.sum(axis=0), a.T @ g))
        of_h = of_a @ w.T
        t = of_h - of_h.mean(axis=1, keepdims=True)
        t -= h * (of_h * h).mean(axis=1, keepdims=True)
        t /= s
        g = g + t
    return g, *map(list, zip(*found[::-1], strict=True))


def weights(layers: int, width: int, batch: int) -> tuple[Any, ...]:
    """Return an input and weights of `network`, of 32 bits."""
    rng = np.random.default_rng(0)

    def matrices() -> Any:
        return [(0.02 * rng.normal(size=(width, width))).astype(np.float32) for _ in range(layers)]

    biases = [np.zeros(width, np.float32) for _ in range(layers)]
    return rng.normal(size=(batch, width)).astype(np.float32), matrices(), biases, matrices()
