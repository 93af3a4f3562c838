"""Cotangents of arguments that are trees: numbers, atoms, and containers of these, to any depth.

In: the start of a call of a closure. Out: the accumulators of the arguments' numbers, read from C container
by container, as checkpoint.interp.hybrid.engine finds them one by one, without a table of them; and, of any
arguments, the cotangents that are returned, which C makes where there are many, and where those are that are
reported as soon as they are final (ctemplates/driver/leaves.h).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from checkpoint.ad.accumulators import MANY, all_accumulated
from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array
from checkpoint.ad.containers import CONTAINERS, Record, fields
from checkpoint.ad.graph import NON_DIFFERENTIABLE, PLAIN_NUMBERS, holds_atoms, is_flat
from checkpoint.ad.numbers import NUMBERS, Number
from checkpoint.ad.values import Closure
from checkpoint.collector import Paused
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Held, address
from checkpoint.ctarget.states import State as StateOfC
from checkpoint.driver.finals import Finals
from checkpoint.interp.hybrid.cotangent import places_of_arrays
from checkpoint.interp.hybrid.machine import ENTRY, State


def tree_cotangents(
    start: State, cotangent: Cotangent, count: int, within: Sequence[int] | None
) -> list[Any] | None:
    """Return the accumulators of the numbers of a start, in their order; None if they must be searched for.

    count: how many numbers there are. If the arguments hold as many, each once, no two places share one.
    within: the positions of the arguments that hold them; None: the closure may hold some, too.
    """
    if start.block is not ENTRY or start.frame is None or start.frame.saved or start.frame.next is not None:
        return None
    start.version.show()
    f, x = start.values
    if type(f) is not Closure or type(x) is not Record or (within is None and not holds_atoms(f)):
        return None
    at = range(len(x.items)) if within is None else within
    of_items = cotangent.fields_of(x.birth, range(len(x.items)))
    found: list[Any] = []
    stack = _pending([x.items[i] for i in at], [of_items[i] for i in at])
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is _Number:
            found.append(item.accumulator)
        elif kind in CONTAINERS:
            parts = item.parts()
            accumulators = _of_parts(item, parts, cotangent)
            if is_flat(parts):
                found += accumulators
            else:
                stack += _pending(parts, accumulators)
        elif kind not in NON_DIFFERENTIABLE:
            return None
    return found if len(found) == count else None


_FLOAT = frozenset((float,))
_AT_ONCE = 4096  # reals that replace others, which are held beside them


class _Number:
    """Stands for a number, of which nothing but its accumulator matters."""

    __slots__ = ("accumulator",)

    def __init__(self, accumulator: Any) -> None:
        self.accumulator = accumulator


def _pending(parts: Sequence[Any], accumulators: Sequence[Any]) -> list[Any]:
    """Return parts that are to be visited, the first one last."""
    pending = [
        _Number(accumulator) if type(part) in PLAIN_NUMBERS else part
        for part, accumulator in zip(parts, accumulators, strict=True)
    ]
    pending.reverse()
    return pending


def _is_constant(number: Any) -> bool:
    return type(number) is Array and number.memory.constant


def _of_parts(container: Any, parts: tuple[Any, ...], cotangent: Cotangent) -> list[Any]:
    """Return the accumulators of a container's parts; none has received anything if all are constants.

    Parts that are no numbers have none of their own.
    """
    if PLAIN_NUMBERS.isdisjoint(map(type, parts)):
        return [0.0] * len(parts)
    if parts and _is_constant(parts[0]) and all(map(_is_constant, parts)):
        return [0.0] * len(parts)
    return cotangent.fields_of(container.birth, fields(container))


def own_births(start: State) -> int:
    """Return the birth before which all objects are held by the procedure itself; 0: it is not known."""
    if start.block is not ENTRY:
        return 0
    argument = start.values[1]
    if type(argument) in NUMBERS or type(argument) in NON_DIFFERENTIABLE:
        return start.births
    birth: int = getattr(argument, "birth", 0)
    return birth


def unread_births(start: State, positions: Sequence[int]) -> range:
    """Return births of objects in arguments at other positions: those of the longest row of such arguments.

    Births are given to objects depth first, so those in a row of arguments follow one another.
    """
    items = start.values[1].items
    borders = [-1, *positions, len(items)]
    rows = [_births(items[low + 1 : high], items[high:], start.births) for low, high in pairwise(borders)]
    return max(rows, key=len)


def _births(items: Sequence[Any], after: Sequence[Any], end: int) -> range:
    """Return the births of the objects in some arguments; after: those behind; end: the next birth."""
    first = next((item.birth for item in items if type(item) in CONTAINERS), end)
    for item in after:
        if type(item) in CONTAINERS:
            return range(first, item.birth)
        if type(item) not in NON_DIFFERENTIABLE and type(item) not in NUMBERS:
            return range(0)  # it may hold any number of objects
    return range(first, end)


def results(accumulators: list[Any], found: Sequence[Number]) -> list[Any]:
    """Return `all_accumulated`; of many arrays C makes what it can, many reals replace their accumulators."""
    if len(found) < MANY:
        return all_accumulated(accumulators, found)
    if _FLOAT.issuperset(map(type, found)):
        for i in range(0, len(accumulators), _AT_ONCE):
            accumulators[i : i + _AT_ONCE] = [each * 1.0 for each in accumulators[i : i + _AT_ONCE]]
        return accumulators
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


def begin_finals(finals: Finals, start: StateOfC, sweep: Held) -> None:
    """Report to the finals where the cotangents of the arguments are, and until when these are untouched."""
    finals.begin(places_of_arrays(start.python()), _untouched(sweep))


def _untouched(sweep: Held) -> Iterator[tuple[int, int]]:
    """Return the addresses of handles, each with the step until which nothing has read it."""
    module = runtime()
    ffi, lib = module.ffi, module.lib
    total = lib.ck_sweep_leaves(sweep, ffi.NULL, ffi.NULL, 0)
    handles, steps = ffi.new("uintptr_t[]", total), ffi.new("int64_t[]", total)
    lib.ck_sweep_leaves(sweep, handles, steps, total)
    return zip(handles, steps, strict=True)
