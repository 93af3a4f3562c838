"""Has entries look at the numbers within objects: whether these are duals, as the unit has been made for.

In: a unit whose trees are complete, with the checks of sure.py. Out: the same unit, whose entries also expect
of each number that hot nodes read out of a param, if that may change or is a dual, that it is a dual or none
(Header.checks).

What always holds: nothing relies on such a check, as the number may change while the unit runs, and is tested
where it is read. But of two units at a block, one for reals and one for duals in the same lists, a machine
enters the one that does not leave at once.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.check_ops import ExpectNumber
from checkpoint.ctarget.translate.ops.dual_ops import OpenDual
from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.units.facts import What
from checkpoint.ctarget.translate.units.graph import Header, Unit
from checkpoint.ctarget.translate.units.paths import hot_nodes
from checkpoint.ctarget.translate.units.sure import Clause, Route, spread

DUAL: What = ("DUAL", None, None)


def expect_numbers(unit: Unit) -> None:
    """Add to the checks of a unit's entries what its headers expect of numbers within their params."""
    expected = {header.number: _read(header) for header in unit.headers}
    spread(unit, expected)
    for header in unit.headers:
        if header.entry is not None:
            header.checks += tuple(_checks(header, expected[header.number]))


def _read(header: Header) -> set[Clause]:
    """Return what the hot nodes of a header read out of its params: duals, and reals that may change."""
    routes: dict[Place, tuple[int, Route]] = {param: (i, ()) for i, param in enumerate(header.params)}
    found = set()
    for node in hot_nodes(header):
        for op in node.ops:
            if isinstance(op, OpenDual) and op.place in routes:
                found.add(Clause(*routes[op.place], DUAL))
            elif isinstance(op, Load | Element) and op.owner in routes:
                number, route = routes[op.owner]
                at = number, (*route, _position(op))
                if op.to.kind == "value":
                    routes[op.to] = at
                elif op.to.kind == "real" and type(op) is not Load:
                    found.add(Clause(*at, "real"))
    return {each for each in found if each.route}


def _position(op: Load | Element) -> int:
    """Return which part of an object is read; where only the run knows it, the first one is like it."""
    if isinstance(op, Load):
        return op.index
    index = op.index.value if isinstance(op.index, Constant) else 0
    return max(0, int(index or 0))


def _checks(header: Header, expected: set[Clause]) -> list[Op]:
    """Return the checks of an entry: none of a number that is a dual on one path, and none on another one."""
    places = [each[:2] for each in expected]
    return [
        ExpectNumber(header.params[each.param], each.route, each.is_kind)
        for each in sorted(expected, key=lambda each: each[:2])
        if places.count(each[:2]) == 1
    ]
