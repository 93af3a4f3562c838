"""Lowering: from labelled blocks to blocks whose parameters are all live slots.

In: procedures of checkpoint.cps.closures. Out: the same procedures in the form that checkpoint.cps.blocks
describes for the pass `blocks`. In order: a block with one predecessor, which jumps to it, is joined to that;
steps that run programs or have effects get blocks of their own, and updates end theirs; liveness determines
the parameters of every block.

No step is added, removed or moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from checkpoint.ad.record import Effect, Operator, lookup
from checkpoint.ad.tensors import changes_operand
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.rewrite import defined, replace_end, replace_step, slots_read, slots_read_at_end
from checkpoint.dataclass import dataclass


def lower(procedures: list[b.Procedure]) -> list[b.Procedure]:
    """Return the procedures with blocks joined and parameters complete; the given ones are not changed."""
    lowered = [_copy(procedure) for procedure in procedures]
    for procedure in lowered:
        join(procedure)
        isolate(procedure)
        add_live_parameters(procedure)
    return lowered


def _copy(procedure: b.Procedure) -> b.Procedure:
    """Return a copy of a procedure whose blocks may be changed; steps and ends are shared."""
    blocks = {
        label: b.Block(label, block.params, list(block.steps), block.end, block.explicit)
        for label, block in procedure.blocks.items()
    }
    return replace(procedure, blocks=blocks)


def join(procedure: b.Procedure) -> None:
    """Join each block that only one jump leads to with the block of that jump."""
    reachable(procedure)
    uses = Counter(label for block in procedure.blocks.values() for label in b.targets(block.end))
    uses[procedure.entry] += 1
    values: dict[str, t.Operand] = {}
    for label in list(procedure.blocks):
        block = procedure.blocks.get(label)
        while block is not None and isinstance(block.end, b.Jump) and uses[block.end.label] == 1:
            target = procedure.blocks.pop(block.end.label)
            values.update(zip(target.params, block.end.args, strict=True))
            block.steps += target.steps
            block.end = target.end
    if values:
        substitute(procedure, values)


def reachable(procedure: b.Procedure) -> None:
    """Remove the blocks that no end leads to; keep the others in the order in which they are reached."""
    found: dict[str, b.Block] = {}
    pending = [procedure.entry]
    while pending:
        label = pending.pop()
        if label not in found:
            found[label] = procedure.blocks[label]
            pending.extend(reversed(b.targets(found[label].end)))
    procedure.blocks = found


def substitute(procedure: b.Procedure, values: dict[str, t.Operand]) -> None:
    """Replace parameters that are removed by operands."""

    def operand(given: t.Operand) -> t.Operand:
        while isinstance(given, str) and given in values:
            given = values[given]
        return given

    for block in procedure.blocks.values():
        block.steps = [replace_step(step, operand) for step in block.steps]
        block.end = replace_end(block.end, operand)


def isolate(procedure: b.Procedure) -> None:
    """Give each step that runs programs or has an effect a block of its own; end blocks after updates.

    A block that fails can then run again from its start, since whatever it changes is changed last.
    """
    blocks: dict[str, b.Block] = {}
    for block in procedure.blocks.values():
        pieces = _pieces(block.steps)
        if pieces[-1] and isinstance(block.end, b.Control | b.Throw | b.Install):
            pieces.append([])
        labels = [block.label, *(f"{block.label}.{i}" for i in range(1, len(pieces)))]
        for i, (label, piece) in enumerate(zip(labels, pieces, strict=True)):
            first, last = i == 0, i == len(pieces) - 1
            end = block.end if last else b.Jump(None, labels[i + 1], ())
            params = block.params if first else ()
            blocks[label] = b.Block(label, params, piece, end, len(params))
    procedure.blocks = blocks


def is_special(step: t.Step) -> bool:
    """Return whether a step runs programs or has an effect."""
    return isinstance(step, t.Compute) and isinstance(lookup(step.op), Operator | Effect)


def is_update(step: t.Step) -> bool:
    """Return whether a step may change a list, dictionary or array in place."""
    return isinstance(step, t.Compute) and changes_operand(lookup(step.op))


def _pieces(steps: list[t.Step]) -> list[list[t.Step]]:
    """Return the steps, split before and after each special step and after each update.

    The last piece is the one that the end follows.
    """
    pieces: list[list[t.Step]] = [[]]
    for step in steps:
        if is_special(step):
            if not pieces[-1]:
                pieces.pop()
            pieces += [[step], []]
        else:
            pieces[-1].append(step)
            if is_update(step):
                pieces.append([])
    return pieces


@dataclass(slots=True, eq=False, repr=False)
class _Flow:
    """The effect of a block on liveness: live at the head is what is read, and live at the end and not made.

    read: the slots that its steps read before they make them. made: those that its steps make.
    read_at_end: those that its end reads. targets: the labels of the blocks after it.
    """

    read: set[str]
    made: set[str]
    read_at_end: set[str]
    targets: b.Slots

    def at_end(self, head: dict[str, set[str]]) -> set[str]:
        """Return the slots that the end reads or passes on by name."""
        return self.read_at_end.union(*[head[label] for label in self.targets])


def _flow(block: b.Block) -> _Flow:
    read: set[str] = set()
    made: set[str] = set()
    for step in reversed(block.steps):
        names = defined(step)
        read.difference_update(names)
        read |= slots_read(step)
        made.update(names)
    return _Flow(read, made, slots_read_at_end(block.end), b.targets(block.end))


def add_live_parameters(procedure: b.Procedure) -> None:
    """Compute liveness as the least fixed point, then the parameters and tables of all blocks."""
    blocks = procedure.blocks
    flows = {label: _flow(block) for label, block in blocks.items()}
    head = _live_at_heads(blocks, flows)
    order = {name: i for i, name in enumerate(definitions(procedure))}
    for label, block in blocks.items():
        if label != procedure.entry:
            block.params = (*block.params, *sorted(head[label], key=order.__getitem__))
    for label, block in blocks.items():
        block.live = live_table(block, flows[label].at_end(head), order)


def _live_at_heads(blocks: dict[str, b.Block], flows: dict[str, _Flow]) -> dict[str, set[str]]:
    """Return the slots that are live at the head of each block, without its explicit parameters."""
    head: dict[str, set[str]] = {label: set() for label in blocks}
    changed = True
    while changed:
        changed = False
        for label, block in reversed(blocks.items()):
            flow = flows[label]
            live = (flow.at_end(head) - flow.made) | flow.read
            live.difference_update(block.params[: block.explicit])
            changed = _raise(head, label, live) or changed
            changed = _balance(head, block.end) or changed
    return head


def _raise(head: dict[str, set[str]], label: str, live: set[str]) -> bool:
    if live <= head[label]:
        return False
    head[label] |= live
    return True


def _balance(head: dict[str, set[str]], end: b.End) -> bool:
    """Make both targets of an install have the same slots, since one frame holds them for both."""
    if not isinstance(end, b.Install):
        return False
    both = head[end.leave] | head[end.handler]
    changed = _raise(head, end.leave, both)
    return _raise(head, end.handler, both) or changed


def live_table(block: b.Block, live: set[str], order: dict[str, int]) -> list[b.Slots]:
    """Return the slots that are live at each point of a block, given those at its end, which come last."""
    current = tuple(sorted(live, key=order.__getitem__))
    table = [current]
    for step in reversed(block.steps):
        read, made = slots_read(step), live.intersection(defined(step))
        if not (made <= read <= live):
            live = (live - made) | read
            current = tuple(sorted(live, key=order.__getitem__))
        table.append(current)
    table.reverse()
    return table


def definitions(procedure: b.Procedure) -> Iterable[str]:
    """Return all slots of a procedure, in the order of the text."""
    found: dict[str, None] = {}
    for block in procedure.blocks.values():
        found.update(dict.fromkeys(block.params))
        for step in block.steps:
            found.update(dict.fromkeys(defined(step)))
    return found
