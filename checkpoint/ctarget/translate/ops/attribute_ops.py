"""Operations on instances and records: their layouts, reading, adding and changing attributes.

A layout is a reference of the unit, a Python object. The cotangent of an attribute is found by the birth of
its object and its position, as that of an element (object_ops.py).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import ClassVar

from checkpoint.ctarget.translate.ops.fields import read_field, receive, received_by
from checkpoint.ctarget.translate.ops.object_ops import Load, Make
from checkpoint.ctarget.translate.ops.operation import (
    Adjoint,
    Effect,
    Forward,
    Op,
    Residual,
    Undifferentiated,
)
from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.ops.words import if_unlikely, stored, value
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class HasLayout(Undifferentiated, Op):
    """Exits unless an INSTANCE or RECORD has a layout (a reference of the unit)."""

    place: Place
    layout: int

    def write(self, out: Forward) -> None:
        out.put(if_unlikely(f"!has_layout({self.place.name}, REFERENCE({self.layout}))", out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Holds(Undifferentiated, Op):
    """Exits unless an attribute is a certain object, and not an equal one."""

    owner: Place
    layout: int
    index: int
    value: Place

    def write(self, out: Forward) -> None:
        text = f"attribute({self.owner.name}, REFERENCE({self.layout}), {self.index})"
        out.put(if_unlikely(f"!is_object({text}, {self.value.name})", out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Attribute(Load):
    """Reads an attribute of an INSTANCE or RECORD, by its position in a layout (a reference of the unit).

    Exits where the object has another layout, too. Otherwise as Load.
    """

    layout: int

    def write(self, out: Forward) -> None:
        text = f"attribute({self.owner.name}, REFERENCE({self.layout}), {self.index})"
        read_field(out, self.to, self.owner, text)


@dataclass(frozen=True, eq=False, slots=True)
class MakeInstance(Make):
    """An INSTANCE of a layout, with as many attributes as it names. Otherwise as Make."""

    layout: int
    function: ClassVar[str] = "make_instance"

    def write(self, out: Forward) -> None:
        given = f"REFERENCE({self.layout}), {len(self.cells)}, {self.birth.name}, &{self.to.name}"
        to = out.temporary("to", "Value *")
        out.put(f"{to} = {self.function}(m, {given});", *stored(enumerate(self.cells)))


@dataclass(frozen=True, eq=False, slots=True)
class MakeRecord(MakeInstance):
    """A RECORD of a layout, not a plain tuple. Otherwise as MakeInstance."""

    function: ClassVar[str] = "make_record"


@dataclass(frozen=True, eq=False, slots=True)
class MakeKnown(MakeInstance):
    """A FOREIGN of a known object of Python, `layout`. It has no birth. Otherwise as MakeInstance."""

    def write(self, out: Forward) -> None:
        out.put(f"{self.to.name} = known_object(m, REFERENCE({self.layout}));")


@dataclass(frozen=True, eq=False, slots=True)
class ChangeableInstance(Undifferentiated, Op):
    """Exits unless an INSTANCE has a layout (a reference), and the program may change it."""

    owner: Place
    layout: int

    def write(self, out: Forward) -> None:
        test = f"!is_changeable_instance({self.owner.name}, REFERENCE({self.layout}))"
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class SetAttribute(Effect):
    """Stores an attribute of an INSTANCE, of which a ChangeableInstance has checked the layout.

    index: its position. adds: the layout that the instance has from then on, if the attribute is a new one.
    `to` and the adjoint are as of Update, with an index that is known.
    """

    to: Place
    owner: Place
    index: int
    value: Source
    adds: int | None

    def write(self, out: Forward) -> None:
        is_new = self.adds is not None
        where = f"REFERENCE({self.adds})" if is_new else str(self.index)
        given = f"m, {self.owner.name}, {where}, {value(self.value)}"
        out.put(f"{self.to.name} = {'add' if is_new else 'set'}_attribute({given});")
        out.record_birth(self.to)

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return received_by(self.value)

    def residuals(self) -> Sequence[Residual]:
        return (Residual(self.to, birth=True),)

    def reverse(self, adjoint: Adjoint) -> None:
        receive(adjoint, self.value, f"(c, {self.to.name}_birth, {self.index})")
