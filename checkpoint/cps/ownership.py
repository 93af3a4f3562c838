"""Ownership: where references to slots are moved, duplicated and dropped.

In: a procedure after the pass `blocks`. Out: an Ownership for each of its blocks, which engines that count
references follow; Python needs none. The convention:

- a block owns one reference to each of its parameters and to each slot that a step defines;
- steps and ends consume one reference for each operand. The last use of a slot *moves* the block's own
  reference; every other use *duplicates* it first. Of several uses in one step the last one moves;
- `(read a)` and the test of a branch consume nothing;
- a slot that is no longer live is *dropped*: a parameter at the head of the block, an unused result after its
  step, and at a branch a slot that only the other target uses on the *edge* to the target;
- what the end of a block passes by name (the parameters of a target after the explicit ones, the slots of a
  frame) moves; an `install` duplicates what both its body and its frame need.

So each reference is consumed exactly once along every path: the end of a block leaves nothing but the
parameters of the next block (check_ownership.py). Where a run leaves a block early:
- a step that raises has consumed its operands; the block drops what is live after the step except its result;
- a capsule that is taken before a step duplicates what is live there.
"""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.rewrite import defined, operands_of
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Uses:
    """The treatment of the operands of a step or end, by their positions, and the slots that die with it."""

    moved: tuple[int, ...] = ()
    duplicated: tuple[int, ...] = ()
    dropped: b.Slots = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """What is passed by name to a block, or to the frame that returns to it."""

    label: str
    moved: b.Slots
    duplicated: b.Slots = ()
    dropped: b.Slots = ()


@dataclass(frozen=True, slots=True)
class Ownership:
    """The ownership of one block.

    head: the parameters that are dropped at once. steps: the uses of each step.
    edges: one for each target of the end; an install has two, for its body and for its frame.
    """

    head: b.Slots
    steps: tuple[Uses, ...]
    end: Uses
    edges: tuple[Edge, ...]


def ownership(procedure: b.Procedure) -> dict[str, Ownership]:
    """Return the ownership of each block of a procedure, by its label."""
    return {label: of_block(procedure, block) for label, block in procedure.blocks.items()}


def of_block(procedure: b.Procedure, block: b.Block) -> Ownership:
    """Return the ownership of one block."""
    head = _without(block.params, block.live[0])
    steps = [_of_step(step, block.live[i + 1]) for i, step in enumerate(block.steps)]
    edges = tuple(_edges(procedure, block))
    handed = {name for edge in edges for name in edge.moved}
    return Ownership(head, tuple(steps), _consumed(consumed_by_end(block.end), handed), edges)


def consumed_by_step(step: t.Step) -> tuple[t.Operand, ...]:
    """Return the operands for each of which a step consumes a reference."""
    return () if isinstance(step, t.Read) else operands_of(step)


def consumed_by_end(end: b.End) -> tuple[t.Operand, ...]:
    """Return the operands for each of which an end consumes a reference."""
    return () if isinstance(end, b.Branch) else b.operands_of_end(end)


def _of_step(step: t.Step, after: b.Slots) -> Uses:
    alive = set(after)
    uses = _consumed(consumed_by_step(step), alive)
    used = {operand for operand in consumed_by_step(step) if isinstance(operand, str)}
    dropped = tuple([name for name in defined(step) if name not in alive and name not in used])
    return Uses(uses.moved, uses.duplicated, dropped)


def _consumed(operands: tuple[t.Operand, ...], alive: set[str]) -> Uses:
    """Return the uses of operands, of which those in `alive` are needed afterwards."""
    last = {operand: i for i, operand in enumerate(operands) if isinstance(operand, str)}
    moved = {i for name, i in last.items() if name not in alive}
    slots = [i for i, operand in enumerate(operands) if isinstance(operand, str)]
    return Uses(tuple(sorted(moved)), tuple([i for i in slots if i not in moved]))


def _edges(procedure: b.Procedure, block: b.Block) -> list[Edge]:
    end = block.end
    if isinstance(end, b.Branch):
        alive = block.live[-1]
        return [_branch_edge(label, named(procedure, label), alive) for label in (end.then, end.other)]
    if isinstance(end, b.Install):
        body, frame = named(procedure, end.body), named(procedure, end.leave)
        both = tuple([name for name in frame if name in body])
        return [Edge(end.body, body), Edge(end.leave, _without(frame, body), both)]
    return [Edge(label, named(procedure, label)) for label in b.targets(end)]


def _branch_edge(label: str, needed: b.Slots, alive: b.Slots) -> Edge:
    return Edge(label, needed, dropped=_without(alive, needed))


def named(procedure: b.Procedure, label: str) -> b.Slots:
    """Return the parameters that a block receives by name."""
    block = procedure.blocks[label]
    return block.params[block.explicit :]


def _without(slots: b.Slots, others: b.Slots) -> b.Slots:
    excluded = set(others)
    return tuple([name for name in slots if name not in excluded])
