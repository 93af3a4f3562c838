"""The adjoint pass: for each block what its taped variant records, and the block that reverses it.

In: a block (checkpoint.cps.blocks, after the pass `blocks`). Out: its Adjoint: actions on accumulators,
in the order in which they are to be done, and what they need from the forward run. Write x' for the
accumulator of slot x, and (o . i)' for that of field i of object o, which is kept under o's birth.

    (add x' y')                  x' += y'
    (scale x' (p a ...) i y')    x' += (the i-th partial of p at a ...) y', for each of Scale's targets
    (take x' o i)                x' += (o . i)', whose object was made here: nobody adds to it any more
    (give o i y')                (o . i)' += y'
    (pick s y')                  (o . i)' += y', of the object o and its field i that s has read
    (move s)                     for each field of the new object that s has made of fields of its operands,
                                 or written: what it has received goes back to where its copy came from; the
                                 last first, and all is taken before anything is given
    (put s)                      x' += (o . i)', of the field that the update s has written; x its content
    (pull s)                     what the rules of the function of arrays s give, to each number of its
                                 operands, the last first; a change in place is undone
    (redo s)                     a step that the engine records as a whole

`checkpoint show --pass adjoint` prints this.

Accumulators of slots that the block defines or that are not live at its end start at +0.0; those of
slots that live on continue. Which field a step reads, and where fields come from, is known when it runs:
the engine records that, one *origin* for each such step. A scalar step that was done by the record
`otherwise` is reversed as a step of that record; where all its operands are integers, by nothing. Any step on
data that was done by a record of arrays (checkpoint.prims.arrays) is reversed as a `pull`.
Contributions are in the reverse order of the steps, the last operand first.
A block's end is reversed before its actions; how depends on where the run went on, so engines do it:
- jump, enter: what the target's given parameters received is added to the arguments, the last first;
- branch: the target's parameters are this block's own slots;
- call: as enter, to the arguments and then, the last first, to the fields of the called environment;
  the frame that it pushed gives its slots' accumulators back;
- return, raise: the receiver's first parameter to the operand; its other parameters are the frame's.
"""

from __future__ import annotations

from dataclasses import dataclass

from checkpoint.ad.record import Data, Effect, Operator, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.rewrite import defined, slots_read


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Add:
    target: str
    source: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scale:
    """All partials of one step: `targets` are operand positions, in the order of their contributions."""

    record: Scalar
    operands: tuple[t.Operand, ...]
    targets: tuple[int, ...]
    source: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Take:
    target: str
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
    """actions: by step, the last step first. values: slots whose value is recorded. births: slots of
    objects whose birth is. origins: slots of the results of steps whose origin is.
    """

    actions: tuple[tuple[int, tuple[Action, ...]], ...]
    values: b.Slots
    births: b.Slots
    origins: b.Slots = ()


def adjoint(block: b.Block) -> Adjoint:
    """The adjoint of a whole block; a part of it has the actions of its range of steps."""
    found = [(i, actions_of(step)) for i, step in enumerate(block.steps)]
    found = [(i, actions) for i, actions in reversed(found) if actions]
    every = [action for _, actions in found for action in actions]
    called = [block.end.fn] if isinstance(block.end, b.Call) else []
    values = _in_order([name for action in every for name in values_needed(action)])
    births = _in_order([*(name for action in every for name in births_needed(action)), *called])
    origins = _in_order([name for action in every for name in origins_needed(action)])
    return Adjoint(tuple(found), values, births, origins)


def actions_of(step: t.Step) -> tuple[Action, ...]:
    """What reverses one step."""
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
    if isinstance(record, Rearrange) and record.tells:
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
    slots = [i for i, operand in enumerate(step.operands) if isinstance(operand, str)]
    if record.partials is None or not slots:
        return ()
    return (Scale(record, step.operands, tuple(reversed(slots)), step.name),)


def _of_group(group: b.MakeEnvironment | b.CopyCaptures) -> tuple[Action, ...]:
    if isinstance(group, b.MakeEnvironment):
        return _takes(group.name, group.captures)
    return tuple([Add(source, new) for new, source in reversed(group.pairs)])


def _takes(owner: str, operands: tuple[t.Operand, ...]) -> tuple[Action, ...]:
    """For an object made of copies of operands."""
    fields = [(i, operand) for i, operand in enumerate(operands) if isinstance(operand, str)]
    return tuple([Take(operand, owner, i) for i, operand in reversed(fields)])


def values_needed(action: Action) -> b.Slots:
    """To be recorded: the slots whose values an action reads."""
    if not isinstance(action, Scale):
        return ()
    needs = action.record.needs
    everything = tuple(range(action.record.arity + 1))
    positions = [p for i in action.targets for p in (everything if needs is None else needs[i])]
    names = [*action.operands, action.source]
    return tuple([name for name in (names[p] for p in positions) if isinstance(name, str)])


def births_needed(action: Action) -> b.Slots:
    """To be recorded: the slots of the objects whose births an action reads."""
    return (action.owner,) if isinstance(action, Take | Give) else ()


def origins_needed(action: Action) -> b.Slots:
    """To be recorded: the results of the steps whose origins an action reads."""
    return (action.step.name,) if isinstance(action, Pick | Move | Put | Pull) else ()


def _in_order(names: list[t.Operand]) -> b.Slots:
    return tuple(dict.fromkeys([name for name in names if isinstance(name, str)]))


def births(step: t.Step) -> b.Slots:
    """The slots of the objects that a step always makes, in the order of their births."""
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
    """Every slot that a block knows."""
    found = dict.fromkeys(block.params)
    for step in block.steps:
        found.update(dict.fromkeys([*sorted(slots_read(step)), *defined(step)]))
    return tuple(found)
