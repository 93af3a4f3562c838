"""Abstract values, known while a unit is made, and the State of the program at a point.

An abstract value is one of
    Place     a real, integer or boolean in a local variable of C; or a scalar of NumPy's
    View      an array of NumPy's, whose elements the unit reads
    Constant  a constant of the program
    Held      a Value in a local variable: counted, or of a kind that is not known
    Closure   a closure of a known procedure; its environment is Held, Virtual or None
    Virtual   a pair, tuple, environment or dual that is not made yet: its cells are abstract values. So are
              a record of procedures, an empty dictionary, and the cotangent 1 (UNIT)

References are counted as in the machine (checkpoint.cps.ownership): a Held owns one, which effects keep and
drop when the unit runs. A Virtual has no references, only `owners`: how many slots, cells and frames refer to
it while the unit is made. (Of a dual, which has no identity, each gets an object of its own.)

What always holds: a State and what is in it belong to one path; where paths part, `State.copy` copies the
virtual objects, and what two values shared, their copies share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from typing import Any, TypeGuard

from checkpoint.ad.containers import Layout
from checkpoint.ad.values import Pair
from checkpoint.ctarget.peers import BlockPeer, ProcedurePeer
from checkpoint.ctarget.translate.ops.places import TAGS, Constant, DualParts, Place, View
from checkpoint.ctarget.translate.specialise.observe import Shape, extent
from checkpoint.dataclass import dataclass

UNCOUNTED = frozenset(("REAL", "INTEGER", "BOOLEAN", "NOTHING", "PROCEDURE"))
OTHER = "OTHER"  # the tag of a Held of which is known only that it has no cotangent
# The tag of a Held that is expected to be a PAIR, or NOTHING: what a list of unknown length has behind an
# element. Nothing is checked yet; no node ends with one.
CHAIN = "CHAIN"
UNSURE = frozenset((OTHER, CHAIN))  # do not say of which kind a value is


@dataclass(frozen=True, eq=False, slots=True)
class Held:
    """A Value in a place.

    tag: a kind of kinds.h that was checked; TUPLE: a RECORD that is a plain tuple; OTHER or CHAIN. hint: its
    shape when the unit was made, if that is known: nothing relies on it. constant: which one of the program,
    or part of one, it is sure to be; None: it may be another value.
    """

    place: Place
    tag: str
    hint: Shape | None = None
    constant: Pair | None = None

    @property
    def was_constant(self) -> bool:
        """Return whether no cotangent of the object's fields was wanted when the unit was made."""
        return self.hint is not None and self.hint.constant


@dataclass(frozen=True, eq=False, slots=True)
class Closure:
    """A closure of a known procedure. environment: None if it captures nothing."""

    procedure: ProcedurePeer
    environment: Abstract | None


@dataclass(eq=False, slots=True)
class Virtual:
    """An object that is not made yet.

    birth: the place of its birth; for a DUAL that of its tag, which several duals share. owners: how many
    slots, cells and frames refer to it. layout: of a RECORD that is no plain tuple.
    """

    tag: str
    cells: list[Abstract]
    birth: Place
    owners: int = 1
    layout: Layout | None = None


Abstract = Place | Constant | Held | Closure | Virtual | View


def dual_parts(value: Virtual) -> DualParts:
    """Return a dual as a source."""
    primal, tangent = map(_part, value.cells)
    return DualParts(value.birth, primal, tangent)


def _part(cell: Abstract) -> Place | Constant | DualParts:
    if isinstance(cell, Virtual):
        return dual_parts(cell)
    assert isinstance(cell, Place | Constant)
    return cell


def is_dual(value: Abstract) -> bool:
    """Return whether a value is a dual whose parts are in places."""
    return isinstance(value, Virtual) and value.tag == "DUAL"


def is_nested(value: Abstract) -> bool:
    """Return whether a value is a dual of which a part is a dual."""
    return isinstance(value, Virtual) and value.tag == "DUAL" and any(map(is_dual, value.cells))


def is_chain(value: Abstract) -> TypeGuard[Held]:
    """Return whether a value is a CHAIN."""
    return isinstance(value, Held) and value.tag == CHAIN


def tag_of(value: Abstract) -> str:
    """Return the tag of a value, as of Expect; OTHER where it is not known."""
    match value:
        case Constant(None):
            return "NOTHING"
        case Place() | Constant():
            return TAGS[value.kind]
        case Closure(_, environment):
            return "PROCEDURE" if environment is None else "CLOSURE"
    return value.tag


@dataclass(frozen=True, slots=True)
class Call:
    """An active call. entry: of the procedure. size: the amount known there (State.size). depth: how many
    virtual frames there were.
    """

    entry: BlockPeer
    size: int
    depth: int


