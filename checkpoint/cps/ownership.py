"""Ownership: where references to slots are moved, duplicated and dropped.

In: a procedure after the pass `blocks`. Out: for each block an Ownership. Engines that count references
follow it; Python needs none of it. The convention:

- a block owns one reference to each of its parameters, and to each slot that a step defines;
- a step and an end consume one reference for each operand. At a slot's last use its own reference is
  *moved*; every other use is *duplicated* first. Of several uses in one step the last one moves;
- `(read a)` and a branch's test consume nothing, they only look;
- a slot that is no more live is *dropped*: a parameter at the block's head, a result that nobody uses
  after its step, and at a branch what only the other target uses, on the way to the target (its *edge*);
- what a block's end hands on by name (a target's parameters after the given ones, a frame's slots) moves;
  an `install` duplicates what both its body and its frame need.

So along every path each reference is consumed exactly once: a block's end leaves nothing but what the
next block's parameters are (check_ownership.py). Where a run leaves a block early:
- a step that raises has consumed its operands; the block drops what is live after it, but its result;
- a capsule taken before a step duplicates what is live there.
"""

from __future__ import annotations

from dataclasses import dataclass

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.rewrite import defined, operands_of


@dataclass(frozen=True, slots=True)
class Uses:
    """What a step or an end does to its operands, by their positions, and what dies with it."""

    moved: tuple[int, ...] = ()
    duplicated: tuple[int, ...] = ()
    dropped: b.Slots = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """What is handed on by name to a block, or to the frame that returns to it."""

    label: str
    moved: b.Slots
    duplicated: b.Slots = ()
    dropped: b.Slots = ()


@dataclass(frozen=True, slots=True)
class Ownership:
    """head: parameters dropped at once. steps: one entry for each. edges: one for each target of the
    end; an install has two, its body's and its frame's.
    """

    head: b.Slots
    steps: tuple[Uses, ...]
    end: Uses
    edges: tuple[Edge, ...]


def ownership(procedure: b.Procedure) -> dict[str, Ownership]:
    """The ownership of each block of a procedure, by its label."""
    return {label: of_block(procedure, block) for label, block in procedure.blocks.items()}


def of_block(procedure: b.Procedure, block: b.Block) -> Ownership:
    """The ownership of one block."""
    head = _without(block.params, block.live[0])
    steps = [_of_step(step, block.live[i + 1]) for i, step in enumerate(block.steps)]
    edges = tuple(_edges(procedure, block))
    handed = {name for edge in edges for name in edge.moved}
    return Ownership(head, tuple(steps), _consumed(consumed_by_end(block.end), handed), edges)


def consumed_by_step(step: t.Step) -> tuple[t.Operand, ...]:
    """The operands for each of which a step takes a reference."""
    return () if isinstance(step, t.Read) else operands_of(step)


def consumed_by_end(end: b.End) -> tuple[t.Operand, ...]:
    """The operands for each of which an end takes a reference."""
    return () if isinstance(end, b.Branch) else b.operands_of_end(end)


def _of_step(step: t.Step, after: b.Slots) -> Uses:
    alive = set(after)
    uses = _consumed(consumed_by_step(step), alive)
    used = {operand for operand in consumed_by_step(step) if isinstance(operand, str)}
    dropped = tuple([name for name in defined(step) if name not in alive and name not in used])
    return Uses(uses.moved, uses.duplicated, dropped)


def _consumed(operands: tuple[t.Operand, ...], alive: set[str]) -> Uses:
    """The uses of operands, of which those in `alive` are needed afterwards."""
    last = {operand: i for i, operand in enumerate(operands) if isinstance(operand, str)}
    moved = tuple([i for name, i in last.items() if name not in alive])
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
    """The parameters that a block is handed by name."""
    block = procedure.blocks[label]
    return block.params[block.given :]


def _without(slots: b.Slots, others: b.Slots) -> b.Slots:
    excluded = set(others)
    return tuple([name for name in slots if name not in excluded])
