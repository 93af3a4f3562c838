"""Making what a unit has kept from being made: objects, closures and frames, where somebody outside needs
them.

In: a State. Out: effects that make objects and push frames, and what then stands for each value.

What always holds: an object is made once, of so many references as it has owners here; each that refers to it
takes one. Frames are pushed from the bottom; frames and slots refer to objects that were made before.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.frame_ops import Push
from checkpoint.ctarget.translate.ops.object_ops import Keep, Make
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Constant, KnownClosure, Place, Source
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.values import Abstract, Closure, Held, State, Virtual


class Materialiser:
    """One such place. effects: in their order."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.effects: list[Effect] = []
        self._made: dict[int, Place] = {}

    def source(self, value: Abstract) -> Source:
        """What stands for a value."""
        match value:
            case Place() | Constant():
                return value
            case Held(place):
                return place
            case Closure(procedure, environment):
                number = self.builder.reference(procedure)
                if environment is None:
                    return KnownClosure(number, None)
                inner = self.source(environment)
                assert isinstance(inner, Place)
                return KnownClosure(number, inner)
        return self._object(value)

    def _object(self, data: Virtual) -> Place:
        if id(data) not in self._made:
            cells = tuple([self.source(cell) for cell in data.cells])
            place = self._made[id(data)] = self.builder.place(f"{data.tag.lower()}", "value")
            self.effects.append(Make(place, data.tag, cells, data.birth))
            self.effects += [Keep(place)] * (data.owners - 1)
        return self._made[id(data)]

    def settled(self, value: Abstract) -> Abstract:
        """The value after others have been made: what was made with them is an object."""
        match value:
            case Virtual():
                if id(value) in self._made:
                    return Held(self._made[id(value)], value.tag)
                value.cells[:] = [self.settled(cell) for cell in value.cells]
            case Closure(procedure, environment) if environment is not None:
                return Closure(procedure, self.settled(environment))
        return value

    def held(self, value: Abstract) -> Abstract:
        """The value, made if it is not."""
        match value:
            case Virtual():
                return Held(self._object(value), value.tag)
            case Closure(procedure, environment) if environment is not None:
                return Closure(procedure, self.held(environment))
        return value

    def frames(self, state: State) -> None:
        """All frames, onto the machine's stack."""
        for frame in state.frames:
            saved = tuple([self.source(value) for value in frame.saved.values()])
            call = None if frame.call is None else self.builder.reference(frame.call)
            self.effects.append(Push(self.builder.point(frame.block), saved, call))
        state.frames = []
        self.settle(state)

    def settle(self, state: State) -> None:
        """All that refers to what was made refers to an object."""
        state.slots = {name: self.settled(value) for name, value in state.slots.items()}
        for frame in state.frames:
            frame.saved = {name: self.settled(value) for name, value in frame.saved.items()}

    def everything(self, state: State) -> None:
        """All that the state has."""
        self.frames(state)
        state.slots = {name: self.held(value) for name, value in state.slots.items()}
