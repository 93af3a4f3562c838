"""Operations that read an element of a tuple which is only known by its elements, at an index that is not
known.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from checkpoint.ctarget.translate.nested.numbers import Dual, Number, TooComplex
from checkpoint.ctarget.translate.nested.region import Derivative, Numbers
from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual, Undifferentiated
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source, reals
from checkpoint.ctarget.translate.ops.words import if_unlikely, plain
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Position(Undifferentiated, Op):
    """Finds the position that an index means, as in Python; exits where there is none."""

    to: Place
    index: Place
    count: int

    def write(self, out: Forward) -> None:
        to, index = self.to.name, self.index.name
        out.put(f"{to} = {index} < 0 ? {index} + {self.count} : {index};")
        out.put(if_unlikely(f"(uint64_t){to} >= {self.count}", out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Pick(Derivative):
    """Copies the real at a position. Adjoint: that one of the reals' += to'."""

    to: Place
    at: Place
    cells: tuple[Source, ...]

    def operands(self) -> Sequence[Source]:
        return self.cells

    def reads(self) -> Sequence[Source]:
        return (*self.cells, self.at)

    def write(self, out: Forward) -> None:
        *others, last = map(plain, self.cells)
        choices = [f"{self.at.name} == {i} ? {other} : " for i, other in enumerate(others)]
        out.put(f"{self.to.name} = {''.join(choices)}{last};")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return reals(self.cells) or None if self.to in active else None

    def residuals(self) -> Sequence[Residual]:
        return (Residual(self.at),) if len(self.cells) > 1 else ()

    def reverse(self, adjoint: Adjoint) -> None:
        text = adjoint.cotangent(self.to).text
        for i in reversed(range(len(self.cells))):
            is_sure = len(self.cells) == 1
            adjoint.add(self.cells[i], text if is_sure else f"({self.at.name} == {i} ? {text} : 0.0)")

    def run(self, numbers: Numbers) -> dict[Place, Number]:
        found, tape = [numbers.operand(cell) for cell in self.cells], numbers.tape
        if len({isinstance(number, Dual) for number in found}) > 1:
            raise TooComplex
        chosen = found[-1]
        for i, number in enumerate(found[:-1]):
            at = tape.arithmetic.compare("==", numbers.operand(self.at), numbers.operand(Constant(i)))
            chosen = tape.chosen(at, number, chosen)
        return {self.to: tape.copied(chosen)}
