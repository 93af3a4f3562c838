"""The operation of a unit that computes the tangent of a scalar primitive on duals of reals.

In: operands and result of the primitive, which an Apply has computed on the primals; the tangents of
operands. Out: an operation, made by running the rule for duals on terms (numbers.py): its C, and its
adjoint, whose contributions have the order and grouping of the tape that the machine keeps for such a
step (ctemplates/scalars/step_tape.c). Where the rule asks for a value, both ways are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from checkpoint.ctarget.translate.nested.numbers import Leaf, Node, Number, Tape, value_of
from checkpoint.ctarget.translate.nested.terms import (
    Arithmetic,
    Term,
    expression,
    needed,
    places_read,
    statements,
)
from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.ops.scalar_words import CHEAP
from checkpoint.dataclass import dataclass
from checkpoint.scalars.definition import find

_QUICK = CHEAP | {"divide"}  # functions that are rather computed again than recorded


@dataclass(frozen=True, eq=False, slots=True)
class Tangent(Op):
    """Sets `to` to the sum of partial times tangent, from the left.

    value: that, in terms of places. given: what contributions go to, in their order, with their terms.
    kept: values on the way that are recorded, by their places.
    """

    to: Place
    value: Term
    given: tuple[tuple[Place, Term], ...]
    kept: dict[Term, Place]

    def reads(self) -> Sequence[Source]:
        return places_read([self.value])

    def sets(self) -> Sequence[Place]:
        return (self.to, *self.kept.values())

    def write(self, out: Forward) -> None:
        lines, word = statements([self.value], f"{self.to.name}_", {})
        lines += [f"{place.name} = {word(term)};" for term, place in self.kept.items()]
        out.put("{", *[f"    {line}" for line in lines], f"    {self.to.name} = {word(self.value)};", "}")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [place for place, _ in self.given] if self.to in active and self.given else None

    def residuals(self) -> Sequence[Residual]:
        wanted = needed([term for _, term in self.given], self.kept)
        kept = [self.kept[term] for term in wanted if term in self.kept]
        read = [term.content for term in wanted if term.kind == "leaf" and isinstance(term.content, Place)]
        return [Residual(place) for place in dict.fromkeys([*kept, *read])]

    def reverse(self, adjoint: Adjoint) -> None:
        adjoint.put(f"const double {_cotangent(self.to)} = {adjoint.cotangent(self.to).text};")
        names = {term: place.name for term, place in self.kept.items()}
        lines, word = statements([term for _, term in self.given], f"{self.to.name}_a", names)
        adjoint.put(*lines)
        for place, term in self.given:
            adjoint.add(place, word(term))

    def recomputed(self) -> str | None:
        if self.kept or not all(
            term.kind != "call" or term.content in CHEAP for term in needed([self.value])
        ):
            return None
        return expression(self.value)


def _cotangent(place: Place) -> str:
    """Return the name of the variable of a result's cotangent."""
    return f"{place.name}_w"


def tangent(
    definition: str,
    primals: Sequence[Source],
    result: Place,
    tangents: Sequence[Source | None],
    to: Place,
    new_place: Callable[[], Place],
) -> Tangent:
    """Return the operation for a definition.

    tangents: None of operands that have none. new_place: returns a new one for a real.
    """
    arithmetic = Arithmetic()
    tape = Tape(arithmetic)
    leaves: dict[Place, Leaf] = {}
    received: list[tuple[Place, Term]] = []

    def number(source: Source | None) -> Number:
        if source is None:
            return None
        if isinstance(source, Constant):
            return arithmetic.constant(float(source.value or 0))
        assert isinstance(source, Place)
        term = arithmetic.leaf(source)
        if source.kind != "real":
            return term
        return leaves.setdefault(source, Leaf(term, lambda given: received.append((source, given))))

    numbers = [[number(source) for source in sources] for sources in (primals, tangents)]
    total = tape.tangent(find(definition), numbers[0], number(result), numbers[1])
    if isinstance(total, Node):
        tape.contribute(total, arithmetic.leaf(_cotangent(to)))
        tape.propagate()
    value = value_of(total)
    return Tangent(to, value, tuple(received), _kept(value, received, new_place))


def _kept(
    value: Term, received: Sequence[tuple[Place, Term]], new_place: Callable[[], Place]
) -> dict[Term, Place]:
    """Return places for what the adjoint reads and would take long to compute once more."""
    again = set(needed([term for _, term in received]))
    slow = [term for term in needed([value]) if term.kind == "call" and term.content not in _QUICK]
    return {term: new_place() for term in slow if term in again}
