"""The operation of a unit that takes a gradient at duals of reals: forward mode over an inlined `*j`.

In: the region of the function, whose operations the unit has done just before, on the primals. Out: an
operation, made by the rule of gradient.py on duals of terms; its adjoint is that of the tape which the rule
leaves where its numbers are nodes, so contributions have the order and grouping of the engines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from checkpoint.ctarget.translate.nested.gradient import Gradient, all_components, gradient
from checkpoint.ctarget.translate.nested.inner_ops import known_values, normalised
from checkpoint.ctarget.translate.nested.numbers import Dual, Leaf, Node, Number, Tape, value_of
from checkpoint.ctarget.translate.nested.region import Region
from checkpoint.ctarget.translate.nested.terms import Arithmetic, Term, needed, places_read, statements
from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual
from checkpoint.ctarget.translate.ops.places import Constant, DualParts, Place, Source
from checkpoint.dataclass import dataclass

_TAG = 1 << 20  # above those that the rule takes for itself


@dataclass(frozen=True, eq=False, slots=True)
class DualGradient(Op):
    """Sets places to the components of values and cotangents.

    to: the places, primal and tangent of each number in turn, values first. first: their terms, in terms of
    the unit's places; known: those that the unit has in places. given: what contributions go to, in their
    order, with their terms, in terms of places and of the cotangents of `to`.
    """

    to: tuple[Place, ...]
    first: tuple[Term, ...]
    known: dict[Term, Place]
    given: tuple[tuple[Place, Term], ...]

    def reads(self) -> Sequence[Source]:
        used = [self.known[term] for term in needed(self.first, self.known) if term in self.known]
        return (*places_read(self.first), *used)

    def sets(self) -> Sequence[Place]:
        return self.to

    def write(self, out: Forward) -> None:
        names = {term: place.name for term, place in self.known.items()}
        lines, word = statements(self.first, f"{self.to[0].name}_", names)
        moves = [f"{to.name} = {word(term)};" for to, term in zip(self.to, self.first, strict=True)]
        out.put("{", *[f"    {line}" for line in [*lines, *moves]], "}")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [place for place, _ in self.given] if active & set(self.to) else None

    def residuals(self) -> Sequence[Residual]:
        return [Residual(place) for place in dict.fromkeys(places_read([term for _, term in self.given]))]

    def reverse(self, adjoint: Adjoint) -> None:
        for place in self.to:
            adjoint.put(f"const double {_cotangent(place)} = {adjoint.cotangent(place).text};")
        lines, word = statements([term for _, term in self.given], f"{self.to[0].name}_a", {})
        adjoint.put(*lines)
        for place, term in self.given:
            adjoint.add(place, word(term))


def _cotangent(place: Place) -> str:
    """Return the name of the variable of a result's cotangent."""
    return f"{place.name}_w"


def dual_gradient(
    region: Region,
    duals: Mapping[Place, DualParts],
    seeds: Sequence[Source],
    to: Sequence[Place],
    argument: int,
) -> DualGradient:
    """Return the gradient of a region; TooComplex: it is left to the machine.

    duals: of the inputs of the region that are primals, the duals. to: as of DualGradient. argument: how many
    of the inputs, the last ones, are the argument's.
    """
    arithmetic = Arithmetic()
    operands = [duals.get(place, place) for place in region.inputs]
    made = _taken(Tape(arithmetic), arithmetic, region, (operands, seeds), {})
    y, of_argument = made.y, made.u[len(operands) - argument :]
    first = [value_of(number) for number in all_components(y)]
    first += [normalised(arithmetic, value_of(number)) for number in all_components(of_argument)]
    known = known_values(arithmetic, region, [arithmetic.leaf(place) for place in region.inputs])
    received: list[tuple[Place, Term]] = []
    tape, leaves = Tape(arithmetic), _Leaves(arithmetic, received)
    again = _taken(tape, arithmetic, region, (operands, seeds), leaves)
    outputs = all_components([*again.y, *again.u[len(operands) - argument :]])
    for place, node in reversed(list(zip(to, outputs, strict=True))):
        if isinstance(node, Node):
            tape.contribute(node, arithmetic.leaf(_cotangent(place)))
    tape.propagate()
    return DualGradient(tuple(to), tuple(first), known, tuple(received))


class _Leaves(dict[Place, Leaf]):
    """The leaves of places, made when they are first asked for."""

    def __init__(self, arithmetic: Arithmetic, received: list[tuple[Place, Term]]) -> None:
        super().__init__()
        self._arithmetic = arithmetic
        self._received = received

    def __missing__(self, place: Place) -> Leaf:
        leaf = Leaf(self._arithmetic.leaf(place), lambda term: self._received.append((place, term)))
        self[place] = leaf
        return leaf


def _taken(
    tape: Tape,
    arithmetic: Arithmetic,
    region: Region,
    operands: tuple[Sequence[Source], Sequence[Source]],
    leaves: Mapping[Place, Number],
) -> Gradient:
    """Return the gradient at operands. leaves: the numbers of places, where they are no terms."""
    is_taped = isinstance(leaves, _Leaves)

    def part(source: Source) -> Number:
        if isinstance(source, Constant):
            return arithmetic.constant(float(source.value or 0))
        assert isinstance(source, Place)
        return leaves[source] if is_taped and source.kind == "real" else arithmetic.leaf(source)

    def number(source: Source) -> Number:
        if isinstance(source, DualParts):
            return Dual(_TAG, part(source.primal), part(source.tangent))
        return part(source)

    u, v = ([number(source) for source in sources] for sources in operands)
    return gradient(tape, arithmetic, 0, region, u, v)
