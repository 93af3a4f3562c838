"""Copies of values for one lane of `vmap`: numbers, tuples, environments, and functions of these.

In: a block (steps.py), values of known shapes. Out: ops that read and check them, effects that make the
copies. Their adjoint is that of these: what a copy's field has received is added to the field of the value.

What always holds: births are taken in preorder. In what a function has captured, what is one object is one in
the copy (`enter` of checkpoint.ad.graph); the unit checks that it still is what it was when it was seen.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.attribute_ops import HasLayout, MakeRecord
from checkpoint.ctarget.translate.ops.check_ops import Apart, Expect, Together
from checkpoint.ctarget.translate.ops.object_ops import Birth, Keep, Make
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.steps import NUMBERS, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Closure, Held

COPIED = frozenset((*NUMBERS, "NOTHING"))
_MADE = frozenset((*COPIED, "TUPLE", "RECORD", "ENVIRONMENT", "CLOSURE", "PROCEDURE"))


def birth(steps: Steps, name: str) -> Place:
    """Take the next birth."""
    place = steps.builder.place(f"{name}_birth", "integer")
    steps.node.ops.append(Birth(place))
    return place


def check_form(steps: Steps, value: Held, shape: Shape) -> None:
    """Check that a tuple, with names or without, or an environment is like the one that was seen."""
    place = steps.readable(value)
    if shape.first is not None:
        raise Untranslatable
    if value.tag == "TUPLE":
        steps.node.ops.append(Expect(place, "TUPLE", count=len(shape.fields)))
    elif value.tag == "RECORD" and shape.layout is not None:
        steps.node.ops.append(HasLayout(place, steps.builder.reference(shape.layout)))
    elif value.tag != "ENVIRONMENT":
        raise Untranslatable


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
