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
from checkpoint.ctarget.translate.ops.check_ops import IsHole
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise.lane_copies import COPIED, Copies, birth, check_form
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.python_steps import length
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import UNSURE, Abstract, Closure, Held, Virtual, tag_of
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
    return _Filled(steps, list(row.cells)).tuple_of(shared)


class _Filled:
    """Copies of tuples, with items in their holes, which have the order of the tree."""

    def __init__(self, steps: Steps, items: list[Abstract]) -> None:
        self._steps = steps
        self._items = items
        self._holes = 0
        self._copies = Copies(steps, shares=False)

    def tuple_of(self, value: Held) -> Virtual:
        """Return the copy of a tuple, with names or without, which nobody outside the unit needs yet."""
        if value.hint is None:
            raise Untranslatable
        check_form(self._steps, value, value.hint)
        own_birth = birth(self._steps, "arguments")
        cells = [self._part(value, i, field) for i, field in enumerate(value.hint.fields)]
        return Virtual(value.tag, cells, own_birth, layout=value.hint.layout)

    def _part(self, value: Held, i: int, shape: Shape) -> Abstract:
        steps = self._steps
        if shape.tag == "FOREIGN" and self._holes < len(self._items):
            hole_number = steps.builder.reference(hole(self._holes))
            steps.node.ops.append(IsHole(steps.readable(value), i, hole_number))
            self._holes += 1
            return _number(steps, self._items[self._holes - 1])
        if shape.tag in ("CLOSURE", "PROCEDURE", "FOREIGN", "TEXT"):
            raise Untranslatable
        part = steps.load("shared", value, i, steps.peer)
        if isinstance(part, Held) and _has_hole(shape):
            return self.tuple_of(part)
        return self._copies.of(part)


def _has_hole(shape: Shape) -> bool:
    """Return whether a tuple, or one within it, may have a hole for an item."""
    return any(field.tag == "FOREIGN" or _has_hole(field) for field in shape.fields)


def _number(steps: Steps, item: Abstract) -> Abstract:
    if not isinstance(item, Place) or item.kind == "value":
        raise Untranslatable
    return steps.copied("item", item)


def _plain_width(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Return how many elements a tuple has; -1: it is none."""
    result, axes = (steps.operand(operand) for operand in step.operands)
    if not isinstance(axes, Constant) or axes.kind != "integer" or tag_of(result) in (*UNSURE, "FOREIGN"):
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
