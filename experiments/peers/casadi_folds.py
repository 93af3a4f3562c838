"""CasADi: folds of a fixed length in folds; reverse mode runs the inner ones again, which saves memory."""

from __future__ import annotations

from typing import Any

import casadi

from experiments.peers.subjects import ARGUMENTS, Cannot, Run
from experiments.speed.peers import euler_step

LENGTH = 10  # of each fold; n is a power of it


def folds(program: str, n: int) -> Run:
    """Return value and gradient by CasADi's virtual machine."""
    if program != "lorenz":
        raise Cannot("a graph has no loop whose length the run decides")
    fold, length = _turn(5 / n), 1
    while length < n:
        fold, length = _several(fold, f"turns_{length}"), LENGTH * length
    argument = casadi.MX.sym("u", 6)
    value = fold(argument[:3], argument[3:])[0]
    of = casadi.Function("of", [argument], [value, casadi.gradient(value, argument)])

    def run() -> tuple[float, list[float]]:
        value, gradient = of(ARGUMENTS["lorenz"])
        return float(value), [float(gradient[i]) for i in range(6)]

    return run


def _turn(h: float) -> Any:
    state, flow = casadi.SX.sym("state", 3), casadi.SX.sym("flow", 3)
    x, y, z = casadi.vertsplit(state)
    sigma, rho, beta = casadi.vertsplit(flow)
    moved = euler_step((x, y, z), (sigma, rho, beta), h)
    return casadi.Function("turn", [state, flow], [casadi.vertcat(*moved)])


def _several(step: Any, name: str) -> Any:
    state, flow = casadi.MX.sym("state", 3), casadi.MX.sym("flow", 3)
    moved = state
    for _ in range(LENGTH):
        moved = step(moved, flow)
    return casadi.Function(name, [state, flow], [moved], {"never_inline": True})


PEERS = {"CasADi, folds in folds": folds}
