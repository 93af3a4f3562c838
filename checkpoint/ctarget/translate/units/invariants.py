"""Params of a unit that have one value throughout a run.

In: a unit and its paths. Out: classes of params that are the same, in all heads. Some only become so: a
loop's variable that is set to an invariant again and again. Where a run is entered it has to be seen that
these are the same already; if they are not, the machine goes on, until they are.

What always holds: at an entry a class has one param that stands for it, and late ones, if any.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.units.graph import Header, Jump, Unit
from checkpoint.ctarget.translate.units.paths import Path, reached

Same = dict[int, set[Place]]  # a class: its params, by the numbers of heads


class Invariants:
    """Of a unit. first: for each param of a class the first entry's. late: those that only become so."""

    def __init__(self, unit: Unit, paths: list[Path]) -> None:
        self.first: dict[Place, Place] = {}
        self.late: set[Place] = set()
        self._ways = [(path.header, path.end, _copies(path)) for path in paths if isinstance(path.end, Jump)]
        self._headers = reached(unit)
        self._entries = [header for header in self._headers if header.entry is not None]
        for first in self._entries[0].params if self._entries else ():
            self._add(first)

    def at_entry(self, header: Header) -> dict[Place, Place]:
        """For each class, by the first entry's param, the one that stands for it at another."""
        known = [param for param in header.params if param in self.first and param not in self.late]
        return {self.first[param]: param for param in known}

    def _add(self, first: Place) -> None:
        same = self._same(first)
        for params in same.values():
            self.first.update(dict.fromkeys(params, first))
        if same and first.kind != "value":
            for param in self._grown(same, first):
                self.first[param] = first
                self.late.add(param)

    def _same(self, first: Place) -> Same:
        """Return all params that are what `first` is at the first entry; none where an entry has no such
        param. At first all could be that are in no other class; then those are discarded that some way in
        passes anything else to. (Where no way leads from one entry to another, a param of the second could
        be in any class of the first.)
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
        return same if all(same[entry.number] for entry in self._entries) else {}

    def _shrinks(self, same: Same) -> bool:
        before = sum(map(len, same.values()))
        for header, jump, copies in self._ways:
            for param, source in zip(jump.header.params, jump.sources, strict=True):
                if _passed(source, copies) not in same[header.number]:
                    same[jump.header.number].discard(param)
        return sum(map(len, same.values())) < before

    def _grown(self, same: Same, first: Place) -> list[Place]:
        """Params that all ways in pass one of the class to, or one that this is known of already."""
        found: list[Place] = []
        before = -1
        while before < len(found):
            before = len(found)
            for header in self._headers:
                for k, param in enumerate(header.params):
                    if (
                        param.kind == first.kind
                        and param not in self.first
                        and self._all_pass(header, k, same)
                    ):
                        same[header.number].add(param)
                        self.first[param] = first
                        found.append(param)
        return found

    def _all_pass(self, to: Header, k: int, same: Same) -> bool:
        ways = [way for way in self._ways if way[1].header is to]
        passes = [_passed(jump.sources[k], copies) in same[header.number] for header, jump, copies in ways]
        return bool(passes) and all(passes)


def _copies(path: Path) -> dict[Place, Source]:
    """What each copy on a path is a copy of."""
    found: dict[Place, Source] = {}
    for operation in path.operations:
        if operation.copied is not None:
            found.update(dict.fromkeys(operation.sets(), _passed(operation.copied, found)))
    return found


def _passed(source: Source, copies: dict[Place, Source]) -> Source:
    return copies.get(source, source) if isinstance(source, Place) else source
