"""Counts the references of objects in params that are merged (merging.py), and no others than are needed.

In: a header whose params are merged, what its jumps no longer pass on. Out: the same header. On each path a
Keep waits until something else needs the reference: a Drop of the same object takes it along, and neither is
done. Before, a merged object had a reference for each of its params; now those of all but one are Keeps that
wait from the start.

What always holds: an object whose Keeps wait has a reference of its own, so it lives; nothing that a unit
does depends on how many references there are. What waits at an exit is done there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep
from checkpoint.ctarget.translate.ops.operation import Effect, Op
from checkpoint.ctarget.translate.ops.places import KnownClosure, Place, Source, places_in
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump
from checkpoint.ctarget.translate.units.paths import following
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Merged:
    """Says what is merged in a unit.

    leading: for params that are gone those that stay. gone: the objects that jumps no longer pass on, by the
    id of the jump.
    """

    leading: Mapping[Place, Place]
    gone: dict[int, list[Place]] = field(default_factory=dict)

    def renamed(self, source: Source) -> Source:
        """Return a source by the name of the param that stays."""
        if isinstance(source, KnownClosure) and source.environment is not None:
            return replace(source, environment=self.leading.get(source.environment, source.environment))
        return self.leading.get(source, source) if isinstance(source, Place) else source


@dataclass(frozen=True, eq=False, slots=True)
class _References:
    """The references of objects on a path.

    names: of places the params that they are, or copies of. own: the references of each param. waiting: the
    Keeps that wait.
    """

    names: dict[Place, Place]
    own: Counter[Place]
    waiting: Counter[Place]

    def copy(self) -> _References:
        """Return the same, for a path that goes on from here."""
        return _References(dict(self.names), self.own.copy(), self.waiting.copy())

    def name(self, ops: list[Op]) -> None:
        """Note what the ops of a node copy."""
        for op in ops:
            if isinstance(op.copied, Place):
                self.names.update(dict.fromkeys(op.sets(), self.names.get(op.copied, op.copied)))

    def after(self, effect: Effect) -> Iterator[Effect]:
        """Yield what is to be done for an effect."""
        places = [self.names.get(place, place) for place in places_in(effect.reads())]
        place = places[0] if isinstance(effect, Keep | Drop) else None
        if place is None or not self.own[place]:
            yield from self._release(places)
            yield effect
        elif isinstance(effect, Keep):
            self.waiting[place] += 1
        elif self.waiting[place]:
            self.waiting[place] -= 1
        else:
            self.own[place] -= 1
            yield effect

    def _release(self, places: list[Place]) -> Iterator[Effect]:
        """Yield the Keeps that wait for objects of which an effect may take references, now uncounted."""
        for place in dict.fromkeys(places):
            yield from [Keep(place)] * self.waiting.pop(place, 0)
            del self.own[place]

    def kept(self) -> list[Effect]:
        """Return the Keeps that wait."""
        return [Keep(place) for place in self.waiting.elements()]


def count(header: Header, merged: Merged) -> None:
    """Count the references on the paths of a header, and name its params in exits by those that stay."""
    objects = [param for param in header.params if param.kind == "value"]
    more = [first for param, first in header.merged if param in merged.leading and param.kind == "value"]
    start = _References(dict(merged.leading), Counter(objects), Counter(more))
    exits = _Exits(merged)
    header.exit = exits.after(header.exit, start)
    waiting = [(header.root, start)]
    while waiting:
        node, references = waiting.pop()
        is_undone = node.end is node.exit
        node.exit = exits.after(node.exit, references)
        behind = references.copy()
        behind.name(node.ops)
        effects = [*node.effects]
        if isinstance(node.end, Jump):
            effects += [Drop(place) for place in merged.gone[id(node.end)]]
        node.effects = [each for effect in effects for each in behind.after(effect)]
        if isinstance(node.end, Jump):
            node.effects += behind.kept()
        elif isinstance(node.end, Exit):
            node.end = node.exit if is_undone else exits.after(node.end, behind)
        waiting += [(each, behind) for each in following(node)]


class _Exits:
    """The exits of a header, each of which nodes may share."""

    def __init__(self, merged: Merged) -> None:
        self._merged = merged
        self._made: dict[int, tuple[Exit, Exit]] = {}  # by the ids of those before, which live as long

    def after(self, exit: Exit, references: _References) -> Exit:
        """Return an exit that does what waits before it leaves the unit."""
        if id(exit) not in self._made:
            contents = [(register, self._merged.renamed(source)) for register, source in exit.contents]
            left = replace(exit, effects=(*references.kept(), *exit.effects), contents=tuple(contents))
            self._made[id(exit)] = exit, left
        return self._made[id(exit)][1]
