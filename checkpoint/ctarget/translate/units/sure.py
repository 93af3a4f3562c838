"""Removes tests of kinds that cannot fail from a unit: on its paths, and, of what does not change while it
runs, from its loops.

In: a unit whose trees are complete. Out: the same unit. An Expect that is sure to hold is gone; a Load
whose field is sure to be there and of its kind says so (Load.sure); where the machine enters, what the
loops rely on is checked once (Header.checks).

A test is moved from a header to the entries if each jump to the header passes on what is known to pass it.
That is found as the greatest set of *clauses* that the paths between headers keep: at first all that the
hot nodes of each header test, then without those that some jump does not keep.

What always holds: a clause holds at its header however that is reached. One about a field comes with one
that says of its owner that it is an object with fields: so the checks of an entry read only what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect, ExpectReal
from checkpoint.ctarget.translate.ops.object_ops import Load
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import Kind, Place, Source
from checkpoint.ctarget.translate.units.facts import ENCLOSED, UNCHANGING, Facts, What
from checkpoint.ctarget.translate.units.graph import Header, Jump, Node, Unit
from checkpoint.ctarget.translate.units.paths import following, hot_nodes

Route = tuple[int, ...]  # indices of fields, from a param on


class Clause(NamedTuple):
    """A fact about a param of a header, by its number.

    found: the kind of the value at the end of the route, a What; or the kind of place to which the last field
    of the route can be read.
    """

    param: int
    route: Route
    found: What | Kind

    @property
    def is_kind(self) -> bool:
        """Return whether it says of what kind a value is."""
        return isinstance(self.found, tuple)


Clauses = dict[int, set[Clause]]  # of headers, by their numbers


def remove_sure_tests(unit: Unit) -> None:
    """Remove from a unit what cannot fail, given what its entries check."""
    clauses = _wanted(unit)
    _drop_broken(unit, clauses)
    for header in unit.headers:
        for node, facts in _walk(header, clauses[header.number]):
            node.ops = list(_needed(node.ops, facts))
            _note_effects(node, facts)
        if header.entry is not None:
            header.checks = tuple(_checks(unit, header, clauses[header.number]))


def _needed(ops: list[Op], facts: Facts) -> Iterator[Op]:
    """Yield the ops of a node without tests that are sure to hold, and note what the others find."""
    for op in ops:
        is_sure = facts.done(op)
        if not is_sure or not isinstance(op, Expect | ExpectReal):
            yield replace(op, sure=True) if is_sure and isinstance(op, Load) else op


def _walk(header: Header, clauses: set[Clause]) -> Iterator[tuple[Node, Facts]]:
    """Yield the nodes of a header with what is known at their start. The caller notes what they find."""
    waiting = [(header.root, _assumed(header, clauses))]
    while waiting:
        node, facts = waiting.pop()
        yield node, facts
        after = following(node)
        waiting += [(each, facts.behind(node, each, len(after) > 1)) for each in after]


def _note_effects(node: Node, facts: Facts) -> None:
    for effect in node.effects:
        facts.done(effect)


def _ordered(clauses: set[Clause]) -> list[Clause]:
    """Return clauses in an order in which each comes behind those about what it is read from."""
    return sorted(clauses, key=lambda each: (each.param, each.route, each.is_kind, str(each.found)))


def _assumed(header: Header, clauses: set[Clause]) -> Facts:
    """Return what is known at a header where clauses hold."""
    facts, at = Facts(), _routes(header)
    for clause in _ordered(clauses):
        if isinstance(clause.found, tuple):
            facts.note(at[clause[:2]], clause.found)
            continue
        at[clause[:2]] = Place("known", clause.found)
        owner = at[clause.param, clause.route[:-1]]
        facts.fields[owner, clause.route[-1]] = at[clause[:2]]
    return facts


def _routes(header: Header) -> dict[tuple[int, Route], Place]:
    """Return the params by their numbers, and the route to themselves."""
    return {(number, ()): param for number, param in enumerate(header.params)}


def _given(header: Header) -> set[Clause]:
    """Return what is known of the params wherever a path jumps to the header, or the machine enters."""
    tags = enumerate(header.tags)
    return {Clause(number, (), (tag, None, None)) for number, tag in tags if tag is not None}


# What is wanted


def _wanted(unit: Unit) -> Clauses:
    """Return what the hot nodes of headers test, and those of headers to which these pass their params."""
    wanted = {header.number: _tested(header) for header in unit.headers}
    spread(unit, wanted)
    for header in unit.headers:
        wanted[header.number] = _without_conflicts(wanted[header.number]) | _given(header)
    return wanted


def spread(unit: Unit, wanted: Clauses) -> None:
    """Add to what headers want of their params what those want to which they pass these on."""
    passes = [each for header in unit.headers for each in _passes(header)]
    count = -1
    while count < (count := sum(map(len, wanted.values()))):
        for header, number, other, passed in passes:
            found = [each for each in wanted[other.number] if each.param == passed]
            wanted[header.number].update([each._replace(param=number) for each in found])


def _passes(header: Header) -> list[tuple[Header, int, Header, int]]:
    """Return where a path passes a param on as it is: both headers, each with the number of the param."""
    numbers = {param: number for number, param in enumerate(header.params)}
    found = []
    for node in hot_nodes(header):
        if isinstance(node.end, Jump):
            for passed, source in enumerate(node.end.sources):
                if isinstance(source, Place) and source.kind == "value" and source in numbers:
                    found.append((header, numbers[source], node.end.header, passed))
    return found


def _tested(header: Header) -> set[Clause]:
    """Return what the hot nodes of a header test of its params, and what is known of these."""
    found = _given(header)
    routes = {param: at for at, param in _routes(header).items()}
    hot = {id(node) for node in hot_nodes(header)}
    for node, facts in _walk(header, found.copy()):
        for op in node.ops:
            is_sure = facts.done(op) and isinstance(op, Expect | ExpectReal)  # as where a branch has asked
            if id(node) in hot and not is_sure:
                found |= _of_op(op, routes, found)
        _note_effects(node, facts)
    return found


def _of_op(op: Op, routes: dict[Place, tuple[int, Route]], found: set[Clause]) -> set[Clause]:
    """Return what an op tests. routes: from params to places; that to its result is added."""
    match op:
        case Expect(place, tag, procedure, count) if place in routes:
            return {Clause(*routes[place], (tag, procedure, count))}
        case ExpectReal(place, bits) if place in routes:
            return {Clause(*routes[place], ("REAL", None, bits))}
        case Enclosed(to, owner):
            index = ENCLOSED
        case Load(to, owner, index) if type(op) is Load:
            pass
        case _:
            return set()
    if owner not in routes or not _may_have_fields(routes[owner], index, found):
        return set()
    number, route = routes[owner]
    routes[to] = (number, (*route, index))
    return {Clause(number, (*route, index), to.kind)}


def _may_have_fields(at: tuple[int, Route], index: int, found: set[Clause]) -> bool:
    """Return whether clauses say that a value is an object with fields, or a closure with an environment."""
    whats = [each.found for each in found if each[:2] == at and isinstance(each.found, tuple)]
    if at[1][-1:] == (ENCLOSED,):
        return index != ENCLOSED
    if index == ENCLOSED:
        return any(procedure is not None for _, procedure, _ in whats)
    return any(tag in UNCHANGING for tag, _, _ in whats)


def _without_conflicts(clauses: set[Clause]) -> set[Clause]:
    """Return clauses without those about values that paths find of different kinds."""
    by_place: dict[tuple[int, Route, bool], set[Clause]] = {}
    for clause in clauses:
        by_place.setdefault((*clause[:2], clause.is_kind), set()).add(clause)
    bad = {place[:2] for place, each in by_place.items() if _is_conflict(each)}
    return {
        each
        for each in clauses
        if not any((each.param, each.route[:n]) in bad for n in range(len(each.route) + 1))
    }


def _is_conflict(clauses: set[Clause]) -> bool:
    """Return whether clauses about one value say different things of it."""
    whats = {each.found for each in clauses if isinstance(each.found, tuple)}
    sharp = {what for what in whats if what[1:] != (None, None)}
    tags = {what[0] for what in whats} - {"OTHER"}
    return len(tags) > 1 or len(sharp) > 1 or (not whats and len(clauses) > 1)


# What paths keep


def _drop_broken(unit: Unit, clauses: Clauses) -> None:
    """Remove from clauses those that some jump does not keep, until all jumps keep all."""
    count = -1
    while count != (count := sum(map(len, clauses.values()))):
        for header in unit.headers:
            for node, facts in _walk(header, clauses[header.number]):
                for op in node.ops:
                    facts.done(op)
                _note_effects(node, facts)
                if isinstance(node.end, Jump):
                    _keep(node.end, clauses[node.end.header.number], facts)


def _keep(jump: Jump, clauses: set[Clause], facts: Facts) -> None:
    """Remove from the clauses of a jump's header those that do not hold behind the jump."""
    given = _given(jump.header)
    broken = {each for each in clauses - given if not _holds(facts, jump.sources[each.param], each)}
    for each in _ordered(broken):
        clauses.difference_update([other for other in clauses if other == each or _relies(other, each)])


