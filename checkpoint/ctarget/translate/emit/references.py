"""Joins the counting of references where a path leaves a pair for what it has read from it.

In: the effects of a node, and what places were read from. Out: effects that do the same: a Drop of a pair
takes the Keeps of its fields with it, and of theirs (Leave). Walking along a list that nobody else refers to
then frees its pairs, and counts nothing.

What always holds: a Keep moves behind other effects only up to where what it was read from is dropped; until
then that keeps it alive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep, Leave, Load, Make
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.units.graph import Unit
from checkpoint.ctarget.translate.units.paths import nodes


def fields_of_pairs(unit: Unit) -> dict[Place, Load]:
    """Return what sets each place that has a field of a pair."""
    reads = [op for node in nodes(unit) for op in node.ops if type(op) is Load and op.of_pair]
    return {op.to: op for op in reads}


def joined(effects: Sequence[Effect], fields: Mapping[Place, Load]) -> list[Effect]:
    """Return the effects with Keeps and Drops joined."""
    found: list[Effect] = []
    for effect in effects:
        if type(effect) is Drop:
            found = _left(found, effect, fields)
        else:
            found.append(effect)
    return found


def _left(before: list[Effect], drop: Drop, fields: Mapping[Place, Load]) -> list[Effect]:
    """Return effects, and behind them a Drop that has taken Keeps among them with it."""
    below: dict[Place, Keep] = {}
    for effect in before:
        if isinstance(effect, Keep) and drop.place in _owners(effect.place, fields):
            below.setdefault(effect.place, effect)
    if not below or any(isinstance(effect, Drop | Leave) and _is_made(effect, before) for effect in before):
        return [*before, drop]
    leaves, taken = _walk(drop.place, below, fields)
    return [*[effect for effect in before if id(effect) not in taken], *leaves]


def _owners(place: Place, fields: Mapping[Place, Load]) -> list[Place]:
    """Return the pairs from which a place was reached, the nearest first."""
    found: list[Place] = []
    while place in fields:
        place = fields[place].owner
        found.append(place)
    return found


def _walk(
    first: Place, below: Mapping[Place, Keep], fields: Mapping[Place, Load]
) -> tuple[list[Effect], set[int]]:
    """Return what leaves a pair, and each pair below it that is not kept, and the Keeps that it has taken.

    below: the Keeps of places that were reached from the pair.
    """
    steps: dict[Place, dict[int, Place]] = {}  # from pairs on the way: their fields, by index
    for kept in below:
        way = [kept, *_owners(kept, fields)]
        for place in way[: way.index(first)]:
            steps.setdefault(fields[place].owner, {})[fields[place].index] = place
    leaves: list[Effect] = []
    taken: set[int] = set()
    waiting = [first]
    for pair in waiting:  # it grows
        kept_fields = tuple(sorted(steps[pair].items()))
        leaves.append(Leave(pair, kept_fields))
        taken.update([id(below[place]) for _, place in kept_fields if place in below])
        waiting += [place for _, place in kept_fields if place not in below]
    return leaves, taken


def _is_made(drop: Drop | Leave, effects: Sequence[Effect]) -> bool:
    """Return whether what is dropped was made by these effects, and may own what is not kept yet."""
    place = drop.place if isinstance(drop, Drop) else drop.pair
    return any(isinstance(effect, Make) and effect.to is place for effect in effects)
