"""The bytes of a sweep that are its caller's: the arrays among the arguments, and their cotangents.

In: the numbers of a run's arguments. Out: what a sweep leaves out when it counts the bytes that it holds; and
what it must add, since no engine sees it. So a bound of memory (checkpoint.driver.budget) is about all that
the gradient needs beside arguments and result: reals and containers enter as copies, which it does need.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from checkpoint.ad.array_library import holder_of, installed, libraries
from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.graph import containers_in
from checkpoint.ad.numbers import real_part

# Of CPython 3.11: a real that has entered, with its places in a container and in the list of all numbers; an
# object that holds others; the cotangents of a real at the end of the sweep: the accumulator and its entry in
# the map of these, the number that is made of it, and their places in lists.
REAL_BYTES, OBJECT_BYTES, COTANGENT_BYTES = 48, 170, 130


class Outside(NamedTuple):
    """What is not counted as held by a sweep.

    given: the identities of what holds the elements of the arguments' arrays: no tape counts these. Python
        makes a dictionary of identities, which are multiples of 16, in half of the time of a set.
    results: bytes of the arrays among the cotangents that the sweep returns. Accumulators hold these before
        they are complete, and others: of all accumulators, so many bytes are not counted.
    least: bytes that the other cotangents will hold at the end, which are counted.
    entered: bytes of the arguments without arrays, as they have entered, which are counted, too.
    """

    given: Collection[int] = frozenset()
    results: int = 0
    least: int = 0
    entered: int = 0


NOTHING = Outside()


class Wanted(NamedTuple):
    """The elements of a run's argument, a tuple, whose cotangents alone are returned.

    positions: in order. found: the numbers in them.
    """

    positions: Sequence[int]
    found: Sequence[Any]


def outside(u: Any, found: Sequence[Any], objects: int = 0, wanted: Wanted | None = None) -> Outside:
    """Return what belongs to the caller of a run that starts at `u`, and receives its cotangents.

    found: the numbers in u. objects: how many objects hold others there, if that is known.
    """
    if not installed:
        return _of_reals(len(found), objects, len(found if wanted is None else wanted.found))
    arrays = _arrays_in(found)
    discrete: list[Any] = [other for other in containers_in(u) if type(other) is Discrete]
    datas = [array.data for array in (*arrays, *discrete)]
    given = dict.fromkeys(map(id, _holders_of(datas))) if datas else NOTHING.given
    results = sum([array.data.nbytes for array in arrays if not array.memory.constant])
    count = len(found) - len(arrays)
    read = count if wanted is None else len(wanted.found) - len(_arrays_in(wanted.found))
    return _of_reals(count, objects, read)._replace(given=given, results=int(results))


def _of_reals(count: int, objects: int, wanted: int) -> Outside:
    """Return what is not counted where there are no arrays; wanted: the number of reals with cotangents."""
    return Outside(
        least=COTANGENT_BYTES * wanted,
        entered=REAL_BYTES * count + OBJECT_BYTES * objects,
    )


def _arrays_in(found: Sequence[Any]) -> Sequence[Any]:
    if _ARRAY.issuperset(map(type, found)):
        return found
    return [real for real in map(real_part, found) if type(real) is Array]


_ARRAY = frozenset((Array,))


def _holders_of(datas: Sequence[Any]) -> list[Any]:
    """Return the objects that hold the elements of arrays."""
    if len(set(map(type, datas))) == 1:
        return libraries[type(datas[0])].holders(datas)
    return [holder_of(data) for data in datas]
