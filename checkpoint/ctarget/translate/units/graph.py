"""What translation to C works on: units, made by `specialise`, written as C by `forward` and `adjoint`.

A *unit* is a region of a program for values of certain kinds. It consists of *heads*, at which it is entered
and which its code goes back to, each the root of a tree of *nodes*. A node is one block of the program, run
in what is known of its values there: a block is in a unit as often as it pays to know different things of it.
A *path* leads from a head by nodes to an *end*: to another head (Go) or out of the unit (Leave). In each node

- `ops` compute, in the order of the block's steps, and change nothing: any may find that it cannot go on
  (a quotient of 0, an integer that is too large, a value of another kind); then the unit is left by
  `node.leave`, which mostly is at the head of the node's block, as if the node had not begun;
- `effects` come after all ops: objects are made and dropped, frames pushed and popped.

*Places* are C's locals, each set once on a path (static single assignment), each the accumulator of its own
in the
adjoint: one step of the program that copies a value copies it to a new place (Copy), so that amounts are
added up in the same order and grouping as by the other engines, bit for bit. A copy costs C nothing.

Data that do not leave the unit are not made: pairs, tuples, environments and frames that a unit knows whole
are places for their fields alone, until an end needs them (Make, Push).

The adjoint of a path reverses its ops and effects, the last first, from accumulators of what its end hands
on: each class of operation says how (ops/operation.py). Only reals have accumulators.
All accumulators start at +0.0 but those that the end hands on; none is ever -0.0 where a head or an exit sees
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.operation import Effect, Op
from checkpoint.ctarget.translate.ops.places import KnownClosure, Place, Source, Tag


@dataclass(frozen=True, eq=False, slots=True)
class Exit:
    """Out of the unit, to the head of a block. steps: made on the path before, from its head on.

    effects: what has to be done only if the unit is left here (objects made, frames pushed). contents: what
    its parameters' registers hold then. number: among all ends of the unit that Leave (`exit` of RunEnd).
    """

    number: int
    block: BlockPeer
    steps: int
    effects: tuple[Effect, ...]
    contents: tuple[tuple[int, Source], ...]


@dataclass(eq=False, slots=True)
class Jump:
    """On to a head, with the places that its params get. number: among all that Go (its way)."""

    number: int
    header: Header
    steps: int
    sources: tuple[Source, ...]


@dataclass(eq=False, slots=True)
class Fork:
    """One of two nodes."""

    test: Source
    then: Node
    other: Node


@dataclass(eq=False, slots=True)
class Return:
    """To the node of the case whose point is the top frame's. Each begins with its Peek, and has a Pop; where
    the top frame has another point the unit is left by the `leave` of the node that returns.
    """

    cases: tuple[tuple[int, Node], ...]


@dataclass(eq=False, slots=True)
class Next:
    """To the one node that follows."""

    node: Node


End = Exit | Jump | Fork | Return | Next


@dataclass(eq=False, slots=True)
class Node:
    """steps: made on the path before it, from its head on. leave: where it goes when an op cannot go on."""

    block: BlockPeer
    steps: int
    exit: Exit
    ops: list[Op] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    end: End | None = None


@dataclass(eq=False, slots=True)
class Header:
    """params: places that each way in sets. most: steps of its longest path, so many must be left.

    entry: for each register that the unit reads when it is entered here from the machine, what it must hold:
    a place of its kind; a place of kind "value" and its tag, as of Expect; a tag alone; or a closure of the
    known procedure, whose environment becomes the place. A register may be named by two of them. None: the
    machine cannot enter here (some of what it knows is not in registers).
    leave: to here, nothing done.
    """

    number: int
    block: BlockPeer
    params: tuple[Place, ...]
    entry: tuple[tuple[int, Place | Tag | KnownClosure], ...] | None
    max_steps: int = 0
    exit: Exit = field(init=False)
    root: Node = field(init=False)


@dataclass(eq=False, slots=True)
class Unit:
    """heads: the entry first. references: what its code names by numbers: BlockPeer, ProcedurePeer,
    ReturnPoint (a C pointer); their addresses are only known where it is loaded. places: all of them. tapes:
    whether it may
    record: not where it holds values that have amounts of their own, and are no reals (arrays, duals).
    """

    name: str
    headers: list[Header] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    references: list[Any] = field(default_factory=list)
    exits: int = 0
    jumps: int = 0
    tapes: bool = True

    def reference(self, thing: Any) -> str:
        """Return how unit code names a reference, which gets a number if it has none."""
        for number, known in enumerate(self.references):
            if known is thing:
                return f"REFERENCE({number})"
        self.references.append(thing)
        return f"REFERENCE({len(self.references) - 1})"
