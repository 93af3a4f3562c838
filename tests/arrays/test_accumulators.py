"""Cotangents of parts of arrays, as they are added to accumulators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlib  # noqa: F401  # registers NumPy's arrays
from checkpoint.ad.accumulators import Scattered

ROWS = 100
INDICES: dict[str, Any] = {
    "columns": (slice(None), slice(1, 4)),
    "steps": (slice(None, None, 2), slice(0, 5, 2)),
    "backwards": (slice(None, None, -1), slice(3, 1, -1)),
    "column": (slice(None), 2),
    "a column of one": (slice(None), slice(2, 3)),
    "last": (..., slice(0, 2)),
    "rows": slice(0, 70),
    "new axis": (slice(None), None, 3),
    "element": (3, 4),
    "mask": np.arange(ROWS) % 3 == 0,
    "columns of a mask": (np.arange(ROWS) % 2 == 0, slice(0, 2)),
}


@pytest.mark.parametrize("name", INDICES)
def test_parts_are_added_in_place(name: str) -> None:
    rng = np.random.default_rng(0)
    index, whole = INDICES[name], rng.normal(size=(ROWS, 5))
    part = rng.normal(size=whole[index].shape)
    expected = whole.copy()
    expected[index] += part
    Scattered(whole, index, part, False).add_to(whole)
    assert whole.tobytes() == expected.tobytes()
