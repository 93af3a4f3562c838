"""One gradient of ever deeper residual networks: time per block, and memory, beside PyTorch and JAX.

    python -m experiments.resnet.run                   # small, about a minute
    python -m experiments.resnet.run --full            # depths to 100,000; about an hour

Out: two tables and experiments/results/resnet-c.json.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from experiments import common, deep
from experiments.resnet import net

MODULE = "experiments.resnet.net"
IN_TURN = (deep.TORCH, deep.PLAIN, deep.BUDGET, deep.BISECTION, deep.INDIVIDUAL, deep.RIGHT, *deep.PEERS[1:])
JAX = (deep.JAX, deep.JAX_REMAT)
TAPED = 5 * net.BOUNDARY_BYTES  # about what a tape holds of a block
# Depths at which all methods take turns; then the depths of processes of their own, for each method.
SMALL = ((64,), {100: (*deep.OURS, *deep.PEERS, *JAX), 400: (deep.BUDGET, deep.TORCH)})
FULL = (
    (200, 1_000),
    {
        100: (*deep.OURS, *deep.PEERS, *JAX),
        1_000: (*deep.OURS, *deep.PEERS, *JAX),
        10_000: (deep.BUDGET, deep.BISECTION, deep.INDIVIDUAL, deep.RIGHT, *deep.PEERS, deep.JAX_REMAT),
        100_000: (deep.BUDGET, deep.TORCH, deep.TORCH_EACH, deep.TORCH_ROOT),
    },
)


def timed(depths: tuple[int, ...], memory: int, rounds: int) -> list[dict[str, Any]]:
    """Return times of all methods in turn; the budget leaves no room for the whole network."""
    rows = []
    for depth in depths:
        room = min(memory, depth * TAPED // 4)
        rows += deep.times(MODULE, depth, IN_TURN, room, rounds)
    return rows


def main() -> None:
    options = common.parser("gradients of ever deeper residual networks")
    options.add_argument("--full", action="store_true", help="depths to 100,000, about an hour")
    options.add_argument("--memory", type=int, default=1024, help="MiB that memory= allows (1024)")
    options.add_argument("--cap", type=int, help="MiB that any process may take beyond its imports")
    options.add_argument("--depth", type=int, action="append", help="measure memory at these depths only")
    chosen = options.parse_args()
    depths, cases = FULL if chosen.full else SMALL
    memory = (chosen.memory if chosen.full else min(chosen.memory, 32)) * deep.MIB
    cap = chosen.cap and chosen.cap * deep.MIB
    times = [] if chosen.depth else timed(depths, memory, chosen.repeats)
    print(common.table(deep.TIMES, deep.time_lines(times)), flush=True)
    has_jax = importlib.util.find_spec("jax") is not None
    rows = []
    for depth, names in cases.items():
        for name in names if chosen.depth is None or depth in chosen.depth else ():
            if name in JAX and not has_jax:
                continue
            rows.append(deep.measured(MODULE, name, depth, memory, cap))
            print("  ".join(deep.memory_line(rows[-1])), flush=True)
    print("\n" + common.table(deep.MEMORY, [deep.memory_line(row) for row in rows]))
    if chosen.full:
        common.save("resnet", "c", memory=memory, cap=cap, times=times, rows=rows)


if __name__ == "__main__":
    main()
