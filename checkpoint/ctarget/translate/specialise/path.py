"""Paths of a unit that is being made, from a header to a node, and the runs within a step that they are in.

In: nodes, as they are completed. Out: what is known of the path behind them.
"""

from __future__ import annotations

from dataclasses import replace

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.peers import BlockPeer, ProcedurePeer
from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep
from checkpoint.ctarget.translate.ops.operation import Effect, Op
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.specialise.steps import Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Call
from checkpoint.ctarget.translate.units.graph import Exit, Node
from checkpoint.dataclass import dataclass

MAX_VISITS = 12  # of one block, by one run within a step: turns of a loop


@dataclass(frozen=True, slots=True)
class PathSoFar:
    """A path from a header to a node.

    steps, length: steps and nodes before the node. calls: those on the path that have not returned (first
    the header, as if it had been called). exit: where ops exit while the path has had no effect: at the
    header; then the machine makes the path's steps once more, and the exit needs no code. inner: the run
    within a step that the path is in. turns: the blocks where the path has followed a loop. ended: whether a
    list that the header's loop or recursion walks along has ended on the path. parted: whether a branch that
    was not decided has parted it from others since the procedure that it is in was called: only then may it
    meet them within that.
    """

    steps: int = 0
    length: int = 0
    calls: tuple[Call, ...] = ()
    exit: Exit | None = None
    inner: Inner | None = None
    turns: tuple[BlockPeer, ...] = ()
    ended: bool = False
    parted: bool = False

    def turning(self, peer: BlockPeer) -> PathSoFar:
        """Return the path at a block where it follows a loop or recursion."""
        return replace(self, turns=(*self.turns, peer))

    def extended(self, steps: int) -> PathSoFar:
        """Return the path extended by a node of so many steps, which do not count within a step."""
        counted = self.steps if self.inner is not None else self.steps + steps
        return replace(self, steps=counted, length=self.length + 1)

    def after(self, node: Node, gathers: bool) -> PathSoFar:
        """Return the path behind a node, whose effects are complete. gathers: as of Limits."""
        if self.inner is not None:
            return replace(self, inner=self.inner.after(node))
        is_plain = gathers and all(isinstance(effect, Keep | Drop) for effect in node.effects)
        return self if is_plain or not node.effects else replace(self, exit=None)


@dataclass(frozen=True, slots=True)
class Inner:
    """A run within a step, on a path.

    step, uses, peer: the step, and its block. exit: to the start of that. path: the path to it. depth: how
    many frames there are where the run returns, the last of which has the slots of the step's procedure.
    argument: of the function, as it was given; places: its reals in the run. seeds: the cotangents of the
    results; None: 1. ops: those of the run's nodes so far; those of the present node are from `first` on.
    counts: the Keeps and Drops that wait. visited: the blocks where it has come from elsewhere than by a
    call.
    """

    step: t.Compute
    uses: Uses
    peer: BlockPeer
    exit: Exit
    path: PathSoFar
    depth: int
    argument: Abstract
    places: tuple[Place, ...]
    seeds: Abstract | None
    ops: tuple[Op, ...] = ()
    first: int = 0
    counts: tuple[Effect, ...] = ()
    visited: tuple[BlockPeer, ...] = ()

    def after(self, node: Node) -> Inner:
        """Return the run behind a node, whose references wait."""
        if not all(isinstance(effect, Keep | Drop) for effect in node.effects):
            raise Untranslatable
        counts, node.effects = (*self.counts, *node.effects), []
        return replace(self, ops=(*self.ops, *node.ops[self.first :]), first=0, counts=counts)

    def visiting(self, peer: BlockPeer) -> Inner:
        """Return the run at a block where paths meet, or where a loop begins its next turn."""
        if self.visited.count(peer) >= MAX_VISITS:
            raise Untranslatable
        return replace(self, visited=(*self.visited, peer))


def joins(procedure: ProcedurePeer) -> frozenset[str]:
    """Return the labels of the blocks that several blocks of a procedure jump or branch to."""
    found: dict[str, int] = {}
    for peer in procedure.blocks.values():
        if isinstance(peer.block.end, b.Jump | b.Branch):
            for label in b.targets(peer.block.end):
                found[label] = found.get(label, 0) + 1
    return frozenset(label for label, count in found.items() if count > 1)
