"""Parts of blocks, run step by step, and reversed step by step if they were taped.

A part runs from a point of a block towards its end: until the limit, or over the end into the next
block, or until something is raised. It is the definition of what a block does; emitted source must do
the same. A taped part keeps the value of every slot, and is reversed by the actions of
checkpoint.cps.adjoint and the rules for ends that stand there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.graph import enter
from checkpoint.ad.numbers import Dual, OperandError, apply, fresh
from checkpoint.ad.record import Data, Effect, Operator, Scalar, lookup
from checkpoint.ad.tangent import ShapeError, lift, split
from checkpoint.ad.values import EMPTY, Capsule, Closure, Environment, Pair
from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.driver.raised import Raised, failure
from checkpoint.errors import InternalError
from checkpoint.interp.hybrid.code import BlockCode
from checkpoint.interp.hybrid.cotangent import Cotangent, state_slots
from checkpoint.interp.hybrid.machine import HALT, LEAVE, Frame, Machine, Split, Values
from checkpoint.interp.hybrid.structured import RESULT, Structured
from checkpoint.lang.printer import write_value

FAILURES = (ArithmeticError, ValueError, OperandError)


class Part:
    """One part. `structured`: the steps recorded as wholes, by index; "end" for that of the end.

    frames: how many slots each frame had that a raise removed, or a resumed capsule brought, top first.
    """

    __slots__ = ("block", "ended", "frames", "raised", "resumed", "slots", "start", "stop", "structured")

    def __init__(self, machine: Machine) -> None:
        self.block: BlockCode = machine.block
        block = self.block.block
        self.start = machine.index
        self.stop = machine.index
        names = block.live[self.start] if self.start else block.params
        self.slots: dict[str, Any] = dict(zip(names, machine.values, strict=True))
        self.ended = False
        self.raised = False
        self.frames: list[int] = []
        self.resumed: Capsule | None = None
        self.structured: dict[Any, Structured] = {}

    # Forward

    def forward(self, machine: Machine, last: int) -> bool:
        """Run; the machine then stands at the point reached. Whether the block was left."""
        block = self.block.block
        try:
            while self.stop < len(block.steps):
                if machine.steps >= last:
                    return self._stop(machine)
                machine.steps += 1
                self._step(machine, block.steps[self.stop])
                self.stop += 1
            if block.end.span is not None:
                if machine.steps >= last:
                    return self._stop(machine)
                machine.steps += 1
            self.ended = True
            machine.index = 0
            machine.block, machine.values = ENDS[type(block.end)](self, machine, block.end)
        except Raised as raised:
            machine.index = 0
            machine.block, machine.values = self._unwind(machine, raised)
        except (KeyboardInterrupt, MemoryError) as stop:
            machine.mark(stop, self.block)
            raise
        return True

    def _stop(self, machine: Machine) -> bool:
        """Stand before the step at `stop`."""
        block = self.block.block
        names = block.live[self.stop] if self.stop else block.params
        machine.index = self.stop
        machine.values = tuple([self.slots[name] for name in names])
        return False

    def value(self, operand: t.Operand) -> Any:
        return self.slots[operand] if isinstance(operand, str) else operand.value

    def _step(self, machine: Machine, step: t.Step) -> None:
        slots = self.slots
        match step:
            case t.Read():
                pass
            case t.Copy():
                slots[step.name] = self.value(step.operand)
            case t.Compute():
                slots[step.name] = self._compute(machine, step)
            case b.MakeMember():
                env = EMPTY if step.env is None else slots[step.env]
                slots[step.name] = Closure(step.lam, env)
            case b.MakeClosure():
                slots[step.name] = Closure(step.lam, self._environment(machine, step.captures))
            case b.Letrec():
                for group in step.groups:
                    self._group(machine, group)
            case Split():
                slots[step.name] = self._whole(machine, step.operands, lambda v, tag: Pair(*split(v, tag)))
            case _:
                raise InternalError(f"{type(step).__name__} is no step of a block", step.span)

    def _environment(self, machine: Machine, captures: b.Slots) -> Environment:
        if not captures:
            return EMPTY
        machine.births += 1
        return Environment(tuple([fresh(self.slots[name]) for name in captures]), machine.births - 1)

    def _group(self, machine: Machine, group: b.MakeEnvironment | b.CopyCaptures) -> None:
        if isinstance(group, b.MakeEnvironment):
            self.slots[group.name] = self._environment(machine, group.captures)
        else:
            for new, source in group.pairs:
                self.slots[new] = self.slots[source]

    def _compute(self, machine: Machine, step: t.Compute) -> Any:
        record = lookup(step.op)
        operands = tuple([self.value(operand) for operand in step.operands])
        try:
            if isinstance(record, Scalar):
                if machine.tape is None or not any(type(operand) is Dual for operand in operands):
                    return apply(record, operands)
                return self._whole(machine, step.operands, lambda *given: apply(record, given))
            if isinstance(record, Operator):
                return self._operate(machine, step, record)
            if isinstance(record, Effect):
                return record.value(machine.effects, machine.steps, *operands)
            assert isinstance(record, Data)
            value = record.value(*operands)
        except FAILURES as exception:
            raise failure(step.op, operands, exception, step.span) from None
        if record.builds:
            value.birth = machine.births
            machine.births += 1
        return value

    def _operate(self, machine: Machine, step: t.Compute, record: Operator) -> Any:
        context = machine.context()
        try:
            return self._whole(machine, step.operands, lambda *given: record.value(context, *given))
        finally:
            machine.tags = max(machine.tags, context.tags)

    def _whole(
        self, machine: Machine, operands: tuple[t.Operand, ...], compute: Callable[..., Any], key: Any = None
    ) -> Any:
        """A step on whole values, recorded as such if the run is taped."""
        if machine.tape is None:
            try:
                return machine.number(compute(*[self.value(operand) for operand in operands]))
            except Raised as raised:
                machine.number(raised.value)
                raise
        structured = self.structured[self.stop if key is None else key] = Structured()
        given = [(operand if isinstance(operand, str) else None, self.value(operand)) for operand in operands]
        return structured.run(given, compute, machine.number)

    # Ends

    def _go(self, machine: Machine, end: b.Jump | b.Enter) -> tuple[BlockCode, Values]:
        target = self.block.target(end.label)
        given = [self.value(operand) for operand in end.args]
        return target, (*given, *self._saved(target, len(given)))

    def _saved(self, target: BlockCode, given: int) -> Values:
        """The parameters of a block of this procedure that are passed by name."""
        return tuple([self.slots[name] for name in target.block.params[given:]])

    def _branch(self, machine: Machine, end: b.Branch) -> tuple[BlockCode, Values]:
        test = self.value(end.test)
        if type(test) is not bool:
            assert end.span is not None
            raise failure("if", (test,), OperandError("the test must be #t or #f"), end.span)
        target = self.block.target(end.then if test else end.other)
        return target, self._saved(target, 0)

    def _call(self, machine: Machine, end: b.Call) -> tuple[BlockCode, Values]:
        fn, args = self.value(end.fn), tuple([self.value(operand) for operand in end.args])
        ret, saved = self._return_point(end.ret)
        try:
            return machine.call(fn, args, ret, saved)
        except OperandError as exception:
            if end.span is None:
                raise
            raise failure(write_value(fn, limit=60), args, exception, end.span) from None

    def _return_point(self, label: str | None) -> tuple[BlockCode | None, Values]:
        if label is None:
            return None, ()
        ret = self.block.target(label)
        return ret, self._saved(ret, 1)

    def _control(self, machine: Machine, end: b.Control) -> tuple[BlockCode, Values]:
        operands = tuple([self.value(operand) for operand in end.args])
        assert end.span is not None
        below = machine.frame
        try:
            if end.op == "resume":
                return self._resume(machine, end, operands[0])
            return self._differentiate(machine, end, operands)
        except (ShapeError, OperandError) as exception:
            machine.frame = below
            raise failure(end.op, operands, exception, end.span) from None

    def _resume(self, machine: Machine, end: b.Control, capsule: Any) -> tuple[BlockCode, Values]:
        if type(capsule) is not Capsule:
            raise OperandError("not a capsule")
        ret, saved = self._return_point(end.ret)
        if ret is not None:
            machine.frame = Frame(ret, saved, machine.frame)
        state = capsule.state
        self.resumed = capsule
        machine.resume(state)
        if state.finished:
            return machine.deliver(state.value)
        machine.index = state.index
        return state.block, state.values

    def _differentiate(self, machine: Machine, end: b.Control, operands: Values) -> tuple[BlockCode, Values]:
        procedure, tag = operands[0], machine.tags
        ret, saved = self._return_point(end.ret)
        if ret is not None:
            machine.frame = Frame(ret, saved, machine.frame)
        machine.frame = Frame(LEAVE, (tag,), machine.frame)

        def dual(argument: Any, tangent: Any) -> Any:
            return lift(enter(argument), enter(tangent), tag)

        argument = self._whole(machine, end.args[1:], dual, "end")
        target = machine.call(procedure, (argument,), None, ())
        machine.tags = tag + 1
        return target

    def _return(self, machine: Machine, end: b.Return) -> tuple[BlockCode, Values]:
        return machine.deliver(self.value(end.operand))

    def _throw(self, machine: Machine, end: b.Throw) -> tuple[BlockCode, Values]:
        assert end.span is not None
        raise Raised(self.value(end.operand), end.span)

    def _install(self, machine: Machine, end: b.Install) -> tuple[BlockCode, Values]:
        leave, handler = self.block.target(end.leave), self.block.target(end.handler)
        machine.frame = Frame(leave, self._saved(leave, 1), machine.frame, handler)
        body = self.block.target(end.body)
        return body, self._saved(body, 0)

    def _unwind(self, machine: Machine, raised: Raised) -> tuple[BlockCode, Values]:
        """Go to the innermost handler; without one the exception leaves the run."""
        self.ended = False
        self.raised = True
        machine.tags = max(machine.tags, raised.tags)
        frame = machine.frame
        while frame is not None:
            self.frames.append(len(frame.saved))
            if frame.block is LEAVE:
                self._strip(machine, raised, frame.saved[0])
            if frame.handler is not None:
                machine.frame = frame.next
                return frame.handler, (raised.value, *frame.saved)
            frame = frame.next
        raised.tags = max(raised.tags, machine.tags)
        raise raised

    def _strip(self, machine: Machine, raised: Raised, tag: int) -> None:
        """What is raised out of a j* loses its tangents."""
        slot = f"%raised{len(self.structured)}"
        self.slots[slot] = raised.value
        raised.value = self._whole(machine, (slot,), lambda value: split(value, tag)[0], slot)

    # Backward

    def reverse(self, cotangent: Cotangent, after: BlockCode | None, received: Values) -> Values:
        """From the accumulators of the point reached those of the point where the part began."""
        block = self.block.block
        slots: dict[str, Any] = {}
        if self.ended:
            BACK[type(block.end)](self, slots, cotangent, after, received, block.end)
        elif self.raised:
            self._back_raise(slots, cotangent, received)
        else:
            names = block.live[self.stop] if self.stop else block.params
            slots.update(zip(names, received, strict=True))
        for index, actions in self.block.reversal().actions:
            if self.start <= index < self.stop:
                for action in actions:
                    self._act(action, index, slots, cotangent)
        if Split in map(type, block.steps) and self.start == 0 < self.stop:
            self._back_whole(0, slots, cotangent, "result")
        names = block.live[self.start] if self.start else block.params
        return tuple([slots.get(name, 0.0) for name in names])

    def _act(self, action: a.Action, index: int, slots: dict[str, Any], cotangent: Cotangent) -> None:
        match action:
            case a.Add():
                slots[action.target] = slots.get(action.target, 0.0) + slots.get(action.source, 0.0)
            case a.Scale():
                if index in self.structured:
                    self._back_whole(index, slots, cotangent, action.source)
                else:
                    self._scale(action, slots)
            case a.Take():
                amount = cotangent.take(birth_of(self.slots[action.owner]), action.field)
                slots[action.target] = slots.get(action.target, 0.0) + amount
            case a.Give():
                amount = slots.get(action.source, 0.0)
                if amount != 0.0:
                    cotangent.give(birth_of(self.slots[action.owner]), action.field, amount)
            case a.Redo():
                self._back_whole(index, slots, cotangent, action.step.name)

    def _back_whole(self, key: Any, slots: dict[str, Any], cotangent: Cotangent, name: str) -> None:
        slots[RESULT] = slots.get(name, 0.0)
        self.structured[key].reverse(slots, cotangent)

    def _scale(self, action: a.Scale, slots: dict[str, Any]) -> None:
        amount = slots.get(action.source, 0.0)
        if action.record.singular and amount == 0.0:
            return
        values = [self.value(operand) for operand in action.operands]
        result = self.slots[action.source]
        assert action.record.partials is not None
        for position in action.targets:
            name = action.operands[position]
            assert isinstance(name, str)
            partial = action.record.partials[position](*values, result)
            slots[name] = slots.get(name, 0.0) + partial * amount

    def _add_operands(self, slots: dict[str, Any], operands: Any, received: Values) -> None:
        """To operands from what their copies received, the last first."""
        for operand, amount in zip(reversed(operands), reversed(received), strict=True):
            if isinstance(operand, str):
                slots[operand] = slots.get(operand, 0.0) + amount

    def _back_go(self, slots: Any, cotangent: Any, after: Any, received: Values, end: Any) -> None:
        target = self.block.target(end.label).block
        given = len(end.args)
        slots.update(zip(target.params[given:], received[given:], strict=True))
        self._add_operands(slots, end.args, received[:given])

    def _back_branch(self, slots: Any, cotangent: Any, after: Any, received: Values, end: Any) -> None:
        slots.update(zip(after.block.params, received, strict=True))

    def _back_frame(self, slots: Any, cotangent: Cotangent, label: str | None) -> None:
        """Take back the slots that a frame held."""
        if label is not None:
            names = self.block.target(label).block.params[1:]
            slots.update(zip(names, cotangent.stack.pop(), strict=True))

    def _back_call(self, slots: Any, cotangent: Cotangent, after: Any, received: Values, end: Any) -> None:
        self._back_frame(slots, cotangent, end.ret)
        count = len(received) - len(end.args)
        self._add_operands(slots, end.args, received[count:])
        fn = self.value(end.fn)
        cotangent.give_environment(fn.env.birth, received, len(fn.env.values))

    def _back_control(self, slots: Any, cotangent: Cotangent, after: Any, received: Values, end: Any) -> None:
        if end.op == "resume":
            self._back_resume(slots, cotangent, received, end)
            return
        cotangent.stack.pop()  # the frame that holds the tag
        self._back_frame(slots, cotangent, end.ret)
        slots[RESULT] = received[-1]
        fn = self.slots[end.args[0]]
        cotangent.give_environment(fn.env.birth, received, len(fn.env.values))
        self.structured["end"].reverse(slots, cotangent)

    def _back_resume(self, slots: Any, cotangent: Cotangent, received: Values, end: Any) -> None:
        capsule = self.resumed
        assert capsule is not None
        state = capsule.state
        if state.finished:
            if end.ret is None:
                cotangent.stack.append(received[1:])
            else:
                names = self.block.target(end.ret).block.params[1:]
                slots.update(zip(names, received[1:], strict=True))
            cotangent.give(capsule.birth, (0, 0), received[0])
            return
        depth, frame = 0, state.frame
        amounts = [received]
        while frame.block is not HALT:
            amounts.append(cotangent.stack.pop())
            depth, frame = depth + 1, frame.next
        self._back_frame(slots, cotangent, end.ret)
        for (level, position), _ in state_slots(state):
            if level <= depth and amounts[level][position] != 0.0:
                cotangent.give(capsule.birth, (level, position), amounts[level][position])

    def _back_return(self, slots: Any, cotangent: Cotangent, after: Any, received: Values, end: Any) -> None:
        cotangent.stack.append(received[1:])
        self._add_operands(slots, (end.operand,), received[:1])

    def _back_install(self, slots: Any, cotangent: Cotangent, after: Any, received: Values, end: Any) -> None:
        self._back_frame(slots, cotangent, end.leave)
        for name, amount in zip(self.block.target(end.body).block.params, received, strict=True):
            slots[name] = slots.get(name, 0.0) + amount

    def _back_raise(self, slots: dict[str, Any], cotangent: Cotangent, received: Values) -> None:
        cotangent.stack.append(received[1:])
        for size in reversed(self.frames[:-1]):
            cotangent.stack.append((0.0,) * size)
        slots[RESULT] = received[0]
        for key in reversed([key for key in self.structured if str(key).startswith("%raised")]):
            self.structured[key].reverse(slots, cotangent)
            slots[RESULT] = slots.pop(key, 0.0)
        end = self.block.block.end
        if self.stop in self.structured:
            self.structured[self.stop].reverse(slots, cotangent)
        elif isinstance(end, b.Throw) and isinstance(end.operand, str):
            slots[end.operand] = slots.get(end.operand, 0.0) + slots[RESULT]


def birth_of(value: Any) -> int:
    """The birth under which the fields of a slot's object are kept."""
    birth: int = value.env.birth if type(value) is Closure else getattr(value, "birth", 0)
    return birth


ENDS: dict[type, Callable[..., tuple[BlockCode, Values]]] = {
    b.Jump: Part._go,
    b.Enter: Part._go,
    b.Branch: Part._branch,
    b.Call: Part._call,
    b.Control: Part._control,
    b.Return: Part._return,
    b.Throw: Part._throw,
    b.Install: Part._install,
}
BACK: dict[type, Callable[..., None]] = {
    b.Jump: Part._back_go,
    b.Enter: Part._back_go,
    b.Branch: Part._back_branch,
    b.Call: Part._back_call,
    b.Control: Part._back_control,
    b.Return: Part._back_return,
    b.Install: Part._back_install,
}
