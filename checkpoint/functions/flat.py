"""Flat arguments: numbers, atoms, and lists, tuples and dictionaries of nothing but numbers.

Most calls have no others. Their values need no walk over a graph: they enter, and their cotangents are put
together, item by item, which takes a fraction of the time. What comes out equals what `checkpoint.ad.graph`
and `checkpoint.ad.tangent` make of the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from checkpoint.ad.arrays import Array
from checkpoint.ad.containers import TUPLE, Dict, List, Record
from checkpoint.ad.graph import ATOMS, enter, is_flat
from checkpoint.ad.storage import FROZEN

_CONTAINERS = frozenset((List, Dict, Record))
_ARRAY, _FLOAT = frozenset((Array,)), frozenset((float,))


def entered_flat(x: Any, is_new: bool) -> tuple[Record, list[Any]] | None:
    """Return the tuple of arguments as it enters a run, and its numbers in the canonical order.

    None where an argument is not flat. is_new: as `enter` has it.
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
        elif kind in _CONTAINERS and is_new and is_flat(item.parts()):
            container = _with_own_reals(item)
            items.append(container)
            found.extend(container.parts())
        elif kind in ATOMS:
            items.append(item)
        else:
            return None
    return Record(TUPLE, tuple(items)), found


def _with_own_reals(container: Any) -> Any:
    """Return a new container of numbers as it enters: each real is a location of its own."""
    parts = container.parts()
    if _ARRAY.issuperset(map(type, parts)):
        return container
    if _FLOAT.issuperset(map(type, parts)):
        return _owned(container.with_parts(tuple([part * 1.0 for part in parts])), FROZEN)
    return _owned(container.with_parts(tuple([enter(part, True) for part in parts])), FROZEN)


def cotangent_of_flat(x: Record, cotangents: Sequence[Any]) -> Record:
    """Return the cotangent of flat arguments from those of their numbers."""
    rest = iter(cotangents)
    made: list[Any] = []
    for item in x.items:
        kind = type(item)
        if kind is float or kind is Array:
            made.append(next(rest))
        elif kind in _CONTAINERS:
            parts = tuple(islice(rest, len(item.parts())))
            made.append(_owned(item.with_parts(parts), None))
        else:
            made.append(None)
    return Record(TUPLE, tuple(made))


def _owned(container: Any, owner: Any) -> Any:
    if type(container) is not Record:
        container.owner = owner
    return container
