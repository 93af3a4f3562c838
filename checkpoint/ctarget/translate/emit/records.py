"""Chooses the residuals that translated code records for its adjoint.

In: a unit. Out: for each path the operations that its adjoint reverses and the words of its record; for the
unit the prologue. A record has the residuals that partials read, values of the header's params and of what
was computed, and births of the objects that have fields with cotangents. Cheap values are recomputed from
others, and what is read or computed twice on a path (units/alike.py) is recorded once. A param that is the
same throughout a run, or a copy of it, is recorded in the prologue.

What always holds: the forward function writes the words in the order in which the adjoint reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checkpoint.ctarget.translate.ops.operation import Op, Operation, Residual
from checkpoint.ctarget.translate.ops.places import Place, places_in
from checkpoint.ctarget.translate.ops.scalar_ops import Copy, ExpectFinite
from checkpoint.ctarget.translate.units.alike import alike
from checkpoint.ctarget.translate.units.graph import Header, Jump, Unit
from checkpoint.ctarget.translate.units.invariants import Invariants
from checkpoint.ctarget.translate.units.paths import Path, all_paths, reached
from checkpoint.ctarget.translate.units.reversal import WORD, left_out, reversal
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """The residuals of one path.

    words: its residuals, in order. shared: those that are in the prologue by other names, with these.
    recomputed: operations that compute what else the adjoint reads, in order. reversed: the operations that
    the adjoint reverses, the last of the path first.
    """

    path: Path
    words: tuple[Residual, ...]
    shared: tuple[tuple[Residual, Residual], ...]
    recomputed: tuple[Operation, ...]
    reversed: tuple[Operation, ...]


class Records:
    """The residuals of a unit's runs.

    of_end: the record of each path, by the id of its end. prologue: the words that a run records once, of the
    places that represent all that are the same (`same_as`). births: the words of records that are births.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.paths = all_paths(unit)
        self.invariants = Invariants(unit, self.paths)
        self.same_as = self.invariants.first
        self._prologue: dict[Residual, None] = {}
        self._expected: dict[int, ExpectFinite] = {}  # by the ids of operations
        self.of_end = {id(path.end): self._record(path) for path in self.paths}
        self.prologue = tuple(self._prologue)
        words = [residual for record in self.of_end.values() for residual in record.words]
        self.births = frozenset([residual for residual in words if residual.birth])

    def _record(self, path: Path) -> Record:
        operations, first = path.operations, alike(path)
        reversed_operations, needed = reversal(path, operations)
        for each in left_out(operations, reversed_operations):
            self._expected[id(each)] = ExpectFinite(each)
        words: list[Residual] = []
        recomputed: list[Operation] = []
        values = {
            residual.place for residual in needed if not residual.birth
        }  # paths are long: sets of places
        for operation in reversed(operations):
            for place in operation.sets():
                if place not in values:
                    continue
                values.remove(place)
                del needed[Residual(place)]
                again = Copy(place, first[place]) if place in first else operation
                if again.recomputed() is not None:
                    recomputed.append(again)
                    read = list(places_in(again.reads()))
                    values.update(read)
                    needed.update(dict.fromkeys(map(Residual, read)))
                else:
                    words.append(Residual(place))
        # Only params and births are still needed here.
        shared: list[tuple[Residual, Residual]] = []
        for residual in needed:
            invariant = self.same_as.get(first.get(residual.place, residual.place))
            if invariant is None:
                words.append(residual)
                continue
            known = Residual(invariant, residual.birth)
            self._prologue[known] = None
            if residual.place is not invariant:
                shared.append((residual, known))
        return Record(path, tuple(words), tuple(shared), tuple(reversed(recomputed)), reversed_operations)

    def tested(self, operations: Sequence[Op]) -> Iterator[Op]:
        """Yield operations, and what is to be tested behind each that the adjoint of some path leaves out."""
        for operation in operations:
            yield operation
            if test := self._expected.get(id(operation)):
                yield test

    def prologue_at(self, header: Header) -> list[Residual | None]:
        """Return the words of the prologue by their names at an entry; None: no path from there reads it."""
        own = self.invariants.at_entry(header)
        return [
            Residual(own[residual.place], residual.birth) if residual.place in own else None
            for residual in self.prologue
        ]

    def late_at(self, header: Header) -> list[tuple[Place, Place]]:
        """Return pairs of params that must be the same at an entry for the prologue to hold.

        The second of each pair is the one that the prologue has.
        """
        own = self.invariants.at_entry(header)
        used = {residual.place for residual in self.prologue}
        late = [param for param in header.params if param in self.invariants.late]
        return [(param, own[self.same_as[param]]) for param in late if self.same_as[param] in used]

    def max_bytes(self, header: Header) -> int:
        """Return the room that the tape must have at a header: for a path, its number, an exit behind it."""
        exiting = max(len(self.of_end[id(each.exit)].words) for each in reached(self.unit))
        most = 0
        for path in self.paths:
            if path.header is header:
                words = len(self.of_end[id(path.end)].words)
                is_jump = isinstance(path.end, Jump)
                most = max(most, WORD * (words + exiting) + 1 if is_jump else WORD * words)
        return most


def word_at_entry(residual: Residual | None) -> str:
    """Return what the member of a word of the prologue is set to, at an entry."""
    if residual is None:
        return "birth = 0"
    text = f"birth_of({residual.place.name})" if residual.birth else residual.place.name
    return f"{residual.part} = {text}"
