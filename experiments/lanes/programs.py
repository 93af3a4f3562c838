"""The programs of the experiment: functions of one lane, and the same over NumPy's arrays with masks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def turns(x: float, n: float) -> float:
    """Return x after n turns with a branch."""
    t = 0.0
    while t < n:
        if x > 1.0:
            x = x * 0.5
        else:
            x = x * 1.5 + 0.1
        t = t + 1.0
    return x


def waves(x: float, n: float) -> float:
    """Return x after n turns of transcendental functions."""
    t = 0.0
    while t < n:
        x = math.sin(x) + math.exp(-x)
        t = t + 1.0
    return x


def _with_masks(turn: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the loop over turns with both sides computed for all lanes, and selected."""

    def run(x: Any, n: Any) -> Any:
        t = np.zeros(len(x))
        while True:
            active = t < n
            if not active.any():
                return x
            x, t = np.where(active, turn(x), x), np.where(active, t + 1.0, t)

    return run


MASKED = {
    "turns": _with_masks(lambda x: np.where(x > 1.0, x * 0.5, x * 1.5 + 0.1)),
    "waves": _with_masks(lambda x: np.sin(x) + np.exp(-x)),
}
LANES: dict[str, Callable[..., Any]] = {"turns": turns, "waves": waves}


def short(rng: np.random.Generator, lanes: int) -> Any:
    """Return 1 to 63 turns for each lane."""
    return rng.integers(1, 64, lanes).astype(float)


def long(rng: np.random.Generator, lanes: int) -> Any:
    """Return 500 to 1,500 turns for each lane."""
    return rng.integers(500, 1501, lanes).astype(float)


def heavy(rng: np.random.Generator, lanes: int) -> Any:
    """Return numbers of turns with a heavy tail, 10 to 5,000, most of them small."""
    return np.minimum(np.floor(10.0 / (1.0 - rng.random(lanes))), 5000.0)


CASES: dict[str, tuple[str, Callable[[np.random.Generator, int], Any], int]] = {
    "a branch, 1 to 63 turns": ("turns", short, 1),
    "a branch, 500 to 1,500 turns": ("turns", long, 16),
    "a branch, heavy tail": ("turns", heavy, 4),
    "sin and exp, 1 to 63 turns": ("waves", short, 4),
}  # a function, the turns of its lanes, by how much fewer lanes there are
