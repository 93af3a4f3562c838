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


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: str(x.shape))
def test_elements_that_are_repeated(x: Any) -> None:
    """They are shown, not copied, and nobody may change them."""
    for axis in range(-x.ndim - 1, x.ndim + 1):
        one = moves.raised(np, x, axis)
        assert_same(one, np.expand_dims(x, axis), x)
        place = axis % one.ndim
        for shape in ((*one.shape[:place], 3, *one.shape[place + 1 :]), (2, *one.shape)):
            found = moves.spread(np, one, shape)
            assert_same(found, np.broadcast_to(one, shape), x)
            assert not found.flags.writeable
    for number in (np.float64(2.5), np.array(2.5), np.float32(2.5)):
        for shape in ((), (3,), (2, 0)):
            found = moves.spread(np, number, shape)
            assert (found.dtype, found.tobytes()) == (number.dtype, np.broadcast_to(number, shape).tobytes())


def test_shapes_that_do_not_fit() -> None:
    for shape in ((4,), (5, 2), ()):
        with pytest.raises(ValueError, match="broadcast"):
            moves.spread(np, ARRAYS[2], shape)
    with pytest.raises(np.exceptions.AxisError):
        moves.raised(np, ARRAYS[2], 2)


def test_products_of_two_vectors() -> None:
    rng = np.random.default_rng(5)
    for values in ((1.0, -2.0, 0.5), (0.0, -0.0, 1.0), (np.inf, 1.0, np.nan)):
        a, b = np.array(values), rng.normal(size=3)
        with np.errstate(all="ignore"):
            for x, y in ((a, b), (b, a), (np.tile(a, 2)[::2], b)):
                assert_same(crossed(np, x, y), np.cross(x, y), x)
