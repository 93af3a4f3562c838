"""What a run may change of what came in from outside, where its caller wants it back (`has_state`).

(py.owned x shared key)      x with containers and arrays of the run's own, for the program to change
(py.unchanged x y)           whether x is y, or an equal constant
"""

from __future__ import annotations

from math import isnan
from typing import Any

from checkpoint.ad.arrays import ARRAYS, SYMBOLIC_ZERO, Discrete, Memory, Renewal
from checkpoint.ad.containers import CONTAINERS, MUTABLE_CONTAINERS, WITH_ATTRIBUTES, fields
from checkpoint.ad.graph import ATOMS, parts_of, with_parts
from checkpoint.ad.numbers import NUMBERS, real_part, renewed
from checkpoint.ad.record import Purity
from checkpoint.ad.storage import FROZEN, Now
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Closure
from checkpoint.ad.walk import Branch, fold
from checkpoint.prims.python.support import PLAIN, operator, rearrange


class _Owning(Renewal):
    """Makes handles that a run may change; the elements are copied when it first does."""

    def memory(self, old: Memory) -> Memory:
        """Return a memory of its own for each handle: those that enter together share one."""
        new = Memory(old.owner if old.owner is SYMBOLIC_ZERO else None)
        new.stale = old.stale
        new.constant = old.constant
        return new


def _owned(_: Any, x: Any, shared: Any, key: Any) -> Any:
    """Return a copy whose containers and arrays may be changed, but for those that are shared."""
    owning, keeping = _Owning(), Renewal(FROZEN, same_run=True)

    def opened(link: tuple[Any, tuple[Any, ...], bool]) -> Any:
        value, path, is_own = link
        kind = type(value)
        is_own = is_own and path not in shared.value.paths
        renewal = owning if is_own else keeping
        if kind in NUMBERS:
            return renewed(value, renewal)
        if kind is Discrete:
            return renewal(value)
        if kind in ATOMS or (kind is not tuple and value.enters_as_graph):
            return value
        parts = [(part, (*path, i), is_own) for i, part in enumerate(parts_of(value))]

        def built(made: list[Any]) -> Any:
            copy = with_parts(value, tuple(made))
            if kind in MUTABLE_CONTAINERS:
                copy.owner = None if is_own else FROZEN
            return copy

        return Branch(parts, built)

    return fold((x, (key,), True), opened)


operator(
    "owned",
    3,
    "x with containers and arrays that the run may change: x, what is shared, the key of x",
    _owned,
    "that of the numbers in it",
    Purity.PURE,
)


def _unchanged(now: Now, x: Any, y: Any) -> bool:
    pending, seen = [(x, y)], set()
    while pending:
        one, other = pending.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        if not _alike(one, other):
            return False
        if type(one) in CONTAINERS:
            pending.extend(zip(one.parts(), other.parts(), strict=True))
    return True


def _alike(x: Any, y: Any) -> bool:
    """Return whether two values are equal, or containers of the same class with parts of the same names."""
    if type(x) in NUMBERS and type(y) in NUMBERS:
        x, y = real_part(x), real_part(y)
    if type(x) is not type(y):
        return False
    if type(x) in CONTAINERS:
        same = type(x) not in WITH_ATTRIBUTES or x.layout == y.layout
        return same and list(fields(x)) == list(fields(y))
    if type(x) in ARRAYS:
        return x.data is y.data
    if type(x) is float:
        return x == y or (isnan(x) and isnan(y))
    if type(x) is Closure:
        return x.lam is y.lam and x.env is y.env
    return (type(x) in PLAIN or type(x) in NATIVES) and bool(x == y)


rearrange("unchanged", 2, "whether x holds what y does", _unchanged, discrete=True)
