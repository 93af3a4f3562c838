"""Cotangents of flat arguments: numbers, atoms, and containers of nothing but numbers without derivatives.

In: the start of a call of a closure that holds no numbers. Out: the accumulators of the arguments' numbers,
read from C container by container, as checkpoint.interp.hybrid.engine finds them one by one.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.arrays import Array
from checkpoint.ad.containers import CONTAINERS, Record, fields
from checkpoint.ad.graph import ATOMS, PLAIN_NUMBERS, holds_atoms, is_flat
from checkpoint.ad.values import Closure
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.interp.hybrid.machine import ENTRY, State


def flat_cotangents(start: State, cotangent: Cotangent, count: int) -> list[Any] | None:
    """Return the accumulators of the numbers of a start, in their order; None if they must be searched for.

    count: how many numbers there are. If the arguments hold as many, each once, no two places share one.
    """
    if start.block is not ENTRY or start.frame is None or start.frame.saved or start.frame.next is not None:
        return None
    start.version.show()
    f, x = start.values
    if type(f) is not Closure or type(x) is not Record or not holds_atoms(f):
        return None
    found: list[Any] = []
    of_items = cotangent.fields_of(x.birth, range(len(x.items)))
    for item, accumulator in zip(x.items, of_items, strict=True):
        kind = type(item)
        if kind in PLAIN_NUMBERS:
            found.append(accumulator)
        elif kind in CONTAINERS:
            parts = item.parts()
            if not is_flat(parts):
                return None
            found += _of_parts(item, parts, cotangent)
        elif kind not in ATOMS:
            return None
    return found if len(found) == count else None


def _is_constant(number: Any) -> bool:
    return type(number) is Array and number.memory.constant


def _of_parts(container: Any, parts: tuple[Any, ...], cotangent: Cotangent) -> list[Any]:
    """Return the accumulators of a container's parts; none has received anything if all are constants."""
    if parts and _is_constant(parts[0]) and all(map(_is_constant, parts)):
        return [0.0] * len(parts)
    return cotangent.fields_of(container.birth, fields(container))
