"""Rules for the steps by which `vmap` enters a lane (checkpoint/lang/python/library/lanes.py).

In: a block (steps.py), a step. Out: what is known of its result; ops and effects of the node. Numbers that a
lane gets are copied to places of its own, which nobody outside the unit needs as long as it runs the lane;
tuples and environments are made anew (lane_copies.py).

What always holds: the copies have the births that the machine gives them, in the order of
checkpoint.interp.hybrid.machine.Machine.number. What lanes share, and the function has captured, are numbers,
tuples, with names or without, and functions; all else is copied by the machine.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.check_ops import Expect, IsHole
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise.lane_copies import COPIED, Copies, birth
from checkpoint.ctarget.translate.specialise.python_steps import length
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import OTHER, Abstract, Closure, Held, Virtual, tag_of
from checkpoint.prims.lanes import hole


def _enter_lane(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    function, shared, named, row = (steps.operand(operand) for operand in step.operands)
    if not isinstance(function, Closure) or named != Constant(None):
        raise Untranslatable
    if not isinstance(shared, Held) or not isinstance(row, Virtual) or row.tag != "TUPLE":
        raise Untranslatable
    whole_birth = birth(steps, "lane")
    own = _own_function(steps, function)
    arguments = _arguments(steps, shared, row)
    steps.release_used(step, uses)
    return Virtual("TUPLE", [own, arguments, Constant(None)], whole_birth)


def _own_function(steps: Steps, function: Closure) -> Closure:
    """Return the function with copies of what it has captured: in places, if that is numbers alone."""
    environment = function.environment
    fields = environment.hint.fields if isinstance(environment, Held) and environment.hint is not None else ()
    if not isinstance(environment, Held) or not fields or any(field.tag not in COPIED for field in fields):
        own = Copies(steps, shares=True).of(function)
        assert isinstance(own, Closure)
        return own
    own_birth = birth(steps, "own")
    values = [steps.load("captured", environment, i, steps.peer) for i in range(len(fields))]
    cells = [steps.copied("captured", value) for value in values]
    return Closure(function.procedure, Virtual("ENVIRONMENT", cells, own_birth))


def _arguments(steps: Steps, shared: Held, row: Virtual) -> Virtual:
    """Return the arguments of the lane: what is shared, with the items of the row in the holes."""
    place, fields = steps.readable(shared), shared.hint.fields if shared.hint is not None else ()
    steps.node.ops.append(Expect(place, "TUPLE", count=len(fields)))
    own_birth, copies = birth(steps, "arguments"), Copies(steps, shares=False)
    cells: list[Abstract] = []
    holes = 0
    for i, field in enumerate(fields):
        if field.tag == "FOREIGN" and holes < len(row.cells):
            steps.node.ops.append(IsHole(place, i, steps.builder.reference(hole(holes))))
            cells.append(_number(steps, row.cells[holes]))
            holes += 1
        elif field.tag in ("CLOSURE", "PROCEDURE", "FOREIGN", "TEXT"):
            raise Untranslatable
        else:
            cells.append(copies.of(steps.load("shared", shared, i, steps.peer)))
    return Virtual("TUPLE", cells, own_birth)


def _number(steps: Steps, item: Abstract) -> Abstract:
    if not isinstance(item, Place) or item.kind == "value":
        raise Untranslatable
    return steps.copied("item", item)


def _plain_width(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Return how many elements a tuple has; -1: it is none."""
    result, axes = (steps.operand(operand) for operand in step.operands)
    if not isinstance(axes, Constant) or axes.kind != "integer" or tag_of(result) in (OTHER, "FOREIGN"):
        raise Untranslatable
    if tag_of(result) == "TUPLE":
        return length(steps, step, uses)
    steps.release_used(step, uses)
    return Constant(-1)


def _callee(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Return a closure as it is: it is called with any number of arguments."""
    function = steps.operand(step.operands[0])
    if not isinstance(function, Closure):
        raise Untranslatable
    return steps.keep_found(function, step, uses)


RULES: dict[str, Rule] = {
    "py.enter-lane": _enter_lane,
    "py.plain-width": _plain_width,
    "py.callee": _callee,
}
