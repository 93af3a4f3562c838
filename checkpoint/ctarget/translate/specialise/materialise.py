"""Makes virtual objects, closures and frames when code outside the unit needs them.

In: a State. Out: effects that make objects and push frames; for each value the source that represents it.

What always holds: an object is made once, and gets as many references as it has owners here; each owner takes
one. Frames are pushed from the bottom; frames and slots refer to objects that were made before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checkpoint.ctarget.translate.ops.attribute_ops import MakeKnown, MakeRecord
from checkpoint.ctarget.translate.ops.frame_ops import Push
from checkpoint.ctarget.translate.ops.object_ops import Keep, Make
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Constant, KnownClosure, Place, Source, View
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.values import (
    Abstract,
    Closure,
    Held,
    State,
    Virtual,
    dual_parts,
    is_dual,
    is_nested,
    tag_of,
)
from checkpoint.prims.operators import UNIT


class Materialiser:
    """Makes the virtual objects that one node, or one exit, needs. effects: what makes them, in order."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.effects: list[Effect] = []
        self._made: dict[int, Place] = {}

    def source(self, value: Abstract) -> Source:
        """Return the source for a value; what is virtual is made."""
        match value:
            case Place() | Constant():
                return value
            case Held(place) | View(place):
                return place
            case Closure(procedure, environment):
                number = self.builder.reference(procedure)
                if environment is None:
                    return KnownClosure(number, None)
                inner = self.source(environment)
                assert isinstance(inner, Place)
                return KnownClosure(number, inner)
            case Virtual(tag="DUAL"):
                # The adjoint of what makes one has no accumulators for duals of duals.
                self.builder.unit.tapes &= not is_nested(value)
                return dual_parts(value)
        return self._object(value)

    def _object(self, virtual: Virtual) -> Place:
        if id(virtual) not in self._made:
            cells = tuple([self.source(cell) for cell in virtual.cells])
            place = self._made[id(virtual)] = self.builder.place(f"{virtual.tag.lower()}", "value")
            self.effects.append(self._made_of(virtual, place, cells))
            self.effects += [Keep(place)] * (virtual.owners - 1)
        return self._made[id(virtual)]

    def _made_of(self, virtual: Virtual, place: Place, cells: tuple[Source, ...]) -> Make:
        """Return the effect that makes a virtual object."""
        if virtual.layout is not None:
            return MakeRecord(place, "RECORD", cells, virtual.birth, self.builder.reference(virtual.layout))
        if virtual.tag == "UNIT":
            return MakeKnown(place, "FOREIGN", cells, virtual.birth, self.builder.reference(UNIT))
        return Make(place, virtual.tag, cells, virtual.birth)

    def settled(self, value: Abstract) -> Abstract:
        """Return a value as it is after objects were made: what was virtual and is made now is Held."""
        match value:
            case Virtual():
                if id(value) in self._made:
                    return _held(value, self._made[id(value)])
                value.cells[:] = [self.settled(cell) for cell in value.cells]
            case Closure(procedure, environment) if environment is not None:
                return Closure(procedure, self.settled(environment))
        return value

    def held(self, value: Abstract) -> Abstract:
        """Return a value with nothing virtual in it but duals."""
        match value:
            case Virtual() if not is_dual(value):
                return _held(value, self._object(value))
            case Closure(procedure, environment) if environment is not None:
                return Closure(procedure, self.held(environment))
        return value

    def push_frames(self, state: State) -> None:
        """Push all virtual frames onto the machine's stack."""
        for frame in state.frames:
            values = frame.saved.values()
            saved = tuple([self.source(value) for value in values])
            call = None if frame.call is None else self.builder.reference(frame.call)
            self.effects.append(Push(self.builder.point(frame.block, kinds_saved(values)), saved, call))
        state.frames = []
        self.settle(state)

    def settle(self, state: State) -> None:
        """Make all that refers to objects that were virtual refer to the objects that were made."""
        state.slots = {name: self.settled(value) for name, value in state.slots.items()}
        for frame in state.frames:
            frame.saved = {name: self.settled(value) for name, value in frame.saved.items()}

    def make_objects(self, state: State) -> None:
        """Make all objects that are virtual in a state, but not its frames."""
        for frame in state.frames:
            frame.saved = {name: self.held(value) for name, value in frame.saved.items()}
        state.slots = {name: self.held(value) for name, value in state.slots.items()}

    def make_all(self, state: State) -> None:
        """Make everything virtual in a state."""
        self.push_frames(state)
        state.slots = {name: self.held(value) for name, value in state.slots.items()}


def kinds_saved(values: Iterable[Abstract]) -> tuple[Any, ...] | None:
    """Return of which kinds values are that a frame saves, for its ReturnPoint; None: there are none, or a
    dual, an array or one of its scalars is among them, whose parts are tested where the frame is read.
    """
    kinds = [_kind_saved(value) for value in values]
    return tuple(kinds) if kinds and None not in kinds else None


def _kind_saved(value: Abstract) -> Any:
    match value:
        case Closure(procedure, environment):
            return procedure.serial, environment is None
        case View() | Virtual(tag="DUAL") | Place(kind="element" | "array"):
            return None
    return tag_of(value)


def _held(virtual: Virtual, place: Place) -> Held:
    """Return what is known of an object that was virtual, and was made."""
    if virtual.layout is None:
        return Held(place, virtual.tag)
    return Held(place, virtual.tag, Shape(virtual.tag, None, (), virtual.layout))
