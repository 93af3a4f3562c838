"""Finds the params of headers that always have the value of another one, and need no vector of their own.

In: the plan of a loop over lanes, its headers in groups, the params that lanes bring along. Out: for each
param that is another one, that one: of the same header, or of the first header of its group, in whose turn
it is run.

Two params of a header are congruent if each way to the header passes the same on for both: at first all are
taken to be, then those that a way tells apart no more, until nothing changes (Alpern, Wegman and Zadeck 1988,
"Detecting equality of variables in programs"). A frame that saves what its caller saves, too, has such
params. Values alone are shared: cotangents of congruent params are added in the order in which the program
has them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from struct import pack

from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.strips.plan import Plan, passed_on
from checkpoint.ctarget.translate.units.graph import Header, Jump
from checkpoint.ctarget.translate.units.invariants import copies, original

Passed = list[dict[Place, Source]]  # of each way to a header what it passes on, by params


def congruent(
    plan: Plan, groups: list[list[Header]], is_passed: Callable[[Place], bool]
) -> dict[Place, Place]:
    """Return what the head of this file defines: no value of what is returned is a key."""
    passed = {id(header): _passed(plan, header) for header in plan.inner}
    params = {id(header): list(filter(is_passed, header.params)) for header in plan.inner}
    found = _within_headers(plan.inner, passed, params)
    for first, *others in groups:
        own = set(params.get(id(first), ())).difference(found)
        for header in others:
            for param in params[id(header)]:
                leading = found.get(param, param)
                origins = {found.get(each, each) for each in _places(leading, passed[id(header)])}
                origin = origins.pop()
                if not origins and origin in own and origin.kind == param.kind:
                    found[leading] = found[param] = origin
    return found


def _passed(plan: Plan, header: Header) -> Passed:
    ways = [path for path in plan.ways.values() if isinstance(path.end, Jump) and path.end.header is header]
    known = [copies(path) for path in ways]
    return [
        {param: original(source, of) for param, source in passed_on(path, plan.loop)}
        for path, of in zip(ways, known, strict=True)
    ]


def _places(param: Place, passed: Passed) -> list[Place]:
    """Return what each way passes on for a param; what is no place counts as the param."""
    sources = [each[param] for each in passed]
    return [source if isinstance(source, Place) else param for source in sources]


def _within_headers(
    headers: Iterable[Header], passed: dict[int, Passed], params: dict[int, list[Place]]
) -> dict[Place, Place]:
    """Return for params the first one of their header that they are congruent to, if it is another."""
    headers = list(headers)
    of: dict[Place, Hashable] = {param: param.kind for header in headers for param in params[id(header)]}
    classes = -1
    while classes < len(set(of.values())):
        classes = len(set(of.values()))
        keys = {
            param: (id(header), of[param], *[_key(each[param], of) for each in passed[id(header)]])
            for header in headers
            for param in params[id(header)]
        }
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}
        of = {param: numbers[key] for param, key in keys.items()}
    leading: dict[Hashable, Place] = {}
    for param, number in of.items():
        leading.setdefault(number, param)
    return {param: leading[number] for param, number in of.items() if leading[number] is not param}


def _key(source: Source, of: dict[Place, Hashable]) -> Hashable:
    """Return what equal sources have in common: a class of params, a place, or the bits of a constant."""
    if isinstance(source, Place):
        return of.get(source, source)
    value = source.value if isinstance(source, Constant) else None
    if isinstance(value, float):
        return pack("d", value)
    return type(source), repr(source)
