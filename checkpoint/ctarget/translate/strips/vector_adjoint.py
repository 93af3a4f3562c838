"""The cotangents of the places of a way, as vectors of C that operations add to.

In: contributions, in their order. Out: statements on the lanes of a mask; what is no expression on vectors
is computed for one lane after another.
"""

from __future__ import annotations

import re
from collections.abc import Set

from checkpoint.ctarget.translate.ops.accumulators import Accumulators
from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Kind, Place, Source, reals
from checkpoint.ctarget.translate.ops.words import plain
from checkpoint.ctarget.translate.strips.lanes import Variable, in_lanes
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.records import StripRecord
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


def first_name(record: StripRecord, place: Place) -> str:
    """Return the name of the array of what waited passes back to a place."""
    return f"first_{record.path.end.number}_{place.name}"


def gift(record: StripRecord, operation: Operation, saved: Set[str]) -> str:
    """Return the LaneGifts of an operation that adds to the cotangent of a field of what all lanes share."""
    assert isinstance(operation, Load | Element)
    (to,) = reals(operation.sets())
    field, cotangents = plain(operation.field), f"(const double *){last_name(record, to.name)}"
    where = f"0, (const int64_t *){last_name(record, field)}" if field in saved else f"{field}, NULL"
    return f"{{{operation.owner.name}_birth, {where}, {cotangents}}}"


def last_name(record: StripRecord, name: str) -> str:
    """Return the name of the array in which a vector is saved for the end."""
    return f"last_{record.path.end.number}_{name}"
