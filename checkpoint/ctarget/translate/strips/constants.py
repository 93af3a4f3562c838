"""The function of a unit that returns whether what its strips take for constants is constant in a run.

In: a plan that leaves cotangents out (activity.py). Out: a function in C of what lanes share. It reads, as
the first tree does, the objects whose reals are taken for constants; it returns false where it cannot.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import C_TYPES, Place, places_in
from checkpoint.ctarget.translate.strips.activity import is_assumed
from checkpoint.ctarget.translate.strips.lines import StripText
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.vectors import FAILED


def test(plan: Plan, name: str, parameters: list[str]) -> list[str]:
    """Return the lines of the function. parameters: those of what lanes share."""
    owners = _owners(plan)
    used = _needed(plan, owners)
    out = StripText(plan, None)
    for operation in used:
        operation.write(out)
    declared = [place for operation in used for place in operation.sets()]
    tests = " && ".join([f"is_constant({owner.name})" for owner in owners])
    may_fail = any(FAILED in line for line in out.lines)
    return [
        f"static bool {name}({', '.join(parameters)}) {{",
        *[f"    {C_TYPES[place.kind]} {place.name};" for place in declared],
        *[f"    {c_type}{own};" for own, c_type in sorted(out.temporaries.items())],
        *out.lines,
        f"    return {tests or 'true'};",
        *(["failed:", "    return false;"] if may_fail else []),
        "}",
    ]


def _owners(plan: Plan) -> list[Place]:
    """Return the objects whose reals are taken for constants."""
    reads = [each for path in plan.ways.values() for each in path.operations if is_assumed(plan, each)]
    return list(dict.fromkeys(each.owner for each in reads if isinstance(each, Load | Element)))


def _needed(plan: Plan, owners: list[Place]) -> list[Operation]:
    """Return the operations of the first tree that find the objects, and those that check these, in order."""
    found: list[Operation] = []
    needed = set(owners)
    for operation in reversed(_uniform(plan)):
        read = list(places_in(operation.reads()))
        if not needed.isdisjoint(operation.sets() or read):  # what sets nothing is a check
            found.append(operation)
            needed.update(read)
    return found[::-1]


def _uniform(plan: Plan) -> list[Operation]:
    """Return the operations of the first tree that are done once for all lanes, in order."""
    found: dict[int, Operation] = {}
    for path in plan.ways.values():
        if path.header is plan.loop:
            found |= {id(each): each for each in path.operations if plan.is_uniform_op(each)}
    return list(found.values())
