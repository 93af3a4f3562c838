"""The programs of this comparison, what each tool is asked for, and what is right.

- lorenz: n turns of Euler's method on the Lorenz system: value, and gradient by six numbers;
- nested: n outer turns with inner ones whose number only the run knows: value, and derivative by one number.

In: the name of a program and n. Out: the function as one writes it in plain Python, how many turns it
makes, and value and gradient by C written by hand. A peer is a function of the name and n that returns a
Run, ready to be called; it raises Cannot, with the reason, for a program that its tool does not
differentiate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.speed.by_hand import ByHand
from experiments.speed.subjects import POINT, lorenz, nested

Run = Callable[[], tuple[float, list[float]]]
Peer = Callable[[str, int], Run]

FUNCTIONS: dict[str, Callable[..., Any]] = {"lorenz": lorenz, "nested": nested}
ARGUMENTS = {"lorenz": POINT, "nested": (1.1,)}
RELATIVE = 1e-6  # compilers that contract and reorder round otherwise


class Cannot(Exception):
    """The tool does not differentiate the program; the text says why."""


def turns(program: str, n: int) -> int:
    """Return how many turns the innermost loop makes."""
    return n if program == "lorenz" else ByHand().nested_steps(n)


def by_hand(program: str, n: int) -> Run:
    """Return value and gradient by C that sets checkpoints as it goes."""
    hand = ByHand()
    if program == "lorenz":
        return lambda: hand.lorenz_checkpoints(n, POINT)
    return lambda: hand.nested_checkpoints(n, ARGUMENTS["nested"][0])


def is_right(program: str, n: int, found: tuple[float, list[float]]) -> bool:
    """Return whether value and gradient are those of C by hand."""
    value, gradient = by_hand(program, n)()
    pairs = zip([found[0], *found[1]], [value, *gradient], strict=True)
    return all(abs(a - b) <= RELATIVE * max(abs(b), 1.0) for a, b in pairs)
