"""Functions over arrays that run for many turns, each with its gradient written by hand in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def sines(x: Any, turns: int) -> Any:
    """A chain of sines: the reversal of each reads its operand."""
    for _ in range(turns):
        x = np.sin(x)
    return np.sum(x)


def scaled(x: Any, turns: int) -> Any:
    """A chain of products: reversals read no array."""
    for _ in range(turns):
        x = 0.999 * x
    return np.sum(x)


def waves(x: Any, turns: int) -> Any:
    """A chain of two functions in turn."""
    for _ in range(turns):
        x = np.sin(x)
        x = np.cos(x)
    return np.sum(x)


def in_place(x: Any, turns: int) -> Any:
    """A sum that is changed in place."""
    x = x.copy()
    for _ in range(turns):
        x += 0.001
    return np.sum(x)


Step = Callable[[Any], Any]
Reverse = Callable[[Any, Any], Any]


def _increase(x: Any) -> Any:
    x += 0.001
    return x


def _waves(g: Any, y: Any) -> Any:
    y = np.sin(y)
    y *= g
    return np.negative(y, out=y)


# One turn, and its cotangent from that of its result and the operand.
BY_HAND: dict[str, tuple[Step, Reverse]] = {
    "sines": (np.sin, lambda g, x: g * np.cos(x)),
    "scaled": (lambda x: 0.999 * x, lambda g, _: 0.999 * g),
    "waves": (lambda x: np.cos(np.sin(x)), lambda g, x: _waves(g, np.sin(x)) * np.cos(x)),
    "in_place": (_increase, lambda g, _: g),
}
CHAINS = (sines, scaled, waves, in_place)


def gradient_by_hand(name: str, x: Any, turns: int) -> Any:
    """Return the chain's gradient by bisection down to one turn, written by hand."""
    step, reverse = BY_HAND[name]

    def stretch(x: Any, g: Any, count: int) -> Any:
        if count == 1:
            return reverse(g, x)
        y = x.copy() if name == "in_place" else x
        for _ in range(count // 2):
            y = step(y)
        g = stretch(y, g, count - count // 2)
        del y
        return stretch(x, g, count // 2)

    return stretch(x, np.ones_like(x), turns)
