"""Operations on objects: reading their fields and elements, making and changing them, counting references.

The cotangent of a field is found by the birth of its object and its index, in a map: `give` adds to it,
`taken` removes it (ctemplates/machine/translated.h).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import field

from checkpoint.ctarget.translate.ops.operation import (
    Adjoint,
    Effect,
    Forward,
    Op,
    Residual,
    Undifferentiated,
)
from checkpoint.ctarget.translate.ops.places import (
    TAGS,
    Constant,
    DualParts,
    Kind,
    Place,
    Source,
    is_differentiable,
    is_real,
    may_receive,
    reals,
)
from checkpoint.ctarget.translate.ops.words import PAYLOADS, if_unlikely, plain, stored, value
from checkpoint.dataclass import dataclass

# What takes the accumulators of places that are not reals, from Values.
TAKEN: dict[Kind, str] = {"element": "taken_scalar", "array": "taken_sums"}

# Reading


def read_field(out: Forward, to: Place, owner: Place, text: str) -> None:
    """Write what reads a field, which an expression looks up: NULL where there is none."""
    _read(out, to, owner, text, is_sure=False)


def read_known_field(out: Forward, to: Place, owner: Place, text: str, sure: bool = False) -> None:
    """Write what reads a field that is sure to be there. sure: as of a Load."""
    _read(out, to, owner, text, is_sure=True, has_kind=sure)


def _read(out: Forward, to: Place, owner: Place, text: str, is_sure: bool, has_kind: bool = False) -> None:
    field = out.temporary("field", "const Value *")
    out.put(f"{field} = {text};")
    is_value = to.kind == "value"
    tests = [] if is_sure else [f"!{field}"]
    tests += [] if is_value or has_kind else [f"{field}->tag != {TAGS[to.kind]}"]
    if tests:
        out.put(if_unlikely(" || ".join(tests), out.exit()))
    out.put(f"{to.name} = {f'load({field})' if is_value else f'{field}->{PAYLOADS[to.kind]}'};")
    out.record_birth(owner)


@dataclass(frozen=True, eq=False, slots=True)
class Load(Op):
    """Reads a field of an object (of a TUPLE: not counting its first cell).

    Exits where the field has another kind than `to`. (`to` of the kind "value" takes any; it is
    borrowed from the owner until a Keep.) Adjoint: (owner . index)' += to', if to is a real. constant:
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

    def reads(self) -> Sequence[Source]:
        return (self.owner,)

    def sets(self) -> Sequence[Place]:
        return (self.to,)

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

    def reverse(self, adjoint: Adjoint) -> None:
        adjoint.put(f"give(c, {self.owner.name}_birth, {self.index}, {adjoint.cotangent(self.to).text});")

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
    def field(self) -> Constant | Place:
        """Return where the element is; where that is sure to be the index, it need not be recorded."""
        index = self.index
        if isinstance(index, Constant) and isinstance(index.value, int) and index.value >= 0:
            return index
        return self.at

    def reverse(self, adjoint: Adjoint) -> None:
        text = adjoint.cotangent(self.to).text
        adjoint.put(f"give(c, {self.owner.name}_birth, {plain(self.field)}, {text});")

    @property
    def gives(self) -> bool:
        return True


@dataclass(frozen=True, eq=False, slots=True)
class Length(Undifferentiated, Op):
    """Reads the length of a list or a plain tuple. Exits as Element does."""

    to: Place
    owner: Place

    def reads(self) -> Sequence[Source]:
        return (self.owner,)

    def sets(self) -> Sequence[Place]:
        return (self.to,)

    def write(self, out: Forward) -> None:
        test = f"!has_length({self.owner.name}, &{self.to.name})"
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class HoldsElement(Undifferentiated, Op):
    """Exits unless an element of a list or a plain tuple, by an index as in Element, is a certain object."""

    owner: Place
    index: Source
    value: Place

    def reads(self) -> Sequence[Source]:
        return (self.owner, self.index, self.value)

    def sets(self) -> Sequence[Place]:
        return ()

    def write(self, out: Forward) -> None:
        at = out.temporary("position", "int64_t ")
        text = f"element({self.owner.name}, {plain(self.index)}, &{at})"
        out.put(if_unlikely(f"!is_object({text}, {self.value.name})", out.exit()))


def receive(adjoint: Adjoint, source: Source, field: str) -> None:
    """Write what moves the accumulator of a field, named by arguments in C, to that of its content."""
    if isinstance(source, DualParts):
        adjoint.receive(source, f"cotangent_take{field}")
    elif source.kind in TAKEN:
        adjoint.add(source, f"{TAKEN[source.kind]}(c, cotangent_take{field})")
    elif is_real(source):
        adjoint.add(source, f"taken{field}")
    elif may_receive(source):
        adjoint.put(f"taken{field};")


def received_by(content: Source) -> Sequence[Place] | None:
    """Return the places to which a change of a field adds in the adjoint; None: it has no cotangent."""
    return reals([content]) if may_receive(content) else None


# Making


@dataclass(frozen=True, eq=False, slots=True)
class Birth(Undifferentiated, Op):
    """Takes the next birth, an integer, for an object not made yet. The end of the path counts them."""

    to: Place

    def reads(self) -> Sequence[Source]:
        return ()

    def sets(self) -> Sequence[Place]:
        return (self.to,)

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

    def reads(self) -> Sequence[Source]:
        return (*self.cells, self.birth)

    def sets(self) -> Sequence[Place]:
        return (self.to,)

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

    def reads(self) -> Sequence[Source | None]:
        return (self.owner, self.index)

    def sets(self) -> Sequence[Place]:
        return (self.to,)

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

    def reads(self) -> Sequence[Source]:
        return (self.owner, self.at, self.value)

    def sets(self) -> Sequence[Place]:
        return (self.to,)

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

    def reads(self) -> Sequence[Source]:
        return (self.place,)

    def sets(self) -> Sequence[Place]:
        return ()

    def write(self, out: Forward) -> None:
        out.put(f"keep({self.place.name});")


@dataclass(frozen=True, eq=False, slots=True)
class Drop(Undifferentiated, Effect):
    """Removes a reference."""

    place: Place

    def reads(self) -> Sequence[Source]:
        return (self.place,)

    def sets(self) -> Sequence[Place]:
        return ()

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

    def sets(self) -> Sequence[Place]:
        return ()

    def write(self, out: Forward) -> None:
        out.put(f"leave_pair(m->heap, {self.words(0)});")

    def words(self, plain: int) -> str:
        """Return its arguments in C. plain: the fields that are sure to be no objects, a bit for each."""
        return f"{self.pair.name}, {sum(1 << index for index, _ in self.kept)}, {plain}"
