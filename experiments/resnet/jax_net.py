"""The network of net.py in JAX: a scan over the blocks, of which the weights are stacked; remat if asked.

Images are channels last, and convolutions sums of products: `lax.conv` within a loop is many times slower on
a CPU (jax-ml/jax#12868).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.resnet import net


def _norm(x: Any, scale: Any, shift: Any) -> Any:
    grouped = x.reshape(x.shape[0], -1, net.GROUPS, net.CHANNELS // net.GROUPS)
    centred = grouped - grouped.mean((1, 3), keepdims=True)
    size = jnp.sqrt((centred * centred).mean((1, 3), keepdims=True) + 1e-5)
    return (centred / size).reshape(x.shape) * scale + shift


def _convolved(x: Any, w: Any) -> Any:
    n, height, width, _ = x.shape
    padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shifted = [padded[:, i : i + height, j : j + width] for i in range(3) for j in range(3)]
    columns = jnp.concatenate(shifted, -1).reshape(n * height * width, -1)
    return (columns @ w.reshape(columns.shape[1], -1)).reshape(n, height, width, -1)


def _block(x: Any, w: Any) -> tuple[Any, None]:
    h = _convolved(jax.nn.relu(_norm(x, w["scale"], w["shift"])), w["first"])
    return x + _convolved(jax.nn.relu(_norm(h, w["scale_2"], w["shift_2"])), w["second"]), None


def _weights(depth: int) -> Any:
    rng, c = np.random.default_rng(0), net.CHANNELS

    def normal(*shape: int, size: float) -> Any:
        return (size * rng.standard_normal(shape)).astype(np.float32)

    size = 1.0 / math.sqrt(9 * c)
    ones, zeros = np.ones((depth, c), np.float32), np.zeros((depth, c), np.float32)
    blocks = {
        "scale": ones,
        "shift": zeros,
        "scale_2": ones,
        "shift_2": zeros,
        "first": normal(depth, 3, 3, c, c, size=size),
        "second": normal(depth, 3, 3, c, c, size=size / math.sqrt(depth)),
    }
    features = c * net.SIDE * net.SIDE
    stem = normal(3, 3, 1, c, size=1.0 / 3.0)
    classes = normal(features, net.CLASSES, size=1.0 / math.sqrt(features))
    return jax.device_put((stem, blocks, ones[0], zeros[0], classes))


def gradient(depth: int, remat: bool) -> Callable[[], float]:
    """Return one gradient, compiled; its value is the loss."""
    found, labels = net.batch()
    images, labels = found.numpy().transpose(0, 2, 3, 1), labels.numpy()
    body = jax.checkpoint(_block) if remat else _block

    def loss(weights: Any) -> Any:
        stem, blocks, scale, shift, classes = weights
        x, _ = jax.lax.scan(body, _convolved(images, stem), blocks)
        logits = jax.nn.relu(_norm(x, scale, shift)).reshape(len(labels), -1) @ classes
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()

    weights = _weights(depth)
    compiled = jax.jit(jax.value_and_grad(loss)).lower(weights).compile()
    return lambda: float(jax.block_until_ready(compiled(weights))[0])
