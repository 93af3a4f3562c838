"""Sealed capsules in runs: values whose reals are known by their number alone (Capsule.sealed).

In: what a step returns. Out: the objects of it that get births; and, where the step is on a tape, its entry
there, which has one cotangent for all reals of the capsule. What always holds: nothing here reads the
capsule's parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.graph import reach
from checkpoint.ad.numbers import Block, Number
from checkpoint.ad.values import Capsule


def born_in(root: Any) -> list[Any]:
    """Return the objects with a birth that a value reaches, in the order in which they get it."""
    sealed = root.sealed if type(root) is Capsule else None
    others = reach(root)[1] if sealed is None else [root, *sealed.objects]
    return [part for part in others if hasattr(part, "birth")]


class SealedBlock(Block):
    """One whose result is a sealed capsule, which has no nodes. adjoints: what its reals have received."""

    __slots__ = ("adjoints",)

    def __init__(self, inputs: list[Number], pullback: Callable[[list[Number]], list[Number]]) -> None:
        super().__init__([], inputs, pullback)
        self.adjoints: Sequence[float] = ()

    def received(self) -> list[Number]:
        """Return the cotangents of the reals of the capsule."""
        return list(self.adjoints)

    def clear(self) -> None:
        """Forget what they have received."""
        self.adjoints = ()
