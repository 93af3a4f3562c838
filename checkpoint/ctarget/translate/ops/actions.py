"""What the nodes of a unit do: ops and effects, on places.

graph.py says how nodes hang together, and what the adjoints of these are. What always holds: nothing here
changes once it is made; ops and effects are told apart by identity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

# real: double; integer: int64_t (births too); boolean: bool; value: Value, owned where it is counted.
Kind = Literal["real", "integer", "boolean", "value"]


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A local of C. name: as it stands in C, unique in its unit."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the program: a float, int, bool or None (NOTHING)."""

    value: float | int | bool | None

    @property
    def kind(self) -> Kind:
        """As of places; NOTHING is a value."""
        kinds: dict[type, Kind] = {float: "real", int: "integer", bool: "boolean", type(None): "value"}
        return kinds[type(self.value)]


@dataclass(frozen=True, slots=True)
class Known:
    """A closure of a known procedure, that is made where it is needed: of `procedure` (a reference of the
    unit) and of its environment, a value (None: it captures nothing). Its reference is the environment's.
    """

    procedure: int
    environment: Place | None

    kind: Kind = field(default="value", init=False)


@dataclass(frozen=True, slots=True)
class Tag:
    """What a value must be: as of Expect."""

    tag: str
    procedure: int | None = None


Source = Place | Constant | Known


# Ops


@dataclass(frozen=True, eq=False, slots=True)
class Apply:
    """A scalar primitive, by its definition in ctemplates/scalars/scalars.def.

    domain "reals": on doubles; operands that are integers or booleans are converted where that is exact, else
    the unit is left; `to` is a real, or a boolean where the definition is a PREDICATE. domain "integers": by
    the definition's INTEGERS; `to` is of the kind that gives. singular: see Scalar. needs: for each operand
    the positions that its partial reads (the result's is the number of operands); None: all.
    """

    to: Place
    definition: str
    domain: Literal["reals", "integers"]
    operands: tuple[Source, ...]
    singular: bool
    needs: tuple[tuple[int, ...], ...] | None
    line: int  # in the source of the program; 0: nowhere


@dataclass(frozen=True, eq=False, slots=True)
class Copy:
    to: Place
    source: Source


@dataclass(frozen=True, eq=False, slots=True)
class Load:
    """A field of an object (of a TUPLE: not counting its first cell). Leaves the unit where the field has
    another kind than `to`. (`to` of the kind "value" takes any; it is borrowed from the owner until a Keep.)
    """

    to: Place
    owner: Place
    index: int


@dataclass(frozen=True, eq=False, slots=True)
class Element:
    """An element of a list or a plain tuple, by an index as Python has it: a negative one counts from the
    end. at: the place where it was found. Leaves the unit where there is none, where it has another kind than
    `to`, or where the list is stale after so many steps from the path's head on (containers/containers.h).
    """

    to: Place
    owner: Place
    index: Source
    at: Place
    steps: int


@dataclass(frozen=True, eq=False, slots=True)
class Length:
    """How many elements a list or a plain tuple has; as of Element."""

    to: Place
    owner: Place
    steps: int


