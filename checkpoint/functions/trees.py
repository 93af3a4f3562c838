"""Arguments that are trees of data: numbers, atoms, and lists, tuples and dictionaries of these.

Most calls have no others. Made for one run alone, they enter as they are, and their cotangents are put
together item by item, without tables of what has been met: that takes a fraction of the time and memory. What
comes out equals what `checkpoint.ad.graph` and `checkpoint.ad.tangent` make of the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.containers import TUPLE, Dict, List, Record
from checkpoint.ad.graph import ATOMS, PLAIN_NUMBERS, enter, reach_entered
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.tangent import cotangent_of_tree

_CONTAINERS = frozenset((List, Dict, Record))
_LEAVES = ATOMS | PLAIN_NUMBERS | {Discrete}


class EnteredTree(NamedTuple):
    """The tuple of arguments as it enters a run.

    found: its numbers, in the canonical order. counts: how many of them are in each argument.
    """

    x: Record
    found: list[Any]
    counts: list[int]


def entered_tree(x: Any, is_new: bool) -> EnteredTree | None:
    """Return the tuple of arguments as it enters a run; None where an argument is no tree of data.

    is_new: as `enter` has it; then containers enter as they are.
    """
    if type(x) is not Record or x.layout is not TUPLE:
        return None
    items: list[Any] = []
    found: list[Any] = []
    counts: list[int] = []
    for item in x.items:
        kind = type(item)
        entered, numbers = item, []
        if kind is float or kind is Array:
            entered = enter(item, is_new)
            numbers = [entered]
        elif kind in _CONTAINERS and is_new:
            inner = _numbers_of_tree(item)
            if inner is None:
                return None
            numbers = inner
        elif kind not in ATOMS:
            return None
        items.append(entered)
        found += numbers
        counts.append(len(numbers))
    return EnteredTree(Record(TUPLE, tuple(items)), found, counts)


def _numbers_of_tree(root: Any) -> list[Any] | None:
    """Return a container's numbers, each real made a location of its own; None if it is no tree of data."""
    containers, kinds = [root], []
    # They are few: a set for each container would be larger than it.
    shared: dict[frozenset[type], frozenset[type]] = {}
    for container in containers:
        parts = container.parts()
        own = frozenset(map(type, parts))
        kinds.append(shared.setdefault(own, own))
        if not own <= _LEAVES:
            inner = [part for part in parts if type(part) not in _LEAVES]
            if not _CONTAINERS.issuperset(map(type, inner)):
                return None
            containers += inner
    for container, of_parts in zip(containers, kinds, strict=True):
        _own_reals(container, of_parts)
    if kinds[0] <= PLAIN_NUMBERS:
        return list(root.parts())
    return [] if kinds[0] <= ATOMS else reach_entered(root)[0]


def _own_reals(container: Any, kinds: frozenset[type]) -> None:
    """Make each real in a container a location of its own; kinds: of its parts."""
    kind, items = type(container), container.items
    if kind is not Record:
        container.owner = FROZEN
    if float not in kinds:
        return
    parts = items.values() if kind is Dict else items
    if len(kinds) == 1:
        own = [part * 1.0 for part in parts]
    else:
        own = [part * 1.0 if type(part) is float else part for part in parts]
    if kind is Dict:
        container.items = dict(zip(items, own, strict=True))
    else:
        container.items = own if kind is List else tuple(own)


def numbers_at(positions: Sequence[int], found: Sequence[Any], counts: Sequence[int]) -> list[Any]:
    """Return the numbers of the arguments at some positions; found, counts: of an EnteredTree."""
    starts = [0, *accumulate(counts)]
    return [*chain(*[found[starts[i] : starts[i + 1]] for i in positions])]


def cotangent_of_items(x: Record, positions: Sequence[int], cotangents: Sequence[Any]) -> Record:
    """Return the cotangents of the arguments at some positions from those of their numbers; None elsewhere.

    x: the tuple of the arguments, entered. positions: in order.
    """
    rest = iter(cotangents)
    made: list[Any] = [None] * len(x.items)
    for i in positions:
        kind = type(x.items[i])
        made[i] = next(rest) if kind in PLAIN_NUMBERS else cotangent_of_tree(x.items[i], rest)
    return Record(TUPLE, tuple(made))
