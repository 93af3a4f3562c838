"""The slots that steps and ends of blocks read and define, and how to replace their operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.errors import InternalError

Rewrite = Callable[[t.Operand], t.Operand]


_OPERANDS: dict[type, Callable[[Any], tuple[t.Operand, ...]]] = {
    t.Read: lambda step: (step.operand,),
    t.Copy: lambda step: (step.operand,),
    t.Compute: attrgetter("operands"),
    b.MakeClosure: attrgetter("captures"),
    b.MakeMember: lambda step: () if step.env is None else (step.env,),
    b.Letrec: lambda step: tuple([name for group in step.groups for name in _sources(group)]),
}


def operands_of(step: t.Step) -> tuple[t.Operand, ...]:
    """Return the operands of a step, constants included, from the left."""
    found = _OPERANDS.get(type(step))
    if found is None:
        raise InternalError(f"{type(step).__name__} is no step of a block", step.span)
    return found(step)


def _sources(group: b.MakeEnvironment | b.CopyCaptures) -> b.Slots:
    if isinstance(group, b.MakeEnvironment):
        return group.captures
    return tuple([source for _, source in group.pairs])


def _made(group: b.MakeEnvironment | b.CopyCaptures) -> b.Slots:
    if isinstance(group, b.MakeEnvironment):
        return (group.name,)
    return tuple([new for new, _ in group.pairs])


def slots_read(step: t.Step) -> set[str]:
    """Return the slots that must be live before a step for its own sake.

    The environments of a letrec may capture environments that the same step makes; those are left out.
    """
    if type(step) is t.Read:
        return set()  # what uses the operand keeps it live
    read = {operand for operand in operands_of(step) if type(operand) is str}
    return read.difference(defined(step)) if type(step) is b.Letrec else read


def slots_read_at_end(end: b.End) -> set[str]:
    """Return the slots that an end itself reads."""
    return {operand for operand in b.operands_of_end(end) if type(operand) is str}


_DEFINED: dict[type, Callable[[Any], b.Slots]] = {
    t.Read: lambda step: (),
    b.Letrec: lambda step: tuple([name for group in step.groups for name in _made(group)]),
    **dict.fromkeys((t.Copy, t.Compute, b.MakeClosure, b.MakeMember), lambda step: (step.name,)),
}


def defined(step: t.Step) -> b.Slots:
    """Return the slots that a step defines."""
    found = _DEFINED.get(type(step))
    if found is None:
        raise InternalError(f"{type(step).__name__} is no step of a block", step.span)
    return found(step)


def replace_step(step: t.Step, operand: Rewrite) -> t.Step:
    """Return a step with its operands replaced, apart from captures, which are always variables."""
    match step:
        case t.Compute():
            operands = tuple([operand(old) for old in step.operands])
            return t.Compute(step.span, step.name, step.op, operands, step.application)
        case t.Copy():
            return t.Copy(step.span, step.name, operand(step.operand))
        case t.Read():
            return t.Read(step.span, operand(step.operand))
    return step


def replace_end(end: b.End, operand: Rewrite) -> b.End:
    """Return an end with its operands replaced."""
    match end:
        case b.Jump() | b.Enter() | b.Control():
            return replace(end, args=tuple([operand(old) for old in end.args]))
        case b.Branch():
            return replace(end, test=operand(end.test))
        case b.Call():
            args = tuple([operand(old) for old in end.args])
            return replace(end, fn=operand(end.fn), args=args)
        case b.Return() | b.Throw():
            return replace(end, operand=operand(end.operand))
    return end
