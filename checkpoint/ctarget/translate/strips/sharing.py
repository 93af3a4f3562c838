"""Chooses which params of headers share an array of vectors, so that what lanes only pass on is not moved.

In: the plan of a loop over lanes, headers, the params that have arrays. Out: for each param the one after
which its array is named.

What always holds: a lane is at one header at a time, so params of different headers may share an array; those
of one header never do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.strips.plan import Plan, leaders, passed_on
from checkpoint.ctarget.translate.units.graph import Header, Jump
from checkpoint.ctarget.translate.units.invariants import copies, original


def shared_arrays(
    plan: Plan, headers: Iterable[Header], has_array: Callable[[Place], bool]
) -> dict[Place, Place]:
    """Return for each param of some headers that has an array the param after which the array is named."""
    header_of = {param: header.number for header in headers for param in header.params if has_array(param)}
    pairs: Counter[tuple[Place, Place]] = Counter()
    for path in plan.ways.values():
        known = copies(path)
        for param, source in passed_on(path, plan.loop):
            origin = original(source, known)
            if isinstance(origin, Place) and param in header_of and origin in header_of:
                pairs[param, origin] += 1
    together = {param: [param] for param in header_of}
    for (param, source), _ in pairs.most_common():
        one, other = together[param], together[source]
        are_apart = {header_of[each] for each in one}.isdisjoint([header_of[each] for each in other])
        if param.kind == source.kind and are_apart:
            one += other
            together.update(dict.fromkeys(other, one))
    return {param: group[0] for param, group in together.items()}


def free_arrays(plan: Plan, groups: list[list[Header]], arrays: dict[Place, Place]) -> set[Place]:
    """Return the params in whose arrays nothing is left when a turn sets them.

    Lanes reach their header from the loop's first tree, when none has been anywhere, and from its own
    turn, which has taken all lanes that waited there; and no other header has a param in the array.
    """
    leader = leaders(groups)
    others: set[int] = set()
    for path in plan.ways.values():
        assert isinstance(path.end, Jump)
        if leader[id(path.header)] not in (plan.loop, path.end.header):
            others.add(id(path.end.header))
    sharing = Counter(arrays.values())
    return {
        param
        for header, *_ in groups[1:]
        if id(header) not in others
        for param in header.params
        if param in arrays and sharing[arrays[param]] == 1
    }
