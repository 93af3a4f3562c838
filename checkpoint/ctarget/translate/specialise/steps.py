"""The state that the rules for steps share: the abstract values of a block, and the node being made.

In: a block, the State before its first step. Out: the State after the steps so far; ops and effects of the
node. A rule that cannot translate its step raises Untranslatable; then the machine does the whole block.

What always holds: references move as checkpoint.cps.ownership says, so what the steps leave is what the
machine's own code would have left. Births are taken in the order of the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from checkpoint.ad.values import Pair
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.tables import is_uncounted, ownership_of
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect, Same
from checkpoint.ctarget.translate.ops.dual_ops import OpenDual
from checkpoint.ctarget.translate.ops.element_ops import OpenArray, SetElement
from checkpoint.ctarget.translate.ops.object_ops import Birth, Drop, Element, Keep, Load, Make, Quoted
from checkpoint.ctarget.translate.ops.places import (
    DOUBLES,
    ROWS,
    TAGS,
    VIEWS,
    Constant,
    Kind,
    Place,
    Source,
    View,
)
from checkpoint.ctarget.translate.ops.scalar_ops import Copy
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.observe import (
    Shape,
    is_dual_of_reals,
    is_of_unknown_length,
    shape_of,
)
from checkpoint.ctarget.translate.specialise.values import (
    CHAIN,
    UNCOUNTED,
    Abstract,
    Closure,
    Held,
    State,
    Virtual,
    dual_parts,
)
from checkpoint.ctarget.translate.units.graph import Node

NUMBERS: dict[str, Kind] = {tag: kind for kind, tag in TAGS.items()}
PARTS = ("primal", "tangent")  # of a dual
OF_ARRAYS = frozenset(("ELEMENT", *VIEWS, *ROWS))  # tags of shapes that are FOREIGN


class Untranslatable(Exception):
    """Raised for a block that the machine has to run itself."""


class Steps:
    """The translation of one block's steps.

    changed: lists and instances that the node changes. fresh: objects that the node makes; they exist only
    after its ops, so no op can read them. attributes: those of the instances that the node makes. is_inner:
    whether the block is run within a step (inner.py), where births do not count. may_end: whether lists of
    unknown length may end in the block: it is of the procedure whose loop or recursion the path is a turn of.
    unchecked: the places of CHAINs of which no kind was tested. rows: by slots, those of arrays that the next
    step on the slot reads an element of: the array, the row, and how many ops there were.
    """

    def __init__(
        self,
        builder: Builder,
        peer: BlockPeer,
        state: State,
        node: Node,
        is_inner: bool = False,
        may_end: bool = False,
    ) -> None:
        self.builder = builder
        self.is_inner = is_inner
        self.may_end = may_end and not is_inner
        self.peer = peer
        self.state = state
        self.node = node
        self.owned = ownership_of(peer)
        self.changed: list[Place] = []
        self.fresh: set[Place] = set()
        self.attributes: dict[Place, list[Abstract]] = {}
        self.unchecked: list[Place] = []
        self.rows: dict[t.Operand, tuple[View, Place, int]] = {}

    def at(self, node: Node, state: State) -> Steps:
        """Return what ends the block in a node behind its own, which has all effects of the block."""
        steps = Steps(self.builder, self.peer, state, node, self.is_inner, self.may_end)
        steps.changed, steps.fresh = self.changed, self.fresh
        return steps

    # Operands and references

    def operand(self, operand: t.Operand) -> Abstract:
        """Return the value of an operand."""
        if isinstance(operand, str):
            value = self.state.slots[operand]
            return self.primal(value) if self.is_inner else value
        return Constant(operand.value) if is_uncounted(operand.value) else self._quoted(operand.value)

    def _quoted(self, constant: Any) -> Held:
        """Return a constant of the program that is a pair."""
        if type(constant) is not Pair or self.is_inner:
            raise Untranslatable
        place = self.builder.place("quoted", "value")
        self.node.ops.append(Quoted(place, self.builder.reference(constant)))
        return Held(place, "PAIR", shape_of(constant), constant)

    def primal(self, value: Abstract) -> Abstract:
        """Return the primal of a dual, of any other value itself: a run within a step computes primals."""
        if not isinstance(value, Virtual) or value.tag != "DUAL":
            return value
        parts = dual_parts(value)
        if not isinstance(parts.primal, Place):
            raise Untranslatable
        self.builder.duals[parts.primal] = parts
        return parts.primal

    def take(self, operands: list[t.Operand], uses: Uses, first: int = 0) -> list[Abstract]:
        """Return the values of operands, each with a reference for its new owner.

        An operand that is used for the last time moves its own reference. first: the position of operands[0]
        among all operands of the step.
        """
        found = []
        for i, operand in enumerate(operands, first):
            found.append(self.operand(operand))
            if i not in uses.moved:
                self.keep(found[-1])
        for i, operand in enumerate(operands, first):
            if i in uses.moved and isinstance(operand, str):
                del self.state.slots[operand]
        return found

    def release_used(self, step: t.Compute, uses: Uses) -> None:
        """Release the operands that the step uses for the last time, without taking them."""
        for i in uses.moved:
            operand = step.operands[i]
            assert isinstance(operand, str)
            self.release(self.state.slots.pop(operand))

    def keep_found(self, value: Abstract, step: t.Compute, uses: Uses) -> Abstract:
        """Return a value that the step found in an operand, with a reference, and release the operands."""
        self.keep(value)
        self.release_used(step, uses)
        return value

    def keep(self, value: Abstract) -> None:
        """Add a reference to a value.

        The Keep comes before all other effects, while the object that the value was read from still exists;
        or last, for an object that the node makes.
        """
        match value:
            case Held(place, tag) if tag not in UNCOUNTED:
                self.node.effects.insert(len(self.node.effects) if place in self.fresh else 0, Keep(place))
            case View(place):
                self.node.effects.insert(0, Keep(place))
            case Closure(_, environment) if environment is not None:
                self.keep(environment)
            case Virtual():
                value.owners += 1

    def release(self, value: Abstract) -> None:
        """Remove a reference to a value."""
        match value:
            case Held(place, tag) if tag not in UNCOUNTED:
                self._drop(place)
            case View(place):
                self._drop(place)
            case Closure(_, environment) if environment is not None:
                self.release(environment)
            case Virtual():
                value.owners -= 1
                if not value.owners:
                    for cell in value.cells:
                        self.release(cell)

    def _drop(self, place: Place) -> None:
        """Cancel a Keep of the same node, unless the node changes the object; else add a Drop."""
        for i, effect in enumerate(self.node.effects if place not in self.changed else ()):
            if isinstance(effect, Keep) and effect.place is place:
                del self.node.effects[i]
                return
        self.node.effects.append(Drop(place))

    # Copies and objects

    def copied(self, name: str, value: Abstract) -> Abstract:
        """Return a copy of a value, which has an accumulator of its own if it is a real."""
        if isinstance(value, Virtual) and value.tag == "DUAL":
            if self.is_inner:
                return self.copied(name, self.primal(value))
            cells = [
                self.copied(f"{name}_{part}", cell) for part, cell in zip(PARTS, value.cells, strict=True)
            ]
            return Virtual("DUAL", cells, value.birth)
        if isinstance(value, View):
            handle = self.builder.place(name, "array")
            self.node.ops.append(Copy(handle, value.handle))
            return replace(value, handle=handle)
        if not isinstance(value, Place) or value.kind not in DOUBLES:
            return value
        place = self.builder.place(name, value.kind)
        self.node.ops.append(Copy(place, value))
        if value in self.builder.expected:
            self.builder.expected[place] = self.builder.expected[value]
        return place

    def virtual(self, tag: str, values: list[Abstract], name: str) -> Virtual:
        """Return an object that is not made yet, of values whose references it takes."""
        birth = self.builder.place(f"{name}_birth", "integer")
        cells = [self.copied(f"{name}_cell", value) for value in values]
        if not self.is_inner:
            self.node.ops.append(Birth(birth))
        return Virtual(tag, cells, birth)

    def materialised(self, values: list[Abstract]) -> tuple[Source, ...]:
        """Return sources for values that an effect takes; virtual objects among them are made now."""
        materialiser = Materialiser(self.builder)
        sources = tuple([materialiser.source(value) for value in values])
        self.node.effects += materialiser.effects
        self.fresh.update([effect.to for effect in materialiser.effects if isinstance(effect, Make)])
        materialiser.settle(self.state)
        return sources

    # Reading

    def expect_pair(self, place: Place) -> None:
        """Check that a value is a PAIR."""
        self.node.ops.append(Expect(place, "PAIR"))
        self.state.found_pair(place)
        self.checked(place)

    def checked(self, place: Place) -> None:
        """Note that the kind of a value is tested."""
        self.unchecked = [each for each in self.unchecked if each is not place]

    def readable(self, value: Held) -> Place:
        """Return the place of a value, for an op to read."""
        if value.place in self.fresh:
            raise Untranslatable
        return value.place

    def load(self, name: str, owner: Held, index: int, peer: BlockPeer, of_pair: bool = False) -> Abstract:
        """Load a field of an object. peer: the block for which it is loaded.

        of_pair: a step reads it, of what was found a PAIR; then what is behind an element of a list of
        unknown length may be a CHAIN.
        """
        if owner.constant is not None:
            return self._part(name, owner.place, owner.constant.parts()[index], index)
        shape = owner.hint
        hint = shape.fields[index] if shape is not None and index < len(shape.fields) else None
        place, is_pair = self.readable(owner), of_pair or owner.tag == "PAIR"
        constant = owner.was_constant
        may_end = self.may_end and of_pair and index == 1 and is_of_unknown_length(hint)
        found = self.read(
            name, hint, peer, lambda to: Load(to, place, index, constant=constant, of_pair=is_pair), may_end
        )
        if shape is not None and shape.is_own and hint is not None and hint.tag == "REAL":
            assert isinstance(found, Place)
            self.builder.expect(found, hint.bits)
        return found

    def _part(self, name: str, owner: Place, part: Any, index: int) -> Abstract:
        """Return a part of a pair that is a constant of the program: it is known, and has no cotangent."""
        if is_uncounted(part):
            return Constant(part)
        if type(part) is not Pair:
            raise Untranslatable
        place = self.builder.place(name, "value")
        self.node.ops.append(Load(place, owner, index, constant=True, of_pair=True, sure=True))
        return Held(place, "PAIR", shape_of(part), part)

    def read(
        self,
        name: str,
        hint: Shape | None,
        peer: BlockPeer,
        op: Callable[[Place], Load | Element],
        may_end: bool = False,
    ) -> Abstract:
        """Add an op that reads a value and checks its kind.

        The kind is that of the hint; without one, a real if the block uses `name` in arithmetic. may_end: it
        is a CHAIN, whose kind is checked later.
        """
        tag = hint.tag if hint is not None else "REAL" if name in peer.code.arithmetic else "OTHER"
        if tag in VIEWS and not self.is_inner:
            return self._opened(self.builder.view(name, 1 + VIEWS.index(tag)), op)
        tag = "FOREIGN" if tag in VIEWS else tag
        place = self.builder.place(name, NUMBERS.get(tag, "value"))
        read = op(place)
        self.node.ops.append(read)
        if hint is not None and is_dual_of_reals(hint):
            return self.opened_dual(name, hint.number, place, read.owner, read.field)
        if may_end:
            self.unchecked.append(place)
            return Held(place, CHAIN, hint)
        return place if tag in NUMBERS else self._checked(place, tag, hint)

    def opened_dual(
        self, name: str, age: int, place: Place, owner: Place | None, index: Constant | Place | None
    ) -> Virtual:
        """Open a dual of reals that is an object; `owner` and `index` are as of an OpenDual.

        It has the tag of a dual in the state if both are of one age: tests that are made once, where it is
        opened, leave duals that meet at a header no choice of who shares a tag with whom.
        """
        known = next((tag for tag in self.state.tags() if self.builder.ages.get(tag) == age), None)
        made, parts = self.builder.dual(name, age=age)
        self.node.ops.append(OpenDual(parts, place, owner, index))
        if known is not None:
            self.node.ops.append(Same(known, parts.tag))
            made.birth = known
        return made

    def _opened(self, view: View, op: Callable[[Place], Load | Element]) -> View:
        """Read and open an array of NumPy's, which has not been changed by another handle."""
        if any(isinstance(effect, SetElement) for effect in self.node.effects):
            raise Untranslatable  # ops come before effects
        self.node.ops += [op(view.handle), OpenArray(view, self.node.steps)]
        return view

    def _checked(self, place: Place, tag: str, hint: Shape | None) -> Abstract:
        """Return what is known of a value once the unit has checked its tag."""
        if hint is None or hint.procedure is None:
            self.node.ops.append(Expect(place, tag))
            return Constant(None) if tag == "NOTHING" else self.builder.hold(place, tag, hint)
        self.node.ops.append(Expect(place, tag, self.builder.reference(hint.procedure)))
        if tag == "PROCEDURE":
            return Closure(hint.procedure, None)
        environment = self.builder.place(f"{place.name}_environment", "value")
        self.node.ops.append(Enclosed(environment, place))
        fields = hint.fields[0] if hint.fields else None
        return Closure(hint.procedure, Held(environment, "ENVIRONMENT", fields))


Rule = Callable[[Steps, t.Compute, Uses], Abstract]  # translates a step of a primitive
