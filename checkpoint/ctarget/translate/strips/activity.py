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

from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Place, is_real, places_in, reals
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Convert, Copy, ExpectFinite
from checkpoint.ctarget.translate.ops.words import if_unlikely
from checkpoint.ctarget.translate.strips.plan import Plan, passed_on
from checkpoint.ctarget.translate.strips.vectors import FAILED, is_plain
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.ctarget.translate.units.reversal import left_out


def sharpened(plan: Plan) -> Plan | None:
    """Return the plan without cotangents that are not wanted, or zero; None: all are wanted."""
    found = copy(plan)
    active = _active(plan)
    found.wanted = active
    before = {id(path.end): reversal(path, found) for path in plan.ways.values()}
    found.wanted = active & _useful(plan)
    found.dropped = {id(path.end): _dropped(path, found, active) for path in plan.ways.values()}
    is_same = all(_are_wanted(found, before[id(path.end)]) for path in plan.ways.values())
    is_same = is_same and not any(is_assumed(plan, each) for each in _operations(plan))
    return None if is_same else found


def _dropped(path: Path, plan: Plan, active: frozenset[Place]) -> list[Apply]:
    """Return the operations whose results depend on more than constants, but have no cotangent."""
    return [each for each in left_out(path.operations, reversal(path, plan)) if each.to in active]


def _are_wanted(plan: Plan, operations: Iterable[Operation]) -> bool:
    """Return whether all cotangents of what these compute are wanted."""
    return all(plan.is_wanted(each.to) for each in operations if isinstance(each, Apply))


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


def _useful(plan: Plan) -> frozenset[Place]:
    """Return the reals that what lanes leave for their end depends on."""
    useful = set[Place]()
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


# What is left out because it is zero


def checked(plan: Plan) -> Plan:
    """Return the plan with the operations that its adjoint leaves out since only tests depend on them."""
    found = copy(plan)
    found.dropped = {
        id(path.end): left_out(path.operations, reversal(path, plan)) for path in plan.ways.values()
    }
    return found


def check_dropped(plan: Plan, path: Path, mask: str) -> tuple[list[str], list[ExpectFinite]]:
    """Return what ends the strip where a zero that the adjoint leaves out would be a NaN.

    That is statements, and what is to be tested for one lane after another.
    """
    terms, others = dict[str, None](), list[ExpectFinite]()
    for each in plan.dropped.get(id(path.end), ()):
        zeros = each.zeros()
        if all(map(is_plain, zeros)):
            terms.update(dict.fromkeys(zeros))
        else:
            others.append(ExpectFinite(each))
    if not terms:
        return [], others
    sums = [f"zero += {term};" for term in terms]
    test = if_unlikely(f"any({mask} & MASK(zero != zero))", FAILED)
    return ["Reals zero = all_reals(0.0);", *sums, test], others
