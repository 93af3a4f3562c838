"""Gradients of a GPT: blocks of width 256 in turn with PyTorch, and ever deeper ones in bounded memory.

    python -m experiments.gpt.run                   # small, about a minute
    python -m experiments.gpt.run --full            # depths to 3,000; about half an hour

Out: two tables and experiments/results/gpt-c.json.
"""

from __future__ import annotations

from experiments import deep, depths

EXPERIMENT = depths.Experiment(
    name="gpt",
    net="experiments.gpt.net",
    timed="experiments.gpt.wide",
    methods=(deep.TORCH, deep.PLAIN, deep.BUDGET, *deep.PEERS[1:]),
    room=lambda depth, memory: memory,
    small=depths.Size((4,), {16: deep.METHODS, 64: (deep.BUDGET, deep.TORCH)}, memory=64),
    full=depths.Size(
        (12,),
        {100: deep.METHODS, 1_000: deep.METHODS, 3_000: (deep.BUDGET, deep.RIGHT, *deep.PEERS)},
        memory=1_024,
    ),
)

if __name__ == "__main__":
    depths.main(EXPERIMENT)
