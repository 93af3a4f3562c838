"""Gradients of a GPT: blocks of width 256 in turn with PyTorch, and ever deeper ones in bounded memory.

    python -m experiments.gpt.run                   # small, about a minute
    python -m experiments.gpt.run --full            # depths to 3,000; about half an hour

Out: two tables and experiments/results/gpt-c.json.
"""

from __future__ import annotations

from experiments import common, deep

WIDE, NET = "experiments.gpt.wide", "experiments.gpt.net"
IN_TURN = (deep.TORCH, deep.PLAIN, deep.BUDGET, *deep.PEERS[1:])
ALL = (*deep.OURS, *deep.PEERS)
# The depth at which methods take turns; then the depths of processes of their own, for each method.
SMALL = (4, {16: ALL, 64: (deep.BUDGET, deep.TORCH)})
FULL = (12, {100: ALL, 1_000: ALL, 3_000: (deep.BUDGET, deep.RIGHT, *deep.PEERS)})


def main() -> None:
    options = common.parser("gradients of a GPT")
    options.add_argument("--full", action="store_true", help="depths to 3,000, about half an hour")
    options.add_argument("--memory", type=int, default=1024, help="MiB that memory= allows (1024)")
    options.add_argument("--cap", type=int, help="MiB that any process may take beyond its imports")
    chosen = options.parse_args()
    depth, cases = FULL if chosen.full else SMALL
    memory = (chosen.memory if chosen.full else min(chosen.memory, 64)) * deep.MIB
    cap = chosen.cap and chosen.cap * deep.MIB
    times = deep.times(WIDE, depth, IN_TURN, memory, chosen.repeats)
    print(common.table(deep.TIMES, deep.time_lines(times)), flush=True)
    rows = []
    for deeper, names in cases.items():
        for name in names:
            rows.append(deep.measured(NET, name, deeper, memory, cap))
            print("  ".join(deep.memory_line(rows[-1])), flush=True)
    print("\n" + common.table(deep.MEMORY, [deep.memory_line(row) for row in rows]))
    if chosen.full:
        common.save("gpt", "c", memory=memory, cap=cap, times=times, rows=rows)


if __name__ == "__main__":
    main()
