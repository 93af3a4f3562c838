"""Operations on objects: reading their fields and elements, making and changing them, counting references.

The cotangent of a field is found by the birth of its object and its index, in a map: `give` adds to it,
`taken` removes it (ctemplates/machine/translated.h).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from dataclasses import field

from checkpoint.ctarget.translate.ops.fields import give, read_field, read_known_field, receive, received_by
from checkpoint.ctarget.translate.ops.operation import (
    Adjoint,
    Effect,
    Forward,
    Op,
    Residual,
    Undifferentiated,
)
from checkpoint.ctarget.translate.ops.places import (
    Constant,
    Place,
    Source,
    is_differentiable,
    reals,
)
from checkpoint.ctarget.translate.ops.words import if_unlikely, plain, stored, value
from checkpoint.dataclass import dataclass

# Reading


@dataclass(frozen=True, eq=False, slots=True)
class Load(Op):
    """Reads a field of an object (of a TUPLE: not counting its first cell).

    Exits where the field has another kind than `to`. (`to` of the kind "value" or "array" takes any; it is
    borrowed from the owner until a Keep.) Adjoint: (owner . index)' += to', if to has one. constant:
    whether the owner was a constant when the unit was made (program/value.h): nothing relies on it.
    of_pair: whether the owner is sure to be a PAIR, which has this field. sure: whether the field is sure to
    be there and of the kind of `to` (units/sure.py).
    """

    to: Place
    owner: Place
    index: int
    constant: bool = field(default=False, kw_only=True)
    of_pair: bool = field(default=False, kw_only=True)
    sure: bool = field(default=False, kw_only=True)

    def write(self, out: Forward) -> None:
        cell = f"&cells_of({self.owner.name})[{self.index}]"
        field = cell if self.of_pair else f"field_of({self.owner.name}, {self.index})"
        if self.of_pair or self.sure:
            read_known_field(out, self.to, self.owner, field, self.sure)
        else:
            read_field(out, self.to, self.owner, field)

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [] if self.to in active else None

    def residuals(self) -> Sequence[Residual]:
        return (Residual(self.owner, birth=True),)

    @property
    def field(self) -> Constant:
        """Return where it is."""
        return Constant(self.index)

    @property
    def made_by(self) -> tuple[Hashable, ...]:
        return type(self), self.to.kind, self.index

    def reverse(self, adjoint: Adjoint) -> None:
        give(adjoint, self.to, f"{self.owner.name}_birth, {self.index}")

    @property
    def gives(self) -> bool:
        return True


@dataclass(frozen=True, eq=False, slots=True)
class Element(Op):
    """Reads an element of a list or a plain tuple, by an index as in Python: a negative one is from the end.

    at: the place of the index where it was found. Exits where there is no such element, where it
    has another kind than `to`. Adjoint: (owner . at)' += to', if to is a real. constant: as in Load.
    """

    to: Place
    owner: Place
    index: Source
    at: Place
    constant: bool = field(default=False, kw_only=True)

    def reads(self) -> Sequence[Source]:
        return (self.owner, self.index)

    def sets(self) -> Sequence[Place]:
        return (self.to, self.at)

    def write(self, out: Forward) -> None:
        given = f"{self.owner.name}, {plain(self.index)}, &{self.at.name}"
        read_field(out, self.to, self.owner, f"element({given})")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [] if self.to in active else None

    def residuals(self) -> Sequence[Residual]:
        own, at = Residual(self.owner, birth=True), self.field
        return (own,) if isinstance(at, Constant) else (own, Residual(at))

    @property
    def made_by(self) -> tuple[Hashable, ...]:
        return type(self), self.to.kind

    @property
    def field(self) -> Constant | Place:
        """Return where the element is; where that is sure to be the index, it need not be recorded."""
        index = self.index
        if isinstance(index, Constant) and isinstance(index.value, int) and index.value >= 0:
            return index
        return self.at

    def reverse(self, adjoint: Adjoint) -> None:
        give(adjoint, self.to, f"{self.owner.name}_birth, {plain(self.field)}")

    @property
    def gives(self) -> bool:
        return True


@dataclass(frozen=True, eq=False, slots=True)
class Length(Undifferentiated, Op):
    """Reads the length of a list or a plain tuple. Exits as Element does."""

    to: Place
    owner: Place

    def write(self, out: Forward) -> None:
        test = f"!has_length({self.owner.name}, &{self.to.name})"
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class HoldsElement(Undifferentiated, Op):
    """Exits unless an element of a list or a plain tuple, by an index as in Element, is a certain object."""

    owner: Place
    index: Source
    value: Place

    def write(self, out: Forward) -> None:
        at = out.temporary("position", "int64_t ")
        text = f"element({self.owner.name}, {plain(self.index)}, &{at})"
        out.put(if_unlikely(f"!is_object({text}, {self.value.name})", out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Quoted(Undifferentiated, Op):
    """Reads a counted constant of the program, borrowed. Exits where the machine has not made it in the heap.

    constant: a reference.
    """

    to: Place
    constant: int

    def write(self, out: Forward) -> None:
        test = f"!heap_recall(m->heap, REFERENCE({self.constant}), &{self.to.name})"
        out.put(if_unlikely(test, out.exit()))


# Making


@dataclass(frozen=True, eq=False, slots=True)
class Birth(Undifferentiated, Op):
    """Takes the next birth, an integer, for an object not made yet. The end of the path counts them."""

    to: Place

    def write(self, out: Forward) -> None:
        before = out.births_before(self)
        if before is not None:  # else all paths from here exit at the header, where none has been made
            out.put(f"{self.to.name} = births + {before};")

    @property
    def births(self) -> int:
        return 1


@dataclass(frozen=True, eq=False, slots=True)
class Make(Effect):
    """An object of the kind PAIR, ENVIRONMENT or LIST, an empty DICTIONARY, or a TUPLE (a RECORD whose first
    cell, NOTHING, is not among `cells`). Takes the references that cells own.

    Adjoint: for each cell that may receive, the last first: cell' += (birth . index)', taken out of the map.
    """

    to: Place
    tag: str
    cells: tuple[Source, ...]
    birth: Place

    def write(self, out: Forward) -> None:
        given = f"{len(self.cells)}, {self.birth.name}, &{self.to.name}"
        kind = "RECORD" if self.tag == "TUPLE" else self.tag
        by_tag = {"LIST": f"make_list(m, {given})", "DICTIONARY": f"make_dictionary(m, {given})"}
        text = by_tag.get(self.tag, f"make(m, {kind}, {given})")
        out.put(f"{out.temporary('to', 'Value *')} = {text};", *stored(enumerate(self.cells)))

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return reals(self.cells) if any(map(is_differentiable, self.cells)) else None

    def residuals(self) -> Sequence[Residual]:
        return (Residual(self.birth),)

    def reverse(self, adjoint: Adjoint) -> None:
        for i in reversed(range(len(self.cells))):
            receive(adjoint, self.cells[i], f"(c, (uint64_t){self.birth.name}, {i})")


# Changing


@dataclass(frozen=True, eq=False, slots=True)
class Changeable(Undifferentiated, Op):
    """Finds the position of a change to a list: of an element, or, without an index, after the last one.

    Exits unless it is a list that the program may change. `to` is an integer.
    """

    to: Place
    owner: Place
    index: Source | None

    def write(self, out: Forward) -> None:
        function = f"changeable_{'end' if self.index is None else 'element'}"
        index = "" if self.index is None else f"{plain(self.index)}, "
        test = f"!{function}({self.owner.name}, {index}&{self.to.name})"
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Update(Effect):
    """Stores an element in a list, at a position that a Changeable has found: at the end if it `appends`.

    to: the list, with a reference of its own. Takes the reference that the value owns. Adjoint: value' +=
    (to . at)', removed from the map.
    """

    to: Place
    owner: Place
    at: Place
    value: Source
    appends: bool

    def write(self, out: Forward) -> None:
        where = "" if self.appends else f"{self.at.name}, "
        function = "append" if self.appends else "set_element"
        given = f"{where}{value(self.value)}"
        out.put(f"{self.to.name} = {function}(m, {self.owner.name}, {given});")
        out.record_birth(self.to)

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return received_by(self.value)

    def residuals(self) -> Sequence[Residual]:
        return (Residual(self.to, birth=True), Residual(self.at))

    def reverse(self, adjoint: Adjoint) -> None:
        receive(adjoint, self.value, f"(c, {self.to.name}_birth, {self.at.name})")


# References


@dataclass(frozen=True, eq=False, slots=True)
class Keep(Undifferentiated, Effect):
    """Adds a reference."""

    place: Place

    def write(self, out: Forward) -> None:
        out.put(f"keep({self.place.name});")


@dataclass(frozen=True, eq=False, slots=True)
class Drop(Undifferentiated, Effect):
    """Removes a reference."""

    place: Place

    def write(self, out: Forward) -> None:
        out.put(f"drop(m->heap, {self.place.name});")


@dataclass(frozen=True, eq=False, slots=True)
class Leave(Undifferentiated, Effect):
    """Removes a reference to a pair, and adds one to each of `kept`: what was read from it, by its index.

    Where the pair is freed by that, its references to them move.
    """

    pair: Place
    kept: tuple[tuple[int, Place], ...]

    def reads(self) -> Sequence[Source]:
        return (self.pair, *[place for _, place in self.kept])

    def write(self, out: Forward) -> None:
        out.put(f"leave_pair(m->heap, {self.words(0)});")

    def words(self, plain: int) -> str:
        """Return its arguments in C. plain: the fields that are sure to be no objects, a bit for each."""
        return f"{self.pair.name}, {sum(1 << index for index, _ in self.kept)}, {plain}"
