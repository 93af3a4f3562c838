"""The network of net.py with blocks of the size that is measured: width 256, 8 heads, 128 characters."""

from __future__ import annotations

from torch import Tensor

from experiments.gpt import net
from experiments.gpt.net import BLOCK_TENSORS, block, head, loss, stem, tensors

WIDTH, LENGTH = 256, 128
BLOCK_BYTES = 4 * (12 * WIDTH * WIDTH + 13 * WIDTH)
__all__ = ["BLOCK_BYTES", "BLOCK_TENSORS", "batch", "block", "head", "loss", "stem", "tensors", "weights"]


def weights(depth: int) -> net.Net:
    """Return the weights of a new network."""
    return net.weights(depth, width=WIDTH, length=LENGTH)


def batch() -> tuple[Tensor, Tensor]:
    """Return one batch of text."""
    return net.batch(length=LENGTH)
