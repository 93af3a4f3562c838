"""The bytes that kept states hold, for engines that are written in Python.

In: states that are kept, and dropped again. Out: `bytes`, what dropping all of them would free, and what the
account itself needs. States of one run share most of their data. So the account mirrors the counts of
references within what is kept, and a state costs it time by what no other state has kept.

What always holds:
- `_counts` has, for each object that a kept state reaches, by identity, how many references kept objects and
  the sweep hold on it. These objects are alive, as the sweep holds the states: so no identity is used twice.
- What the start of the run reaches is not counted: it is the caller's. The account holds the start.
- What no count is left of is free. (Containers that reach themselves stay counted, and alive.)

Sizes are CPython's, rounded up as its allocator does. What is small and shared by few is counted with
every reference to it: floats, integers, short texts, duals of floats, the Memory of an array. That is exact
where each has one reference, else an upper bound: a list of floats and a copy of it share the floats, and
count them twice. The elements of an array are counted once, all those of the array that it is a view of.
What belongs to the program (symbols, layouts, functions) is not counted.

A run changes its containers in place: what a kept state holds of one may be in its version
(checkpoint.ad.versions). What was counted of a container, or of an array, is stored, so that the account
cannot go wrong. What the versions of kept states have saved counts beside it. So containers that change
between kept states are estimated: by the content that was first counted, and by what versions have saved.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from sys import getsizeof
from typing import Any

from checkpoint.ad.array_library import holder_of, holders
from checkpoint.ad.arrays import ARRAYS, Memory
from checkpoint.ad.containers import MUTABLE_CONTAINERS, Layout, Record, Types
from checkpoint.ad.numbers import Dual
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Closure, Environment, Failure, Foreign, Pair, Symbol
from checkpoint.ad.versions import Version

GRAIN = 16  # bytes: CPython's allocator rounds up to multiples of it

# A tuple of parts that is stored, its place in a dictionary, and the two tuples around them.
STORED_BYTES = 200
# An identity with its place in a dictionary or a set. Measured by tracemalloc on CPython 3.11, over sizes
# from a hundred to a million: 61 to 84 in a dictionary, 60 to 116 in a set.
COUNT_BYTES = GIVEN_BYTES = 80
# Texts and integers larger than this are counted once, not with every reference.
LARGE = 256  # bytes

FREE = frozenset((bool, type(None), Symbol, Foreign, Layout, *NATIVES, Types))  # the program's or nobody's
MEASURED = frozenset((int, str, bytes, range, Failure))
SINGLE = range(-5, 257)  # the integers that CPython has once
WITH_TUPLE = frozenset((Environment, Record))  # types that store their parts in a tuple
MUTABLE = frozenset((list, dict, *MUTABLE_CONTAINERS, *ARRAYS))
# For speed: some of the types whose objects are counted once.
OBJECTS = MUTABLE | {tuple, Pair, Environment, Closure, Record}


def _rounded(size: int) -> int:
    return (size + GRAIN - 1) & -GRAIN


FLOAT_BYTES = _rounded(getsizeof(0.0))
MEMORY_BYTES = _rounded(getsizeof(Memory()))
DUAL_BYTES = _rounded(getsizeof(Dual(0, 0.0, 0.0)))
ARRAY_BYTES = 112  # of NumPy's object, without the elements

Weight = tuple[int, tuple[Any, ...]]


def weight(value: Any) -> Weight:
    """Return the bytes of an object with what is counted with it, and the other objects it refers to."""
    kind = type(value)
    if kind is tuple:
        return _with_parts(value, value)
    if kind is list:
        return _with_parts(value, value)
    if kind is dict:
        return _with_parts(value, chain(value, value.values()))
    if kind in MUTABLE_CONTAINERS:
        return _rounded(getsizeof(value)), (value.items,)
    if kind in ARRAYS:
        return _weight_of_handle(value)
    parts = getattr(value, "parts", None)
    if parts is None:
        return _weight_of_leaf(value), ()
    size, shared = _with_parts(value, parts())
    return (size + _rounded(getsizeof(parts())) if kind in WITH_TUPLE else size), shared


def _with_parts(value: Any, parts: Iterable[Any]) -> Weight:
    size, shared = _rounded(getsizeof(value)), []
    for part in parts:
        kind = type(part)
        if kind is float:
            size += FLOAT_BYTES
        elif kind in OBJECTS:
            shared.append(part)
        elif kind not in FREE:
            extra = _atom_bytes(part)
            if extra is None:
                shared.append(part)
            else:
                size += extra
    return size, tuple(shared)


def _atom_bytes(value: Any) -> int | None:
    """Return the size of what is counted with every reference; None for what is counted once."""
    kind = type(value)
    if kind in MEASURED:
        size = 0 if kind is int and value in SINGLE else _rounded(getsizeof(value))
        return size if size <= LARGE else None
    if kind is float:
        return FLOAT_BYTES
    if kind is Dual:
        primal, tangent = _atom_bytes(value.primal), _atom_bytes(value.tangent)
        return None if primal is None or tangent is None else DUAL_BYTES + primal + tangent
    return 0 if isinstance(value, type) else None  # classes outlive the run


def _weight_of_leaf(value: Any) -> int:
    """Return the bytes of an object that refers to no values: the elements of an array, a long text."""
    library = holders.get(type(value))
    nbytes = getattr(value, "nbytes", None) if library is None else library.bytes_of(value)
    return _rounded(getsizeof(value)) if nbytes is None else ARRAY_BYTES + _rounded(nbytes)


def _weight_of_handle(array: Any) -> Weight:
    """Return the handle of an array, and the array that has the elements."""
    size = _rounded(getsizeof(array)) + MEMORY_BYTES
    if array.data is None:
        return size, ()
    whole = holder_of(array.data)
    return size + (0 if whole is array.data else ARRAY_BYTES), (whole,)


class Footprint:
    """An account of states of the run from `start`, whose own data is not counted: the caller has it."""

    __slots__ = ("_bytes", "_counts", "_given", "_start", "_stored", "_versions")

    def __init__(self, start: Any) -> None:
        self._start = start
        self._given = _reached(start)
        self._counts: dict[int, int] = {}
        self._stored: dict[int, Weight] = {}
        self._versions: list[Version] = []  # those of the kept states
        self._bytes = GIVEN_BYTES * len(self._given)

    @property
    def bytes(self) -> int:
        """What dropping the kept states would free, and what the account needs for them and for the start."""
        return self._bytes + sum(version.saved_bytes for version in set(self._versions))

    def keep(self, state: Any) -> None:
        """Add a kept state to the account, in time proportional to what no kept state reaches yet."""
        if hasattr(state, "version"):
            self._versions.append(state.version)
        given, counts = self._given, self._counts
        pending = [state]
        while pending:
            value = pending.pop()
            key = id(value)
            if key in counts:
                counts[key] += 1
            elif key not in given:
                counts[key] = 1
                found = weight(value)
                if type(value) in MUTABLE:
                    self._stored[key] = found
                self._bytes += self._total(key, found)
                pending.extend(found[1])

    def drop(self, state: Any) -> None:
        """Remove a kept state, which the caller still holds, in time proportional to what that frees."""
        if hasattr(state, "version"):
            self._versions.remove(state.version)
        pending = [state]
        while pending:
            value = pending.pop()
            key = id(value)
            if key in self._given:
                continue
            count = self._counts[key] - 1
            if count:
                self._counts[key] = count
                continue
            del self._counts[key]
            found = self._stored.get(key) or weight(value)
            self._bytes -= self._total(key, found)
            self._stored.pop(key, None)
            pending.extend(found[1])
        if not self._counts:
            self._counts, self._stored = {}, {}  # a dictionary that has been large does not shrink

    def _total(self, key: int, found: Weight) -> int:
        """Return an object's weight with the account's entries for it."""
        size, parts = found
        stored = STORED_BYTES + 8 * len(parts) if key in self._stored else 0
        return size + COUNT_BYTES + stored


def _reached(root: Any) -> set[int]:
    """Return the identities of all that a value reaches, itself included."""
    found: set[int] = set()
    pending = [root]
    while pending:
        value = pending.pop()
        if id(value) not in found:
            found.add(id(value))
            pending.extend(weight(value)[1])
    return found
