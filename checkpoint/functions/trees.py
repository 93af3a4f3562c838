"""Arguments that are trees of data: numbers, atoms, and lists, tuples and dictionaries of these.

Most calls have no others. Made for one run alone, they enter as they are, and their cotangents are put
together item by item, without tables of what has been met: that takes a fraction of the time and memory. What
comes out equals what `checkpoint.ad.graph` and `checkpoint.ad.tangent` make of the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.containers import TUPLE, Dict, List, Record
from checkpoint.ad.graph import ATOMS, PLAIN_NUMBERS, enter, reach_entered
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.tangent import cotangent_of_tree

_CONTAINERS = frozenset((List, Dict, Record))
_LEAVES = ATOMS | PLAIN_NUMBERS | {Discrete}
_ARRAY = frozenset((Array,))


def entered_tree(x: Any, is_new: bool) -> tuple[Record, list[Any]] | None:
    """Return the tuple of arguments as it enters a run, and its numbers in the canonical order.

    None where an argument is no tree of data. is_new: as `enter` has it; then containers enter as they are.
    """
    if type(x) is not Record or x.layout is not TUPLE:
        return None
    items: list[Any] = []
    found: list[Any] = []
    for item in x.items:
        kind = type(item)
        if kind is float or kind is Array:
            number = enter(item, is_new)
            items.append(number)
            found.append(number)
        elif kind in _CONTAINERS and is_new and _is_tree(item):
            items.append(item)
            found.extend(reach_entered(item)[0])
        elif kind in ATOMS:
            items.append(item)
        else:
            return None
    return Record(TUPLE, tuple(items)), found


def _is_tree(root: Any) -> bool:
    """Return whether a container is a tree of data; make each real in it a location of its own if it is."""
    containers = [root]
    for container in containers:
        parts = container.parts()
        if not _LEAVES.issuperset(map(type, parts)):
            inner = [part for part in parts if type(part) not in _LEAVES]
            if not _CONTAINERS.issuperset(map(type, inner)):
                return False
            containers += inner
    for container in containers:
        _own_reals(container)
    return True


def _own_reals(container: Any) -> None:
    kind, items = type(container), container.items
    if kind is not Record:
        container.owner = FROZEN
    parts = items.values() if kind is Dict else items
    if _ARRAY.issuperset(map(type, parts)):
        return
    own = [part * 1.0 if type(part) is float else part for part in parts]
    if kind is Dict:
        container.items = dict(zip(items, own, strict=True))
    else:
        container.items = own if kind is List else tuple(own)


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
