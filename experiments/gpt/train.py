"""Train a GPT on text, within a bound of memory: the perplexity of a text that it has not seen.

    python -m experiments.gpt.train                 # 4 blocks, 150 steps: under a minute
    python -m experiments.gpt.train --full          # 12 blocks, 2,000 steps: about half an hour

Out: perplexities by character; with --full experiments/results/gpt-train-c.json.
"""

from __future__ import annotations

import math
import time

from experiments import common, training
from experiments.deep import MIB, one_thread
from experiments.extras import needed
from experiments.gpt import net

with needed():
    import torch


def perplexity(weights: net.Net) -> float:
    """Return the perplexity of the text that is not trained with."""
    with torch.no_grad():
        return math.exp(float(net.loss(weights, *net.held_out())))


def main() -> None:
    options = common.parser("training a GPT on text")
    options.add_argument("--full", action="store_true", help="12 blocks, 2,000 steps")
    options.add_argument("--depth", type=common.natural, help="blocks (4; with --full 12)")
    options.add_argument("--steps", type=common.natural, help="steps (150; with --full 2,000)")
    options.add_argument("--memory", type=common.natural, default=64, help="MiB for each gradient (64)")
    options.add_argument("--rate", type=common.positive, default=3e-3, help="the first step's rate (0.003)")
    chosen = options.parse_args()
    depth = chosen.depth or (12 if chosen.full else 4)
    steps = chosen.steps or (2_000 if chosen.full else 150)
    one_thread()
    first, began, losses = net.weights(depth), time.process_time(), []
    start, shown = perplexity(first), max(1, steps // 10)
    curve: list[dict[str, float]] = [{"step": 0, "perplexity": start}]
    print(f"step 0  perplexity {start:.1f}", flush=True)
    found = (net.batch(seed=step, size=2 * net.BATCH) for step in range(1, steps + 1))
    for step, (weights, loss) in enumerate(
        training.descent(net, first, found, chosen.memory * MIB, chosen.rate, steps), 1
    ):
        losses.append(loss)
        if step % shown == 0:
            seconds = time.process_time() - began
            here, trained = perplexity(weights), math.exp(training.mean(losses[-shown:]))
            curve.append({"step": step, "perplexity": here, "perplexity in training": trained})
            print(
                f"step {step}  perplexity {here:.1f}, in training {trained:.1f}  {seconds:.0f} s", flush=True
            )
            if chosen.full:
                content = {"depth": depth, "memory": chosen.memory * MIB, "seconds": seconds}
                common.save("gpt-train", "c", **content, curve=curve)


if __name__ == "__main__":
    main()
