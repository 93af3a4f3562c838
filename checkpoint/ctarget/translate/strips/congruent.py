"""Finds the params of headers that always have the value of another one, and need no vector of their own.

In: the plan of a loop over lanes, its headers in groups, the params that lanes bring along. Out: for each
param that is another one, that one: of the same header, or of the first header of its group, in whose turn
it is run.

What is congruent units/congruence.py says. Values alone are shared: cotangents of congruent params are added
in the order in which the program has them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.strips.plan import Plan, passed_on
from checkpoint.ctarget.translate.units.congruence import Passed, congruence
from checkpoint.ctarget.translate.units.graph import Header, Jump
from checkpoint.ctarget.translate.units.invariants import copies, original


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
    known = [(params[id(header)], passed[id(header)]) for header in headers]
    of = congruence(known, {param: param.kind for own, _ in known for param in own})
    leading: dict[Hashable, Place] = {}
    for param, number in of.items():
        leading.setdefault(number, param)
    return {param: leading[number] for param, number in of.items() if leading[number] is not param}
