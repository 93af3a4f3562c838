"""The checker of adjoints: derive what checkpoint.cps.adjoint states of an Adjoint in another way.

In: a block and its Adjoint. Out: nothing, or an InternalError. The contributions of each step are stated here
a second time, as (target, kind) in the order of accumulation, so that a lost or misplaced action is found.
"""

from __future__ import annotations

from typing import NoReturn

from checkpoint.ad.record import Data, Effect, Operator, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.rewrite import operands_of
from checkpoint.errors import InternalError, Span

Contribution = tuple[str, str]
NOBODY = "_"  # receives what fields of literals have


def check_adjoint(procedure: b.Procedure, block: b.Block, found: a.Adjoint) -> None:
    """Raise InternalError unless this is the adjoint of the block."""
    _Checker(procedure, block, found).run()


class _Checker:
    def __init__(self, procedure: b.Procedure, block: b.Block, found: a.Adjoint) -> None:
        self.place = f"adjoint of {procedure.name}, block {block.label}"
        self.block = block
        self.found = found
        self.slots = set(a.all_slots(block))
        self.span: Span | None = None

    def fail(self, message: str) -> NoReturn:
        raise InternalError(f"{self.place}: {message}", self.span)

    def run(self) -> None:
        self.order()
        actions = dict(self.found.actions)
        for index, step in enumerate(self.block.steps):
            self.span = step.span
            self.step(index, step, actions.get(index, ()))
        self.span = self.block.end.span
        self.recorded()

    def order(self) -> None:
        """The last step comes first, and each step once."""
        before = len(self.block.steps)
        for index, actions in self.found.actions:
            if not 0 <= index < before:
                self.fail(f"step {index} is reversed after step {before}, or is no step")
            if not actions:
                self.fail(f"step {index} has no action, and an entry")
            before = index

    def step(self, index: int, step: t.Step, actions: tuple[a.Action, ...]) -> None:
        for action in actions:
            if isinstance(action, a.Scale):
                self.targets(index, action)
        found = [contribution for action in actions for contribution in contributions(action)]
        for name in (name for action in actions for name in slots_of(action)):
            if name not in self.slots:
                self.fail(f"an action of step {index} names {name}, which is no slot of the block")
        wanted = expected(step)
        if found != wanted:
            self.fail(f"step {index} contributes {_written(found)}, and should {_written(wanted)}")

    def targets(self, index: int, action: a.Scale) -> None:
        for i in action.targets:
            if not 0 <= i < len(action.operands):
                self.fail(f"{action.record.name} of step {index} has no operand {i}")

    def recorded(self) -> None:
        """Everything that an action reads of the forward run is recorded, and is a slot of the block."""
        for name in (*self.found.values, *self.found.births, *self.found.origins):
            if name not in self.slots:
                self.fail(f"{name} is recorded, which is no slot of the block")
        values, births = set(self.found.values), set(self.found.births)
        called = self.block.end.fn if isinstance(self.block.end, b.Call) else None
        if isinstance(called, str) and called not in births:
            self.fail("the birth of the called environment is not recorded")
        for index, actions in self.found.actions:
            for action in actions:
                self.needs(index, action, values, births)

    def needs(self, index: int, action: a.Action, values: set[str], births: set[str]) -> None:
        for name in a.values_needed(action):
            if name not in values:
                self.fail(f"step {index} needs the value of {name}, which is not recorded")
        for name in a.births_needed(action):
            if name not in births:
                self.fail(f"step {index} needs the birth of {name}, which is not recorded")
        for name in a.origins_needed(action):
            if name not in self.found.origins:
                self.fail(f"step {index} needs the origin of {name}, which is not recorded")


def contributions(action: a.Action) -> list[Contribution]:
    """Return the accumulators that an action adds to, in order, and the kind of each contribution."""
    match action:
        case a.Add():
            return [(action.target, f"add {action.source}")]
        case a.Scale():
            scaled = [(i, action.operands[i]) for i in action.targets]
            return [(str(name), f"scale {action.source} {i}") for i, name in scaled]
        case a.Take():
            return [(action.target or NOBODY, f"take {action.owner} {action.field}")]
        case a.Give():
            return [(action.owner, f"give {action.source} {action.field}")]
        case a.Pick():
            return [(action.step.name, "pick")]
        case a.Move():
            return [(action.step.name, "move")]
        case a.Put():
            return [(action.step.name, "put")]
        case a.Pull():
            return [(action.step.name, "pull")]
        case a.Redo():
            return [(action.step.name, "redo")]


def slots_of(action: a.Action) -> list[str]:
    """Return the slots that an action names."""
    match action:
        case a.Add():
            return [action.target, action.source]
        case a.Scale():
            return [action.source, *[name for name in action.operands if isinstance(name, str)]]
        case a.Take():
            return [*([action.target] if action.target else []), action.owner]
        case a.Give():
            return [action.owner, action.source]
        case a.Pick() | a.Move() | a.Put() | a.Pull() | a.Redo():
            return [action.step.name]


def expected(step: t.Step) -> list[Contribution]:
    """Return the contributions of a step, the last operand first."""
    match step:
        case t.Compute():
            return _of_primitive(step)
        case t.Copy():
            return [(name, f"add {step.name}") for name in operands_of(step) if isinstance(name, str)]
        case b.MakeClosure():
            return _fields(step.name, step.captures)
        case b.Letrec():
            groups = [_of_group(group) for group in step.groups]
            return [contribution for group in reversed(groups) for contribution in group]
    return []


def _of_primitive(step: t.Compute) -> list[Contribution]:
    record = lookup(step.op)
    slots = [(i, name) for i, name in enumerate(step.operands) if isinstance(name, str)]
    match record:
        case Operator():
            return [(step.name, "redo")]
        case Tensor():
            return [(step.name, "pull")]
        case Scalar() if record.partials is not None:
            return [(name, f"scale {step.name} {i}") for i, name in reversed(slots) if i not in record.flat]
        case Data() if record.builds:
            return _fields(step.name, step.operands[record.header :])
        case Select():
            return [(step.name, "pick")]
        case Rearrange() if not record.has_origin:
            return []
        case Update() if record.puts is not None:
            return [(step.name, "put")]
        case Rearrange() | Update():
            return [(step.name, "move")]
        case Data() if record.takes is not None:
            return [(name, f"give {step.name} {record.takes}") for _, name in slots]
        case Effect() if record.copies:
            return [(name, f"add {step.name}") for _, name in slots]
    return []


def _of_group(group: b.MakeEnvironment | b.CopyCaptures) -> list[Contribution]:
    if isinstance(group, b.MakeEnvironment):
        return _fields(group.name, group.captures)
    return [(source, f"add {new}") for new, source in reversed(group.pairs)]


def _fields(owner: str, operands: tuple[t.Operand, ...]) -> list[Contribution]:
    fields = [(i, operand) for i, operand in enumerate(operands) if a.may_receive(operand)]
    return [
        (operand if isinstance(operand, str) else NOBODY, f"take {owner} {i}")
        for i, operand in reversed(fields)
    ]


def _written(contributions: list[Contribution]) -> str:
    return "; ".join(f"({how}) to {target}" for target, how in contributions) or "nothing"
