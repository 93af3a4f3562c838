"""Arrays with axes or elements in another order are those that NumPy's functions give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlib import moves
from tensorlib.short_axes import crossed

ARRAYS = [
    np.arange(24.0).reshape(2, 3, 4),
    np.arange(24.0).reshape(2, 3, 4).T[::-1],
    np.arange(5.0),
    np.arange(8.0)[::-2],
    np.zeros((0, 3)),
    np.zeros(0),
]


def assert_same(found: Any, expected: Any, x: Any) -> None:
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())
    assert np.shares_memory(found, x) == np.shares_memory(expected, x)


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: str(x.shape))
def test_axes(x: Any) -> None:
    for axis in range(-x.ndim, x.ndim):
        assert_same(moves.flipped(np, x, axis), np.flip(x, axis), x)
        for target in range(-x.ndim, x.ndim):
            assert_same(moves.moved(np, x, axis, target), np.moveaxis(x, axis, target), x)
    for shift in (0, 1, -1, 7, -30, np.int64(2), (1, 2)):
        assert_same(moves.rolled(np, x, shift, None), np.roll(x, shift, None), x)
        if type(shift) is not tuple:
            assert_same(moves.rolled(np, x, shift, -1), np.roll(x, shift, -1), x)


@pytest.mark.parametrize("axis", [3, -4])
def test_errors_are_numpys(axis: int) -> None:
    with pytest.raises(np.exceptions.AxisError):
        moves.flipped(np, ARRAYS[0], axis)
    with pytest.raises(np.exceptions.AxisError):
        moves.moved(np, ARRAYS[0], axis, 0)


def test_a_shape_that_an_array_has() -> None:
    x = ARRAYS[2]
    assert moves.spread(np, x, (5,)) is x
    assert_same(moves.spread(np, x, (2, 5)), np.broadcast_to(x, (2, 5)), x)


def test_products_of_two_vectors() -> None:
    rng = np.random.default_rng(5)
    for values in ((1.0, -2.0, 0.5), (0.0, -0.0, 1.0), (np.inf, 1.0, np.nan)):
        a, b = np.array(values), rng.normal(size=3)
        with np.errstate(all="ignore"):
            for x, y in ((a, b), (b, a), (np.tile(a, 2)[::2], b)):
                assert_same(crossed(np, x, y), np.cross(x, y), x)
