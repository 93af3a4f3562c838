"""A small network learns scikit-learn's digits: the accuracy on a fifth that it has not seen.

In: 1,797 pictures of 8 by 8. Out: loss and accuracy after each epoch, and the seconds that it took.

Reproduce:

    python -m experiments.models.digits
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import time
from typing import Any

import numpy as np

import checkpoint
from experiments import common
from tensorlib import networks, random
from tensorlib.training import adam, batches, cosine, digits

SIZE = 32  # of a mini-batch
TEST = 360  # pictures
RATE = 4e-3


def weights(seed: int) -> Any:
    """Return the weights of two convolutions and a linear layer, in single precision."""
    rng = np.random.default_rng(seed)
    shapes = {"first": (16, 1, 3, 3), "second": (32, 16, 3, 3), "last": (10, 128)}
    scales = {name: (2.0 / np.prod(shape[1:])) ** 0.5 for name, shape in shapes.items()}
    found = {name: scales[name] * rng.normal(size=shape) for name, shape in shapes.items()}
    found |= {f"{name} bias": np.zeros(shape[0]) for name, shape in shapes.items()}
    return {name: each.astype(np.float32) for name, each in found.items()}


def outputs(w: Any, x: Any) -> Any:
    """Return ten numbers for each picture; the largest is its digit."""
    for name in ("first", "second"):
        x = networks.relu(networks.conv2d(x, w[name], w[f"{name} bias"], padding=1))
        x = networks.max_pool2d(x, 2)
    return networks.linear(np.reshape(x, (x.shape[0], -1)), w["last"], w["last bias"])


def loss(w: Any, x: Any, labels: Any) -> Any:
    """Return the mean cross entropy."""
    return networks.cross_entropy(outputs(w, x), labels)


def accuracy(w: Any, x: Any, labels: Any) -> float:
    """Return which part of the pictures is recognised."""
    return float(np.mean(np.argmax(outputs(w, x), axis=1) == labels))


def trained(epochs: int, engine: str, seed: int = 0) -> list[tuple[float, float, float]]:
    """Train, and return the loss of the last batch, the accuracy and the seconds so far after each epoch."""
    x, labels = digits(np.float32)
    order = np.random.default_rng(seed).permutation(len(x))
    unseen, seen = order[:TEST], order[TEST:]
    w, state, step, found = weights(seed), None, 0, []
    steps = epochs * -(-len(seen) // SIZE)
    differentiated: Any = checkpoint.value_and_grad(loss, engine=engine)
    begun = time.perf_counter()
    for epoch in range(epochs):
        key = random.fold_in(random.key(seed), epoch)
        for batch in batches((x[seen], labels[seen]), SIZE, key):
            value, gradient = differentiated(w, *batch)
            w, state = adam(w, gradient, state, rate=cosine(RATE, step, steps))
            step += 1
        right = accuracy(w, x[unseen], labels[unseen])
        found.append((float(value), right, time.perf_counter() - begun))
    return found


def main() -> None:
    """Train, show each epoch, and write what was found."""
    options = common.keepable(common.parser("A small network on digits"))
    options.add_argument("--epochs", type=common.natural, default=12)
    chosen = options.parse_args()
    found = trained(chosen.epochs, chosen.engine)
    rows = [
        [str(i), f"{value:.4f}", f"{right:.3f}", f"{spent:.1f}"]
        for i, (value, right, spent) in enumerate(found, 1)
    ]
    print(common.table(["epoch", "loss", "accuracy", "s"], rows))
    if chosen.keep:
        common.save("models-digits", chosen.engine, epochs=found, test=TEST, batch=SIZE)


if __name__ == "__main__":
    main()
