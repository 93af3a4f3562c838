"""The adjoint pass: what the taped variant of each block records, and the actions that reverse the block.

In: a block (checkpoint.cps.blocks, after the pass `blocks`). Out: its Adjoint: the actions on accumulators,
in the order in which they are performed, and what they need from the forward run. Write x' for the
accumulator of slot x, and (o . i)' for that of field i of object o, which is stored under the birth of o.

    (add x' y')                  x' += y'
    (scale x' (p a ...) i y')    x' += (the i-th partial of p at a ...) y', for each of Scale's targets
    (take x' o i)                x' += (o . i)', where o was made here: nothing is added to (o . i)' any more;
                                 _ for x': the field is of a literal, and what it has is removed
    (give o i y')                (o . i)' += y'
    (pick s y')                  (o . i)' += y', for the object o and its field i that step s has read
    (move s)                     for each field of the new objects that s has made of fields of its operands,
                                 or written: return what it has received to the field that it was copied
                                 from; the last field first, and all is taken before anything is given
    (put s)                      x' += (o . i)', for the field that the update s has written; x its content
    (pull s)                     add to each number of the operands what the rules of the function of arrays
                                 s give, the last first; undo a change in place
    (redo s)                     reverse a step that the engine records as a whole

`checkpoint show --pass adjoint` prints this.

The accumulators of slots that the block defines, or that are not live at its end, start at +0.0; those of
slots that stay live continue. Which field a step reads, and where fields come from, is known only when it
runs: the engine records one *origin* for each such step. A scalar step that its record's `otherwise`
performed is reversed as a step of that record; where all its operands are integers, there is nothing to
reverse. Any step on data that a record of arrays performed (checkpoint.prims.arrays) is reversed as a `pull`.
Contributions are added in the reverse order of the steps, the last operand first.

The end of a block is reversed before its actions. Engines do that, since it depends on where the run
continued:
- jump, enter: what the explicit parameters of the target received is added to the arguments, the last first;
- branch: the parameters of the target are this block's own slots;
- call: as enter, to the arguments and then, the last first, to the fields of the called environment; the
  frame that the call pushed returns the accumulators of its slots;
- return, raise: what the first parameter of the receiver received is added to the operand; the other
  parameters belong to the frame.
"""

from __future__ import annotations

from checkpoint.ad.record import Data, Effect, Operator, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.rewrite import defined, slots_read
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Add:
    target: str
    source: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scale:
    """All partials of one step. targets: positions of operands, in the order of their contributions."""

    record: Scalar
    operands: tuple[t.Operand, ...]
    targets: tuple[int, ...]
    source: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Take:
    target: str | None  # None: nobody receives it
    owner: str
    field: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Give:
    owner: str
    field: int
    source: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pick:
    step: t.Compute


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Move:
    step: t.Compute


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Put:
    step: t.Compute


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pull:
    step: t.Compute


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Redo:
    step: t.Compute


Action = Add | Scale | Take | Give | Pick | Move | Put | Pull | Redo


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Adjoint:
    """The adjoint of a block.

    actions: by step, the last step first. values: the slots whose values are recorded.
    births: the slots of objects whose births are recorded.
    origins: the slots of the results of steps whose origins are recorded.
    """

    actions: tuple[tuple[int, tuple[Action, ...]], ...]
    values: b.Slots
    births: b.Slots
    origins: b.Slots = ()


def adjoint(block: b.Block) -> Adjoint:
    """Return the adjoint of a whole block; a part of it has the actions of its range of steps."""
    found = [(i, actions_of(step)) for i, step in enumerate(block.steps)]
    found = [(i, actions) for i, actions in reversed(found) if actions]
    every = [action for _, actions in found for action in actions]
    called = [block.end.fn] if isinstance(block.end, b.Call) else []
    values = _in_order([name for action in every for name in values_needed(action)])
    births = _in_order([*(name for action in every for name in births_needed(action)), *called])
    origins = _in_order([name for action in every for name in origins_needed(action)])
    return Adjoint(tuple(found), values, births, origins)


def actions_of(step: t.Step) -> tuple[Action, ...]:
    """Return the actions that reverse one step."""
    match step:
        case t.Copy():
            return (Add(step.operand, step.name),) if isinstance(step.operand, str) else ()
        case t.Compute():
            return _of_primitive(step)
        case b.MakeClosure():
            return _takes(step.name, step.captures)
        case b.Letrec():
            return tuple([action for group in reversed(step.groups) for action in _of_group(group)])
    return ()