@dataclass(eq=False, slots=True)
class Frame:
    """A frame that is not pushed yet.

    block: the block it returns to. saved: the values it saves. call: the block of the call that it is shown
    to wait for. entered, size: what was called, as in Call. calls: those that were active before. parted: of
    the path before the call, as of a PathSoFar.
    """

    block: BlockPeer
    saved: dict[str, Abstract]
    call: BlockPeer | None
    entered: BlockPeer
    size: int
    calls: tuple[Call, ...]
    parted: bool = False


Leaf = Callable[[Abstract], Abstract]
_OTHER_OF_CHAIN = {"PAIR": "NOTHING", "NOTHING": "PAIR"}  # what a CHAIN is if it is not of a kind


class Copier:
    """Copies values; what they share, their copies share.

    leaf: returns the copy of a value that has no parts. birth: returns the copy of a birth.
    """

    def __init__(self, leaf: Leaf, birth: Callable[[Place], Place]) -> None:
        self.leaf = leaf
        self.birth = birth
        self.made: dict[int, Virtual] = {}
        self.births: dict[Place, Place] = {}

    def value(self, old: Abstract) -> Abstract:
        """Return the copy of a value."""
        match old:
            case Virtual():
                return self._data(old)
            case Closure(procedure, environment) if environment is not None:
                return Closure(procedure, self.value(environment))
        return self.leaf(old)

    def _data(self, old: Virtual) -> Virtual:
        if id(old) not in self.made or old.tag == "DUAL":
            if old.birth not in self.births:
                self.births[old.birth] = self.birth(old.birth)
            new = self.made[id(old)] = Virtual(old.tag, [], self.births[old.birth], old.owners, old.layout)
            new.cells += [self.value(cell) for cell in old.cells]
        return self.made[id(old)]

    def state(self, old: State) -> State:
        """Copy a state, in the order of `leaves` if the slots are in the order of the parameters."""
        frames = [
            replace(f, saved={name: self.value(value) for name, value in f.saved.items()}) for f in old.frames
        ]
        slots = {name: self.value(value) for name, value in old.slots.items()}
        return State(slots, frames, dict(old.facts))


@dataclass(eq=False, slots=True)
class State:
    """The abstract state at a point of a path.

    slots: the live ones of the block's procedure. frames: the virtual frames above the machine's stack, the
    top one last. facts: booleans that are true if the value in a place has a tag.
    """

    slots: dict[str, Abstract]
    frames: list[Frame] = field(default_factory=list)
    facts: dict[Place, tuple[Place, str]] = field(default_factory=dict)

    def copy(self) -> State:
        """Return a copy for another path."""
        return Copier(lambda value: value, lambda birth: birth).state(self)

    def assuming(self, test: Place, holds: bool) -> State:
        """Return a copy of the state for the path on which a test was true, or was not."""
        place, tag = self.facts.get(test, (None, ""))
        if not holds:
            tag = _OTHER_OF_CHAIN.get(tag, "")

        def leaf(value: Abstract) -> Abstract:
            if value is test:
                return Constant(holds)
            if not isinstance(value, Held) or value.place is not place or not (holds or value.tag == CHAIN):
                return value
            return Constant(None) if tag == "NOTHING" else Held(place, tag, value.hint)

        return Copier(leaf, lambda birth: birth).state(self)

    def found_pair(self, place: Place) -> None:
        """Note that the value in a place is a PAIR, wherever the state has it."""
        self.change(place, lambda held: Held(place, "PAIR", held.hint))

    def change(self, place: Place | None, new: Callable[[Held], Held]) -> None:
        """Change what is known of the value in a place, wherever the state has it; None: of all values."""

        def again(value: Abstract) -> Abstract:
            match value:
                case Held(own) if place is None or own is place:
                    return new(value)
                case Closure(procedure, environment) if environment is not None:
                    return Closure(procedure, again(environment))
                case Virtual():
                    value.cells[:] = [again(cell) for cell in value.cells]
            return value

        self.slots = {name: again(value) for name, value in self.slots.items()}
        for frame in self.frames:
            frame.saved = {name: again(value) for name, value in frame.saved.items()}

    def chains(self) -> list[Place]:
        """Return the places of the CHAINs in slots and in virtual objects, the former first."""
        seen: dict[int, Virtual] = {}
        for value in self.slots.values():
            _size(value, seen)
        cells = [cell for virtual in seen.values() for cell in virtual.cells]
        return list(dict.fromkeys([each.place for each in (*self.slots.values(), *cells) if is_chain(each)]))

    def tags(self) -> list[Place]:
        """Return the places of the tags of duals, in frames and in virtual objects, too."""
        return [each.birth for each in self._virtuals() if each.tag == "DUAL"]

    def views(self) -> list[View]:
        """Return the arrays, in frames and in virtual objects, too."""
        found: list[View] = []

        def leaf(value: Abstract) -> Abstract:
            if isinstance(value, View):
                found.append(value)
            return value

        Copier(leaf, lambda birth: birth).state(self)
        return found

    def share_tag(self, tag: Place, other: Place) -> None:
        """Give all duals that have another tag this one: they were found to be equal."""
        for virtual in self._virtuals():
            if virtual.tag == "DUAL" and virtual.birth is other:
                virtual.birth = tag

    def _virtuals(self) -> Iterable[Virtual]:
        """Return all virtual objects in slots and frames."""
        seen: dict[int, Virtual] = {}
        for value in [*self.slots.values(), *[value for f in self.frames for value in f.saved.values()]]:
            _size(value, seen)
        return seen.values()

    def size(self, unrolls: bool = False) -> int:
        """Return the number of values in the slots, those within virtual objects included.

        unrolls: so are those of pairs and tuples that are expected to be known completely.
        """
        seen: dict[int, Virtual] = {}
        return sum(_size(value, seen, unrolls) for value in self.slots.values())

    def stack(self) -> list[BlockPeer]:
        """Return the blocks to which the virtual frames return."""
        return [frame.block for frame in self.frames]

    def virtual_counts(self) -> dict[tuple[int, str], int]:
        """Return the number of virtual objects in each slot, of a frame by its number too, without duals."""
        slots = [frame.saved for frame in self.frames] + [self.slots]
        return {(i, name): _data(value) for i, each in enumerate(slots) for name, value in each.items()}


