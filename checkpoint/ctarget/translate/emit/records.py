"""What translated code records, so that its adjoint can be run.

In: a unit. Out: for each path the actions that its adjoint reverses, and the words of its record; for the
unit the header. A record has those values of the head's params and of what was computed that the partials
read, and births of objects that amounts go to or come from. What is cheap to compute is computed again from
others. A param that is the same throughout a run is kept once, in the header.

What always holds: the order of the words is the same for who writes them and who reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checkpoint.ctarget.translate.ops.actions import (
    Apply,
    Constant,
    Copy,
    Element,
    Load,
    Make,
    Place,
    Pop,
    Push,
    Source,
    Update,
)
from checkpoint.ctarget.translate.ops.words import C_TYPES
from checkpoint.ctarget.translate.units.graph import Go, Head, Unit
from checkpoint.ctarget.translate.units.invariants import Invariants
from checkpoint.ctarget.translate.units.paths import Action, Path, all_paths, defined, reached

# To compute one of these again takes no longer than to read it.
CHEAP = {"add", "subtract", "multiply", "negate", "real"}
WORD = 8  # bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """A word: the value of a place; or of an object in it the birth."""

    place: Place
    birth: bool = False

    @property
    def name(self) -> str:
        """The variable that has it."""
        return f"{self.place.name}_birth" if self.birth else self.place.name

    @property
    def c_type(self) -> str:
        """That variable's."""
        return "uint64_t" if self.birth else C_TYPES[self.place.kind]

    @property
    def part(self) -> str:
        """The part of a Word that it is in."""
        return "birth" if self.birth else "real" if self.place.kind == "real" else "field"


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """Of one path. words: in order. shared: params that the header has by others' names. again: ops that
    compute what else the adjoint reads, in order. reverses: what it reverses, the last first.
    """

    path: Path
    words: tuple[Kept, ...]
    shared: tuple[Kept, ...]
    again: tuple[Apply | Copy, ...]
    reverses: tuple[Action, ...]


class Records:
    """Of a unit. header: its words, of places that stand for all that are the same (`same_as`). births: the
    words of records that are births of objects.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.paths = all_paths(unit)
        self.invariants = Invariants(unit, self.paths)
        self.same_as = self.invariants.first
        self._header: dict[Kept, None] = {}
        self.of_end = {id(path.end): self._record(path) for path in self.paths}
        self.header = tuple(self._header)
        words = [kept for record in self.of_end.values() for kept in record.words]
        self.births = frozenset([kept for kept in words if kept.birth])

    def _record(self, path: Path) -> Record:
        reverses, needed = reversal(path)
        words: list[Kept] = []
        again: list[Apply | Copy] = []
        for action in reversed(path.actions):
            for place in defined(action):
                wanted = Kept(place)
                if wanted not in needed:
                    continue
                del needed[wanted]
                if is_cheap(action):
                    assert isinstance(action, Apply | Copy)
                    again.append(action)
                    needed.update(dict.fromkeys(map(Kept, read_by(action))))
                else:
                    words.append(wanted)
        shared = [kept for kept in needed if kept.place in self.same_as]
        for kept in shared:
            self._header[Kept(self.same_as[kept.place], kept.birth)] = None
        words += [kept for kept in needed if kept.place not in self.same_as]  # of params, and births
        own = [kept for kept in shared if kept.place is not self.same_as[kept.place]]
        return Record(path, tuple(words), tuple(own), tuple(reversed(again)), reverses)

    def header_at(self, head: Head) -> list[Kept]:
        """The header's words as an entry has them."""
        own = self.invariants.at_entry(head)
        return [Kept(own[kept.place], kept.birth) for kept in self.header]

    def late_at(self, head: Head) -> list[tuple[Place, Place]]:
        """What must be the same at an entry for the header to hold: params, and what stands for each."""
        own = self.invariants.at_entry(head)
        used = {kept.place for kept in self.header}
        late = [param for param in head.params if param in self.invariants.late]
        return [(param, own[self.same_as[param]]) for param in late if self.same_as[param] in used]

    def most_bytes(self, head: Head) -> int:
        """What the tape must have room for at a head: a path and its way, and to leave behind it."""
        leaving = max(len(self.of_end[id(each.leave)].words) for each in reached(self.unit))
        most = 0
        for path in self.paths:
            if path.head is head:
                words = len(self.of_end[id(path.end)].words)
                most = max(most, WORD * (words + leaving) + 1 if isinstance(path.end, Go) else WORD * words)
        return most


def is_cheap(action: Action) -> bool:
    """Whether a result is computed again rather than recorded."""
    return isinstance(action, Copy) or (isinstance(action, Apply) and action.definition in CHEAP)


def read_by(action: Apply | Copy) -> list[Place]:
    """The places that it computes from."""
    sources = action.operands if isinstance(action, Apply) else (action.source,)
    return [source for source in sources if isinstance(source, Place)]


def reals(sources: Iterable[Source]) -> list[Place]:
    """Those that have accumulators."""
    return [source for source in sources if isinstance(source, Place) and source.kind == "real"]


def reversal(path: Path) -> tuple[tuple[Action, ...], dict[Kept, None]]:
    """The actions of a path that have to be reversed, the last first; what that reads."""
    reverses: list[Action] = []
    needed: dict[Kept, None] = {}
    active = set(reals(path.handed_on))
    for action in reversed(path.actions):
        targets = _targets(action, active)
        if targets is not None:
            active.update(targets)
            reverses.append(action)
            needed.update(dict.fromkeys(_needed(action)))
    return tuple(reverses), needed


def _targets(action: Action, active: set[Place]) -> list[Place] | None:
    """What gets amounts when an action is reversed; None: there is nothing to do."""
    match action:
        case Apply() if action.to in active:
            return reals(action.operands) or None
        case Copy() if action.to in active:
            return reals([action.source]) or None
        case Load() | Element() if action.to in active:
            return []
        case Make():
            return reals(action.cells) or None
        case Update() if action.value.kind != "value":  # also of integers: the machine may have read them
            return reals([action.value])
        case Push():
            return reals(action.saved)
        case Pop():
            return []
    return None


def _needed(action: Action) -> list[Kept]:
    match action:
        case Load():
            return [Kept(action.owner, birth=True)]
        case Element():
            at = place_of(action)
            own = Kept(action.owner, birth=True)
            return [own] if isinstance(at, Constant) else [own, Kept(at)]
        case Make():
            return [Kept(action.birth)]
        case Update():
            return [Kept(action.to, birth=True), Kept(action.at)]
        case Apply():
            everything = (*action.operands, action.to)
            found = [everything[i] for i in positions_read(action)]
            return [Kept(each) for each in found if isinstance(each, Place)]
    return []


def place_of(action: Element) -> Constant | Place:
    """Where the element is: where that is sure to be the index, it need not be kept."""
    index = action.index
    if isinstance(index, Constant) and isinstance(index.value, int) and index.value >= 0:
        return index
    return action.at


def positions_read(action: Apply) -> set[int]:
    """The positions of the operands, and the result's, that the partials read that are wanted."""
    found: set[int] = set()
    for i, operand in enumerate(action.operands):
        if isinstance(operand, Place) and operand.kind == "real":
            everything = range(len(action.operands) + 1)
            found.update(everything if action.needs is None else action.needs[i])
    return found
