"""Operations on the machine's stack. The cotangents of what frames have saved are on a stack of their own."""

from __future__ import annotations

from collections.abc import Sequence, Set

from checkpoint.ctarget.translate.ops.check_ops import Expect
from checkpoint.ctarget.translate.ops.dual_ops import accumulator_of
from checkpoint.ctarget.translate.ops.fields import TAKEN
from checkpoint.ctarget.translate.ops.operation import (
    Adjoint,
    Effect,
    Forward,
    Op,
    Residual,
    Undifferentiated,
)
from checkpoint.ctarget.translate.ops.places import DualParts, Place, Source, View, is_real, places_in, reals
from checkpoint.ctarget.translate.ops.words import (
    content,
    if_unlikely,
    lacks_tag,
    opened,
    stored,
    unlike,
    unlike_tags,
    viewed,
)
from checkpoint.dataclass import dataclass


def point_tests(top: str, cases: Sequence[tuple[int, ...]]) -> list[tuple[str, int]]:
    """Return tests of a frame's point, each with the number of its case: whether it is the first point of a
    case, in order; then, since other points may be of the same block, whether it returns as a second one.
    """
    first = [(f"({top} == REFERENCE({points[0]}))", i) for i, points in enumerate(cases)]
    return first + [
        (f"returns_like({top}, REFERENCE({point}))", i)
        for i, points in enumerate(cases)
        for point in points[1:]
    ]


@dataclass(frozen=True, eq=False, slots=True)
class Peek(Undifferentiated, Op):
    """Reads the values saved in the top frame of the machine's stack.

    Exits unless the frame has the first one of the points (references), or returns as the second one does,
    and all values are of the kinds of `saved` and pass the checks. checks: frames with the first point are
    known to do so, and those of other frames are tested; None: the kinds of `saved` are tested of all.
    Counted values are borrowed: the Pop that follows moves them, and drops duals and scalars of NumPy's.
    """

    points: tuple[int, ...]
    saved: tuple[Place | DualParts | View, ...]
    checks: tuple[Expect, ...] | None = None

    def sets(self) -> Sequence[Place]:
        return list(dict.fromkeys(places_in(self.saved)))

    def write(self, out: Forward) -> None:
        saved = out.temporary("saved", "const Value *")
        if self.saved:
            out.put(f"{saved} = top_saved(frames, {len(self.saved)});")
        fields = [(place, f"{saved}[{i}]") for i, place in enumerate(self.saved)]
        tests = [unlike(field, place) for place, field in fields if not isinstance(place, View)]
        tests = [test for test in tests if test]
        tests += unlike_tags([(field, place) for place, field in fields])
        first, *others = [f"!{test}" for test, _ in point_tests("top_point(frames)", [self.points])]
        if self.checks is None:
            out.put(if_unlikely(" || ".join([first, *tests]), out.exit()))
        else:
            held = {place: field for place, field in fields if isinstance(place, Place)}
            tests += [lacks_tag(held[each.place], each.tag, each.procedure) for each in self.checks]
            others = [f"({' || '.join([each, *tests])})" for each in others]
            out.put(if_unlikely(" && ".join([first, *others]), out.exit()))
        for place, field in fields:
            if isinstance(place, View):
                out.put(if_unlikely(unlike(field, place), out.exit()), *viewed(field, place))
                out.temporary("view", "ElementView ")
            elif isinstance(place, DualParts):
                out.put(*opened(field, place))
            elif place.kind != "element":
                out.put(f"{place.name} = {content(field, place.kind)};")


@dataclass(frozen=True, eq=False, slots=True)
class Push(Effect):
    """Pushes a frame onto the machine's stack.

    point, call: references (the block whose call is shown, or None). Adjoint: the cotangents of the frame are
    popped, the last first: saved' += each.
    """

    point: int
    saved: tuple[Source, ...]
    call: int | None

    def write(self, out: Forward) -> None:
        shown = "NULL" if self.call is None else f"REFERENCE({self.call})"
        to = out.temporary("to", "Value *")
        given = f"REFERENCE({self.point}), {len(self.saved)}, {shown}"
        out.put(f"{to} = push(m, &frames, {given});", *stored(enumerate(self.saved)))

    def contributes(self, active: Set[Place]) -> Sequence[Place]:
        return reals(self.saved)

    def residuals(self) -> Sequence[Residual]:
        return ()

    def reverse(self, adjoint: Adjoint) -> None:
        for source in reversed(self.saved):
            if source.kind in TAKEN:
                adjoint.add(source, f"{TAKEN[source.kind]}(c, cotangent_pop(c))")
            elif is_real(source):
                adjoint.add(source, "popped(c)")
            elif isinstance(source, DualParts):
                adjoint.receive(source, "cotangent_pop(c)")
            else:
                adjoint.put("popped(c);")


@dataclass(frozen=True, eq=False, slots=True)
class Pop(Effect):
    """Drops the top frame, which a Peek has read. saved: as in the Peek.

    Adjoint: the cotangents of `saved` are pushed, in their order (0 for values that are not reals).
    """

    saved: tuple[Place | DualParts | View, ...]

    def write(self, out: Forward) -> None:
        opened = [isinstance(saved, DualParts) or saved.kind == "element" for saved in self.saved]
        out.put(*[f"drop_saved(m, &frames, {i});" for i, is_opened in enumerate(opened) if is_opened])
        out.put(f"pop(m, &frames, {len(self.saved)});")

    def contributes(self, active: Set[Place]) -> Sequence[Place]:
        return ()

    def residuals(self) -> Sequence[Residual]:
        return ()

    def reverse(self, adjoint: Adjoint) -> None:
        for saved in self.saved:
            if isinstance(saved, DualParts):
                adjoint.put(f"cotangent_push(c, {accumulator_of(adjoint, saved)});")
            elif isinstance(saved, View):
                adjoint.put(f"cotangent_push(c, sums_accumulator(c, &{adjoint.sums(saved.handle)}));")
            elif saved.kind == "element":
                adjoint.put(f"cotangent_push(c, scalar_accumulator(c, {adjoint.cotangent(saved).text}));")
            else:
                adjoint.put(f"give_back(c, {adjoint.cotangent(saved).normalised()});")


@dataclass(frozen=True, eq=False, slots=True)
class SetCall(Undifferentiated, Effect):
    """A tail call that is shown: the top frame of the machine's stack waits for it, unless it waits for an
    outer one or is the last (vm_steps.c, push_call).

    call: a reference, the block.
    """

    call: int

    def write(self, out: Forward) -> None:
        out.put(f"set_call(m, &frames, REFERENCE({self.call}));")
