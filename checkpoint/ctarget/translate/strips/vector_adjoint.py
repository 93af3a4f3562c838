"""The cotangents of the places of a way, as vectors of C that operations add to.

In: contributions, in their order. Out: statements on the lanes of a mask; what is no expression on vectors
is computed for one lane after another.
"""

from __future__ import annotations

import re

from checkpoint.ctarget.translate.ops.accumulators import Accumulators
from checkpoint.ctarget.translate.ops.places import Kind, Source
from checkpoint.ctarget.translate.strips.lanes import Variable, in_lanes
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.vectors import on_vectors


class VectorAdjoint(Accumulators):
    """The adjoint of a way on vectors. vectors: the names that are vectors, with their kinds."""

    c_type = "Reals"

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        self.vectors: dict[str, Kind] = {}

    def add(self, source: Source, text: str, sign: str = "+", never_minus_zero: bool = False) -> None:
        """Add an expression, which one lane after another computes if it is none on vectors."""
        if not self.plan.is_wanted(source):
            return
        on = on_vectors(text)
        super().add(source, self._by_lanes(text) if on is None else on, sign, never_minus_zero)

    def _by_lanes(self, text: str) -> str:
        name = f"term_{len(self.text)}"
        names = [
            word
            for word in re.findall(r"[A-Za-z_]\w*", text)
            if word in self.vectors or word[-2:] in ("_a", "_u")
        ]
        reads: list[Variable] = [(word, self.vectors.get(word, "real")) for word in names]
        self.put(
            f"Reals {name} = all_reals(0.0);",
            *in_lanes("mask", reads, [(name, "real")], [f"{name} = {text};"]),
        )
        return name
