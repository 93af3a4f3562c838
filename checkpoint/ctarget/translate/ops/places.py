"""Places and the other sources that operations read.

What always holds: nothing here changes once it is made. Places are compared by identity, constants by value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal

from checkpoint.dataclass import dataclass

# real: double; integer: int64_t (births too); boolean: bool; value: Value, owned where it is counted;
# element: the double of a scalar of NumPy's; array: Value, a handle on an array of NumPy's, owned.
Kind = Literal["real", "integer", "boolean", "value", "element", "array"]
C_TYPES: dict[Kind, str] = {
    "real": "double",
    "integer": "int64_t",
    "boolean": "bool",
    "value": "Value",
    "element": "double",
    "array": "Value",
}
# The tags of Values that are numbers (kinds.h; ELEMENT: a FOREIGN), by the kinds of places.
TAGS: dict[Kind, str] = {"real": "REAL", "integer": "INTEGER", "boolean": "BOOLEAN", "element": "ELEMENT"}
DOUBLES = frozenset(("real", "element"))  # the kinds whose accumulators are doubles
_WITH_ACCUMULATORS = DOUBLES | {"array"}


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A local variable of C. name: its name in C, unique in its unit."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the program: a float, int, bool or None (NOTHING)."""

    value: float | int | bool | None

    @property
    def kind(self) -> Kind:
        """Return its kind, as places have one; NOTHING is a value."""
        kinds: dict[type, Kind] = {float: "real", int: "integer", bool: "boolean", type(None): "value"}
        return kinds[type(self.value)]


@dataclass(frozen=True, slots=True)
class KnownClosure:
    """A closure of a known procedure, made where it is needed. Its reference is the environment's.

    procedure: a reference of the unit. environment: a value; None: it captures nothing.
    """

    procedure: int
    environment: Place | None

    kind: Kind = field(default="value", init=False)


@dataclass(frozen=True, slots=True)
class DualParts:
    """A dual, made where it is needed: each reference to it is to an object of its own.

    tag: an integer place. primal, tangent: reals, places or constants; or duals, which no unit takes apart.
    """

    tag: Place
    primal: Place | Constant | DualParts
    tangent: Place | Constant | DualParts

    kind: Kind = field(default="value", init=False)

    @property
    def parts(self) -> tuple[Place | Constant | DualParts, Place | Constant | DualParts]:
        """Return primal and tangent."""
        return self.primal, self.tangent

    @property
    def is_nested(self) -> bool:
        """Return whether a part of it is a dual."""
        return any(isinstance(part, DualParts) for part in self.parts)


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """An array of NumPy's doubles, and what its elements are read by.

    handle: of the kind "array". data: the address of the first element. sizes, strides: for each axis, the
    latter in bytes. All but the handle are integers, which do not change while the unit runs.
    """

    handle: Place
    data: Place
    sizes: tuple[Place, ...]
    strides: tuple[Place, ...]

    kind: Kind = field(default="array", init=False)

    @property
    def tag(self) -> str:
        """Return the tag of its shape."""
        return VIEWS[len(self.sizes) - 1]

    @property
    def places(self) -> tuple[Place, ...]:
        """Return all places, the handle first."""
        return (self.handle, self.data, *self.sizes, *self.strides)


VIEWS = ("ROW", "MATRIX")  # the tags of arrays, by the number of their axes less 1
ROWS = ("WHOLE_ROW", "TRUTH_ROW")  # the tags of arrays of integers and of booleans, with one axis


@dataclass(frozen=True, slots=True)
class Tag:
    """The tag that a value must have, as in Expect."""

    tag: str
    procedure: int | None = None


Source = Place | Constant | KnownClosure | DualParts


def is_real(source: Source | None) -> bool:
    """Return whether a source has a double as its accumulator in the adjoint."""
    return isinstance(source, Place) and source.kind in DOUBLES


def has_accumulator(source: Source | None) -> bool:
    """Return whether a source has an accumulator in the adjoint."""
    return isinstance(source, Place) and source.kind in _WITH_ACCUMULATORS


def reals(sources: Iterable[Source]) -> list[Place]:
    """Return the places among sources, and in duals among these, that have accumulators in the adjoint."""
    parts = [part for source in sources for part in parts_of(source)]
    return [part for part in parts if isinstance(part, Place) and has_accumulator(part)]


def may_receive(source: Source) -> bool:
    """Return whether a field with this content may have an accumulator: of any number, since an integer that
    is passed in a call receives as a real does, and a constant is read like any other content.
    """
    return source.kind != "value" or isinstance(source, DualParts)


def is_differentiable(source: Source) -> bool:
    """Return whether a source is a number that is no integer, or a constant of that kind."""
    return source.kind in _WITH_ACCUMULATORS or isinstance(source, DualParts)


def parts_of(source: Source) -> tuple[Source, ...]:
    """Return the parts of a dual that are none, of any other source itself."""
    if not isinstance(source, DualParts):
        return (source,)
    return tuple([each for part in source.parts for each in parts_of(part)])


def places_in(sources: Iterable[Source | View | None]) -> Iterator[Place]:
    """Yield the places that sources are read from."""
    for source in sources:
        if isinstance(source, Place):
            yield source
        elif isinstance(source, KnownClosure) and source.environment is not None:
            yield source.environment
        elif isinstance(source, DualParts):
            yield source.tag
            yield from places_in(source.parts)
        elif isinstance(source, View):
            yield from source.places
