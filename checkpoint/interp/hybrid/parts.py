"""Parts of blocks, run step by step.

A part runs from a point of a block towards its end: until the limit, or over the end into the next block, or
until something is raised. It defines the meaning of a block; emitted source must do the same. A taped part
keeps the values of all slots for checkpoint.interp.hybrid.reversal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.activity import literals_of
from checkpoint.ad.arrays import ARRAYS
from checkpoint.ad.graph import enter, renew
from checkpoint.ad.numbers import Dual, apply, fresh, takes_reals
from checkpoint.ad.operands import holds_array
from checkpoint.ad.record import Effect, OperandError, Operator, Primitive, Scalar, lookup
from checkpoint.ad.state import reaches_mutable, settled
from checkpoint.ad.tangent import ShapeError, lift, split
from checkpoint.ad.tensors import Tensor
from checkpoint.ad.values import EMPTY, NO_CAPSULE, Capsule, Closure, Environment, Pair
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.driver.raised import LONGEST_TRACE, SHOWN_OF_OPERAND, Raised, failure, left_open, run_ending
from checkpoint.errors import RUN_ENDING, InternalError
from checkpoint.interp.hybrid.array_origins import IDLE, Idle, Pulled, Unwanted, Written
from checkpoint.interp.hybrid.code import BlockCode
from checkpoint.interp.hybrid.machine import LEAVE, Frame, Machine, Split, Values
from checkpoint.interp.hybrid.origins import Origin, all_born, perform, perform_taped
from checkpoint.interp.hybrid.structured import Structured
from checkpoint.interp.hybrid.tensors import (
    carries_derivative,
    literals_among,
    on_array_reals,
    on_arrays,
    on_duals,
    perform_tensor,
    perform_tensor_taped,
)
from checkpoint.lang.printer import write_value
from checkpoint.prims.arrays import truth_of


class Part:
    """One part, from the step `start` up to, not including, `stop`.

    ended: whether the end was passed. raised: whether the step at `stop` raised.
    structured: by index, the steps recorded as wholes and the origins of others; "end" for those of the end;
    by the slot of what was raised, the removals of its tangents, in the order of `stripped`.
    births: those of the objects in slots whose fields the reversal reads or adds to.
    frames: the number of slots of each frame that a raise removed, the top first.
    """

    __slots__ = (
        "births",
        "block",
        "ended",
        "frames",
        "raised",
        "resumed",
        "slots",
        "start",
        "stop",
        "stripped",
        "structured",
    )

    def __init__(self, machine: Machine) -> None:
        self.block: BlockCode = machine.block
        block = self.block.block
        self.start = machine.index
        self.stop = machine.index
        names = block.live[self.start] if self.start else block.params
        self.slots: dict[str, Any] = dict(zip(names, machine.values, strict=True))
        machine.values = ()  # so that what the part has used for the last time can be released
        self.ended = False
        self.raised = False
        self.frames: list[int] = []
        self.stripped: list[str] = []
        self.resumed: Capsule | None = None
        self.structured: dict[Any, Structured | Origin | Pulled | Unwanted | Written | Idle] = {}
        self.births: dict[str, int] = {}

    def forward(self, machine: Machine, last: int) -> bool:
        """Run; the machine is then at the point reached. Return whether the block was left."""
        try:
            left = self._forward(machine, last)
        except Raised as raised:
            machine.index, left = 0, True
            machine.block, machine.values = self._unwind(machine, raised)
        if machine.tape is not None:
            self._note_births()
        return left

    def _note_births(self) -> None:
        """Record the births that the reversal needs.

        Objects without reals are shared with inner runs, which give them other births.
        """
        for slot in self.block.reversal().births:
            if slot in self.slots:
                value = self.slots[slot]
                self.births[slot] = value.env.birth if type(value) is Closure else getattr(value, "birth", 0)

    def _forward(self, machine: Machine, last: int) -> bool:
        block = self.block.block
        while self.stop < len(block.steps):
            if machine.steps >= last:
                return self._stop(machine)
            machine.steps += 1
            self._step(machine, block.steps[self.stop])
            self._release(machine.tape is not None)
            self.stop += 1
        if block.end.span is not None:
            if machine.steps >= last:
                return self._stop(machine)
            machine.steps += 1
        self.ended = True
        machine.index = 0
        machine.block, machine.values = ENDS[type(block.end)](self, machine, block.end)
        return True

    def _release(self, taped: bool) -> None:
        """Release what the last step has used for the last time; a tape may need the values of reals."""
        slots = self.slots
        for name in self.block.dying(self.stop):
            if name not in slots:
                continue
            kind = type(slots[name])
            self.block.see_one(name, kind)
            if not taped or kind in ARRAYS:
                del slots[name]

    def release_arrays(self) -> None:
        """Release all arrays; origins hold those that the reversal reads."""
        self.slots = {name: value for name, value in self.slots.items() if type(value) not in ARRAYS}

    def _stop(self, machine: Machine) -> bool:
        """Stop before the step at `stop`."""
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
            return self._apply(machine, step, record, operands)
        except record.failures as exception:
            raise failure(step.op, operands, exception, step.span) from None
        except RUN_ENDING as error:
            raise run_ending(error, operands, step.span) from None

    def _apply(self, machine: Machine, step: t.Compute, record: Primitive, operands: Values) -> Any:
        tensor = on_arrays(record, operands)
        if tensor is not None:
            return self._on_arrays(machine, step, tensor, operands)
        if isinstance(record, Scalar):
            if holds_array(operands):
                return self._whole(machine, step.operands, on_array_reals(machine, record))
            if record.otherwise is not None and not takes_reals(operands):
                return self._on_data(machine, step, lookup(record.otherwise), operands)
            if machine.tape is None or not any(type(operand) is Dual for operand in operands):
                return apply(record, operands)
            return self._whole(machine, step.operands, lambda *given: apply(record, given))
        if isinstance(record, Operator):
            return self._operate(machine, step, record)
        if isinstance(record, Effect):
            return all_born(machine, record.value(machine.effects, machine.steps, *operands))
        return self._on_data(machine, step, record, operands)

    def _on_arrays(self, machine: Machine, step: t.Compute, record: Tensor, operands: Values) -> Any:
        literals = literals_of(machine, step.application, literals_among(step.operands))
        if machine.tape is None:
            return perform_tensor(machine, record, operands, literals)
        if carries_derivative(operands):
            return self._whole(machine, step.operands, on_duals(machine, record, literals))
        names = tuple([operand if isinstance(operand, str) else None for operand in step.operands])
        value, origin = perform_tensor_taped(machine, record, operands, names, literals)
        self.structured[self.stop] = origin or IDLE
        return value

    def _on_data(self, machine: Machine, step: t.Compute, record: Primitive, operands: Values) -> Any:
        if machine.tape is None:
            return perform(machine, record, operands)
        names = tuple([operand if isinstance(operand, str) else None for operand in step.operands])
        value, origin = perform_taped(machine, record, operands, names)
        if origin is not None:
            self.structured[self.stop] = origin
        return value

    def _operate(self, machine: Machine, step: t.Compute, record: Operator) -> Any:
        context, steps = machine.context(), machine.steps - 1

        def value(*operands: Any) -> Any:
            return record.value(context, *[settled(operand, steps) for operand in operands])

        try:
            return self._whole(machine, step.operands, value)
        except Raised as raised:
            raised.trace = (*raised.trace, step.span)[:LONGEST_TRACE]
            raise
        finally:
            machine.tags = max(machine.tags, context.tags)

    def _whole(
        self, machine: Machine, operands: tuple[t.Operand, ...], compute: Callable[..., Any], key: Any = None
    ) -> Any:
        """Perform a step on whole values, recorded as a whole if the run is taped."""
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
        """Return the parameters of a block of this procedure that are passed by name."""
        return tuple([self.slots[name] for name in target.block.params[given:]])

    def _branch(self, machine: Machine, end: b.Branch) -> tuple[BlockCode, Values]:
        test = self.value(end.test)
        if type(test) is not bool:
            assert end.span is not None
            test = truth_of(machine, test, end.span)
        target = self.block.target(end.then if test else end.other)
        return target, self._saved(target, 0)

    def _call(self, machine: Machine, end: b.Call) -> tuple[BlockCode, Values]:
        fn, args = self.value(end.fn), tuple([self.value(operand) for operand in end.args])
        ret, saved = self._return_point(end.ret)
        try:
            return machine.call(fn, args, ret, saved, end.span)
        except OperandError as exception:
            if end.span is None:
                raise
            raise failure(write_value(fn, limit=SHOWN_OF_OPERAND), args, exception, end.span) from None

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

    def opened(self, machine: Machine, end: b.Control, capsule: Any) -> Capsule:
        """Return a capsule in the form in which it is resumed, with lists that belong to this run."""
        if type(capsule) is not Capsule:
            raise OperandError(NO_CAPSULE)
        if reaches_mutable(capsule):
            renewed: Capsule = self._whole(machine, end.args, renew, "end")
            return renewed
        return capsule

    def _resume(self, machine: Machine, end: b.Control, capsule: Any) -> tuple[BlockCode, Values]:
        capsule = self.opened(machine, end, capsule)
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
        procedure, tag, steps = operands[0], machine.tags, machine.steps - 1
        ret, saved = self._return_point(end.ret)
        if ret is not None:
            machine.frame = Frame(ret, saved, machine.frame)
        machine.frame = Frame(LEAVE, (tag,), machine.frame)

        def dual(argument: Any, tangent: Any) -> Any:
            return lift(enter(settled(argument, steps)), enter(settled(tangent, steps)), tag)

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
        """Continue at the innermost handler; raise the exception if there is none."""
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
        raised.value = settled(raised.value, machine.steps)
        left_open(raised, machine.frame)
        raise raised

    def _strip(self, machine: Machine, raised: Raised, tag: int) -> None:
        """Remove the tangents of j* from what is raised out of it."""
        slot = f"%raised{len(self.stripped)}"
        self.stripped.append(slot)
        self.slots[slot] = raised.value
        raised.value = self._whole(machine, (slot,), lambda value: split(value, tag)[0], slot)


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
