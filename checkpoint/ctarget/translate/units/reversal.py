"""The operations of a path that its adjoint reverses, and the residuals that it reads.

In: a path. Out: operations, and residuals. What always holds: an operation is reversed only if a cotangent
reaches it.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import reals
from checkpoint.ctarget.translate.units.paths import Path

WORD = 8  # bytes of a residual


def reversal(path: Path) -> tuple[tuple[Operation, ...], dict[Residual, None]]:
    """Return the operations of a path that its adjoint reverses, the last first, and what that reads."""
    found: list[Operation] = []
    needed: dict[Residual, None] = {}
    active = set(reals(path.passed_on))
    for operation in reversed(path.operations):
        targets = operation.contributes(active)
        if targets is not None:
            active.update(targets)
            found.append(operation)
            needed.update(dict.fromkeys(operation.residuals()))
    return tuple(found), needed
