"""NumPy's functions as plans call them (numpy/functions.h): NumPy's bits, types, warnings and errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint.ctarget import library
from checkpoint.scalars.kernels import kernel_of
from tests.ctarget import test_kernels, test_numpy_sums

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

KINDS = [(np.float64, np.float64), (np.float32, np.float32), (np.float64, np.float32), (np.int64, np.float64)]


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function returns, bit for bit, or raises, and what it warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            made = function(*args)
        except (TypeError, ValueError) as error:
            return type(error), str(error)
    said = [str(each.message) for each in found]
    return type(made), made.dtype, made.shape, made.strides, made.tobytes(), said


def loop(name: str) -> Callable[..., Any]:
    found = kernel_of(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "minimum"])
@pytest.mark.parametrize("kinds", KINDS, ids=str)
def test_two_operands(name: str, kinds: tuple[Any, Any]) -> None:
    function = loop(name)
    for seed, shapes in enumerate(test_kernels.SHAPES):
        x, y = (test_kernels.odd(shape, np.float64, seed + k) for k, shape in enumerate(shapes))
        with np.errstate(invalid="ignore"):
            x, y = x.astype(kinds[0]), y.astype(kinds[1])
        for a, b in ((x, y), (y, x), (x, 2.5), (0.0, y), (np.flip(x), y), (x.T, x.T), (x, 3), (x, None)):
            assert outcome(function, a, b) == outcome(getattr(np, name), a, b)


@pytest.mark.parametrize("name", ["negative", "sqrt"])
def test_one_operand(name: str) -> None:
    for seed, (shape, _) in enumerate(test_kernels.SHAPES):
        x = test_kernels.odd(shape, np.float64, seed)
        for a in (x, x.T, np.abs(x), 2.0, "text"):
            assert outcome(loop(name), a) == outcome(getattr(np, name), a)


def test_sums() -> None:
    function, some = loop("sum"), 0
    for shape in test_numpy_sums.SHAPES:
        x = test_numpy_sums.uneven(shape)
        for axis in range(-x.ndim - 1, x.ndim + 1):
            for keeps in (False, True):
                found = function(x, axis, keeps)
                if found is None:
                    continue
                some += 1
                own = np.sum(x, axis=axis, keepdims=keeps)
                assert (found.shape, found.dtype, found.tobytes()) == (own.shape, own.dtype, own.tobytes())
    assert some
    for other in (2.0, "text", np.arange(3), np.float64(1.0)):
        assert function(other, 0, False) is None


@pytest.mark.parametrize("shape", [(1, 3), (70, 3), (4, 5, 3), (3,), (70, 2)])
def test_cross_products(shape: tuple[int, ...]) -> None:
    rng, function = np.random.default_rng(1), loop("cross")
    a, b = rng.normal(size=shape), rng.normal(size=shape)
    found = function(a, b)
    assert (found is None) == (len(shape) == 1 or shape[-1] != 3)
    if found is not None:
        assert outcome(np.cross, a, b)[:-1] == outcome(lambda: found)[:-1]
    others = [a.astype(np.float32), a[::-1], np.asfortranarray(a), np.full(shape, np.nan), 1e200 * a, a[:1]]
    for other in others if found is not None and len(a) > 1 else []:
        assert function(other, 1e200 * b) is None


@pytest.mark.parametrize("width", [1, 2, 3, 5, 16])
def test_additions_to_columns(width: int) -> None:
    rng, function = np.random.default_rng(width), loop("iadd")
    whole, added = rng.normal(size=(90, 20)), rng.normal(size=(90, width))
    whole[::7] = np.nan
    whole[1::7] = -0.0
    added[1::5] = -0.0
    for view in (slice(2, 2 + width), slice(0, width)):
        for rows in (slice(None), slice(None, None, -1)):
            expected = whole.copy()
            expected[rows, view] += added
            assert function(whole[rows, view], added)
            assert whole.tobytes() == expected.tobytes()


def test_additions_that_are_numpys() -> None:
    """Nothing is done."""
    function, whole, added = loop("iadd"), np.ones((90, 20)), np.ones((90, 3))
    before, fixed = whole.copy(), whole.copy()
    fixed.flags.writeable = False
    nan = np.where(np.arange(270).reshape(90, 3) == 100, np.nan, 1.0)
    cases = [
        (whole[:, :3], nan),
        (whole[:, :3], added.astype(np.float32)),
        (whole[:, :3], np.asfortranarray(added)),
        (whole[:, :6:2], added),
        (whole[:, :17], np.ones((90, 17))),
        (whole[:, :4], added),
        (whole.T[:3], added.T),
        (fixed[:, :3], added),
        (whole[0], added[0]),
        (whole[:, :20], whole),
        (2.0, added),
        (whole[:0, :3], added[:0]),
    ]
    for columns, other in cases:
        assert function(columns, other) is None
    assert whole.tobytes() == before.tobytes() == fixed.tobytes()
