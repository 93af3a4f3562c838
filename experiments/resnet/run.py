"""One gradient of ever deeper residual networks: time per block, and memory, beside PyTorch and JAX.

    python -m experiments.resnet.run                   # small, about a minute
    python -m experiments.resnet.run --full            # depths to 100,000; about an hour
    python -m experiments.resnet.run --full --depth 100000 --only memory= --each

Out: two tables and experiments/results/resnet-c.json.
"""

from __future__ import annotations

from experiments import deep, depths
from experiments.resnet import net

MODULE = "experiments.resnet.net"
TAPED = 5 * net.BOUNDARY_BYTES  # about what a tape holds of a block
ALL = (*deep.METHODS, *deep.JAX_METHODS)
DEEP = (deep.BUDGET, deep.BISECTION, deep.INDIVIDUAL, deep.RIGHT, *deep.PEERS, deep.JAX_REMAT)
DEEPEST = (deep.BUDGET, deep.TORCH, deep.TORCH_EACH, deep.TORCH_ROOT)

EXPERIMENT = depths.Experiment(
    name="resnet",
    net=MODULE,
    timed=MODULE,
    methods=(deep.TORCH, *deep.OURS, *deep.PEERS[1:]),
    room=lambda depth, memory: min(memory, depth * TAPED // 4),  # not for the whole network
    small=depths.Size((64,), {100: ALL, 400: (deep.BUDGET, deep.TORCH)}, memory=32),
    full=depths.Size(
        (200, 1_000),
        {100: ALL, 1_000: ALL, 10_000: DEEP, 20_000: (deep.BUDGET,), 100_000: DEEPEST},
        memory=1_024,
    ),
)

if __name__ == "__main__":
    depths.main(EXPERIMENT)
