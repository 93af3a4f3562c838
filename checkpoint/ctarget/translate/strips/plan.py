"""The plan of a loop over lanes: what each of its places is in a strip of lanes.

In: what the planner finds (planner.py). Out: a Plan, and what follows from it. A loop over lanes is a
header whose params,
at each turn, are the same as at the turn before, or are a number that grows by one, or are a list to
which the turn appends: so turns do not depend on each other, and may run side by side. Loops of `vmap` are
such loops; so is any other loop of this form.

What happens once for each lane is its *lane*: it begins at the loop's header, goes through headers within,
and ends with a jump back, which *closes* it. In a strip a place is

- *uniform*: what computes it reads what all lanes share. It is one variable of C;
- *kept*: a param that, within a lane, is always what the first tree set. It is read where that was put;
- else a vector.

What always holds: lanes that a strip does not know how to end (an exit, an effect, a return to a frame)
end the strip, of which nothing is left; its lanes then run one by one.
"""

from __future__ import annotations

from dataclasses import field

from checkpoint.ctarget.translate.ops.object_ops import (
    Birth,
    Drop,
    Keep,
    Make,
)
from checkpoint.ctarget.translate.ops.operation import Effect, Operation
from checkpoint.ctarget.translate.ops.places import Place, Source, is_real, places_in
from checkpoint.ctarget.translate.ops.scalar_ops import Apply
from checkpoint.ctarget.translate.strips.objects import LaneObject, Objects
from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.dataclass import dataclass

BYTE = 256


@dataclass(eq=False, slots=True)
class Plan:
    """The loop over lanes of a unit.

    loop: its header. inner: the headers within it, in the order in which they are run. ways: the paths that
    stay in the loop, by the ids of their jumps. constant: params of the loop that never change, and those
    that become another of these. counters: params of the loop that grow by one. results: the params and
    places that are lists of results, each with the param of the loop that is the list. kept: for params of
    inner headers, what they always are within a lane. uniform: places. births: places that hold births.
    late: for each way that closes a lane the operations that wait until all lanes have ended, in order.
    objects: those of the lanes. leaving: those that may be part of a result. live: what strips read.
    wanted: the reals whose cotangents are wanted; None: all. dropped: for each way operations that are not
    reversed since their results have the cotangent zero: nothing but tests depends on these (activity.py).
    """

    loop: Header
    inner: list[Header] = field(default_factory=list)
    ways: dict[int, Path] = field(default_factory=dict)
    constant: dict[Place, Place] = field(default_factory=dict)
    counters: set[Place] = field(default_factory=set)
    results: dict[Place, Place] = field(default_factory=dict)
    kept: dict[Place, Source] = field(default_factory=dict)
    uniform: set[Place] = field(default_factory=set)
    births: set[Place] = field(default_factory=set)
    late: dict[int, list[Operation]] = field(default_factory=dict)
    objects: Objects = field(init=False)
    leaving: set[LaneObject] = field(default_factory=set)
    live: set[Place] = field(default_factory=set)
    wanted: frozenset[Place] | None = None
    dropped: dict[int, list[Apply]] = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        """Return what names of C end with, which strips with all cotangents have, too."""
        return "" if self.wanted is None else "_some"

    def is_wanted(self, source: Source | None) -> bool:
        """Return whether a source has a cotangent that is wanted."""
        return is_real(source) and (self.wanted is None or source in self.wanted)

    @property
    def headers(self) -> list[Header]:
        """Return all headers, the loop's first."""
        return [self.loop, *self.inner]

    def is_narrow(self, place: Place) -> bool:
        """Return whether a word holds a vector: it is a mask, or numbers of objects, in a byte each."""
        return place.kind == "boolean" or (place.kind == "value" and len(self.objects.all) <= BYTE)

    def counts(self, place: Place) -> bool:
        """Return whether a place is a counter of lanes, which is far from overflow where a strip begins."""
        return self.kept.get(place, place) in self.counters

    def closes(self, path: Path) -> bool:
        """Return whether a path ends a lane."""
        return isinstance(path.end, Jump) and path.end.header is self.loop

    def is_late(self, path: Path, operation: Operation) -> bool:
        """Return whether an operation waits until all lanes have ended."""
        return any(each is operation for each in self.late.get(id(path.end), ()))

    def is_uniform_op(self, operation: Operation) -> bool:
        """Return whether an operation is done once for all lanes: it reads and sets what they share."""
        return (
            not isinstance(operation, Effect | Birth)
            and all(map(self.is_uniform, operation.reads()))
            and all(place in self.uniform for place in operation.sets())
        )

    def is_uniform(self, source: Source | None) -> bool:
        """Return whether all lanes have the same value of a source."""
        if isinstance(source, Place):
            return source in self.uniform
        return all(place in self.uniform for place in places_in([source]))


