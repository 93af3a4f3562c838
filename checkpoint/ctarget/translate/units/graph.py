"""Units, the intermediate language of translation to C: made in specialise/, written as C in emit/.

A *unit* is a region of a program for values of certain kinds. It consists of *headers*, where it is entered
and where its paths meet, each the root of a tree of *nodes*. A node is one block of the program, run on what
is known of its values there: a block is in a unit as often as it pays to know different things of it. A
*path* leads from a header through nodes to an *end*: a Jump to a header, or an Exit from the unit. In a node

- `ops` compute, in the order of the block's steps, and change nothing. Any of them may find that it cannot
  continue (a quotient of 0, an integer that is too large, a value of another kind); then the unit is left by
  the node's `exit`, which mostly is at the start of the node's block, as if the node had not begun;
- `effects` come after all ops: objects are made and dropped, frames pushed and popped.

*Places* are local variables of C, each set once on a path (static single assignment). In the adjoint each
real place has an accumulator of its own. A step of the program that copies a value copies it to a new place
(Copy), so cotangents are added up in the same order and grouping as by the other engines, bit for bit. A copy
costs nothing in C.

Objects that do not leave the unit are not made: pairs, tuples, environments and frames that a unit knows
completely are only the places of their fields, until an end needs them (Make, Push).

The adjoint of a path reverses its operations, the last first: each class of operation says how
(ops/operation.py). Accumulators start at +0.0, but for those of the places that the end passes on; none is
ever -0.0 where a header or an exit sees it.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.operation import Effect, Op
from checkpoint.ctarget.translate.ops.places import DualParts, KnownClosure, Place, Source, Tag, View
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Exit:
    """An end that leaves the unit, at the start of a block.

    number: among the exits of the unit (`exit` of RunEnd in C). steps: on the path before, from its header
    on. effects: those needed only if the unit is left here (objects made, frames pushed). contents: the
    values in the registers of the block's parameters then.
    """

    number: int
    block: BlockPeer
    steps: int
    effects: tuple[Effect, ...]
    contents: tuple[tuple[int, Source], ...]


@dataclass(eq=False, slots=True)
class Jump:
    """An end that continues at a header. number: among the jumps of the unit. sources: for the params."""

    number: int
    header: Header
    steps: int
    sources: tuple[Source, ...]


@dataclass(eq=False, slots=True)
class Fork:
    """An end that continues with one of two nodes."""

    test: Source
    then: Node
    other: Node


@dataclass(eq=False, slots=True)
class Return:
    """An end that continues with the node of the case one of whose points is the top frame's.

    Each case begins with its Peek, and has a Pop. Where the top frame has another point, the unit is left by
    the `exit` of the node that returns.
    """

    cases: tuple[tuple[tuple[int, ...], Node], ...]


@dataclass(eq=False, slots=True)
class Next:
    """An end that continues with one node."""

    node: Node


End = Exit | Jump | Fork | Return | Next


@dataclass(eq=False, slots=True)
class Node:
    """A block on a path. steps: on the path before it, from its header on. exit: where ops leave the unit."""

    block: BlockPeer
    steps: int
    exit: Exit
    ops: list[Op] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    end: End | None = None


@dataclass(eq=False, slots=True)
class Header:
    """A point where paths meet, and the machine may enter.

    params: places that each jump sets. max_steps: of its longest path; so many must be left before
    `stop`. entry: for each register that the unit reads when the machine enters here, what it must hold:
    a place of its kind; a place of kind "value" and its tag, as in Expect; a tag alone; a closure of the
    known procedure, whose environment becomes the place; or a dual of reals, whose parts do. A register
    may be named twice. None: the machine cannot enter here (some of what is known here is in no
    register). tags: of each param of kind "value" the tag that is known, as in Expect; of others None.
    checks: ops that an entry does first; where one cannot continue, the unit is not entered. merged: places
    that an entry sets like params, each with the param that it must equal (units/merging.py). exit: to here,
    nothing done.
    """

    number: int
    block: BlockPeer
    params: tuple[Place, ...]
    entry: tuple[tuple[int, Place | Tag | KnownClosure | DualParts | View], ...] | None
    max_steps: int = 0
    tags: tuple[str | None, ...] = ()
    checks: tuple[Op, ...] = ()
    merged: tuple[tuple[Place, Place], ...] = ()
    exit: Exit = field(init=False)
    root: Node = field(init=False)


@dataclass(eq=False, slots=True)
class Unit:
    """A region of a program, translated for values of certain kinds.

    headers: the entry first. places: all of them. references: what its code names by numbers: BlockPeer,
    ProcedurePeer, ReturnPoint (a C pointer); their addresses are known only where the code is loaded. exits,
    jumps: how many it has. is_cut: whether there would be more of it if it might be larger. tapes: whether it
    has a taped form: not if it holds values that have cotangents and are neither reals nor duals of
    reals. has_duals: whether it has duals in places.
    """

    name: str
    headers: list[Header] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    references: list[Any] = field(default_factory=list)
    exits: int = 0
    jumps: int = 0
    is_cut: bool = False
    tapes: bool = True
    has_duals: bool = False

    def reference(self, thing: Any) -> str:
        """Return how the unit's code names a reference, which gets a number if it has none."""
        for number, known in enumerate(self.references):
            if known is thing:
                return f"REFERENCE({number})"
        self.references.append(thing)
        return f"REFERENCE({len(self.references) - 1})"
