"""The steps of a block, done in what is known of its values: ops and effects of a node.

In: a block, the State before its first step. Out: the State before its end; the ops and effects of the node.
Untranslatable: the machine does this block.

What always holds: references move as checkpoint.cps.ownership says, so what the steps leave is what the
machine's own code would have left. Births are counted in the order of the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.record import Scalar, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.code import BlockPeer
from checkpoint.ctarget.selection import is_null_test
from checkpoint.ctarget.tables import is_uncounted, ownership_of
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect, IsKind
from checkpoint.ctarget.translate.ops.object_ops import Birth, Drop, Keep, Load, Make
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import Constant, Kind, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Copy
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.scalars import apply, kind_of_result
from checkpoint.ctarget.translate.specialise.values import (
    OTHER,
    UNCOUNTED,
    Abstract,
    Closure,
    Held,
    State,
    Virtual,
)
from checkpoint.ctarget.translate.units.graph import Node

NUMBERS: dict[str, Kind] = {"REAL": "real", "INTEGER": "integer", "BOOLEAN": "boolean"}
FIELDS = {"car": 0, "cdr": 1}


class Untranslatable(Exception):
    """The machine has to do this block."""


class Steps:
    """One block on its way."""

    def __init__(self, builder: Builder, peer: BlockPeer, state: State, node: Node) -> None:
        self.builder = builder
        self.peer = peer
        self.state = state
        self.node = node
        self.owned = ownership_of(peer)
        self.made = node.steps  # from the path's head on, the present one counted
        self.changed: list[Place] = []  # lists that the node changes
        self.fresh: set[Place] = set()  # objects that it makes: its ops cannot look at them

    def run(self) -> None:
        """All steps of the block."""
        for name in self.owned.head:
            self.release(self.state.slots.pop(name))
        for step, uses in zip(self.peer.block.steps, self.owned.steps, strict=True):
            self.made += 1
            self._step(step, uses)
            for name in uses.dropped:
                self.release(self.state.slots.pop(name))

    def _step(self, step: t.Step, uses: Uses) -> None:
        match step:
            case t.Read():
                return
            case t.Copy(name=name, operand=operand):
                self.state.slots[name] = self.renamed(name, self.taken([operand], uses)[0])
            case t.Compute():
                self.state.slots[step.name] = self._compute(step, uses)
            case b.MakeClosure(name=name, lam=lam, captures=captures):
                environment = self._environment(name, captures, uses)
                self.state.slots[name] = Closure(self.peer.procedure.of(lam), environment)
            case b.MakeMember(name=name, lam=lam, env=env):
                given = [] if env is None else self.taken([env], uses)
                self.state.slots[name] = self._member(self.peer.procedure.of(lam), *given)
            case b.Letrec():
                self._letrec(step, uses)
            case _:
                raise Untranslatable

    # References

    def operand(self, operand: t.Operand) -> Abstract:
        """The value of an operand."""
        if isinstance(operand, str):
            return self.state.slots[operand]
        if not is_uncounted(operand.value):
            raise Untranslatable
        return Constant(operand.value)

    def taken(self, given: list[t.Operand], uses: Uses, first: int = 0) -> list[Abstract]:
        """The values of operands, the first of them the `first` of the step, each with a reference of its
        own: what is used for the last time gives its own.
        """
        found = []
        for i, operand in enumerate(given, first):
            found.append(self.operand(operand))
            if i not in uses.moved:
                self.keep(found[-1])
        for i, operand in enumerate(given, first):
            if i in uses.moved and isinstance(operand, str):
                del self.state.slots[operand]
        return found

    def looked_at(self, step: t.Compute, uses: Uses) -> None:
        """The step has looked at its operands: those that it used for the last time go."""
        for i in uses.moved:
            operand = step.operands[i]
            assert isinstance(operand, str)
            self.release(self.state.slots.pop(operand))

    def keep(self, value: Abstract) -> None:
        """One more reference to a value: before all else, while what it was read from is still there; of what
        the node makes, when it is there.
        """
        match value:
            case Held(place, tag) if tag not in UNCOUNTED:
                self.node.effects.insert(len(self.node.effects) if place in self.fresh else 0, Keep(place))
            case Closure(_, environment) if environment is not None:
                self.keep(environment)
            case Virtual():
                value.owners += 1

    def release(self, value: Abstract) -> None:
        """One reference less."""
        match value:
            case Held(place, tag) if tag not in UNCOUNTED:
                self._drop(place)
            case Closure(_, environment) if environment is not None:
                self.release(environment)
            case Virtual():
                value.owners -= 1
                if not value.owners:
                    for cell in value.cells:
                        self.release(cell)

    def _drop(self, place: Place) -> None:
        """A reference that the same node has added is one that it need not add, but to what it changes."""
        for i, effect in enumerate(self.node.effects if place not in self.changed else ()):
            if isinstance(effect, Keep) and effect.place is place:
                del self.node.effects[i]
                return
        self.node.effects.append(Drop(place))

    # Data

    def renamed(self, name: str, value: Abstract) -> Abstract:
        """A copy of a value, as what adds up amounts of its own."""
        if not isinstance(value, Place):
            return value
        place = self.builder.place(name, value.kind)
        self.node.ops.append(Copy(place, value))
        return place

    def data(self, tag: str, given: list[Abstract], name: str) -> Virtual:
        """An object that is not made yet, of values that become its own."""
        birth = self.builder.place(f"{name}_birth", "integer")
        cells = [self.renamed(f"{name}_cell", value) for value in given]
        self.node.ops.append(Birth(birth))
        return Virtual(tag, cells, birth)

    def _environment(self, name: str, captures: b.Slots, uses: Uses, first: int = 0) -> Virtual | None:
        if not captures:
            return None
        return self.data("ENVIRONMENT", self.taken(list(captures), uses, first), name)

    def _member(self, procedure: Any, environment: Abstract | None = None) -> Closure:
        """As the machine makes it: without an environment where that is NOTHING."""
        if isinstance(environment, Constant):
            environment = None
        return Closure(procedure, environment)

    def _letrec(self, step: b.Letrec, uses: Uses) -> None:
        first = 0
        for group in step.groups:
            if isinstance(group, b.MakeEnvironment):
                made = self._environment(group.name, group.captures, uses, first)
                self.state.slots[group.name] = Constant(None) if made is None else made
                first += len(group.captures)
                continue
            given = self.taken([source for _, source in group.pairs], uses, first)
            for (new, _), value in zip(group.pairs, given, strict=True):
                self.state.slots[new] = self.renamed(new, value)
            first += len(group.pairs)

    # Primitives

    def _compute(self, step: t.Compute, uses: Uses) -> Abstract:
        if isinstance(lookup(step.op), Scalar):
            for scalar in (Steps._scalar, *SCALARS):
                done = scalar(self, step, uses)
                if done is not None:
                    return done
        if is_null_test(step):
            return self._told("NOTHING", step, uses)
        special = SPECIAL.get(step.op)
        if special is None:
            raise Untranslatable
        return special(self, step, uses)

    def _scalar(self, step: t.Compute, uses: Uses) -> Abstract | None:
        """Numbers own no references: what is moved is only gone. None: it is not done as a scalar."""
        given = [self.operand(operand) for operand in step.operands]
        numbers = tuple([value for value in given if isinstance(value, Place | Constant)])
        found = kind_of_result(step.op, tuple([value.kind for value in numbers]))
        if found is None or len(numbers) < len(given):
            return None
        domain, kind = found
        to = self.builder.place(step.name, kind)
        self.node.ops.append(apply(step.op, domain, to, numbers, step.span.line))
        return to

    def _cons(self, step: t.Compute, uses: Uses) -> Abstract:
        return self.data("PAIR", self.taken(list(step.operands), uses), step.name)

    def _tuple(self, step: t.Compute, uses: Uses) -> Abstract:
        return self.data("TUPLE", self.taken(list(step.operands), uses), step.name)

    def _field(self, step: t.Compute, uses: Uses) -> Abstract:
        value, index = self.operand(step.operands[0]), FIELDS[step.op]
        if isinstance(value, Virtual) and value.tag == "PAIR":
            found = self.renamed(step.name, value.cells[index])
        elif isinstance(value, Held) and value.tag in ("PAIR", OTHER):
            if value.tag == OTHER:
                self.node.ops.append(Expect(self.seen(value), "PAIR"))
            found = self.load(step.name, value, index, self.peer)
        else:
            raise Untranslatable
        return self.found(found, step, uses)

    def found(self, value: Abstract, step: t.Compute, uses: Uses) -> Abstract:
        """What a step has found in one of its operands."""
        self.keep(value)
        self.looked_at(step, uses)
        return value

    def load(self, name: str, owner: Held, index: int, peer: BlockPeer) -> Abstract:
        """A field of an object, of the kind that it had when the unit was made, if that was looked at; else
        of the kind that the block wants that it comes to.
        """
        shape = owner.hint
        hint = shape.fields[index] if shape is not None and index < len(shape.fields) else None
        place = self.seen(owner)
        return self.read(name, hint, peer, lambda to: Load(to, place, index))

    def seen(self, value: Held) -> Place:
        """The place of a value that ops look at."""
        if value.place in self.fresh:
            raise Untranslatable
        return value.place

    def made_now(self, values: list[Abstract]) -> tuple[Source, ...]:
        """What stands for values where an effect takes them."""
        making = Materialiser(self.builder)
        sources = tuple([making.source(value) for value in values])
        self.node.effects += making.effects
        self.fresh.update([effect.to for effect in making.effects if isinstance(effect, Make)])
        making.settle(self.state)
        return sources

    def read(self, name: str, hint: Shape | None, peer: BlockPeer, op: Callable[[Place], Op]) -> Abstract:
        """What an op reads, of the kind that it had, or that the block wants."""
        tag = hint.tag if hint is not None else "REAL" if name in peer.code.arithmetic else "OTHER"
        place = self.builder.place(name, NUMBERS.get(tag, "value"))
        self.node.ops.append(op(place))
        return place if tag in NUMBERS else self._seen_to(place, tag, hint)

    def _seen_to(self, place: Place, tag: str, hint: Shape | None) -> Abstract:
        """What a value is, after the unit has seen to it."""
        if hint is None or hint.procedure is None:
            self.node.ops.append(Expect(place, tag))
            return Constant(None) if tag == "NOTHING" else self.builder.hold(place, tag, hint)
        self.node.ops.append(Expect(place, tag, self.builder.reference(hint.procedure)))
        if tag == "PROCEDURE":
            return Closure(hint.procedure, None)
        environment = self.builder.place(f"{place.name}_environment", "value")
        self.node.ops.append(Enclosed(environment, place))
        return Closure(
            hint.procedure, Held(environment, "ENVIRONMENT", hint.fields[0] if hint.fields else None)
        )

    def _told(self, tag: str, step: t.Compute, uses: Uses) -> Abstract:
        """Whether a value is of a kind: mostly that is known."""
        value = self.operand(step.operands[0])
        self.looked_at(step, uses)
        if not isinstance(value, Held) or value.tag != OTHER:
            return Constant(tag_of(value) == tag)
        told = self.builder.place(step.name, "boolean")
        self.node.ops.append(IsKind(told, value.place, tag))
        self.state.facts[told] = (value.place, tag)
        return told

    def _unpack(self, step: t.Compute, uses: Uses) -> Abstract:
        """A new tuple of the elements of one that has so many."""
        value, count = self.operand(step.operands[0]), step.operands[1]
        if isinstance(count, str) or type(count.value) is not int:
            raise Untranslatable
        cells = self._elements(step, value, count.value)
        for cell in cells:
            self.keep(cell)
        self.looked_at(step, uses)
        return self.data("TUPLE", cells, step.name)

    def _elements(self, step: t.Compute, value: Abstract, count: int) -> list[Abstract]:
        if isinstance(value, Virtual) and value.tag == "TUPLE" and len(value.cells) == count:
            return list(value.cells)
        if not isinstance(value, Held) or value.tag not in ("TUPLE", OTHER):
            raise Untranslatable
        self.node.ops.append(Expect(self.seen(value), "TUPLE", count=count))
        return [self.load(f"{step.name}_{i}", value, i, self.peer) for i in range(count)]

    def _is_null(self, step: t.Compute, uses: Uses) -> Abstract:
        return self._told("NOTHING", step, uses)

    def _is_pair(self, step: t.Compute, uses: Uses) -> Abstract:
        return self._told("PAIR", step, uses)


def tag_of(value: Abstract) -> str:
    """The kind of a value that is known."""
    match value:
        case Constant(None):
            return "NOTHING"
        case Place() | Constant():
            return value.kind.upper()
        case Closure(_, environment):
            return "PROCEDURE" if environment is None else "CLOSURE"
    return value.tag


# Those of Python programs: python_steps.py.
# What does scalars on operands that are not all plain numbers, in order; None: it does not.
SCALARS: list[Callable[[Steps, t.Compute, Uses], Abstract | None]] = []
SPECIAL: dict[str, Callable[[Steps, t.Compute, Uses], Abstract]] = {
    "cons": Steps._cons,
    "car": Steps._field,
    "cdr": Steps._field,
    "null?": Steps._is_null,
    "pair?": Steps._is_pair,
    "py.tuple": Steps._tuple,
    "py.unpack": Steps._unpack,
}
