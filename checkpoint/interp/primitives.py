"""The code of primitives in the reference engine: one class for each kind of record.

In: a ready frame with all operands. Out: the next ready frame. A failure that the record declares becomes an
exception of the language at this step. A RunError of a primitive, which has met a list as it was before a
change, is not an exception of the program: it leaves the run with the place of the step.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.activity import literals_of
from checkpoint.ad.graph import enter, renew
from checkpoint.ad.numbers import apply, fresh, takes_reals
from checkpoint.ad.operands import holds_array
from checkpoint.ad.record import (
    Control,
    Data,
    Effect,
    OperandError,
    Operator,
    Primitive,
    Rearrange,
    Scalar,
    Select,
    Update,
    lookup,
)
from checkpoint.ad.state import reaches_mutable, settled
from checkpoint.ad.tangent import ShapeError, lift
from checkpoint.ad.tensors import Tensor, perform
from checkpoint.ad.tracing.traces import refuse
from checkpoint.ad.values import NO_CAPSULE, Capsule
from checkpoint.driver.raised import LONGEST_TRACE, Raised, failure, run_ending
from checkpoint.errors import RUN_ENDING, InternalError
from checkpoint.interp.code import Compound, LeaveTag, Projection, call
from checkpoint.interp.machine import Frame, Machine, State
from checkpoint.interp.traced import looked_at, operated
from checkpoint.lang.core import Prim
from checkpoint.prims.arrays import overload, scalar_on_arrays


class Apply(Compound):
    """The common part of all primitives: the record, and the treatment of its failures.

    application: the expression of which this is the code.
    literals: the bits of the operands that are literals of the program (checkpoint.ad.activity).
    """

    __slots__ = ("application", "literals", "name", "record")

    def __init__(
        self,
        record: Any,
        application: Prim,
        operands: tuple[Any, ...],
        keep: tuple[Projection, ...],
        literals: int,
    ) -> None:
        super().__init__(operands, keep, application.span)
        self.record = record
        self.application = application
        self.name = application.op
        self.literals = literals

    def step(self, machine: Machine, frame: Frame) -> Frame:
        try:
            value = self.perform(machine, frame.values)
        except self.record.failures as exception:
            raise failure(self.name, frame.values, exception, self.span) from None
        except RUN_ENDING as error:
            raise run_ending(error, frame.values, self.span) from None
        return machine.deliver(value, frame.next)

    def perform(self, machine: Machine, operands: tuple[Any, ...]) -> Any:
        """Return the value; `Resume` and `Differentiate` continue the run instead."""
        raise InternalError(f"{self.name} has no value of its own", self.span)


class ApplyScalar(Apply):
    """A scalar record; arrays are left to the record that overloads it, other operands to `otherwise`."""

    __slots__ = ("otherwise",)

    def __init__(self, record: Scalar, *rest: Any) -> None:
        super().__init__(record, *rest)
        self.otherwise = None if record.otherwise is None else lookup(record.otherwise)

    def perform(self, machine: Machine, operands: tuple[Any, ...]) -> Any:
        if takes_reals(operands):
            return apply(self.record, operands)
        if holds_array(operands):
            at = machine.steps + 1
            literals = literals_of(machine, self.application, self.literals)
            return scalar_on_arrays(machine, at, self.record, operands, machine.taped, literals)
        if self.otherwise is None:
            looked_at(self.name, operands)
            return apply(self.record, operands)
        return result_of(self.otherwise, machine, operands, self)


class ApplyHere(Apply):
    """A record whose value depends on the moment of the run at most."""

    __slots__ = ()

    def perform(self, machine: Machine, operands: tuple[Any, ...]) -> Any:
        return result_of(self.record, machine, operands, self)


def result_of(record: Primitive, machine: Machine, operands: tuple[Any, ...], code: Apply) -> Any:
    """Return the value of a record that makes, reads, moves or updates data, or works on arrays."""
    record = overload(record, operands) or record
    match record:
        case Tensor():
            literals = literals_of(machine, code.application, code.literals)
            return perform(machine, machine.steps + 1, record, operands, machine.taped, literals)
        case Data():
            looked_at(record.name, operands)
            value = record.value(*operands)
            if record.mutable:
                value.owner = machine.owner
            return value
        case Select() | Rearrange() | Update():
            looked_at(record.name, operands)
            return record.value(machine, *operands)
    raise InternalError(f"{record.name} cannot do the work of another record")


class ApplyEffect(Apply):
    __slots__ = ()
    record: Effect

    def perform(self, machine: Machine, operands: tuple[Any, ...]) -> Any:
        refuse(self.name)
        return self.record.value(machine.effects, machine.steps, *operands)


class ApplyOperator(Apply):
    __slots__ = ()
    record: Operator

    def perform(self, machine: Machine, operands: tuple[Any, ...]) -> Any:
        operated(self.name)
        context = machine.context()
        given = [settled(operand, machine.steps - 1) for operand in operands]
        try:
            return self.record.value(context, *given)
        except Raised as raised:
            context.tags = max(context.tags, raised.tags)
            raised.trace = (*raised.trace, self.span)[:LONGEST_TRACE]
            raise
        finally:
            machine.tags = max(machine.tags, context.tags)


class Resume(Apply):
    """`resume`: puts the capsule's frames on top of this run's."""

    __slots__ = ()

    def step(self, machine: Machine, frame: Frame) -> Frame:
        refuse(self.name)
        capsule = frame.values[0]
        if type(capsule) is not Capsule:
            raise failure(self.name, frame.values, OperandError(NO_CAPSULE), self.span)
        return machine.resume(own_state(capsule), frame.next, fresh)


class Differentiate(Apply):
    """`j*`: lifts the argument to duals and calls the procedure; `LeaveTag` is the exit."""

    __slots__ = ("leave",)

    def __init__(
        self,
        record: Any,
        application: Prim,
        operands: tuple[Any, ...],
        keep: tuple[Projection, ...],
        literals: int,
    ) -> None:
        super().__init__(record, application, operands, keep, literals)
        self.leave = LeaveTag(application.span)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        refuse(self.name)
        procedure, *given = frame.values
        tag = machine.tags
        argument, tangent = [settled(operand, machine.steps - 1) for operand in given]
        try:
            dual = lift(enter(argument), enter(tangent), tag)
            first = call(procedure, (dual,), self.leave.frame(tag, frame.next))
        except (ShapeError, OperandError) as exception:
            raise failure(self.name, frame.values, exception, self.span) from None
        machine.tags = tag + 1
        return first


def own_state(capsule: Capsule) -> State:
    """Return a capsule's state to be resumed: a copy if it holds lists, since it may be resumed again."""
    state: State = renew(capsule).state if reaches_mutable(capsule) else capsule.state
    return state


def code_of(record: Any) -> type[Apply]:
    """Return the code class that performs a record."""
    if isinstance(record, Control):
        controls: dict[str, type[Apply]] = {"j*": Differentiate, "resume": Resume}
        return controls[record.name]
    if type(record) not in KINDS:
        raise InternalError(f"the reference engine does not know records like {record}")
    return KINDS[type(record)]


KINDS: dict[type, type[Apply]] = {
    Scalar: ApplyScalar,
    Data: ApplyHere,
    Select: ApplyHere,
    Rearrange: ApplyHere,
    Update: ApplyHere,
    Tensor: ApplyHere,
    Effect: ApplyEffect,
    Operator: ApplyOperator,
}
