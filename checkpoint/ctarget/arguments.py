"""Cotangents of flat arguments: numbers, atoms, and containers of nothing but numbers without derivatives.

In: the start of a call of a closure that holds no numbers. Out: the accumulators of the arguments' numbers,
read from C container by container, as checkpoint.interp.hybrid.engine finds them one by one; and, of any
arguments, the cotangents that are returned, which C makes where there are many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.accumulators import MANY, all_accumulated
from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array
from checkpoint.ad.containers import CONTAINERS, Record, fields
from checkpoint.ad.graph import ATOMS, PLAIN_NUMBERS, holds_atoms, is_flat
from checkpoint.ad.numbers import Number
from checkpoint.ad.values import Closure
from checkpoint.collector import Paused
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import address
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


def results(accumulators: list[Any], found: Sequence[Number]) -> list[Any]:
    """Return `all_accumulated`; of many, C makes those that it can."""
    if len(found) < MANY:
        return all_accumulated(accumulators, found)
    numbers, made = list(found), list[Any]()
    given = (address(accumulators), address(numbers), address(SYMBOLIC_ZERO), address(made))
    with Paused():
        if not runtime().lib.ck_make_results(*given):
            return all_accumulated(accumulators, found)
    left = [i for i, each in enumerate(made) if each is None]
    others = all_accumulated([accumulators[i] for i in left], [numbers[i] for i in left])
    for i, other in zip(left, others, strict=True):
        made[i] = other
    return made
