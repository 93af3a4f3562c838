"""Training, in plain functions of pytrees of arrays: steps of optimisers, learning rates, mini-batches, data.

    from tensorlib.training import adam, batches, cosine

Nothing here has hidden state: an optimiser takes its state and returns it, what is random takes a key. So
each function may be part of programs, where it is differentiable: by a learning rate, through steps of
training.
"""

from __future__ import annotations

from tensorlib.training.batches import batches, rows
from tensorlib.training.data import characters, digits
from tensorlib.training.optimisers import adam, clip_norm, sgd
from tensorlib.training.rates import cosine, exponential, linear_warmup, stepwise

__all__ = [
    "adam",
    "batches",
    "characters",
    "clip_norm",
    "cosine",
    "digits",
    "exponential",
    "linear_warmup",
    "rows",
    "sgd",
    "stepwise",
]
