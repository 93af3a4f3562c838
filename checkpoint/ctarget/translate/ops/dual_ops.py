"""Operations on duals of reals, and the accumulators of these.

Outside of a unit a dual is a Value, inside it is primal and tangent, in places. Each of these has its
accumulator in an adjoint; outside it is one for both, a DUAL, or the REAL 0 where nothing was added
(ctemplates/state/cotangent.h).
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual, Undifferentiated
from checkpoint.ctarget.translate.ops.places import Constant, DualParts, Place, Source, places_in
from checkpoint.ctarget.translate.ops.words import if_unlikely, opened, plain
from checkpoint.dataclass import dataclass


def accumulator_of(adjoint: Adjoint, parts: DualParts) -> str:
    """Return an expression of the accumulator of a dual, a Value."""
    texts = [
        adjoint.cotangent(part).normalised() if isinstance(part, Place) else "0.0" for part in parts.parts
    ]
    return f"dual_accumulator(c, {', '.join(texts)})"


@dataclass(frozen=True, eq=False, slots=True)
class OpenDual(Op):
    """Reads the parts of a value, a dual; exits where it is none of reals.

    owner, field: of the object from which the value was read just before, and where; None: of none. Adjoint:
    (owner . field)' += to'.
    """

    to: DualParts
    place: Place
    owner: Place | None
    field: Constant | Place | None

    def reads(self) -> Sequence[Source | None]:
        return (self.place, self.owner, self.field)

    def sets(self) -> Sequence[Place]:
        return list(places_in([self.to]))

    def write(self, out: Forward) -> None:
        out.put(if_unlikely(f"!is_dual({self.place.name})", out.exit()), *opened(self.place.name, self.to))

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [] if self.owner is not None and active & set(self.to.parts) else None

    def residuals(self) -> Sequence[Residual]:
        assert self.owner is not None
        own = Residual(self.owner, birth=True)
        return (own, Residual(self.field)) if isinstance(self.field, Place) else (own,)

    def reverse(self, adjoint: Adjoint) -> None:
        assert self.owner is not None
        assert self.field is not None
        texts = [adjoint.cotangent(part).text for part in self.sets() if part is not self.to.tag]
        adjoint.put(f"give_dual(c, {self.owner.name}_birth, {plain(self.field)}, {', '.join(texts)});")

    @property
    def gives(self) -> bool:
        return self.owner is not None


@dataclass(frozen=True, eq=False, slots=True)
class NewTag(Undifferentiated, Op):
    """Takes the machine's next tag, an integer, for the duals of a `j*`. The end of the path counts them."""

    to: Place

    def write(self, out: Forward) -> None:
        before = out.tags_before(self)
        if before is not None:  # as of a Birth
            out.put(f"{self.to.name} = tags + {before};")

    @property
    def tags(self) -> int:
        return 1


@dataclass(frozen=True, eq=False, slots=True)
class Newer(Undifferentiated, Op):
    """Exits unless a tag was taken after another one: duals with it are around those with the other."""

    tag: Place
    other: Place

    def write(self, out: Forward) -> None:
        out.put(if_unlikely(f"{self.tag.name} <= {self.other.name}", out.exit()))
