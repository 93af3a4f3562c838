"""Index sets: the positions of the reals of an argument that a number depends on.

That of a real is a frozenset of positions or, once it is large, an int whose bits are the positions: a sum
over 10,000 reals grows in steps that each take one union. Those of an array are the rows of a sparse matrix
of booleans, one row for each element. Sets never change, so numbers share them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from checkpoint.ad.arrays import Array
from checkpoint.ad.numbers import Node, elements

IndexSet = frozenset[int] | int
EMPTY: frozenset[int] = frozenset()
LARGE = 64  # positions, from which on a set may be an int
BITS = 256  # that a set takes for each of its positions; an int takes one for each below its highest


def union(a: IndexSet, b: IndexSet) -> IndexSet:
    """Return the union of two sets; one of them itself where that contains the other."""
    if a is b:
        return a
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        found = a | b
        if len(found) == len(a):
            return a
        if len(found) == len(b):
            return b
        return found if len(found) < LARGE or len(found) * BITS < max(found) else _bits(found)
    mask = _bits(a) | _bits(b)
    return a if mask == a else b if mask == b else mask


def _bits(found: IndexSet) -> int:
    """Return a set as an int."""
    if isinstance(found, int):
        return found
    marks = bytearray(max(found, default=0) // 8 + 1)
    for position in found:
        marks[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(marks, "little")


def positions(found: IndexSet) -> Any:
    """Return the positions in a set, in ascending order, as an array."""
    if isinstance(found, frozenset):
        return np.array(sorted(found), dtype=np.int64)
    marks = np.frombuffer(found.to_bytes(found.bit_length() // 8 + 1, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(marks, bitorder="little"))


def rows_of_sets(sets: Sequence[IndexSet], count: int) -> Any:
    """Return sets as the rows of a matrix with `count` columns."""
    parts = [positions(found) for found in sets]
    starts = np.cumsum([0, *map(len, parts)])
    columns = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    return sp.csr_array((np.ones(len(columns), bool), columns, starts), shape=(len(parts), count))


def rows_of(numbers: Iterable[Any], count: int) -> Any:
    """Return the sets of all elements of numbers as the rows of one matrix; constants have empty sets."""
    blocks: list[Any] = []
    reals: list[IndexSet] = []
    for number in numbers:
        value = number.value if type(number) is Node else number
        if type(value) is not Array:
            reals.append(number.adjoint if type(number) is Node else EMPTY)
            continue
        if reals:
            blocks.append(rows_of_sets(reals, count))
            reals = []
        is_taped = type(number) is Node
        blocks.append(number.adjoint if is_taped else empty_rows(elements(number), count))
    if reals or not blocks:
        blocks.append(rows_of_sets(reals, count))
    return blocks[0] if len(blocks) == 1 else sp.vstack(blocks, format="csr")


def empty_rows(height: int, count: int) -> Any:
    """Return a matrix of empty sets."""
    return sp.csr_array((height, count), dtype=bool)


def part(rows: Any, start: int, size: int) -> Any:
    """Return so many rows of a matrix, which share its elements."""
    if size == rows.shape[0]:
        return rows
    starts = rows.indptr[start : start + size + 1]
    low, high = starts[0], starts[-1]
    shape = (size, rows.shape[1])
    return sp.csr_array((rows.data[low:high], rows.indices[low:high], starts - low), shape=shape)


def are_alike(a: Any, b: Any) -> bool:
    """Return whether two matrices have their entries at the same places, in the same order."""
    if a.shape != b.shape or a.nnz != b.nnz:
        return False
    return np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)


def united(a: Any, b: Any) -> Any:
    """Return the unions of the sets in the rows of two matrices; one of them where both have the same."""
    return a if are_alike(a, b) else a + b


def set_in_row(rows: Any, row: int) -> IndexSet:
    """Return a row of a matrix as the set of a real."""
    return frozenset(rows.indices[rows.indptr[row] : rows.indptr[row + 1]].tolist())


def relation(targets: Any, sources: Any, shape: tuple[int, int]) -> Any:
    """Return the matrix that is true at the pairs of a target and a source."""
    return sp.csr_array((np.ones(len(targets), bool), (targets, sources)), shape=shape)