def _of_primitive(step: t.Compute) -> tuple[Action, ...]:
    record = lookup(step.op)
    if isinstance(record, Scalar):
        return _of_scalar(step, record)
    if isinstance(record, Operator):
        return (Redo(step),)
    if isinstance(record, Tensor):
        return (Pull(step),)
    if isinstance(record, Data) and record.builds:
        return _takes(step.name, step.operands[record.header :])
    if isinstance(record, Select):
        return (Pick(step),)
    if isinstance(record, Rearrange) and not record.has_origin:
        return ()
    if isinstance(record, Update) and record.puts is not None:
        return (Put(step),)
    if isinstance(record, Rearrange | Update):
        return (Move(step),)
    operand = step.operands[0] if step.operands else None
    if isinstance(record, Data) and record.takes is not None and isinstance(operand, str):
        return (Give(operand, record.takes, step.name),)
    if isinstance(record, Effect) and record.copies and isinstance(operand, str):
        return (Add(operand, step.name),)
    return ()


def _of_scalar(step: t.Compute, record: Scalar) -> tuple[Action, ...]:
    if record.partials is None or not any(isinstance(operand, str) for operand in step.operands):
        return ()
    return (Scale(record, step.operands, scaled(record, step.operands), step.name),)


def scaled(record: Scalar, operands: tuple[t.Operand, ...]) -> tuple[int, ...]:
    """Return the positions of the operands that receive from a scalar's result, the last first."""
    found = [i for i, operand in enumerate(operands) if isinstance(operand, str) and i not in record.flat]
    return tuple(reversed(found))


def _of_group(group: b.MakeEnvironment | b.CopyCaptures) -> tuple[Action, ...]:
    if isinstance(group, b.MakeEnvironment):
        return _takes(group.name, group.captures)
    return tuple([Add(source, new) for new, source in reversed(group.pairs)])


def _takes(owner: str, operands: tuple[t.Operand, ...]) -> tuple[Action, ...]:
    """Return the actions for an object that is made of copies of operands.

    A field of a literal number receives as any other does: what it has must go with the object.
    """
    fields = [(i, operand) for i, operand in enumerate(operands) if may_receive(operand)]
    return tuple(
        [Take(operand if isinstance(operand, str) else None, owner, i) for i, operand in reversed(fields)]
    )


def may_receive(operand: t.Operand) -> bool:
    """Return whether anything may be added to the accumulator of a field that holds an operand."""
    return isinstance(operand, str) or isinstance(operand.value, float | int)


def values_needed(action: Action) -> b.Slots:
    """Return the slots whose values an action reads, to be recorded."""
    if not isinstance(action, Scale):
        return ()
    needs = action.record.needs
    everything = tuple(range(action.record.arity + 1))
    positions = [p for i in action.targets for p in (everything if needs is None else needs[i])]
    names = [*action.operands, action.source]
    return tuple([name for name in (names[p] for p in positions) if isinstance(name, str)])


def births_needed(action: Action) -> b.Slots:
    """Return the slots of the objects whose births an action reads, to be recorded."""
    return (action.owner,) if isinstance(action, Take | Give) else ()


def origins_needed(action: Action) -> b.Slots:
    """Return the results of the steps whose origins an action reads, to be recorded."""
    return (action.step.name,) if isinstance(action, Pick | Move | Put | Pull) else ()


def _in_order(names: list[t.Operand]) -> b.Slots:
    return tuple(dict.fromkeys([name for name in names if isinstance(name, str)]))


def births(step: t.Step) -> b.Slots:
    """Return the slots of the objects that a step always makes, in the order of their births."""
    match step:
        case b.MakeClosure():
            return (step.name,) if step.captures else ()
        case b.Letrec():
            return tuple([group.name for group in step.groups if isinstance(group, b.MakeEnvironment)])
        case t.Compute():
            record = lookup(step.op)
            return (step.name,) if isinstance(record, Data) and record.builds else ()
    return ()


def all_slots(block: b.Block) -> b.Slots:
    """Return all slots of a block."""
    found = dict.fromkeys(block.params)
    for step in block.steps:
        found.update(dict.fromkeys([*sorted(slots_read(step)), *defined(step)]))
    return tuple(found)
