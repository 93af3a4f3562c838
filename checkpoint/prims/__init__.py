"""The primitives. Importing this package registers all records; front ends need their arities."""

from __future__ import annotations

from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from checkpoint.lang.tensors import TENSORS
from checkpoint.prims import (
    arrays,
    data,
    interruption,
    lane_tensors,
    lanes,
    operators,
    parts,
    python,
    references,
    scalars,
    sums,
    variants,
)
from checkpoint.prims.batched import apart as batched_apart
from checkpoint.prims.batched import combinators
from checkpoint.prims.batched import steps as batched_steps

__all__ = [
    "arities",
    "arrays",
    "batched_apart",
    "batched_steps",
    "combinators",
    "data",
    "interruption",
    "lane_tensors",
    "lanes",
    "operators",
    "parts",
    "python",
    "references",
    "scalars",
    "sums",
    "text_arities",
    "variants",
]


def arities() -> dict[str, int]:
    """Return the number of operands of each primitive, by its name in the core."""
    return {name: record.arity for name, record in records().items()}


def text_arities() -> dict[str, int]:
    """Return the same for the primitives that texts in the language can name: those without a dot."""
    scalars_and_data = {
        name: record.arity
        for name, record in records().items()
        if "." not in name and not isinstance(record, Tensor)
    }
    return {**scalars_and_data, **TENSORS}