def groups(plan: Plan) -> list[list[Header]]:
    """Return the headers in groups.

    Those after the first of a group are reached from within it alone, and are run in the turn in which they
    are reached.
    """
    order = {id(header): number for number, header in enumerate(plan.headers)}
    found = {id(plan.loop): [plan.loop]}
    for header in plan.inner:
        before = [
            path.header
            for path in plan.ways.values()
            if isinstance(path.end, Jump) and path.end.header is header
        ]
        leaders = {id(found[id(each)][0]) if id(each) in found else 0 for each in before}
        is_behind = all(order[id(each)] < order[id(header)] for each in before)
        group = found[leaders.pop()] if is_behind and len(leaders) == 1 else []
        group.append(header)
        found[id(header)] = group
    return list({id(group): group for group in found.values()}.values())


def loops(plan: Plan, group: list[Header]) -> bool:
    """Return whether lanes make turns within a group: they do so in slots (slots.py)."""
    if group[0] is plan.loop:
        return False
    ends = [path.end for path in plan.ways.values() if path.header in group]
    return any(isinstance(end, Jump) and end.header is group[0] for end in ends)


def leaders(groups: list[list[Header]]) -> dict[int, Header]:
    """Return the first header of each header's group, by the ids of headers."""
    return {id(each): group[0] for group in groups for each in group}


def remembered(plan: Plan, path: Path) -> list[Place]:
    """Return the vectors of the first tree that inner headers read, as far as a path has them."""
    origins = dict.fromkeys(origin for param, origin in plan.kept.items() if param in plan.live)
    there = {place for operation in path.operations for place in operation.sets()} | plan.counters
    return [
        each
        for each in origins
        if isinstance(each, Place)
        and each in there
        and each not in plan.uniform
        and each not in plan.results
        and not (each.kind == "value" and plan.objects.only(each) is not None)
    ]


def live_places(plan: Plan) -> set[Place]:
    """Return the places that something in a strip reads: what exits alone need is not passed on."""
    live: set[Place] = set()
    count = -1
    while count < len(live):
        count = len(live)
        for path in plan.ways.values():
            for operation in path.operations:
                own = plan.objects.made(operation)
                is_counted = isinstance(operation, Keep | Drop) and not plan.is_late(path, operation)
                if own is None and not is_counted:
                    live.update(places_in(operation.reads()))
                elif isinstance(operation, Make):
                    live.update(places_in(operation.cells))
                    live.update([operation.birth] if own in plan.leaving else [])
            for node in path.nodes:
                live.update(places_in([node.end.test] if isinstance(node.end, Fork) else []))
            passed = passed_on(path, plan.loop)
            live.update(places_in(source for param, source in passed if param in live))
    return live


def passed_on(path: Path, loop: Header) -> list[tuple[Place, Source]]:
    """Return what a path passes on to an inner header."""
    assert isinstance(path.end, Jump)
    return [] if path.end.header is loop else list(zip(path.end.header.params, path.end.sources, strict=True))


def first_of(counter: Place) -> str:
    """Return the name of the parameter that is a counter in the first lane."""
    return f"{counter.name}_first"


def kept_name(place: Place) -> str:
    """Return the name of the array of a place's vectors, one for each chunk."""
    return f"{place.name}_kept"
