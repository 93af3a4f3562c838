"""How C does the steps of a block that are functions of arrays: what ctemplates/bridge_arrays.c reads.

In: a block and the index of a step. Out: a Way where the step's record is, or is overloaded by, a function of
arrays (checkpoint.ad.tensors), else None. It is made when a program that has met an array first comes there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.library import overloads
from checkpoint.ad.pullbacks import RESULT, needed
from checkpoint.ad.record import lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.cps import terms as t
from checkpoint.ctarget.code import BlockPeer

OVERLOADS, OF_FIRST, VIEWS, CHANGES, VARIADIC, ANYWAY = 1, 2, 4, 8, 16, 32
ALL = -1  # every operand, and the result, which has the bit 62
RESULT_BIT = 1 << 62


class Way:
    """One step. value, in_place: the functions of its record.

    flags: OVERLOADS: only where an operand is an array, OF_FIRST: the first one; VIEWS, CHANGES, VARIADIC as the
        record says; ANYWAY: C has found that its results are not for it, Python does it anyway.
    rules: the bits of the operands that may receive a cotangent.
    pulls: by the bits of those that do: their positions, their slots, and the bits of what the rules read.
    """

    __slots__ = ("flags", "in_place", "names", "pulls", "record", "rules", "value")

    def __init__(self, record: Tensor, step: t.Compute) -> None:
        self.record = record
        self.value: Callable[..., Any] = record.value
        self.in_place = record.in_place
        self.names = tuple([operand if isinstance(operand, str) else None for operand in step.operands])
        self.flags = OVERLOADS * (lookup(step.op) is not record)
        self.flags |= OF_FIRST * record.of_first | VIEWS * record.views
        self.flags |= CHANGES * record.changes | VARIADIC * record.variadic
        self.rules = 0
        for i, name in enumerate(self.names):
            if name is not None and not record.variadic and record.vjp(i) is not None:
                self.rules |= 1 << i
        self.pulls: dict[int, tuple[tuple[int, ...], list[str | None], int]] = {}


def way_of(peer: BlockPeer, index: int) -> Way | None:
    """The way of a step; the block's peer keeps it."""
    step = peer.block.steps[index]
    if not isinstance(step, t.Compute):
        return None
    record = lookup(step.op)
    found = record if isinstance(record, Tensor) else overloads.get(record.name)
    if found is None:
        return None
    way = Way(found, step)
    peer.owned.append(way)
    return way


def pulls_of(way: Way, bits: int) -> tuple[tuple[int, ...], list[str | None], int]:
    """What the origin of a step is made with, where these operands are wanted."""
    wanted = tuple([i for i in range(len(way.names)) if bits >> i & 1])
    read = needed(way.record, wanted)
    kept = ALL
    if read is not None:
        count = len(way.names)
        kept = sum([1 << i for i in read if 0 <= i < count])
        kept |= RESULT_BIT * (count in read or RESULT in read)
    way.pulls[bits] = (wanted, [way.names[i] for i in wanted], kept)
    return way.pulls[bits]
