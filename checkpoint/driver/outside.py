"""The bytes of a sweep that are its caller's: the arrays among the arguments, and their cotangents.

In: the numbers of a run's arguments. Out: what a sweep leaves out when it counts the bytes that it holds. So
a bound of memory (checkpoint.driver.budget) is about what the gradient needs beside arguments and result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from checkpoint.ad.array_library import holder_of, installed, libraries
from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.graph import containers_in
from checkpoint.ad.numbers import real_part

FLOAT_BYTES = 8  # of the cotangent of a float, at least


class Outside(NamedTuple):
    """What is not counted as held by a sweep.

    given: the identities of what holds the elements of the arguments' arrays: no tape counts these.
    results: bytes of the arrays among the cotangents that the sweep returns. Accumulators hold these before
        they are complete, and others: of all accumulators, so many bytes are not counted.
    least: bytes that the other cotangents will hold at least, which are counted.
    """

    given: frozenset[int] = frozenset()
    results: int = 0
    least: int = 0


NOTHING = Outside()


def outside(u: Any, found: Sequence[Any]) -> Outside:
    """Return what belongs to the caller of a run that starts at `u`, and receives its cotangents.

    found: the numbers in u.
    """
    if not installed:
        return Outside(least=FLOAT_BYTES * len(found))
    arrays: Sequence[Any] = found
    if not _ARRAY.issuperset(map(type, found)):
        arrays = [real for real in map(real_part, found) if type(real) is Array]
    discrete: list[Any] = [other for other in containers_in(u) if type(other) is Discrete]
    datas = [array.data for array in (*arrays, *discrete)]
    given = frozenset(map(id, _holders_of(datas))) if datas else NOTHING.given
    results = sum([array.data.nbytes for array in arrays if not array.memory.constant])
    return Outside(given, int(results), FLOAT_BYTES * (len(found) - len(arrays)))


_ARRAY = frozenset((Array,))


def _holders_of(datas: Sequence[Any]) -> list[Any]:
    """Return the objects that hold the elements of arrays."""
    if len(set(map(type, datas))) == 1:
        return libraries[type(datas[0])].holders(datas)
    return [holder_of(data) for data in datas]
