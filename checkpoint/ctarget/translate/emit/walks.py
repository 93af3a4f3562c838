"""Walks along lists that others refer to, too: such a loop counts no references, but where it ends.

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
from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.units.graph import Header, Jump, Node
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

    def sets(self) -> Sequence[Place]:
        return ()

    def write(self, out: Forward) -> None:
        out.put(f"walk_on(m->heap, &{self.walk}, {self.leave.words(self.plain)});")


@dataclass(frozen=True, eq=False, slots=True)
class EndWalk(Undifferentiated, Effect):
    """Ends a walk, if one has begun: the pair that it has reached gets a reference of its own."""

    walk: str
    pair: Place

    def reads(self) -> Sequence[Source]:
        return (self.pair,)

    def sets(self) -> Sequence[Place]:
        return ()

    def write(self, out: Forward) -> None:
        out.put(f"if ({self.walk}) {self.walk} = walk_ended(m->heap, {self.walk}, {self.pair.name});")


class Walks:
    """The walks of a unit: at most one for each header."""

    def __init__(self, paths: Collection[Path], fields: Mapping[Place, Load]) -> None:
        self._params: dict[int, Place] = {}  # by the ids of headers: what walks
        self._names: dict[int, str] = {}  # by the same: the variable of the walk
        self._turns: set[int] = set()  # the ids of the last nodes of turns
        self._headers = {id(node): path.header for path in paths for node in path.nodes}
        for path in paths:
            param = _walked(path, fields)
            header = path.header
            if param is not None and self._params.setdefault(id(header), param) is param:
                self._names[id(header)] = f"walk_{header.number}"
                self._turns.add(id(path.nodes[-1]))

    def declarations(self) -> list[str]:
        """Return the declarations of its variables."""
        return [f"    Object *{name} = NULL;" for name in self._names.values()]

    def ended(self, header: Header) -> list[Effect]:
        """Return what ends the walk of a header."""
        name = self._names.get(id(header))
        return [] if name is None else [EndWalk(name, self._params[id(header)])]

    def counted(self, node: Node, effects: Sequence[Effect], plain: Mapping[Place, int]) -> list[Effect]:
        """Return what a node does in place of its effects. plain: as of plain_fields, of the path to it."""
        header = self._headers.get(id(node))
        if header is None:
            return list(effects)
        if id(node) in self._turns:
            name = self._names[id(header)]
            return [
                WalkOn(name, each, plain.get(each.pair, 0)) if isinstance(each, Leave) else each
                for each in effects
            ]
        goes = effects or isinstance(node.end, Jump)
        return [*self.ended(header), *effects] if goes else []


def _walked(path: Path, fields: Mapping[Place, Load]) -> Place | None:
    """Return the parameter that walks along a list where a path is a turn of its header's loop.

    The path leaves the pair for what becomes the parameter then, and counts no other references: what it
    makes or pushes takes those that it has.
    """
    if not (isinstance(path.end, Jump) and path.end.header is path.header):
        return None
    *before, last = path.nodes
    effects = joined(last.effects, fields)
    leaves = [each for each in effects if isinstance(each, Leave)]
    if any(node.effects for node in before) or len(leaves) != 1 or len(leaves[0].kept) != 1:
        return None
    if not all(isinstance(each, Leave | Make | Push) for each in effects):
        return None
    [(_, rest)] = leaves[0].kept
    pairs = zip(path.header.params, path.end.sources, strict=True)
    return next((param for param, source in pairs if param is leaves[0].pair and source is rest), None)
