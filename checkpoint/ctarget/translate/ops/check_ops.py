"""Operations that check the kind or identity of a value, or read parts of it that are not numbers."""

from __future__ import annotations

import struct
from typing import ClassVar

from checkpoint.ctarget.translate.ops.operation import Forward, Op, Undifferentiated
from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.ops.words import has_tag, if_unlikely, lacks_tag, literal, plain
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Expect(Undifferentiated, Op):
    """Exits unless a value has a tag.

    tag: a kind of kinds.h by its name; TUPLE: a RECORD that is a plain tuple; OTHER: a kind without a
    cotangent, neither REAL nor NODE nor DUAL nor FOREIGN; TEXT: a FOREIGN that is a string; one of ROWS.
    procedure: of a CLOSURE or PROCEDURE, a reference. count: of a TUPLE, its length.
    """

    place: Place
    tag: str
    procedure: int | None = None
    count: int | None = None

    def write(self, out: Forward) -> None:
        test = lacks_tag(self.place.name, self.tag, self.procedure, self.count)
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class ExpectReal(Undifferentiated, Op):
    """Exits unless a real has certain bits, those of a number."""

    place: Place
    bits: int

    def write(self, out: Forward) -> None:
        test = f"!same_real({self.place.name}, {literal(real_of(self.bits))})"
        out.put(if_unlikely(test, out.exit()))


def real_of(bits: int) -> float:
    """Return the real that has certain bits, given as a signed integer.

    >>> real_of(0), real_of(1 << 62), real_of(-1 << 63)
    (0.0, 2.0, -0.0)
    """
    (number,) = struct.unpack("<d", struct.pack("<q", bits))
    return float(number)


@dataclass(frozen=True, eq=False, slots=True)
class ExpectNumber(Undifferentiated, Op):
    """Exits where a number within an object is a dual and should be none, or the other way round.

    route: from the object on, which part of which; where there is no number, nothing is expected.
    """

    place: Place
    route: tuple[int, ...]
    is_dual: bool

    def write(self, out: Forward) -> None:
        route = f"(const uint32_t[]){{{', '.join(map(str, self.route))}}}, {len(self.route)}"
        test = f"is_unexpected({self.place.name}, {route}, {literal(self.is_dual)})"
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class IsKind(Undifferentiated, Op):
    """Tests whether a value is of a kind, as in Expect; `to` is a boolean."""

    to: Place
    place: Place
    tag: str

    def write(self, out: Forward) -> None:
        out.put(f"{self.to.name} = {has_tag(self.place.name, self.tag)};")


@dataclass(frozen=True, eq=False, slots=True)
class EndTest(Undifferentiated, Op):
    """Tests whether a list goes on or has ended: whether a value is of the kind `tag`, PAIR or NOTHING.

    Exits unless it is of one of these two; `to` is a boolean.
    """

    to: Place
    place: Place
    tag: str

    @property
    def other(self) -> str:
        """Return the kind that the value is of where the test is false."""
        return "NOTHING" if self.tag == "PAIR" else "PAIR"

    def write(self, out: Forward) -> None:
        kind, goes_on = f"kind_of({self.place.name})", self.tag == "PAIR"
        out.put(
            f"{self.to.name} = {literal(goes_on)};",
            f"if (UNLIKELY({kind} != PAIR)) {{",
            f"    {if_unlikely(f'{kind} != NOTHING', out.exit())}",
            f"    {self.to.name} = {literal(not goes_on)};",
            "}",
        )


@dataclass(frozen=True, eq=False, slots=True)
class Enclosed(Undifferentiated, Op):
    """Reads the environment of a CLOSURE, a value of the kind ENVIRONMENT; borrowed from it until a Keep."""

    to: Place
    place: Place

    def write(self, out: Forward) -> None:
        out.put(f"{self.to.name} = environment_of({self.place.name});")


@dataclass(frozen=True, eq=False, slots=True)
class Apart(Undifferentiated, Op):
    """Exits unless two values are different objects."""

    place: Place
    other: Place
    exits_if: ClassVar[str] = "=="

    def write(self, out: Forward) -> None:
        objects = f"{self.place.name}.object {self.exits_if} {self.other.name}.object"
        out.put(if_unlikely(objects, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Together(Apart):
    """Exits unless two values are one object."""

    exits_if: ClassVar[str] = "!="


@dataclass(frozen=True, eq=False, slots=True)
class IsOne(Undifferentiated, Op):
    """Tests whether two mutable containers of a kind are one object; exits for two that never change."""

    to: Place
    place: Place
    other: Place

    def write(self, out: Forward) -> None:
        pair = f"{self.place.name}, {self.other.name}"
        out.put(if_unlikely(f"!have_identity({pair})", out.exit()))
        out.put(f"{self.to.name} = {self.place.name}.object == {self.other.name}.object;")


@dataclass(frozen=True, eq=False, slots=True)
class TagOf(Undifferentiated, Op):
    """Reads the tag of a dual, an integer; it is stored where other objects have their birth."""

    to: Place
    place: Place

    def write(self, out: Forward) -> None:
        out.put(f"{self.to.name} = (int64_t){self.place.name}.object->birth;")


@dataclass(frozen=True, eq=False, slots=True)
class Same(Undifferentiated, Op):
    """Exits unless two integers are equal."""

    a: Place
    b: Place

    def write(self, out: Forward) -> None:
        out.put(if_unlikely(f"{self.a.name} != {self.b.name}", out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Finite(Undifferentiated, Op):
    """Exits unless reals are finite."""

    places: tuple[Place, ...]

    def write(self, out: Forward) -> None:
        tests = [f"!isfinite({place.name})" for place in self.places]
        out.put(if_unlikely(" || ".join(tests), out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class Divides(Undifferentiated, Op):
    """Exits where a number, a real or an integer, is 0."""

    number: Source

    def write(self, out: Forward) -> None:
        out.put(if_unlikely(f"{plain(self.number)} == 0", out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class IsHole(Undifferentiated, Op):
    """Exits unless a field of a tuple is a certain object of Python: a hole for a lane's item.

    hole: a reference.
    """

    owner: Place
    index: int
    hole: int

    def write(self, out: Forward) -> None:
        field = f"field_of({self.owner.name}, {self.index})"
        out.put(if_unlikely(f"!is_foreign({field}, REFERENCE({self.hole}))", out.exit()))
