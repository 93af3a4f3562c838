"""Training of deep networks: the losses of the steps of Adam, with gradients within a bound of memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import checkpoint
from tensorlib.training import adam, cosine


def descent(
    model: Any, net: Any, batches: Iterable[Any], memory: int, rate: float, steps: int
) -> Iterator[tuple[Any, float]]:
    """Yield the weights after each step, and the loss before it; the rate falls to a tenth along a cosine."""
    gradient, state = checkpoint.value_and_grad(model.loss, engine="c", memory=memory), None
    for step, data in enumerate(batches):
        loss, found = gradient(net, *data)
        net, state = adam(net, found, state, rate=cosine(rate, step, steps, rate / 10))
        yield net, float(loss)


def mean(values: list[float]) -> float:
    """Return the mean."""
    return sum(values) / len(values)
