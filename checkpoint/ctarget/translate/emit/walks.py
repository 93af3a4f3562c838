"""Walks along lists: where the next pair is expected, and how references are counted.

A turn expects the next pair as far from its own as it was in the turn before (`rest_from`, unit_pairs.h).
Where others refer to the list, too, the loop counts no references, but where it ends.

In: the paths of a unit, and the effects of its nodes. Out: the effects that are done instead. Where a turn
leaves a pair for its rest, and the pair has other references, the loop keeps the one that it had: that keeps
all that follows alive, since nothing in the loop drops a reference. What nobody else refers to is freed as it
is left (references.py).

What always holds: outside of its loop no walk has begun, so all references are counted. No walk begins at a
pair that has one reference, which would stay in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from checkpoint.ctarget.translate.emit.references import joined
from checkpoint.ctarget.translate.ops.frame_ops import Push
from checkpoint.ctarget.translate.ops.object_ops import Leave, Load, Make
from checkpoint.ctarget.translate.ops.operation import Effect, Forward, Undifferentiated
from checkpoint.ctarget.translate.ops.places import C_TYPES, Place, Source
from checkpoint.ctarget.translate.ops.words import Move, name_of, plain
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump, Node
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class WalkOn(Undifferentiated, Effect):
    """Leaves a pair for its rest, as a Leave does, but while the walk has begun nothing is done.

    walk: the variable that has the pair at which the walk has begun, or NULL. plain: as in Leave.words.
    """

    walk: str
    leave: Leave
    plain: int

    def reads(self) -> Sequence[Source]:
        return self.leave.reads()

    def write(self, out: Forward) -> None:
        out.put(f"walk_on(m->heap, &{self.walk}, {self.leave.words(self.plain)});")


@dataclass(frozen=True, eq=False, slots=True)
class EndWalk(Undifferentiated, Effect):
    """Ends a walk, if one has begun: the pair that it has reached gets a reference of its own."""

    walk: str
    pair: Place

    def write(self, out: Forward) -> None:
        out.put(f"if ({self.walk}) {self.walk} = walk_ended(m->heap, {self.walk}, {self.pair.name});")


@dataclass(frozen=True, eq=False, slots=True)
class Turn:
    """A path that walks along a list. param: of its header. node: where a pair is left. rest: of it."""

    param: Place
    node: Node
    rest: Place


class Walks:
    """The walks of a unit: at most one for each header."""

    def __init__(self, paths: Collection[Path], fields: Mapping[Place, Load]) -> None:
        self._params: dict[int, Place] = {}  # by the ids of headers: what walks
        self._names: dict[int, str] = {}  # by the same: the variable of the walk
        self._turns: dict[int, Place] = {}  # by the ids of nodes that leave the pair: its rest
        self._last: set[int] = set()  # the ids of the last nodes of turns
        for path in paths:
            turn = _turn(path, fields)
            header = path.header
            if turn is not None and self._params.setdefault(id(header), turn.param) is turn.param:
                self._names[id(header)] = f"walk_{header.number}"
                self._turns[id(turn.node)] = turn.rest
                self._last.add(id(path.nodes[-1]))
        self._ends: dict[int, list[Effect]] = {}  # by the ids of nodes and exits: what ends a walk there
        for path in paths:
            for i, node in enumerate(path.nodes):
                self._ends[id(node)] = self._ended(path, path.nodes[:i])
            self._ends[id(path.end)] = self._ended(path, path.nodes)

    def declarations(self) -> list[str]:
        """Return the declarations of its variables."""
        return [f"    Object *{name} = NULL;" for name in self._names.values()]

    def name_of(self, header: Header) -> str | None:
        """Return the variable of the walk of a header, if it has one."""
        return self._names.get(id(header))

    def _ended(self, path: Path, before: Sequence[Node]) -> list[Effect]:
        """Return what ends the walk of a path's header behind some of its nodes."""
        name = self._names.get(id(path.header))
        if name is None:
            return []
        rests = [self._turns[id(node)] for node in before if id(node) in self._turns]
        return [EndWalk(name, rests[-1] if rests else self._params[id(path.header)])]

    def at(self, exit: Exit) -> list[Effect]:
        """Return the effects of an exit."""
        return [*self._ends.get(id(exit), ()), *exit.effects]

    def counted(self, node: Node, effects: Sequence[Effect], plain: Mapping[Place, int]) -> list[Effect]:
        """Return what a node does in place of its effects. plain: as of plain_fields, of the path to it."""
        ends = self._ends.get(id(node), [])
        if id(node) in self._turns:
            [end] = ends
            assert isinstance(end, EndWalk)
            return [
                WalkOn(end.walk, each, plain.get(each.pair, 0)) if isinstance(each, Leave) else each
                for each in effects
            ]
        goes = effects or (isinstance(node.end, Jump) and id(node) not in self._last)
        return [*ends, *effects] if goes else []


def _turn(path: Path, fields: Mapping[Place, Load]) -> Turn | None:
    """Return how a path walks along a list, if it is a turn of its header's loop.

    It leaves a parameter's pair for what becomes the parameter then, and counts no other references: what it
    makes or pushes takes those that it has.
    """
    done = [node for node in path.nodes if node.effects]
    if not (isinstance(path.end, Jump) and path.end.header is path.header and len(done) == 1):
        return None
    effects = joined(done[0].effects, fields)
    leaves = [each for each in effects if isinstance(each, Leave)]
    if len(leaves) != 1 or len(leaves[0].kept) != 1:
        return None
    if not all(isinstance(each, Leave | Make | Push) for each in effects):
        return None
    [(_, rest)] = leaves[0].kept
    pairs = zip(path.header.params, path.end.sources, strict=True)
    params = [param for param, source in pairs if param is leaves[0].pair and source is rest]
    return Turn(params[0], done[0], rest) if params else None


def moved(jump: Jump, fields: Mapping[Place, Load], distances: set[str]) -> list[Move]:
    """Return what sets the params of a header to what a jump passes on.

    distances: gets the variables of those that are set to a rest of their own list (unit_pairs.h, rest_from).
    """
    tags = dict(zip(jump.header.params, jump.header.tags, strict=False))
    moves = []
    for param, source in zip(jump.header.params, jump.sources, strict=True):
        text, reads = plain(source), name_of(source)
        if tags.get(param) == "PAIR" and _is_rest(source, param, fields):
            distance = f"{param.name}_distance"
            distances.add(distance)
            text, reads = f"rest_from({param.name}, {text}, &{distance})", param.name
        moves.append(Move(C_TYPES[param.kind], param.name, text, reads))
    return moves


def _is_rest(source: Source, param: Place, fields: Mapping[Place, Load]) -> bool:
    """Return whether a source is what follows the pair in a place, or what follows that."""
    while isinstance(source, Place) and source in fields and fields[source].index == 1:
        source = fields[source].owner
        if source is param:
            return True
    return False
