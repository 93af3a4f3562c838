"""The package of this repository, and C by hand: the functions of subjects.py as they are."""

from __future__ import annotations

import os

from checkpoint import value_and_grad
from experiments.peers.subjects import ARGUMENTS, FUNCTIONS, Peer, Run, by_hand

os.environ.setdefault("CHECKPOINT_JIT", "wait")  # the first call compiles, as those of others do


def _with(memory: str | None = None, schedule: str | None = None) -> Peer:
    def peer(program: str, n: int) -> Run:
        arguments = ARGUMENTS[program]
        wanted = tuple(range(len(arguments)))
        of = value_and_grad(FUNCTIONS[program], argnums=wanted, memory=memory, schedule=schedule)

        def run() -> tuple[float, list[float]]:
            value, gradient = of(*arguments, n)
            return value, list(gradient)

        return run

    return peer


PEERS = {
    "C by hand, a checkpoint every 10,000 turns": by_hand,
    'checkpoint, memory="64MiB"': _with(memory="64MiB"),
    'checkpoint, memory="4MiB"': _with(memory="4MiB"),
    'checkpoint, schedule="bisection"': _with(schedule="bisection"),
    'checkpoint, schedule="plain"': _with(schedule="plain"),
}
