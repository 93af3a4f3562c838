"""Cotangents of parts of arrays, as they are added to accumulators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlib  # noqa: F401  # registers NumPy's arrays
from checkpoint.ad.accumulators import Scattered
from checkpoint.ctarget.library import reason, runtime
from checkpoint.scalars.kernels import kernel_of

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


REPEATED: dict[str, Any] = {
    "rows": np.array([3, 0, 3, 99, 3]),
    "rows from the end": np.array([-1, 99, -100]),
    "rows of rows": np.array([[1, 2], [2, 2], [0, 1]]),
    "in a tuple": (np.array([7, 7]),),
    "narrow": np.array([5, 5, 6], "int32"),
    "places": (np.array([1, 1, 2]), np.array([4, 4, 0])),
    "columns": (slice(None), np.array([0, 0, 3])),
    "columns from the end": (slice(None), np.array([[-1, 4], [0, -1], [4, 4]])),
    "some columns": (slice(0, 100), np.array([0, 0, 3])),
    "list": [8, 8],
    "none": np.zeros(0, int),
}


def _whole(kind: str, rng: np.random.Generator) -> Any:
    whole = rng.normal(size=(ROWS, 5)) * 10.0 ** rng.integers(-8, 8, (ROWS, 5))
    return {"rows": whole, "columns": np.asfortranarray(whole), "narrow": whole.astype("float32")}[kind]


@pytest.mark.parametrize("kind", ["rows", "columns", "narrow"])
@pytest.mark.parametrize("name", REPEATED)
def test_repeated_elements_have_the_bits_of_add_at(name: str, kind: str) -> None:
    rng = np.random.default_rng(0)
    index, whole = REPEATED[name], _whole(kind, rng)
    part = rng.normal(size=whole[index].shape).astype(whole.dtype)
    for added in (part, np.asfortranarray(part), np.repeat(part, 2, -1)[..., ::2]):
        expected = whole.copy("K")
        np.add.at(expected, index, added)
        Scattered(whole, index, added, True).add_to(whole)
        assert whole.tobytes() == expected.tobytes()


def test_nans_are_chosen_as_add_at_does() -> None:
    own, other = np.array([0x7FF8000000000001, 0x7FF8000000000002], "int64").view(float)
    whole, part = np.array([own, 1.0]), np.array([other, 2.0, -np.inf, np.inf])
    index, expected = np.array([0, 1, 1, 1]), whole.copy()
    with np.errstate(invalid="ignore"):
        np.add.at(expected, index, part)
        Scattered(whole, index, part, True).add_to(whole)
    assert whole.tobytes() == expected.tobytes()


@pytest.mark.skipif(reason() is not None, reason=f"engine c: {reason()}")
def test_engine_c_adds_at_indices_or_nothing() -> None:
    runtime()
    add, whole = kernel_of("add_at"), np.zeros((3, 2))
    assert add is not None
    assert add(whole, np.array([0, -3]), np.ones((2, 2)), 0)
    assert add(whole, np.array([1, -1]), np.ones((2, 3)).T, 1)
    assert whole.tolist() == [[2.0, 4.0], [0.0, 2.0], [0.0, 2.0]]
    for index in (np.array([0, 3]), np.array([0, -4]), np.array([0, 1], "int32"), [0, 1]):
        assert not add(whole, index, np.ones((2, 2)), 0)
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    assert not add(frozen, np.array([0]), np.ones(1), 0)
    for part, axis in ((np.ones(2), 0), (np.ones((2, 2)), 1), (np.ones((3, 2)), 2), (np.ones((3, 2)), -1)):
        assert not add(whole, np.array([0, 1]), part, axis)
    assert not add(whole, np.array([0, 0]), np.array([[np.nan, 1.0]] * 3), 1)
    assert whole.sum() == 10.0
