"""The adjoint of a block in C: the values it records, and the actions that reverse it.

In: a BlockPeer. Out: the fields of its struct for its adjoint (ctemplates/program/code.h), made from
checkpoint.cps.adjoint. A copy that shares a register with its source needs no action.

Notes are the births, and fields, that steps find out, in the order of the steps: of what a step makes (a
letrec may make several), of what `car` and its like take from, of the container and field that a Select reads
or an Update writes; of what a Rearrange makes where its fields are from; of a call's end that of the
environment that it enters.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.record import Data, Rearrange, Select, Update, lookup
from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.registers import results
from checkpoint.ctarget.tables import scalar_number

_NUMBERS = (float, int, bool)


def fill_adjoint(peer: BlockPeer) -> None:
    """Fill in the fields of the adjoint."""
    struct, block = peer.pointer, peer.block
    adjoint = peer.code.reversal() if peer.procedure.code is not None else a.Adjoint((), (), ())
    defined = {name: i for i, step in enumerate(block.steps) for name in results(step)}
    values = sorted(adjoint.values, key=lambda name: defined.get(name, -1))
    struct.value_count = len(values)
    struct.values = peer.own("Register[]", [peer.registers[name] for name in values])
    struct.value_step = peer.own("int32_t[]", [defined.get(name, -1) for name in values])
    notes = _Notes(peer)
    struct.note_count = notes.at[-1]
    struct.note_at = peer.own("uint32_t[]", notes.at)
    struct.record_size = len(values) + notes.at[-1]
    positions = {name: i for i, name in enumerate(values)}
    found = [
        _action(peer, step, action, positions, notes)
        for step, actions in adjoint.actions
        for action in actions
        if not _is_elided(peer, action)
    ]
    struct.action_count = len(found)
    struct.actions = peer.own("Action[]", found)
    every = list(dict.fromkeys(peer.registers[name] for name in (*block.params, *defined)))
    struct.slot_count = len(every)
    struct.slots = peer.own("Register[]", every)
    struct.has_adjoint = True


class _Notes:
    """The positions of the notes. at: where those of each step and of the end begin, then the total."""

    def __init__(self, peer: BlockPeer) -> None:
        self.at = [0]
        self.births: dict[str, int] = {}  # of the objects that the block makes, by slot
        for step in peer.block.steps:
            for i, name in enumerate(a.births(step) if not _is_split(step) else ()):
                self.births[name] = self.at[-1] + i
            self.at.append(self.at[-1] + words(step))
        self.at.append(self.at[-1] + _calls(peer.block.end))


def _calls(end: b.End) -> bool:
    """Return whether an end enters a procedure, whose environment it notes."""
    return isinstance(end, b.Call) or (isinstance(end, b.Control) and end.op != "resume")


def _is_split(step: t.Step) -> bool:
    return results(step) == ("result",) and not isinstance(step, t.Copy | t.Compute)


def words(step: t.Step) -> int:
    """Return the number of words that a step notes."""
    if not isinstance(step, t.Compute):
        return len(a.births(step)) if isinstance(step, b.MakeClosure | b.Letrec) else 0
    record = lookup(step.op)
    if isinstance(record, Select) or (isinstance(record, Update) and record.puts is not None):
        return 2
    if isinstance(record, Rearrange) and runtime().lib.ck_native_copies(step.op.encode()):
        return int(runtime().lib.COPIES_WORDS)
    return int(isinstance(record, Data) and (record.builds or record.takes is not None))


def _is_elided(peer: BlockPeer, action: a.Action) -> bool:
    return isinstance(action, a.Add) and peer.registers[action.target] == peer.registers[action.source]


# Actions


def _action(
    peer: BlockPeer, index: int, action: a.Action, positions: dict[str, int], notes: _Notes
) -> dict[str, Any]:
    """Return the fields of an Action; its ActionKind has the name of the class."""
    lib, registers = runtime().lib, peer.registers
    found: dict[str, Any] = {"step": index, "source": lib.NO_REGISTER, "target": lib.NO_REGISTER}
    found["kind"] = getattr(lib, type(action).__name__.upper())
    match action:
        case a.Add(target, source):
            found.update(target=registers[target], source=registers[source])
        case a.Scale():
            found.update(_scale(peer, index, action, positions))
        case a.Take(target, owner, field):
            found.update(field=field, note=notes.births[owner])
            if target is not None:
                found["target"] = registers[target]
        case a.Give(_, field, source):
            found.update(source=registers[source], field=field, note=notes.at[index])
        case a.Pick(step):
            found.update(source=registers[step.name], note=notes.at[index])
        case a.Put(step):
            found.update(source=registers[step.name], note=notes.at[index])
            found["target"] = _register(peer, step.operands[-1])
        case a.Move(step):
            found.update(source=registers[step.name], note=notes.at[index])
            found["count"] = int(words(step) == lib.COPIES_WORDS)
        case a.Pull(step) | a.Redo(step):
            found.update(source=registers[step.name])
    return found


def _register(peer: BlockPeer, operand: t.Operand) -> int:
    return peer.registers[operand] if isinstance(operand, str) else int(runtime().lib.NO_REGISTER)


def _scale(peer: BlockPeer, index: int, action: a.Scale, positions: dict[str, int]) -> dict[str, Any]:
    given, step, none = action.operands, peer.block.steps[index], runtime().lib.NO_REGISTER
    literals: list[Any] = [None if isinstance(operand, str) else operand.value for operand in given]
    return {
        "source": peer.registers[action.source],
        "scalar": scalar_number(step),
        "count": len(given),
        "operands": [_register(peer, x) for x in given] + [none] * (3 - len(given)),
        "values": [positions.get(x, -1) if isinstance(x, str) else -1 for x in given]
        + [-1] * (3 - len(given))
        + [positions.get(action.source, -1)],
        "constants": [float(x) if type(x) in _NUMBERS else 0.0 for x in literals],
    }
