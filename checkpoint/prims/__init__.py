"""The primitives. Importing this package registers their records, those that few programs need `later`."""

from __future__ import annotations

from checkpoint.ad.record import later, records
from checkpoint.ad.tensors import Tensor
from checkpoint.lang.tensors import TENSORS
from checkpoint.prims import (
    arrays,
    data,
    interruption,
    operators,
    python,
    references,
    scalars,
    variants,
)

__all__ = [
    "arities",
    "arrays",
    "data",
    "interruption",
    "operators",
    "python",
    "references",
    "scalars",
    "text_arities",
    "variants",
]


@later
def _of_many_items() -> None:
    """Register the records of lanes, combinators and sums of items."""
    from checkpoint.prims import lane_tensors, lanes, parts, sums  # noqa: F401, PLC0415
    from checkpoint.prims.batched import apart, combinators, steps  # noqa: F401, PLC0415


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