def _relies(clause: Clause, other: Clause) -> bool:
    """Return whether a clause is about what is read from the value that another one is about."""
    below = clause.route[: len(other.route)] == other.route
    deeper = len(clause.route) > len(other.route) or not other.is_kind
    return clause.param == other.param and below and deeper


def _holds(facts: Facts, source: Source, clause: Clause) -> bool:
    """Return whether a clause holds of what is passed on for its param."""
    at: Source | Kind | None = source
    for index in clause.route if clause.is_kind else clause.route[:-1]:
        at = facts.found(at, index) if isinstance(at, Place) else None
    if not isinstance(at, Place):
        return False
    if isinstance(clause.found, tuple):
        return facts.holds(at, clause.found)
    known = facts.found(at, clause.route[-1])
    return (known.kind if isinstance(known, Place) else known) == clause.found


# What entries check


def _checks(unit: Unit, header: Header, clauses: set[Clause]) -> Iterator[Op]:
    """Yield the ops that check clauses where the machine enters, each behind those that it relies on."""
    given, at = _given(header), _routes(header)
    for clause in _ordered(clauses):
        if isinstance(clause.found, tuple):
            if clause not in given:
                yield _check(at[clause[:2]], clause.found)
            continue
        place = Place(f"checked_{len(unit.places)}_", clause.found)
        unit.places.append(place)
        at[clause[:2]] = place
        owner, index = at[clause.param, clause.route[:-1]], clause.route[-1]
        if index == ENCLOSED:
            yield Enclosed(place, owner)
        else:
            pair = Clause(clause.param, clause.route[:-1], ("PAIR", None, None))
            yield Load(place, owner, index, of_pair=pair in clauses)


def _check(place: Place, what: What) -> Op:
    tag, procedure, count = what
    return (
        ExpectReal(place, count)
        if tag == "REAL" and count is not None
        else Expect(place, tag, procedure, count)
    )
