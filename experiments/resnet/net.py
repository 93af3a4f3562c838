"""A residual network of PyTorch's tensors in plain Python, and the images that it reads.

    stem    a 3x3 convolution from 1 to 16 channels
    block   x + conv(relu(norm(conv(relu(norm(x)))))): pre-activation, with weights of its own
    head    norm, relu, a matrix from all channels and places to 10 classes, cross-entropy

The images are scikit-learn's digits, 8x8. Each norm is of 4 groups. The second convolution of a block starts
at 1 / sqrt(depth) of its usual size, so that the sum of all blocks has the same size at any depth.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from experiments.extras import needed
from tensorlib.training import digits

with needed():
    import torch
    from torch import Tensor
    from torch.nn import functional as F

CHANNELS, GROUPS, SIDE, CLASSES = 16, 4, 8, 10
BATCH = 32
BLOCK_TENSORS = 6
BLOCK_BYTES = 4 * (4 * CHANNELS + 2 * 9 * CHANNELS * CHANNELS)
BOUNDARY_BYTES = 4 * BATCH * CHANNELS * SIDE * SIDE  # between two blocks


class Block(NamedTuple):
    """The weights of a block."""

    scale: Tensor
    shift: Tensor
    first: Tensor
    scale_2: Tensor
    shift_2: Tensor
    second: Tensor


class Net(NamedTuple):
    """All weights."""

    stem: Tensor
    blocks: list[Block]
    scale: Tensor
    shift: Tensor
    classes: Tensor


def block(x: Tensor, w: Block) -> Tensor:
    """Return the output of a block."""
    h = F.conv2d(F.relu(F.group_norm(x, GROUPS, w.scale, w.shift)), w.first, padding=1)
    return x + F.conv2d(F.relu(F.group_norm(h, GROUPS, w.scale_2, w.shift_2)), w.second, padding=1)


def stem(net: Net, images: Tensor, labels: Tensor) -> Tensor:
    """Return the channels of the images."""
    return F.conv2d(images, net.stem, padding=1)


def logits(x: Tensor, net: Net) -> Tensor:
    """Return a logit for each image and class."""
    x = F.relu(F.group_norm(x, GROUPS, net.scale, net.shift))
    return x.reshape(x.shape[0], -1) @ net.classes


def head(x: Tensor, net: Net, images: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of a batch."""
    return F.cross_entropy(logits(x, net), labels)


def loss(net: Net, images: Tensor, labels: Tensor) -> Tensor:
    """Return the same, of the images."""
    x = stem(net, images, labels)
    for w in net.blocks:
        x = block(x, w)
    return head(x, net, images, labels)


def weights(depth: int, seed: int = 0) -> Net:
    """Return the weights of a new network."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int, size: float) -> Tensor:
        return torch.randn(shape, generator=generator) * size

    kernel = (CHANNELS, CHANNELS, 3, 3)
    size = 1.0 / math.sqrt(9 * CHANNELS)
    blocks = [
        Block(
            torch.ones(CHANNELS),
            torch.zeros(CHANNELS),
            normal(*kernel, size=size),
            torch.ones(CHANNELS),
            torch.zeros(CHANNELS),
            normal(*kernel, size=size / math.sqrt(depth)),
        )
        for _ in range(depth)
    ]
    stem = normal(CHANNELS, 1, 3, 3, size=1.0 / 3.0)
    features = CHANNELS * SIDE * SIDE
    classes = normal(features, CLASSES, size=1.0 / math.sqrt(features))
    return Net(stem, blocks, torch.ones(CHANNELS), torch.zeros(CHANNELS), classes)


def tensors(net: Any) -> list[Tensor]:
    """Return the tensors of weights or gradients, in order."""
    if isinstance(net, Tensor):
        return [net]
    return [each for part in net for each in tensors(part)]


def images() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return images and labels to train with, and to test with: every fifth digit."""
    found, labels = digits(np.float32)
    pictures, classes = torch.tensor(found), torch.tensor(labels)
    tested = torch.arange(len(classes)) % 5 == 0
    return pictures[~tested], classes[~tested], pictures[tested], classes[tested]


def batch() -> tuple[Tensor, Tensor]:
    """Return one batch of images, and their labels."""
    pictures, classes, _, _ = images()
    return pictures[:BATCH], classes[:BATCH]
