"""Operations on numbers: scalar primitives, copies, conversions.

The C text of scalars.def's definitions is in scalar_words.py.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from typing import Literal

from checkpoint.ctarget.translate.ops import scalar_words
from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual, Undifferentiated
from checkpoint.ctarget.translate.ops.places import Place, Source, is_real, reals
from checkpoint.ctarget.translate.ops.words import if_unlikely, plain, real
from checkpoint.dataclass import dataclass
from checkpoint.scalars.definition import find

Domain = Literal["reals", "integers"]


@dataclass(frozen=True, eq=False, slots=True)
class Apply(Op):
    """Applies a scalar primitive.

    definition: its name in scalars.def. domain: "reals" computes on doubles; operands that are integers or
    booleans are converted where that is exact, else it exits; `to` is a real, or a boolean where the
    definition is a PREDICATE. "integers" computes by the definition's INTEGERS; `to` has the kind that this
    gives. singular: some partial is infinite somewhere (checkpoint/ad/record.py, Scalar). needs: for each
    operand the positions that its partial reads (the result's is the number of operands); None: all. line:
    in the source of the program; 0: none. ignored: the positions of operands whose cotangents are not wanted.

    Adjoint: operand' += partial * to', the last operand first.
    """

    to: Place
    definition: str
    domain: Domain
    operands: tuple[Source, ...]
    singular: bool
    needs: tuple[tuple[int, ...], ...] | None
    line: int
    ignored: frozenset[int] = frozenset()

    def write(self, out: Forward) -> None:
        out.line(self.line)
        given = (self.definition, self.operands, self.to, out.exit)
        if self.domain == "reals":
            out.put(*scalar_words.on_reals(*given))
        else:
            out.put(*scalar_words.on_integers(*given, lambda: out.temporary("result", "Value ")))

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        if self.to not in active:
            return None
        return reals([self.operands[i] for i in self.differentiated()]) or None

    def residuals(self) -> Sequence[Residual]:
        values = (*self.operands, self.to)
        return [Residual(place) for i in self.positions_read() if isinstance(place := values[i], Place)]

    def differentiated(self) -> list[int]:
        """Return the positions of the operands that have cotangents."""
        left_out = self.ignored | find(self.definition).flat
        return [i for i, each in enumerate(self.operands) if is_real(each) and i not in left_out]

    def positions_read(self) -> set[int]:
        """Return the positions of operands, and the result's, that the partials of real places read."""
        found: set[int] = set()
        everything = range(len(self.operands) + 1)
        for i in self.differentiated():
            found.update(everything if self.needs is None else self.needs[i])
        return found

    def reverse(self, adjoint: Adjoint) -> None:
        cotangent = adjoint.cotangent(self.to)
        places = (*self.operands, self.to)
        values = {k: real(places[k]) for k in self.positions_read()}
        for i in reversed(self.differentiated()):
            sign, term = scalar_words.contribution(
                self.definition, i, self.operands, cotangent.text, values, self.singular
            )
            is_same = sign == "+" and term == cotangent.text
            adjoint.add(self.operands[i], term, sign, cotangent.never_minus_zero and is_same)

    def zeros(self) -> list[str]:
        """Return expressions that are zero, but NaN where a partial is not finite: what a cotangent that is
        zero contributes.
        """
        if self.singular:
            return []  # it contributes nothing then
        places = (*self.operands, self.to)
        values = {k: real(places[k]) for k in self.positions_read()}
        terms = [
            scalar_words.contribution(self.definition, i, self.operands, "0.0", values, is_singular=False)[1]
            for i in self.differentiated()
        ]
        return [term for term in dict.fromkeys(terms) if term != "0.0"]

    @property
    def made_by(self) -> tuple[Hashable, ...]:
        return type(self), self.definition, self.domain

    def recomputed(self) -> str | None:
        if self.definition not in scalar_words.CHEAP:
            return None
        return scalar_words.expression(self.definition, self.domain, self.operands)


@dataclass(frozen=True, eq=False, slots=True)
class ExpectFinite(Undifferentiated, Op):
    """Exits where a partial of an operation is not finite.

    Where nothing but tests depends on its result, the adjoint leaves it out; but the cotangent is a zero, of
    which such a partial makes a NaN.
    """

    operation: Apply

    def reads(self) -> Sequence[Source]:
        return (*self.operation.operands, self.operation.to)

    def write(self, out: Forward) -> None:
        if zeros := self.operation.zeros():
            out.put(if_unlikely(f"!({' + '.join(zeros)} == 0.0)", out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Copy(Op):
    """Copies a source to a place with an accumulator of its own. Adjoint: source' += to'."""

    to: Place
    source: Source

    def write(self, out: Forward) -> None:
        out.put(f"{self.to.name} = {plain(self.source)};")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return reals([self.source]) or None if self.to in active else None

    def residuals(self) -> Sequence[Residual]:
        return ()

    def reverse(self, adjoint: Adjoint) -> None:
        cotangent = adjoint.cotangent(self.to)
        adjoint.add(self.source, cotangent.text, never_minus_zero=cotangent.never_minus_zero)

    @property
    def copied(self) -> Source:
        return self.source

    def recomputed(self) -> str:
        return plain(self.source)


@dataclass(frozen=True, eq=False, slots=True)
class Convert(Undifferentiated, Op):
    """Applies a function without a derivative: of integers, or from a real to another type.

    function: of machine/translated.h; returns whether there is a result, else it exits. `to` and the
    operands have the kinds that it takes.
    """

    to: Place
    function: str
    operands: tuple[Source, ...]

    def write(self, out: Forward) -> None:
        given = ", ".join([*map(plain, self.operands), f"&{self.to.name}"])
        out.put(if_unlikely(f"!{self.function}({given})", out.exit()))
