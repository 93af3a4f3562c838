"""Finds the places of a path that are sure to have one value: copies, and what is computed or read twice.

In: a path. Out: for each place that has the value of an earlier one, the first such (value numbering). What
always holds: reads count as one only where nothing has been changed between them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.units.congruence import key
from checkpoint.ctarget.translate.units.paths import Path


def alike(path: Path) -> dict[Place, Place]:
    """Return what the head of this file defines: no value of what is returned is a key."""
    first: dict[Place, Place] = {}
    known: dict[Hashable, Sequence[Place]] = {}
    for node in path.nodes:
        for op in node.ops:
            first.update(_repeated(op, first, known))
        if not all(isinstance(effect, Keep | Drop) for effect in node.effects):
            known = {}
    return first


def _repeated(
    op: Op, first: dict[Place, Place], known: dict[Hashable, Sequence[Place]]
) -> dict[Place, Place]:
    """Return the places of an operation that have the value of an earlier one, each with the first."""
    sets = op.sets()
    if isinstance(op.copied, Place):
        before: Sequence[Place] = [op.copied] * len(sets)
    elif op.made_by is not None:
        before = known.setdefault((*op.made_by, *[key(each, first) for each in op.reads() if each]), sets)
    else:
        return {}
    return {} if before is sets else {to: first.get(of, of) for to, of in zip(sets, before, strict=True)}
