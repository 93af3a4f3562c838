"""Signatures: all that decides how a run goes but the elements of the arrays that it is given.

In: a value that has entered. Out: its signature, a tuple that equals that of another value, and its arrays,
each once, in one order for all values of one signature. It tells arrays by dtype, shape and strides,
procedures by their texts, and everything else by its value. Only arrays of the default library have one.
"""

from __future__ import annotations

from types import EllipsisType
from typing import Any

from checkpoint.ad.array_library import defaults, is_default
from checkpoint.ad.arrays import ARRAYS, Native
from checkpoint.ad.containers import Dict, Layout, List, Record
from checkpoint.ad.values import Closure, Environment, Pair

Signature = tuple[Any, ...]
_EQUAL = frozenset((int, bool, str, bytes, type(None)))
_OPENED = frozenset((Record, List, Dict, Pair, Closure, Environment, tuple))


def signature(root: Any) -> tuple[Signature, list[Any]] | None:
    """Return the signature of a value, and its arrays; None: it holds something that has no signature, or no
    array has been seen yet.
    """
    if not defaults:
        return None
    found: list[Any] = []
    arrays: list[Any] = []
    places: dict[int, int] = {}  # of arrays among these, by their identities
    seen: dict[int, int] = {}
    pending = [root]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind in ARRAYS:
            data = value.data
            if not is_default(data):
                return None
            place = places.setdefault(id(data), len(arrays))
            if place == len(arrays):
                arrays.append(data)
            found += (kind, place, type(data), data.dtype, data.shape, data.strides)
        elif kind in _EQUAL:
            found += (kind, value)
        elif kind is float:
            found.append(value.hex())
        elif kind is Layout:
            found.append(value)
        elif kind is Native and isinstance(value.value, (type, EllipsisType, defaults[0].dtype)):
            found += (type(value.value), value)
        elif kind not in _OPENED or (kind is Dict and not _EQUAL.issuperset(map(type, value.items))):
            return None
        elif id(value) in seen:
            found += ("seen", seen[id(value)])
        else:
            seen[id(value)] = len(seen)
            parts = value if kind is tuple else value.parts()
            found += (kind, len(parts))
            if kind is Record:
                found.append(value.layout)
            elif kind is Dict:
                found += (*value.items, *map(type, value.items))
            elif kind is Closure:
                found.append(value.lam)
            pending.extend(reversed(parts))
    return tuple(found), arrays