@dataclass(frozen=True, eq=False, slots=True)
class Convert:
    """What has no derivative: of integers, or of a real what is none, by a function of
    machine/translated.h, which says whether there is a result. `to` and the operands are of the kinds that
    it has.
    """

    to: Place
    function: str
    operands: tuple[Source, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Expect:
    """Leaves the unit unless the value has that tag: a kind of program/kinds.h by its name (a CLOSURE's or
    PROCEDURE's with that of the procedure, a reference); TUPLE: a RECORD that is a plain tuple (of `count`
    elements, if that is given); OTHER: a kind that has no amount, neither REAL nor NODE nor DUAL nor FOREIGN.
    """

    place: Place
    tag: str
    procedure: int | None = None
    count: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Enclosed:
    """The environment of a CLOSURE, as a value of the kind ENVIRONMENT; borrowed from it until a Keep."""

    to: Place
    place: Place


@dataclass(frozen=True, eq=False, slots=True)
class IsKind:
    """Whether a value is of a kind (a name of ctemplates/program/kinds.h); `to` is a boolean."""

    to: Place
    place: Place
    tag: str


@dataclass(frozen=True, eq=False, slots=True)
class Peek:
    """What the top frame of the machine's stack has saved: leaves the unit unless its point is `point` (a
    reference) and all are of the kinds of `saved`. What is counted is borrowed: the Pop that follows moves
    it.
    """

    point: int
    saved: tuple[Place, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Birth:
    """The next birth, for an object that is not made yet. `to` is an integer. (They are counted where the
    path ends.)
    """

    to: Place


@dataclass(frozen=True, eq=False, slots=True)
class Changeable:
    """Where a list is to be changed: the place of an element, or, without an index, behind the last one.
    Leaves the unit unless it is a list that the program may change, after so many steps (as of Element). `to`
    is an integer.
    """

    to: Place
    owner: Place
    index: Source | None
    steps: int


@dataclass(frozen=True, eq=False, slots=True)
class Apart:
    """Leaves the unit unless two values are different objects."""

    place: Place
    other: Place


@dataclass(frozen=True, eq=False, slots=True)
class Tangent:
    """What a scalar primitive gives for tangents of its operands: the sum of partial times tangent, from the
    left.

    primals: the operands, as reals; result: what an Apply has made of them. tangents: None of operands that
    have none. singular: a tangent of 0 gives nothing where the partial is infinite (scalars/numbers.c).
    """

    to: Place
    definition: str
    primals: tuple[Source, ...]
    result: Place
    tangents: tuple[Source | None, ...]
    singular: bool


@dataclass(frozen=True, eq=False, slots=True)
class TagOf:
    """The tag of a dual, an integer: what others call its birth."""

    to: Place
    place: Place


@dataclass(frozen=True, eq=False, slots=True)
class Same:
    """Leaves the unit unless two integers are one."""

    a: Place
    b: Place


Op = (
    Apply
    | Copy
    | Load
    | Element
    | Length
    | Convert
    | Changeable
    | Apart
    | Expect
    | Enclosed
    | IsKind
    | Peek
    | Birth
    | Tangent
    | TagOf
    | Same
)


# Effects


@dataclass(frozen=True, eq=False, slots=True)
class Make:
    """An object of the kind PAIR, ENVIRONMENT or LIST, or a TUPLE (a RECORD whose first cell, NOTHING, is not
    among `cells`). Takes the references that cells own.
    """

    to: Place
    tag: str
    cells: tuple[Source, ...]
    birth: Place


@dataclass(frozen=True, eq=False, slots=True)
class Update:
    """A list gets an element, at a place that a Changeable has found: behind all others if it `appends`. `to`
    is the list from then on, `owner` is stale. Takes the reference that the value owns.
    """

    to: Place
    owner: Place
    at: Place
    value: Source
    appends: bool
    steps: int


@dataclass(frozen=True, eq=False, slots=True)
class Keep:
    """One more reference."""

    place: Place


@dataclass(frozen=True, eq=False, slots=True)
class Drop:
    """One reference less."""

    place: Place


@dataclass(frozen=True, eq=False, slots=True)
class Push:
    """A frame on the machine's stack. point, call: references (the block whose call is shown, or None)."""

    point: int
    saved: tuple[Source, ...]
    call: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Pop:
    """The top frame, at which a Peek has looked, goes. saved: as of the Peek."""

    point: int
    saved: tuple[Place, ...]


@dataclass(frozen=True, eq=False, slots=True)
class SetCall:
    """A tail call that is shown: the top frame of the machine's stack waits for it, unless it waits for an
    outer one or is the last (ctemplates/machine/vm_steps.c, push_call). call: a reference, the block.
    """

    call: int


Effect = Make | Update | Keep | Drop | Push | Pop | SetCall
