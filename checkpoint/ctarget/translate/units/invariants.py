"""Params of a unit that have one value throughout a run.

In: a unit and its paths. Out: classes of params that always have the same value, at all headers. *Late*
params are those that only become the same: variables of a loop that are set to an invariant again and again.
Where a run is entered it is checked that these have the value already; until they have, the machine runs.

What always holds: at an entry a class has one param that represents it, and late ones, if any; or it has
none, and no path leads from there to a param of the class.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.units.graph import Header, Jump, Unit
from checkpoint.ctarget.translate.units.paths import Path, reached
from checkpoint.dataclass import dataclass

Same = dict[int, set[Place]]  # a class: its params, by the numbers of headers


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """A path from one header to another. passes: the sources that become its params, before any copies."""

    header: Header
    jump: Jump
    passes: list[Source]


class Invariants:
    """The invariants of a unit.

    first: for each param of a class the one that represents it at the first entry. late: the late params.
    """

    def __init__(self, unit: Unit, paths: list[Path]) -> None:
        self.first: dict[Place, Place] = {}
        self.late: set[Place] = set()
        self._edges = [_edge(path, path.end) for path in paths if isinstance(path.end, Jump)]
        self._headers = reached(unit)
        self._entries = [header for header in self._headers if header.entry is not None]
        for first in self._entries[0].params if self._entries else ():
            self._add(first)

    def at_entry(self, header: Header) -> dict[Place, Place]:
        """Return for each class, by its param at the first entry, the one that represents it at another."""
        known = [param for param in header.params if param in self.first and param not in self.late]
        return {self.first[param]: param for param in known}

    def _add(self, first: Place) -> None:
        """Add the class of a param of the first entry, if it is an invariant."""
        same = self._same(first)
        for params in same.values():
            self.first.update(dict.fromkeys(params, first))
        if same and first.kind not in ("value", "array"):
            for param in self._grown(same, first):
                self.first[param] = first
                self.late.add(param)

    def _same(self, first: Place) -> Same:
        """Return all params that have the value of `first`; none if it is no invariant, or not that of a loop
        where an entry has no such param, since each run has room for it.

        At first these are all that could be, which are in no other class. (Where no path leads from one entry
        to another, a param of the second could be in any class of the first.) Then those are discarded to
        which some jump passes anything else.
        """
        same = {
            header.number: {
                param for param in header.params if param.kind == first.kind and param not in self.first
            }
            for header in self._headers
        }
        same[self._entries[0].number] = {first}
        for entry in self._entries:
            own = [param for param in entry.params if param in same[entry.number]]
            same[entry.number] = set(own[:1])
            while self._shrinks(same):
                pass
        has_all = all(same[entry.number] for entry in self._entries)
        return same if has_all or (same[self._entries[0].number] and self._is_of_loop(same)) else {}

    def _is_of_loop(self, same: Same) -> bool:
        """Return whether a header that jumps to itself has a param of a class."""
        return any(edge.header is edge.jump.header and same[edge.header.number] for edge in self._edges)

    def _shrinks(self, same: Same) -> bool:
        """Discard params to which a jump passes anything else; return whether there were any."""
        before = sum(map(len, same.values()))
        for edge in self._edges:
            known, to = same[edge.header.number], edge.jump.header
            left = same[to.number]
            for param, passed in zip(to.params, edge.passes, strict=True):
                if param in left and passed not in known:
                    left.discard(param)
        return sum(map(len, same.values())) < before

    def _grown(self, same: Same, first: Place) -> list[Place]:
        """Return the params to which all jumps pass one of the class, or one of those found before."""
        found: list[Place] = []
        before = -1
        while before < len(found):
            before = len(found)
            for header in self._headers:
                for k, param in enumerate(header.params):
                    is_new = param.kind == first.kind and param not in self.first
                    is_new = is_new and bool(same[header.number] or header.entry is None)
                    if is_new and self._all_pass(header, k, same):
                        same[header.number].add(param)
                        self.first[param] = first
                        found.append(param)
        return found

    def _all_pass(self, to: Header, k: int, same: Same) -> bool:
        """Return whether there are jumps to a header, and all pass one of the class as param k."""
        passes = [
            edge.passes[k] in same[edge.header.number] for edge in self._edges if edge.jump.header is to
        ]
        return bool(passes) and all(passes)


def _edge(path: Path, jump: Jump) -> Edge:
    before = copies(path)
    return Edge(path.header, jump, [original(source, before) for source in jump.sources])


def copies(path: Path) -> dict[Place, Source]:
    """Return for each place that is set to a copy on a path the source that was copied."""
    found: dict[Place, Source] = {}
    for operation in path.operations:
        if operation.copied is not None:
            found.update(dict.fromkeys(operation.sets(), original(operation.copied, found)))
    return found


def original(source: Source, copies: dict[Place, Source]) -> Source:
    """Return what a source is a copy of, or itself."""
    return copies.get(source, source) if isinstance(source, Place) else source
