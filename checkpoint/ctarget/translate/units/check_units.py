"""Checks the invariants of units that units/graph.py states.

In: a unit. Out: nothing, or an InternalError.

What is checked: on each path a place is set once, and before anything reads it; a jump passes each param of
its header a source of its kind; where the machine enters, it sets all params; no two exits, and no two jumps,
have one number.
"""

from __future__ import annotations

from collections.abc import Iterable

from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import DualParts, KnownClosure, Place, Source, View, places_in
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Header, Jump, Node, Unit
from checkpoint.ctarget.translate.units.paths import following
from checkpoint.errors import InternalError

Known = frozenset[Place]  # the places that are set at a point of a path


def check_unit(unit: Unit) -> None:
    """Raise InternalError unless the unit is right."""
    ends: dict[int, Jump | Exit] = {}
    for header in unit.headers:
        _check_entry(header)
        ends[id(header.exit)] = header.exit
        _check_exit(header.exit, frozenset(header.params))
        waiting = [(header.root, frozenset(header.params))]
        while waiting:
            node, before = waiting.pop()
            known = _check_node(node, before)
            ends |= {id(end): end for end in (node.exit, node.end) if isinstance(end, Jump | Exit)}
            waiting += [(each, known) for each in following(node)]
    for kind, count in ((Exit, unit.exits), (Jump, unit.jumps)):
        numbers = [end.number for end in ends.values() if isinstance(end, kind)]
        if len(set(numbers)) < len(numbers) or any(number >= count for number in numbers):
            raise _wrong(f"a number of {kind.__name__} is not its own")


def _check_entry(header: Header) -> None:
    if header.entry is None:
        return
    found: set[Place] = set()
    for _, wanted in header.entry:
        if isinstance(wanted, Place | KnownClosure | DualParts | View):
            found.update(places_in([wanted]))
    merged = {place for place, _ in header.merged}
    if found != merged.union(header.params):
        raise _wrong(f"where the machine enters header {header.number}, it does not set its params")
    _check_operations(header.checks, frozenset(found))


def _check_node(node: Node, known: Known) -> Known:
    """Check a node, given the places set before it; return those set after it."""
    _check_exit(node.exit, known)
    known = _check_operations([*node.ops, *node.effects], known)
    match node.end:
        case Exit():
            if node.end is not node.exit:  # which undoes the node
                _check_exit(node.end, known)
        case Jump(header=header, sources=sources):
            _check_read(sources, known)
            if [source.kind for source in sources] != [param.kind for param in header.params]:
                raise _wrong(f"jump {node.end.number} passes other kinds than header {header.number} has")
        case Fork(test=test):
            _check_read([test], known)
        case None:
            raise _wrong(f"a node of block {node.block.block.label} has no end")
    return known


def _check_exit(exit: Exit, known: Known) -> None:
    known = _check_operations(exit.effects, known)
    _check_read([source for _, source in exit.contents], known)


def _check_operations(operations: Iterable[Operation], known: Known) -> Known:
    found = set(known)
    for operation in operations:
        _check_read(operation.reads(), found)
        for place in operation.sets():
            if place in found:
                raise _wrong(f"{place.name} is set twice on a path")
            found.add(place)
    return frozenset(found)


def _check_read(sources: Iterable[Source | None], known: Known | set[Place]) -> None:
    for place in places_in(sources):
        if place not in known:
            raise _wrong(f"{place.name} is read where it is not set")


def _wrong(what: str) -> InternalError:
    return InternalError(f"a unit is wrong: {what}")
