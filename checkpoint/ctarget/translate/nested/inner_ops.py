"""The operation of a unit that takes a gradient of a function of the program: `*j` and its kin, inlined.

In: the region of the function (region.py), whose operations the unit has done just before, on doubles. Out:
an operation: its C reverses the region; its adjoint is by definition the gradient of (f u, J w), which
keeps nothing but u and v (gradient.py). Around it, it is one operation: what it is made of is no step of
the unit's program, receives no cotangents, and is not recorded.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from checkpoint.ctarget.translate.nested.gradient import Gradient, Pair, gradient, numbers_of
from checkpoint.ctarget.translate.nested.numbers import Number, Tape
from checkpoint.ctarget.translate.nested.region import Derivative, Numbers, Region
from checkpoint.ctarget.translate.nested.terms import Arithmetic, Term, needed, places_read, statements
from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Residual
from checkpoint.ctarget.translate.ops.places import Place, Source, reals
from checkpoint.ctarget.translate.ops.words import plain
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class InnerGradient(Derivative):
    """Takes the gradient of a region.

    values: set to the results of the region. cotangents: set to those of its last inputs, which are the
    reals of its argument. seeds: the cotangents of its results. first: the level-0 gradient, in terms of
    the unit's places; known: the terms that the unit has in places. second: the gradient at level 1, in
    terms of the inputs, the seeds, and the variables that _cotangent names.

    Adjoint: seed' += J w, input' += its part of the gradient of (f u, J w); the last operand first.
    """

    values: tuple[Place, ...]
    cotangents: tuple[Place, ...]
    region: Region
    seeds: tuple[Source, ...]
    first: tuple[Term, ...]
    known: dict[Term, Place]
    second: tuple[Term, ...]

    def operands(self) -> Sequence[Source]:
        return (*self.region.inputs, *self.seeds)

    def run(self, numbers: Numbers) -> dict[Place, Number]:
        u, v = ([numbers.operand(source) for source in given] for given in (self.region.inputs, self.seeds))
        found = gradient(numbers.tape, numbers.tape.arithmetic, 0, self.region, u, v)
        of_argument = found.u[len(found.u) - len(self.cotangents) :]
        return dict(zip((*self.values, *self.cotangents), [*found.y, *of_argument], strict=True))

    def reads(self) -> Sequence[Source]:
        used = [self.known[term] for term in needed(self.first) if term in self.known]
        return (*self.region.results, *places_read(self.first), *used)

    def sets(self) -> Sequence[Place]:
        return (*self.values, *self.cotangents)

    def write(self, out: Forward) -> None:
        names = {term: place.name for term, place in self.known.items()}
        lines, word = statements(self.first, f"{self.values[0].name}_", names)
        moves = [f"{to.name} = {plain(of)};" for to, of in zip(self.values, self.region.results, strict=True)]
        moves += [f"{to.name} = {word(of)};" for to, of in zip(self.cotangents, self.first, strict=True)]
        out.put("{", *[f"    {line}" for line in [*lines, *moves]], "}")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return reals(self.operands()) if active & set(self.sets()) else None

    def residuals(self) -> Sequence[Residual]:
        return [Residual(place) for place in places_read(self.second)]

    def reverse(self, adjoint: Adjoint) -> None:
        for place in self.sets():
            adjoint.put(f"const double {_cotangent(place)} = {adjoint.cotangent(place).text};")
        lines, word = statements(self.second, f"{self.values[0].name}_a", {})
        adjoint.put(*lines)
        for source, term in reversed(list(zip(self.operands(), self.second, strict=True))):
            adjoint.add(source, word(term))


def _cotangent(place: Place) -> str:
    """Return the name of the variable of a result's cotangent."""
    return f"{place.name}_w"


def inner_gradient(
    region: Region, seeds: Sequence[Source], values: Sequence[Place], cotangents: Sequence[Place]
) -> InnerGradient:
    """Return the gradient of a region; TooComplex: it is left to the machine."""
    arithmetic = Arithmetic()
    places = [arithmetic.leaf(place) for place in region.inputs]
    given = Numbers(Tape(arithmetic), {place: arithmetic.leaf(place) for place in reals(seeds)})
    v = [given.operand(seed) for seed in seeds]
    count = len(places) - len(cotangents)
    first = gradient(None, arithmetic, 0, region, places, v).u[count:]
    return InnerGradient(
        tuple(values),
        tuple(cotangents),
        region,
        tuple(seeds),
        tuple([normalised(arithmetic, term) for term in first]),
        known_values(arithmetic, region, places),
        _second(arithmetic, region, (places, v), values, [None] * count + list(cotangents)),
    )


def known_values(arithmetic: Arithmetic, region: Region, places: list[Term]) -> dict[Term, Place]:
    """Return the values of the operations of a region, by the places where a unit has them."""
    values = region.run(Tape(arithmetic), places).of
    return {
        term: place for place, term in reversed(values.items()) if isinstance(term, Term) and term.operands
    }


def _second(
    arithmetic: Arithmetic,
    region: Region,
    operands: tuple[list[Term], list[Term]],
    values: Sequence[Place],
    cotangents: Sequence[Place | None],
) -> tuple[Term, ...]:
    """Return what the operands receive, by the gradient at level 1."""
    u, v = operands
    a = [arithmetic.leaf(_cotangent(place)) for place in values]
    w = [arithmetic.zero if place is None else arithmetic.leaf(_cotangent(place)) for place in cotangents]
    found: Gradient = gradient(None, arithmetic, 1, region, Pair(u, w), Pair(a, v))
    return tuple(numbers_of(found.u.car) + numbers_of(found.y.cdr))


def normalised(arithmetic: Arithmetic, term: Term) -> Term:
    """Return a sum with -0.0 made 0.0."""
    return term if term is arithmetic.zero else arithmetic.sum(arithmetic.zero, term)