def _data(value: Abstract) -> int:
    seen: dict[int, Virtual] = {}
    _size(value, seen)
    return sum(virtual.tag != "DUAL" for virtual in seen.values())


def _size(value: Abstract, seen: dict[int, Virtual], unrolls: bool = False) -> int:
    """Return the number of values that a value consists of. seen: virtual objects already counted."""
    if isinstance(value, Closure):
        return 1 if value.environment is None else 1 + _size(value.environment, seen, unrolls)
    if isinstance(value, Held):
        return extent(value.hint) if unrolls and value.hint is not None else 1
    if not isinstance(value, Virtual):
        return 1
    if id(value) in seen:
        return 1
    seen[id(value)] = value
    return 1 + sum(_size(cell, seen, unrolls) for cell in value.cells)


def key(block: BlockPeer, state: State, knows: bool = False) -> tuple[Any, ...]:
    """Return what is known at the start of a block, but for the names of places: one header has one key.

    knows: whether which integers the constants are is known there, too; else only that they are integers.
    """
    seen: dict[int, int] = {}
    frames = [
        (id(f.block), f.call and id(f.call), *[_kind(v, seen, knows) for v in f.saved.values()])
        for f in state.frames
    ]
    slots = [_kind(state.slots[name], seen, knows) for name in block.block.params]
    return (id(block), tuple(frames), tuple(slots))


def are_alike(value: Abstract, other: Abstract) -> bool:
    """Return whether the same is known of two values, each by itself."""
    return bool(_kind(value, {}) == _kind(other, {}))


def is_whole(value: Abstract) -> TypeGuard[Constant]:
    """Return whether a value is a constant integer."""
    return isinstance(value, Constant) and value.kind == "integer"


def _kind(value: Abstract, seen: dict[int, int], knows: bool = False) -> Any:
    match value:
        case Place(kind=kind):
            return kind
        case Constant(None):
            return "nothing"
        case Constant():
            return value if knows and is_whole(value) else value.kind
        case Held(tag=tag, constant=constant):
            return ("held", tag, constant and id(constant))
        case Closure(procedure, environment):
            return (id(procedure), None if environment is None else _kind(environment, seen, knows))
        case View(sizes=sizes):
            return ("view", len(sizes))
    if id(value) in seen and value.tag != "DUAL":
        return seen[id(value)]
    seen.setdefault(id(value), len(seen))
    birth = seen.setdefault(id(value.birth), len(seen))
    return (value.tag, id(value.layout), birth, *[_kind(cell, seen, knows) for cell in value.cells])


def leaves(state: State, block: BlockPeer, knows: bool = False) -> Iterator[Place | Constant | Held]:
    """Yield the places and constants for the params of a header of the state's key, births too, in order."""
    seen: set[int] = set()
    values = [value for frame in state.frames for value in frame.saved.values()]
    for value in [*values, *[state.slots[name] for name in block.block.params]]:
        for leaf in _leaves(value, seen):
            if not (knows and is_whole(leaf)):
                yield leaf


def _leaves(value: Abstract, seen: set[int]) -> Iterator[Place | Constant | Held]:
    match value:
        case Virtual():
            if id(value) not in seen or value.tag == "DUAL":
                seen.add(id(value))
                if id(value.birth) not in seen:
                    seen.add(id(value.birth))
                    yield value.birth
                for cell in value.cells:
                    yield from _leaves(cell, seen)
        case Closure(_, environment):
            if environment is not None:
                yield from _leaves(environment, seen)
        case Constant(None):
            return
        case View():
            yield from value.places
        case _:
            yield value
