"""Sealed capsules in runs: values whose reals are known by their number alone (Capsule.sealed).

In: what a step returns. Out: the same with births; and, where the step is on a tape, its entry there, which
has one cotangent for all reals of the capsule. What always holds: nothing here reads the capsule's parts,
whose births wait until somebody does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.graph import reach
from checkpoint.ad.numbers import Block, Number
from checkpoint.ad.values import Capsule


def give_births(root: Any, births: int) -> int:
    """Give the objects of a value births, from `births` on in the canonical order; return the next one."""
    sealed = root.sealed if type(root) is Capsule else None
    if sealed is not None:
        root.birth, root.state.first_birth = births, births + 1
        return births + 1 + sealed.births
    for part in reach(root)[1]:
        if hasattr(part, "birth"):
            part.birth = births
            births += 1
    return births


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
