"""Rules for the steps by which `vmap` enters a lane (checkpoint/lang/python/library/lanes.py).

In: a block (steps.py), a step. Out: what is known of its result; ops and effects of the node. Numbers that a
lane gets are copied to places of its own, which nobody outside the unit needs as long as it runs the lane;
tuples and environments are made anew: the adjoint of that is that of reading and making them.

What always holds: the copies have the births that the machine gives them, in the order of
checkpoint.interp.hybrid.machine.Machine.number. What lanes share, and the function has captured, are numbers,
tuples, with names or without, and functions; all else is copied by the machine. Births are taken in preorder.
In what a function has captured, what is one object is one in the copy (`enter` of checkpoint.ad.graph); the
unit checks that it still is what it was when it was seen.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.attribute_ops import HasLayout, MakeRecord
from checkpoint.ctarget.translate.ops.check_ops import Apart, Expect, IsHole, Together
from checkpoint.ctarget.translate.ops.object_ops import Birth, Keep, Make
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.python_steps import length
from checkpoint.ctarget.translate.specialise.steps import NUMBERS, OF_ARRAYS, Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import UNSURE, Abstract, Closure, Held, Virtual, tag_of
from checkpoint.prims.lanes import hole

# Copies for one lane

COPIED = frozenset((*NUMBERS, "NOTHING")) - OF_ARRAYS
_MADE = frozenset((*COPIED, "TUPLE", "RECORD", "ENVIRONMENT", "CLOSURE", "PROCEDURE"))


def birth(steps: Steps, name: str) -> Place:
    """Take the next birth."""
    place = steps.builder.place(f"{name}_birth", "integer")
    steps.node.ops.append(Birth(place))
    return place


def check_form(steps: Steps, value: Held, shape: Shape) -> None:
    """Check that a tuple, with names or without, or an environment is like the one that was seen.

    One whose fields were too deep to be seen is the machine's: its copy would have none.
    """
    place = steps.readable(value)
    if shape.first is not None or _is_cut(shape):
        raise Untranslatable
    if value.tag == "TUPLE":
        steps.node.ops.append(Expect(place, "TUPLE", count=len(shape.fields)))
    elif value.tag == "RECORD" and shape.layout is not None:
        steps.node.ops.append(HasLayout(place, steps.builder.reference(shape.layout)))
    elif value.tag != "ENVIRONMENT":
        raise Untranslatable


def _is_cut(shape: Shape) -> bool:
    """Return whether an environment, or a tuple with names, has fields that the shape lacks.

    No environment is empty. A plain tuple whose fields were not seen fails the check of its length.
    """
    names = shape.layout.names if shape.tag == "RECORD" and shape.layout is not None else ()
    return len(shape.fields) < max(len(names), shape.tag == "ENVIRONMENT")


class Copies:
    """The copies of one graph of values. shares: whether what is one object is one in the copy."""

    def __init__(self, steps: Steps, shares: bool) -> None:
        self._steps = steps
        self._shares = shares
        self._made: dict[int, tuple[Place, Held]] = {}  # by address: an object, and its copy
        self._met: dict[int, Place] = {}  # those whose copies are begun, too
        self._has_empty = False  # whether the environment of functions without captures has its birth

    def of(self, value: Abstract) -> Abstract:
        """Return the copy of a value."""
        match value:
            case Place() | Constant():
                return self._steps.copied("shared", value)
            case Closure(procedure, None):
                if not self._has_empty:
                    birth(self._steps, "empty")
                self._has_empty = True
                return Closure(procedure, None)
            case Closure(procedure, Held() as environment):
                return Closure(procedure, self._object(environment))
            case Held():
                return self._object(value)
        raise Untranslatable

    def _object(self, value: Held) -> Held:
        shape, place = value.hint, self._steps.readable(value)
        if shape is None or any(field.tag not in _MADE for field in shape.fields):
            raise Untranslatable
        if self._shares:
            if shape.address in self._made:
                return self._again(place, shape)
            if not shape.address or shape.address in self._met:
                raise Untranslatable
            self._steps.node.ops += [Apart(place, other) for other in self._met.values()]
            self._met[shape.address] = place
        copy = self._make(value, shape)
        self._made[shape.address] = place, copy
        return copy

    def _again(self, place: Place, shape: Shape) -> Held:
        """Return the copy of an object that has one, with one more reference."""
        other, copy = self._made[shape.address]
        self._steps.node.ops.append(Together(place, other))
        self._steps.node.effects.append(Keep(copy.place))
        return copy

    def _make(self, value: Held, shape: Shape) -> Held:
        steps, layout = self._steps, shape.layout
        check_form(steps, value, shape)
        own = birth(steps, "shared")
        fields = [steps.load("shared", value, i, steps.peer) for i in range(len(shape.fields))]
        cells = tuple([self._source(self.of(field)) for field in fields])
        to = steps.builder.place("shared", "value")
        if layout is None:
            steps.node.effects.append(Make(to, value.tag, cells, own))
        else:
            number = steps.builder.reference(layout)
            steps.node.effects.append(MakeRecord(to, value.tag, cells, own, number))
        steps.fresh.add(to)
        return Held(to, value.tag, shape)

    def _source(self, value: Abstract) -> Source:
        return Materialiser(self._steps.builder).source(value)


# Steps


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
        if shape.tag in ("FOREIGN", *OF_ARRAYS) and self._holes < len(self._items):
            hole_number = steps.builder.reference(hole(self._holes))
            steps.node.ops.append(IsHole(steps.readable(value), i, hole_number))
            self._holes += 1
            return _number(steps, self._items[self._holes - 1])
        if shape.tag in ("CLOSURE", "PROCEDURE", "FOREIGN", "TEXT", *OF_ARRAYS):
            raise Untranslatable
        part = steps.load("shared", value, i, steps.peer)
        if isinstance(part, Held) and _has_hole(shape):
            return self.tuple_of(part)
        return self._copies.of(part)


def _has_hole(shape: Shape) -> bool:
    """Return whether a tuple, or one within it, may have a hole for an item."""
    return any(field.tag in ("FOREIGN", *OF_ARRAYS) or _has_hole(field) for field in shape.fields)


def _number(steps: Steps, item: Abstract) -> Abstract:
    if not isinstance(item, Place) or item.kind in ("value", "element"):
        raise Untranslatable
    return steps.copied("item", item)


def _plain_width(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Return how many elements a tuple has; -1: it is none."""
    result, axes = (steps.operand(operand) for operand in step.operands)
    if not isinstance(axes, Constant) or axes.kind != "integer":
        raise Untranslatable
    if tag_of(result) in (*UNSURE, "FOREIGN", *OF_ARRAYS):
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
