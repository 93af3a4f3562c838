"""The origin of a step that sets one element of an array, as C makes it (ctemplates/foreign/element_steps.c).

C reverses it itself in the usual case. What is written here says the same, for all others: a tape that is
kept, or a cotangent that is shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checkpoint.ad.accumulators import Accumulator
from checkpoint.interp.hybrid.array_origins import Written


class WrittenElement(Written):
    """A change of one element; `old` is a float.

    is_real: whether a float was written, and not an array's element.
    """

    __slots__ = ("is_real",)
    data: Any
    index: Any
    old: float
    place: str | None
    is_real: bool

    def contributions(self, received: Accumulator) -> Iterator[Any]:
        """Yield the cotangent of what was written, if it is wanted."""
        if self.place is not None:
            element = received.array[self.index]
            yield float(element) if self.is_real else Accumulator(element)

    def swap(self) -> None:
        """Exchange the overwritten element for the one that has overwritten it, or back."""
        present = float(self.data[self.index])
        self.data[self.index] = self.old
        self.old = present
