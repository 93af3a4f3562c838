"""Train a residual network on digits, within a bound of memory.

    python -m experiments.resnet.train              # 16 blocks, 3 epochs: some seconds
    python -m experiments.resnet.train --full       # 1,000 blocks, 2 epochs: three to five minutes

The rate of Adam goes like 1 / depth: in a step each weight moves by about the rate, whatever its gradient,
and all blocks move the sum in one direction, so a rate for 16 blocks moves that of 1,000 60 times as far.

Out: the loss and the accuracy on digits that were not trained with; with --full
experiments/results/resnet-train-c.json.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from experiments import common, training
from experiments.deep import MIB, one_thread
from experiments.extras import needed
from experiments.resnet import net

with needed():
    import torch

RATE = 0.05  # of the first step, times the depth
SHOWN = 8  # steps whose mean loss is shown, at most


def batches(images: Any, labels: Any, epochs: int) -> Iterator[tuple[Any, Any]]:
    """Yield batches of all images, in another order in each epoch."""
    for epoch in range(epochs):
        order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
        for i in range(0, len(order) - net.BATCH + 1, net.BATCH):
            chosen = order[i : i + net.BATCH]
            yield images[chosen], labels[chosen]


def accuracy(weights: net.Net, images: Any, labels: Any) -> float:
    """Return the share of images of which the class is found."""
    x = net.stem(weights, images, labels)
    for w in weights.blocks:
        x = net.block(x, w)
    return float((net.logits(x, weights).argmax(1) == labels).float().mean())


def main() -> None:
    options = common.parser("training a deep residual network on digits")
    options.add_argument("--full", action="store_true", help="1,000 blocks, 2 epochs")
    options.add_argument("--depth", type=common.natural, help="blocks (16; with --full 1,000)")
    options.add_argument("--steps", type=common.natural, help="steps, if fewer than those of all epochs")
    options.add_argument("--epochs", type=common.natural, help="epochs (3; with --full 2)")
    options.add_argument("--memory", type=common.natural, default=256, help="MiB for each gradient (256)")
    options.add_argument("--rate", type=common.positive, help=f"the first step's rate ({RATE} / depth)")
    chosen = options.parse_args()
    depth = chosen.depth or (1_000 if chosen.full else 16)
    epochs = chosen.epochs or (2 if chosen.full else 3)
    rate = chosen.rate or RATE / depth
    one_thread()
    images, labels, tested, expected = net.images()
    steps = min(chosen.steps or 1_000_000, epochs * (len(images) // net.BATCH))
    shown = min(SHOWN, max(1, steps // 3))
    first, losses, curve, began = net.weights(depth), [], [], time.process_time()
    found = islice(batches(images, labels, epochs), steps)
    for step, (weights, loss) in enumerate(
        training.descent(net, first, found, chosen.memory * MIB, rate, steps), 1
    ):
        losses.append(loss)
        if step % shown == 0 or step == steps:
            share, seconds = accuracy(weights, tested, expected), time.process_time() - began
            curve.append({"step": step, "loss": training.mean(losses[-shown:]), "accuracy": share})
            row = curve[-1]
            print(f"step {step}  loss {row['loss']:.3f}  accuracy {share:.1%}  {seconds:.0f} s", flush=True)
            if chosen.full:
                content = {"depth": depth, "memory": chosen.memory * MIB, "rate": rate, "seconds": seconds}
                common.save("resnet-train", "c", **content, curve=curve)


if __name__ == "__main__":
    main()
