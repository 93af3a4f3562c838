"""The reversal of a taped part of a block, step by step.

In: a part that has run, the cotangent of the state where it ended, and the accumulators of that point. Out:
the accumulators of the point where the part began. The end is reversed first, by the rules of
checkpoint.cps.adjoint, then the actions of the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from checkpoint.ad.numbers import INTEGERS, takes_reals
from checkpoint.ad.record import Scalar
from checkpoint.ad.values import Capsule
from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.interp.hybrid.code import BlockCode
from checkpoint.interp.hybrid.cotangent import Cotangent, state_slots
from checkpoint.interp.hybrid.machine import HALT, Split, Values
from checkpoint.interp.hybrid.parts import Part
from checkpoint.interp.hybrid.structured import RESULT


def reverse_part(part: Part, cotangent: Cotangent, after: BlockCode | None, received: Values) -> Values:
    """Return the accumulators of the point where a part began."""
    return Reversal(part, cotangent).run(after, received)


class Stack(Protocol):
    """A cotangent as `give_to_capsule` sees it: of this engine, or of another one on the same blocks."""

    def push(self, accumulators: Values) -> None:
        """Put the accumulators of a frame onto the stack."""
        ...

    def pop(self, count: int) -> Values:
        """Take the accumulators of the top frame, so many, off the stack."""
        ...

    def give(self, birth: int, field: Any, contribution: Any) -> None:
        """Add to the accumulator of a field."""
        ...


def give_to_capsule(cotangent: Stack, capsule: Capsule, received: Values) -> None:
    """Add to the slots of a resumed capsule what their copies received, at the point and on the stack."""
    state = capsule.state
    if state.finished:
        cotangent.push(received[1:])
        received = received[:1]
    levels, frame = [received], state.frame
    while frame is not None and frame.block is not HALT:
        levels.append(cotangent.pop(len(frame.saved)))
        frame = frame.next
    for place, _ in state_slots(state):
        depth, position = place
        if depth < len(levels) and levels[depth][position] != 0.0:
            cotangent.give(capsule.birth, place, levels[depth][position])


def contributions(
    record: Scalar, targets: Iterable[int], values: Sequence[Any], result: Any, received: Any
) -> Iterator[tuple[int, Any]]:
    """Yield the contribution to each operand among the targets that is a real, with its position."""
    if record.singular and received == 0.0:
        return
    constant = [type(value) in INTEGERS for value in values]
    if record.otherwise is not None:
        if not takes_reals(values):
            return
        values = [float(value) if type(value) in INTEGERS else value for value in values]
    assert record.partials is not None
    for position in targets:
        if not constant[position]:
            yield position, record.partials[position](*values, result) * received


class Reversal:
    """The reversal of one part. slots: the accumulators of its slots, 0.0 where nothing was added."""

    def __init__(self, part: Part, cotangent: Cotangent) -> None:
        self.part = part
        self.cotangent = cotangent
        self.slots: dict[str, Any] = {}

    def run(self, after: BlockCode | None, received: Values) -> Values:
        """Reverse the end, then the steps, the last first."""
        part, slots = self.part, self.slots
        block = part.block.block
        if part.ended:
            BACK[type(block.end)](self, after, received, block.end)
        elif part.raised:
            self.undo_raise(received)
        else:
            names = block.live[part.stop] if part.stop else block.params
            slots.update(zip(names, received, strict=True))
        for index, actions in part.block.reversal().actions:
            if part.start <= index < part.stop:
                for action in actions:
                    self.act(action, index)
        if block.steps and isinstance(block.steps[0], Split) and part.start < part.stop:
            self.structured(0, block.steps[0].name)
        names = block.live[part.start] if part.start else block.params
        return tuple([slots.get(name, 0.0) for name in names])

    def add(self, target: str, contribution: Any) -> None:
        self.slots[target] = self.slots.get(target, 0.0) + contribution

    def received_by(self, name: str) -> Any:
        return self.slots.get(name, 0.0)

    # Steps

    def act(self, action: a.Action, index: int) -> None:
        match action:
            case a.Add():
                self.add(action.target, self.received_by(action.source))
            case a.Scale():
                if index in self.part.structured:
                    self.structured(index, action.source)
                else:
                    self.scale(action)
            case a.Take():
                taken = self.cotangent.take(self.birth(action.owner), action.field)
                if action.target is not None:
                    self.add(action.target, taken)
            case a.Give():
                received = self.received_by(action.source)
                if received != 0.0:
                    self.cotangent.give(self.birth(action.owner), action.field, received)
            case a.Redo():
                self.structured(index, action.step.name)
            case a.Pick() | a.Move() | a.Put() | a.Pull():
                if index in self.part.structured:
                    self.structured(index, action.step.name)

    def birth(self, slot: str) -> int:
        """Return the birth under which the fields of a slot's object are stored."""
        return self.part.births[slot]

    def structured(self, key: Any, name: str) -> None:
        """Reverse a step that was recorded as a whole, whose result is in the slot `name`."""
        self.slots[RESULT] = self.received_by(name)
        self.part.structured[key].reverse(self.slots, self.cotangent)

    def scale(self, action: a.Scale) -> None:
        values = [self.part.value(operand) for operand in action.operands]
        result, received = self.part.slots[action.source], self.received_by(action.source)
        for position, contribution in contributions(action.record, action.targets, values, result, received):
            name = action.operands[position]
            assert isinstance(name, str)
            self.add(name, contribution)

    # Ends

    def add_operands(self, operands: Any, received: Values) -> None:
        """Add what copies received to their operands, the last first."""
        for operand, contribution in zip(reversed(operands), reversed(received), strict=True):
            if isinstance(operand, str):
                self.add(operand, contribution)

    def take_frame(self, label: str | None) -> None:
        """Take back the accumulators of the slots that a frame held."""
        if label is not None:
            names = self.part.block.target(label).block.params[1:]
            self.slots.update(zip(names, self.cotangent.stack.pop(), strict=True))

    def give_environment(self, procedure: Any, received: Values) -> None:
        env = self.part.value(procedure).env
        self.cotangent.give_environment(env.birth, received, len(env.values))

    def jump(self, after: Any, received: Values, end: b.Jump | b.Enter) -> None:
        target = self.part.block.target(end.label).block
        given = len(end.args)
        self.slots.update(zip(target.params[given:], received[given:], strict=True))
        self.add_operands(end.args, received[:given])

    def branch(self, after: Any, received: Values, end: b.Branch) -> None:
        self.slots.update(zip(after.block.params, received, strict=True))

    def call(self, after: Any, received: Values, end: b.Call) -> None:
        self.take_frame(end.ret)
        self.add_operands(end.args, received[len(received) - len(end.args) :])
        self.give_environment(end.fn, received)

    def control(self, after: Any, received: Values, end: b.Control) -> None:
        if end.op == "resume":
            self.resume(received, end)
            if "end" in self.part.structured:
                self.structured("end", RESULT)
            return
        self.cotangent.stack.pop()  # the frame that holds the tag
        self.take_frame(end.ret)
        self.give_environment(end.args[0], received)
        self.slots[RESULT] = received[-1]
        self.part.structured["end"].reverse(self.slots, self.cotangent)

    def resume(self, received: Values, end: b.Control) -> None:
        """Add what the copies received to the slots of the capsule."""
        capsule = self.part.resumed
        assert capsule is not None
        give_to_capsule(self.cotangent, capsule, received)
        self.take_frame(end.ret)

    def return_value(self, after: Any, received: Values, end: b.Return) -> None:
        self.cotangent.stack.append(received[1:])
        self.add_operands((end.operand,), received[:1])

    def install(self, after: Any, received: Values, end: b.Install) -> None:
        self.take_frame(end.leave)
        for name, contribution in zip(self.part.block.target(end.body).block.params, received, strict=True):
            self.add(name, contribution)

    def undo_raise(self, received: Values) -> None:
        """Put back the frames that a raise removed, and return what was raised to its source."""
        part, stack = self.part, self.cotangent.stack
        stack.append(received[1:])
        stack.extend((0.0,) * size for size in reversed(part.frames[:-1]))
        raised = received[0]
        for slot in reversed(part.stripped):
            self.slots[RESULT] = raised
            part.structured[slot].reverse(self.slots, self.cotangent)
            raised = self.slots.pop(slot, 0.0)
        end = part.block.block.end
        if part.stop in part.structured:
            self.slots[RESULT] = raised
            part.structured[part.stop].reverse(self.slots, self.cotangent)
        elif isinstance(end, b.Throw) and isinstance(end.operand, str):
            self.add(end.operand, raised)


BACK: dict[type, Callable[..., None]] = {
    b.Jump: Reversal.jump,
    b.Enter: Reversal.jump,
    b.Branch: Reversal.branch,
    b.Call: Reversal.call,
    b.Control: Reversal.control,
    b.Return: Reversal.return_value,
    b.Install: Reversal.install,
}
