"""The operations of a path that its adjoint reverses, and the residuals that it reads.

In: a path. Out: operations, and residuals. What always holds: an operation is reversed only if a cotangent
reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence

from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import is_real, reals
from checkpoint.ctarget.translate.ops.scalar_ops import Apply
from checkpoint.ctarget.translate.units.paths import Path

WORD = 8  # bytes of a residual


def left_out(operations: Sequence[Operation], reversed_ones: Sequence[Operation]) -> list[Apply]:
    """Return what computes reals and is not reversed: nothing but tests depends on these."""
    done = {each.to for each in reversed_ones if isinstance(each, Apply)}
    return [
        each for each in operations if isinstance(each, Apply) and is_real(each.to) and each.to not in done
    ]


def reversal(
    path: Path, operations: Sequence[Operation]
) -> tuple[tuple[Operation, ...], dict[Residual, None]]:
    """Return the operations of a path that its adjoint reverses, the last first, and what that reads.

    operations: those of the path.
    """
    found: list[Operation] = []
    needed: dict[Residual, None] = {}
    active = set(reals(path.passed_on))
    for operation in reversed(operations):
        targets = operation.contributes(active)
        if targets is not None:
            active.update(targets)
            found.append(operation)
            needed.update(dict.fromkeys(operation.residuals()))
    return tuple(found), needed
