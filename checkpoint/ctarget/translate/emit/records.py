"""What translated code records, so that its adjoint can be run.

In: a unit. Out: for each path the actions that its adjoint reverses, and the words of its record; for the
unit the header. A record has those values of the head's params and of what was computed that the partials
read, and births of objects that amounts go to or come from. What is cheap to compute is computed again from
others. A param that is the same throughout a run is residual once, in the header.

What always holds: the order of the words is the same for who writes them and who reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import Place, places_in, reals
from checkpoint.ctarget.translate.units.graph import Header, Jump, Unit
from checkpoint.ctarget.translate.units.invariants import Invariants
from checkpoint.ctarget.translate.units.paths import Path, all_paths, reached

WORD = 8  # bytes


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """Of one path. words: in order. shared: params that the header has by others' names. again: ops that
    compute what else the adjoint reads, in order. reverses: what it reverses, the last first.
    """

    path: Path
    words: tuple[Residual, ...]
    shared: tuple[Residual, ...]
    again: tuple[Operation, ...]
    reverses: tuple[Operation, ...]


class Records:
    """Of a unit. header: its words, of places that stand for all that are the same (`same_as`). births: the
    words of records that are births of objects.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.paths = all_paths(unit)
        self.invariants = Invariants(unit, self.paths)
        self.same_as = self.invariants.first
        self._prologue: dict[Residual, None] = {}
        self.of_end = {id(path.end): self._record(path) for path in self.paths}
        self.prologue = tuple(self._prologue)
        words = [residual for record in self.of_end.values() for residual in record.words]
        self.births = frozenset([residual for residual in words if residual.birth])

    def _record(self, path: Path) -> Record:
        reverses, needed = reversal(path)
        words: list[Residual] = []
        again: list[Operation] = []
        for operation in reversed(path.operations):
            for place in operation.sets():
                wanted = Residual(place)
                if wanted not in needed:
                    continue
                del needed[wanted]
                if operation.recomputed() is not None:
                    again.append(operation)
                    needed.update(dict.fromkeys(map(Residual, places_in(operation.reads()))))
                else:
                    words.append(wanted)
        shared = [residual for residual in needed if residual.place in self.same_as]
        for residual in shared:
            self._prologue[Residual(self.same_as[residual.place], residual.birth)] = None
        words += [
            residual for residual in needed if residual.place not in self.same_as
        ]  # of params, and births
        own = [residual for residual in shared if residual.place is not self.same_as[residual.place]]
        return Record(path, tuple(words), tuple(own), tuple(reversed(again)), reverses)

    def prologue_at(self, header: Header) -> list[Residual]:
        """The header's words as an entry has them."""
        own = self.invariants.at_entry(header)
        return [Residual(own[residual.place], residual.birth) for residual in self.prologue]

    def late_at(self, header: Header) -> list[tuple[Place, Place]]:
        """What must be the same at an entry for the header to hold: params, and what stands for each."""
        own = self.invariants.at_entry(header)
        used = {residual.place for residual in self.prologue}
        late = [param for param in header.params if param in self.invariants.late]
        return [(param, own[self.same_as[param]]) for param in late if self.same_as[param] in used]

    def max_bytes(self, header: Header) -> int:
        """What the tape must have room for at a head: a path and its way, and to leave behind it."""
        leaving = max(len(self.of_end[id(each.exit)].words) for each in reached(self.unit))
        most = 0
        for path in self.paths:
            if path.header is header:
                words = len(self.of_end[id(path.end)].words)
                most = max(most, WORD * (words + leaving) + 1 if isinstance(path.end, Jump) else WORD * words)
        return most


def reversal(path: Path) -> tuple[tuple[Operation, ...], dict[Residual, None]]:
    """Return the operations of a path that have to be reversed, the last first; and what that reads."""
    reverses: list[Operation] = []
    needed: dict[Residual, None] = {}
    active = set(reals(path.handed_on))
    for operation in reversed(path.operations):
        targets = operation.contributes(active)
        if targets is not None:
            active.update(targets)
            reverses.append(operation)
            needed.update(dict.fromkeys(operation.residuals()))
    return tuple(reverses), needed
