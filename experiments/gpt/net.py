"""A GPT of PyTorch's tensors in plain Python, and the text that it reads.

    stem    an embedding of each character and of each place
    block   x + attention(norm(x)), then x + two matrices with gelu between(norm(x)): pre-norm, causal
    head    norm, a matrix to the characters, cross-entropy with the next character

The text is what Python's `help` prints of its topics (pydoc_data.topics): 465,048 characters of English about
Python. What a block adds starts at 1 / sqrt(2 depth) of its usual size, as in GPT-2.
"""

from __future__ import annotations

import math
from functools import cache
from pydoc_data.topics import topics
from typing import Any, NamedTuple

from experiments.extras import needed
from tensorlib.training import characters

with needed():
    import torch
    from torch import Tensor
    from torch.nn import functional as F

WIDTH, HEADS, LENGTH, BATCH = 64, 4, 64, 8
BLOCK_TENSORS = 12
BLOCK_BYTES = 4 * (12 * WIDTH * WIDTH + 13 * WIDTH)


class Block(NamedTuple):
    """The weights of a block."""

    scale: Tensor
    shift: Tensor
    to_heads: Tensor
    of_heads: Tensor
    joined: Tensor
    of_joined: Tensor
    scale_2: Tensor
    shift_2: Tensor
    wide: Tensor
    of_wide: Tensor
    narrow: Tensor
    of_narrow: Tensor


class Net(NamedTuple):
    """All weights."""

    characters: Tensor
    places: Tensor
    blocks: list[Block]
    scale: Tensor
    shift: Tensor
    out: Tensor


def block(x: Tensor, w: Block) -> Tensor:
    """Return the output of a block; its width is that of x, and each head has 16 or 32 of it."""
    n, length, width = x.shape
    heads = HEADS if width == WIDTH else width // 32
    h = F.linear(F.layer_norm(x, (width,), w.scale, w.shift), w.to_heads, w.of_heads)
    q, k, v = h.view(n, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    h = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, length, width)
    x = x + F.linear(h, w.joined, w.of_joined)
    h = F.linear(F.layer_norm(x, (width,), w.scale_2, w.shift_2), w.wide, w.of_wide)
    return x + F.linear(F.gelu(h), w.narrow, w.of_narrow)


def stem(net: Net, text: Tensor, following: Tensor) -> Tensor:
    """Return what is known of each character."""
    return F.embedding(text, net.characters) + net.places


def head(x: Tensor, net: Net, text: Tensor, following: Tensor) -> Tensor:
    """Return the mean cross-entropy with the next characters."""
    width = x.shape[2]
    logits = F.linear(F.layer_norm(x, (width,), net.scale, net.shift), net.out)
    return F.cross_entropy(logits.reshape(-1, logits.shape[2]), following.reshape(-1))


def loss(net: Net, text: Tensor, following: Tensor) -> Tensor:
    """Return the same, of the text."""
    x = stem(net, text, following)
    for w in net.blocks:
        x = block(x, w)
    return head(x, net, text, following)


def weights(depth: int, seed: int = 0, width: int = WIDTH, length: int = LENGTH) -> Net:
    """Return the weights of a new network."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int, size: float = 0.02) -> Tensor:
        return torch.randn(shape, generator=generator) * size

    def added(*shape: int) -> Tensor:
        return normal(*shape, size=0.02 / math.sqrt(2 * depth))

    blocks = [
        Block(
            *(torch.ones(width), torch.zeros(width)),
            *(normal(3 * width, width), torch.zeros(3 * width)),
            *(added(width, width), torch.zeros(width)),
            *(torch.ones(width), torch.zeros(width)),
            *(normal(4 * width, width), torch.zeros(4 * width)),
            *(added(width, 4 * width), torch.zeros(width)),
        )
        for _ in range(depth)
    ]
    count = len(codes()[1])
    ends = normal(count, width), normal(length, width)
    return Net(*ends, blocks, torch.ones(width), torch.zeros(width), normal(count, width))


def tensors(net: Any) -> list[Tensor]:
    """Return the tensors of weights or gradients, in order."""
    if isinstance(net, Tensor):
        return [net]
    return [each for part in net for each in tensors(part)]


@cache
def codes() -> tuple[Tensor, str]:
    """Return the codes of the characters of the whole text, and the alphabet."""
    found, alphabet = characters("\n".join(topics[name] for name in sorted(topics)))
    return torch.tensor(found), alphabet


def batch(seed: int = 0, size: int = BATCH, length: int = LENGTH) -> tuple[Tensor, Tensor]:
    """Return pieces of the first nine tenths of the text, and the characters that follow each of theirs."""
    text, _ = codes()
    return _pieces(text[: len(text) * 9 // 10], seed, size, length)


def held_out(size: int = 64, length: int = LENGTH) -> tuple[Tensor, Tensor]:
    """Return pieces of the rest of the text, likewise; always the same."""
    text, _ = codes()
    return _pieces(text[len(text) * 9 // 10 :], 0, size, length)


def _pieces(text: Tensor, seed: int, size: int, length: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(text) - length, (size,), generator=generator)
    pieces = torch.stack([text[i : i + length + 1] for i in starts.tolist()])
    return pieces[:, :-1], pieces[:, 1:]
