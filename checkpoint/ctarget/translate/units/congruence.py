"""Finds places of headers that have one value wherever paths lead to their header.

In: params of headers, and what each way to a header passes on for them. Out: classes of params.

Two params of a header are congruent if each way to the header passes the same on for both: at first all are
taken to be, then those that a way tells apart no more, until nothing changes (Alpern, Wegman and Zadeck 1988,
"Detecting equality of variables in programs"). A frame that saves what its caller saves, too, has such
params.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from struct import pack

from checkpoint.ctarget.translate.ops.places import Constant, Place, Source

Passed = Sequence[Mapping[Place, Source]]  # of each way to a header what it passes on, by params


def congruence(
    params: Iterable[tuple[Sequence[Place], Passed]], first: Mapping[Place, Hashable]
) -> dict[Place, Hashable]:
    """Return the class of each param.

    params: of each header, with the ways to it. first: by what params differ before any way is looked at.
    """
    headers = list(params)
    of: dict[Place, Hashable] = dict(first)
    classes = -1
    while classes < len(set(of.values())):
        classes = len(set(of.values()))
        keys = {
            param: (number, of[param], *[key(each[param], of) for each in passed])
            for number, (own, passed) in enumerate(headers)
            for param in own
        }
        numbers = {each: number for number, each in enumerate(dict.fromkeys(keys.values()))}
        of = {param: numbers[each] for param, each in keys.items()}
    return of


def key(source: Source, of: Mapping[Place, Hashable]) -> Hashable:
    """Return what equal sources have in common: a class of params, a place, or the bits of a constant."""
    if isinstance(source, Place):
        return of.get(source, source)
    value = source.value if isinstance(source, Constant) else None
    if isinstance(value, float):
        return pack("d", value)
    return type(source), repr(source)
