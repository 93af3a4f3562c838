"""Params of a unit that have one value throughout a run.

In: a unit and its paths. Out: classes of params that are the same, in all heads. Some only become so: a
loop's variable that is set to an invariant again and again. Where a run is entered it has to be seen that
these are the same already; if they are not, the machine goes on, until they are.

What always holds: at an entry a class has one param that stands for it, and late ones, if any.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.units.graph import Go, Head, Unit
from checkpoint.ctarget.translate.units.paths import Path, reached

Same = dict[int, set[Place]]  # a class: its params, by the numbers of heads


class Invariants:
    """Of a unit. first: for each param of a class the first entry's. late: those that only become so."""

    def __init__(self, unit: Unit, paths: list[Path]) -> None:
        self.first: dict[Place, Place] = {}
        self.late: set[Place] = set()
        self._ways = [(path.head, path.end, _copies(path)) for path in paths if isinstance(path.end, Go)]
        self._heads = reached(unit)
        self._entries = [head for head in self._heads if head.entry is not None]
        for first in self._entries[0].params if self._entries else ():
            self._add(first)

    def at_entry(self, head: Head) -> dict[Place, Place]:
        """For each class, by the first entry's param, the one that stands for it at another."""
        known = [param for param in head.params if param in self.first and param not in self.late]
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
        """All params that are what `first` is at the first entry; none where an entry has no such param. At
        first all could be; then those go that some way in passes anything else to.
        """
        same = {
            head.number: {param for param in head.params if param.kind == first.kind} for head in self._heads
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
        for head, go, copies in self._ways:
            for param, source in zip(go.head.params, go.sources, strict=True):
                if _passed(source, copies) not in same[head.number]:
                    same[go.head.number].discard(param)
        return sum(map(len, same.values())) < before

    def _grown(self, same: Same, first: Place) -> list[Place]:
        """Params that all ways in pass one of the class to, or one that this is known of already."""
        found: list[Place] = []
        before = -1
        while before < len(found):
            before = len(found)
            for head in self._heads:
                for k, param in enumerate(head.params):
                    if param.kind == first.kind and param not in self.first and self._all_pass(head, k, same):
                        same[head.number].add(param)
                        self.first[param] = first
                        found.append(param)
        return found

    def _all_pass(self, to: Head, k: int, same: Same) -> bool:
        ways = [way for way in self._ways if way[1].head is to]
        passes = [_passed(go.sources[k], copies) in same[head.number] for head, go, copies in ways]
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
