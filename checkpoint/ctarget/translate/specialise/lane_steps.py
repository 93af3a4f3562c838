"""Rules for the steps by which `vmap` enters a lane (checkpoint/lang/python/library/lanes.py).

In: a block (steps.py), a step. Out: what is known of its result; ops of the node. The copies that a lane gets
are virtual: reals of its own in places, which nobody outside the unit needs as long as it runs the lane.

What always holds: the copies have the births that the machine gives them, in the order of
checkpoint.interp.hybrid.machine.Machine.number. The function has captured numbers alone, and what lanes share
are numbers; all else is copied by the machine.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.check_ops import Expect, IsHole
from checkpoint.ctarget.translate.ops.object_ops import Birth
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.steps import NUMBERS, Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Closure, Held, Virtual
from checkpoint.prims.lanes import hole

_COPIED = frozenset((*NUMBERS, "NOTHING"))


def _enter_lane(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    function, shared, named, row = (steps.operand(operand) for operand in step.operands)
    if not isinstance(function, Closure) or named != Constant(None):
        raise Untranslatable
    if not isinstance(shared, Held) or not isinstance(row, Virtual) or row.tag != "TUPLE":
        raise Untranslatable
    whole_birth, own_birth = _birth(steps, "lane"), _birth(steps, "own")
    own = Closure(function.procedure, _own_environment(steps, function, own_birth))
    arguments = _arguments(steps, shared, row)
    steps.release_used(step, uses)
    return Virtual("TUPLE", [own, arguments, Constant(None)], whole_birth)


def _birth(steps: Steps, name: str) -> Place:
    """Take the next birth."""
    birth = steps.builder.place(f"{name}_birth", "integer")
    steps.node.ops.append(Birth(birth))
    return birth


def _own_environment(steps: Steps, function: Closure, birth: Place) -> Virtual | None:
    """Return copies of what the function has captured; without any, the birth is of an empty environment."""
    if function.environment is None:
        return None
    if not isinstance(function.environment, Held):
        raise Untranslatable
    fields = _numbers(function.environment.hint)
    values = [steps.load("captured", function.environment, i, steps.peer) for i in range(len(fields))]
    return Virtual("ENVIRONMENT", [steps.copied("captured", value) for value in values], birth)


def _numbers(shape: Shape | None) -> tuple[Shape, ...]:
    fields = shape.fields if shape is not None else ()
    if not fields or any(field.tag not in _COPIED for field in fields):
        raise Untranslatable
    return fields


def _arguments(steps: Steps, shared: Held, row: Virtual) -> Virtual:
    """Return the arguments of the lane: what is shared, with the items of the row in the holes."""
    place, fields = steps.readable(shared), shared.hint.fields if shared.hint is not None else ()
    steps.node.ops.append(Expect(place, "TUPLE", count=len(fields)))
    cells: list[Abstract] = []
    holes = 0
    for i, field in enumerate(fields):
        if field.tag in _COPIED:
            cells.append(steps.copied("shared", steps.load("shared", shared, i, steps.peer)))
        elif field.tag == "FOREIGN" and holes < len(row.cells):
            steps.node.ops.append(IsHole(place, i, steps.builder.reference(hole(holes))))
            cells.append(_number(steps, row.cells[holes]))
            holes += 1
        else:
            raise Untranslatable
    return Virtual("TUPLE", cells, _birth(steps, "arguments"))


def _number(steps: Steps, item: Abstract) -> Abstract:
    if not isinstance(item, Place) or item.kind == "value":
        raise Untranslatable
    return steps.copied("item", item)


def _callee(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Return a closure as it is: it is called with any number of arguments."""
    function = steps.operand(step.operands[0])
    if not isinstance(function, Closure):
        raise Untranslatable
    return steps.keep_found(function, step, uses)


RULES: dict[str, Rule] = {
    "py.enter-lane": _enter_lane,
    "py.callee": _callee,
}
