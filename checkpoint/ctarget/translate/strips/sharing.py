"""Chooses which params of headers share an array of vectors, so that what lanes only pass on is not moved.

In: the plan of a loop over lanes, headers, the params that have arrays. Out: for each param the one after
which its array is named; and for a strip that is run (Carried), which params need none.

What always holds: a lane is at one header at a time, so params of different headers may share an array; those
of one header never do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.strips.congruent import congruent
from checkpoint.ctarget.translate.strips.plan import Plan, leaders, passed_on
from checkpoint.ctarget.translate.units.graph import Header, Jump
from checkpoint.ctarget.translate.units.invariants import copies, original
from checkpoint.ctarget.translate.units.paths import Path


def shared_arrays(
    plan: Plan,
    headers: Iterable[Header],
    has_array: Callable[[Place], bool],
    same: Mapping[Place, Place] = MappingProxyType({}),
) -> dict[Place, Place]:
    """Return for each param of some headers that has an array the param after which the array is named.

    same: for params without a vector of their own those that they are (congruent.py).
    """
    header_of = {param: header.number for header in headers for param in header.params if has_array(param)}
    pairs: Counter[tuple[Place, Place]] = Counter()
    for path in plan.ways.values():
        known = copies(path)
        for param, source in passed_on(path, plan.loop):
            origin = original(source, known)
            if not isinstance(origin, Place):
                continue
            origin = same.get(origin, origin)
            if param in header_of and origin in header_of:
                pairs[param, origin] += 1
    together = {param: [param] for param in header_of}
    for (param, source), _ in pairs.most_common():
        one, other = together[param], together[source]
        are_apart = {header_of[each] for each in one}.isdisjoint([header_of[each] for each in other])
        if param.kind == source.kind and are_apart:
            one += other
            together.update(dict.fromkeys(other, one))
    return {param: group[0] for param, group in together.items()}


def free_arrays(
    plan: Plan,
    groups: list[list[Header]],
    arrays: dict[Place, Place],
    is_there: Callable[[Path, Place, Source], bool],
) -> set[Place]:
    """Return the params in whose arrays nothing is left when a turn sets them.

    Lanes reach their header from the loop's first tree, when none has been anywhere, and from its own
    turn, which has taken all lanes that waited there; and no other header has a param in the array, nor
    does a way leave there what it passes on.
    """
    leader = leaders(groups)
    others: set[int] = set()
    left: set[Place] = set()
    for path in plan.ways.values():
        assert isinstance(path.end, Jump)
        if leader[id(path.header)] not in (plan.loop, path.end.header):
            others.add(id(path.end.header))
        known = copies(path)
        left.update(
            param
            for param, source in passed_on(path, plan.loop)
            if is_there(path, param, original(source, known))
        )
    sharing = Counter(arrays.values())
    return {
        param
        for header, *_ in groups[1:]
        if id(header) not in others
        for param in header.params
        if param in arrays and sharing[arrays[param]] == 1 and param not in left
    }


class Carried:
    """Says what lanes bring along to the headers of a strip, in vectors.

    same: for params without a vector of their own those that they are (congruent.py). arrays: for those of
    the first headers of groups the param after which their array is named. free: see `free_arrays`.
    """

    def __init__(self, plan: Plan, groups: list[list[Header]], is_passed: Callable[[Place], bool]) -> None:
        self._is_passed = is_passed
        self._leader = leaders(groups)
        self.same = congruent(plan, groups, is_passed)
        first = [header for header, *_ in groups[1:]]
        self.arrays = shared_arrays(plan, first, self.has_vector, self.same)
        self.free = free_arrays(plan, groups, self.arrays, self.is_there)

    def has_vector(self, param: Place) -> bool:
        """Return whether lanes bring a param along that is not just another one."""
        return self._is_passed(param) and param not in self.same

    def is_there(self, path: Path, param: Place, source: Source) -> bool:
        """Return whether a param that a path passes on shares the array of what it is."""
        source = self.same.get(source, source) if isinstance(source, Place) else source
        return (
            isinstance(source, Place)
            and source in self._leader[id(path.header)].params
            and source in self.arrays
            and param in self.arrays
            and self.arrays[source] is self.arrays[param]
        )
