"""The primitives. Importing this package registers all records; `arities` is what front ends need."""

from __future__ import annotations

from checkpoint.ad.record import records
from checkpoint.prims import data, operators, python, scalars

__all__ = ["arities", "data", "operators", "python", "scalars"]


def arities() -> dict[str, int]:
    """How many operands each primitive takes, by the name it has in the core."""
    return {name: record.arity for name, record in records().items()}
