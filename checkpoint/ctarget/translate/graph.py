"""What translation to C works on: units, made by `specialise`, written as C by `forward` and `adjoint`.

A *unit* is a region of a program for values of certain kinds. It consists of *heads*, at which it is entered
and which its code goes back to, each the root of a tree of *nodes*. A node is one block of the program, run
in what is known of its values there: a block is in a unit as often as it pays to know different things of it.
A *path* leads from a head by nodes to an *end*: to another head (Go) or out of the unit (Leave). In each node

- `ops` compute, in the order of the block's steps, and change nothing: any may find that it cannot go on
  (a quotient of 0, an integer that is too large, a value of another kind); then the unit is left by
  `node.leave`, which mostly is at the head of the node's block, as if the node had not begun;
- `effects` come after all ops: objects are made and dropped, frames pushed and popped.

*Places* are C's locals, each set once on a path (static single assignment), each the accumulator of its own
in the
adjoint: one step of the program that copies a value copies it to a new place (Copy), so that amounts are
added up in the same order and grouping as by the other engines, bit for bit. A copy costs C nothing.

Data that do not leave the unit are not made: pairs, tuples, environments and frames that a unit knows whole
are places for their fields alone, until an end needs them (Make, Push).

The adjoint of a path reverses its ops and effects, the last first, from accumulators of what its end hands
on:
    Apply  by the partials of the record, the last operand first; only reals have accumulators
    Copy   source' += to'
    Load   (owner . index)' += to', in the map of the cotangent, under the owner's birth, if to is a real
    Element (owner . at)' += to', likewise
    Make   for each cell, the last first: cell' += (to . index)', taken out of the map, under `birth`
    Update value' += (to . at)', taken out of the map
    Push   the frame's amounts are popped off the cotangent's stack, the last first: saved'
    Pop    saved' are pushed there, in their order (of what is no real: 0)
    Birth, Keep, Drop, SetCall: nothing
All accumulators start at +0.0 but those that the end hands on; none is ever -0.0 where a head or an exit sees
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from checkpoint.ctarget.code import BlockPeer

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
    """A scalar primitive, by its definition in ctemplates/scalars.def.

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
    `to`, or where the list is stale after so many steps from the path's head on (ctemplates/containers.h).
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
    ctemplates/translated.h, which says whether there is a result. `to` and the operands are of the kinds that
    it has.
    """

    to: Place
    function: str
    operands: tuple[Source, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Expect:
    """Leaves the unit unless the value has that tag: a kind of ctemplates/kinds.h by its name (a CLOSURE's or
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
    """Whether a value is of a kind (a name of ctemplates/kinds.h); `to` is a boolean."""

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
    outer one or is the last (ctemplates/vm_steps.c, push_call). call: a reference, the block.
    """

    call: int


Effect = Make | Update | Keep | Drop | Push | Pop | SetCall


# Ends


@dataclass(frozen=True, eq=False, slots=True)
class Leave:
    """Out of the unit, to the head of a block. steps: made on the path before, from its head on.

    effects: what has to be done only if the unit is left here (objects made, frames pushed). contents: what
    its parameters' registers hold then. number: among all ends of the unit that Leave (`exit` of RunEnd).
    """

    number: int
    block: BlockPeer
    steps: int
    effects: tuple[Effect, ...]
    contents: tuple[tuple[int, Source], ...]


@dataclass(eq=False, slots=True)
class Go:
    """On to a head, with the places that its params get. number: among all that Go (its way)."""

    number: int
    head: Head
    steps: int
    sources: tuple[Source, ...]


@dataclass(eq=False, slots=True)
class Fork:
    """One of two nodes."""

    test: Source
    then: Node
    other: Node


@dataclass(eq=False, slots=True)
class Return:
    """To the node of the case whose point is the top frame's. Each begins with its Peek, and has a Pop; where
    the top frame has another point the unit is left by the `leave` of the node that returns.
    """

    cases: tuple[tuple[int, Node], ...]


@dataclass(eq=False, slots=True)
class On:
    """To the one node that follows."""

    node: Node


End = Leave | Go | Fork | Return | On


@dataclass(eq=False, slots=True)
class Node:
    """steps: made on the path before it, from its head on. leave: where it goes when an op cannot go on."""

    block: BlockPeer
    steps: int
    leave: Leave
    ops: list[Op] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    end: End | None = None


@dataclass(eq=False, slots=True)
class Head:
    """params: places that each way in sets. most: steps of its longest path, so many must be left.

    entry: for each register that the unit reads when it is entered here from the machine, what it must hold:
    a place of its kind; a place of kind "value" and its tag, as of Expect; a tag alone; or a closure of the
    known procedure, whose environment becomes the place. A register may be named by two of them. None: the
    machine cannot enter here (some of what it knows is not in registers).
    leave: to here, nothing done.
    """

    number: int
    block: BlockPeer
    params: tuple[Place, ...]
    entry: tuple[tuple[int, Place | Tag | Known], ...] | None
    most: int = 0
    leave: Leave = field(init=False)
    root: Node = field(init=False)


@dataclass(eq=False, slots=True)
class Unit:
    """heads: the entry first. references: what its code names by numbers: BlockPeer, ProcedurePeer,
    ReturnPoint (a C pointer); their addresses are only known where it is loaded. places: all of them. tapes:
    whether it may
    record: not where it holds values that have amounts of their own, and are no reals (arrays, duals).
    """

    name: str
    heads: list[Head] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    references: list[Any] = field(default_factory=list)
    leaves: int = 0
    ways: int = 0
    tapes: bool = True
