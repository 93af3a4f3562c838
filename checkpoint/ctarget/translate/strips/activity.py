"""Which cotangents a strip need not compute: those that nobody wants, and those that are sure to be zero.

In: the plan of a loop over lanes, whose operations say which owners were constants when the unit was made.
Out: a plan that names the reals whose cotangents are wanted (Plan.wanted): what constants do not determine,
and what results depend on. A real that is only compared has the cotangent zero, as have those that only
such reals depend on.

What always holds: what is left out reaches nothing that is wanted, or adds zeros to it; so the cotangents
that remain have the same bits. Whether the owners are constants in a run is tested as it goes (constants.py);
a partial that is not finite would make a NaN of a zero, so those of what is dropped are tested, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace

from checkpoint.ctarget.translate.ops import scalar_words
from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Place, is_real, places_in, reals
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Convert, Copy
from checkpoint.ctarget.translate.ops.words import if_unlikely, real
from checkpoint.ctarget.translate.strips.plan import Plan, passed_on
from checkpoint.ctarget.translate.strips.vectors import FAILED, is_plain
from checkpoint.ctarget.translate.units.paths import Path


def sharpened(plan: Plan) -> Plan | None:
    """Return the plan without cotangents that are not wanted, or zero; None: all are wanted."""
    found = copy(plan)
    active, roots = _active(plan), set[Place]()
    while True:
        found.wanted = active
        before = {id(path.end): reversal(path, found) for path in plan.ways.values()}
        found.wanted = active & _useful(plan, roots)
        found.dropped = {id(path.end): _dropped(path, found, before) for path in plan.ways.values()}
        dropped = [each for operations in found.dropped.values() for each in operations]
        kept = {place for each in dropped if finite_terms(each) is None for place in each.sets()}
        if not kept:
            break
        roots |= kept
    is_same = not dropped and not any(is_assumed(plan, each) for each in _operations(plan))
    return None if is_same else found


def _operations(plan: Plan) -> Iterator[Operation]:
    for path in plan.ways.values():
        yield from path.operations


def is_assumed(plan: Plan, operation: Operation) -> bool:
    """Return whether an operation reads a real of something shared that was a constant."""
    return (
        isinstance(operation, Load | Element)
        and operation.constant
        and operation.to.kind == "real"
        and operation.owner in plan.uniform
        and not plan.objects.is_own(operation)
    )


# What depends on more than constants


def _active(plan: Plan) -> frozenset[Place]:
    """Return the reals that depend on what was not constant."""
    active: set[Place] = set()
    count = -1
    while count < len(active):
        count = len(active)
        for path in plan.ways.values():
            for operation in path.operations:
                if _is_active(plan, operation, active):
                    active.update(reals(operation.sets()))
            passed = passed_on(path, plan.loop)
            active.update(param for param, source in passed if is_real(param) and source in active)
    return frozenset(active)


def _is_active(plan: Plan, operation: Operation, active: set[Place]) -> bool:
    match operation:
        case Load() | Element() if plan.objects.is_own(operation):
            return not active.isdisjoint(_cells(plan, operation))
        case Load() | Element():
            return not is_assumed(plan, operation)
        case Apply() | Copy() | Convert():
            return not active.isdisjoint(places_in(operation.reads()))
    return True


def _cells(plan: Plan, read: Load | Element) -> Iterator[Place]:
    """Yield the reals that may be in the cells which an operation may read."""
    for own, index, _ in plan.objects.choices(read):
        yield from reals([each.cells[index] for each in own.makes])


# What results depend on


def _useful(plan: Plan, roots: Iterable[Place]) -> frozenset[Place]:
    """Return the reals that some of these depend on, or what lanes leave for their end."""
    useful = set(roots)
    for late in plan.late.values():
        useful.update(place for each in late for place in places_in(each.reads()) if is_real(place))
    for own in plan.leaving:
        useful.update(place for make in own.makes for place in reals(make.cells))
    count = -1
    while count < len(useful):
        count = len(useful)
        for path in plan.ways.values():
            passed = passed_on(path, plan.loop)
            useful.update(reals(source for param, source in passed if param in useful))
            for operation in reversed(path.operations):
                if not useful.isdisjoint(operation.sets()):
                    useful.update(_sources(plan, operation))
    return frozenset(useful)


def _sources(plan: Plan, operation: Operation) -> Iterable[Place]:
    """Return the reals that the result of an operation depends on."""
    if isinstance(operation, Load | Element) and plan.objects.is_own(operation):
        return _cells(plan, operation)
    return [place for place in places_in(operation.reads()) if is_real(place)]


# What is reversed


def reversal(path: Path, plan: Plan) -> list[Operation]:
    """Return the operations of a way that its adjoint reverses, the last first."""
    found: list[Operation] = []
    active = {source for source in reals(path.passed_on) if plan.is_wanted(source)}
    for each in reversed(path.operations):
        operation = _restricted(each, plan)
        targets = operation.contributes(active)
        if targets is None:
            continue
        wanted = [place for place in targets if plan.is_wanted(place)]
        if wanted or not targets or plan.is_late(path, operation):
            active.update(wanted)
            found.append(operation)
    return found


def _restricted(operation: Operation, plan: Plan) -> Operation:
    """Return an operation that contributes only to what is wanted."""
    if plan.wanted is None or not isinstance(operation, Apply):
        return operation
    places = operation.operands
    ignored = [i for i, each in enumerate(places) if is_real(each) and not plan.is_wanted(each)]
    return replace(operation, ignored=frozenset(ignored)) if ignored else operation


# What is dropped because it is zero


def _dropped(path: Path, plan: Plan, before: dict[int, list[Operation]]) -> tuple[Apply, ...]:
    """Return the operations with partials that would be reversed if zeros were not left out."""
    return tuple(
        each
        for each in reversed(before[id(path.end)])
        if isinstance(each, Apply) and not plan.is_wanted(each.to)
    )


def check_dropped(plan: Plan, path: Path, mask: str) -> list[str]:
    """Return the statements that end the strip where a zero that the adjoint leaves out would be a NaN."""
    terms = dict.fromkeys(
        term for each in plan.dropped.get(id(path.end), ()) for term in finite_terms(each) or ()
    )
    if not terms:
        return []
    sums = [f"zero += {term};" for term in terms]
    return ["Reals zero = all_reals(0.0);", *sums, if_unlikely(f"any({mask} & MASK(zero != zero))", FAILED)]


def finite_terms(operation: Apply) -> list[str] | None:
    """Return expressions on vectors that are NaN where a partial is not finite, else zero; None: there is no
    such expression.
    """
    if operation.singular:
        return []  # it adds nothing where its cotangent is zero
    places = (*operation.operands, operation.to)
    values = {residual: real(places[residual]) for residual in operation.positions_read()}
    found = []
    for i in operation.differentiated():
        _, term = scalar_words.contribution(
            operation.definition, i, operation.operands, "0.0", values, is_singular=False
        )
        if not is_plain(term):
            return None
        found += [] if term == "0.0" else [term]
    return found
