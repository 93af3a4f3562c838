"""NumPy's functions as plans call them (by_name/functions.h): NumPy's bits, types, warnings and errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.tracing import loops
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
        except (TypeError, ValueError, FloatingPointError) as error:
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


def test_sums_of_products() -> None:
    """They have the bits of a sum of products, or are left to NumPy."""
    function, rng, some = loop("sum_of_products"), np.random.default_rng(4), 0
    for shape in [*test_numpy_sums.SHAPES, (3, 50, 31), (300, 1), (2, 2)]:
        x = test_numpy_sums.uneven(shape)
        y = np.where(rng.random(shape) < 0.1, -0.0, rng.normal(size=shape))
        for a, b in (
            (x, x),
            (x, y),
            (1e-170 * x, 1e-170 * y),
            (x, np.where(y > 2.0, np.nan, y)),
            (1e9 * x, 1e300 * y),
        ):
            with np.errstate(all="ignore"):
                expected = np.sum(a * b, axis=-1)
            for keeps in (False, True):
                found = function(a, b, keeps)
                if found is not None:
                    some += 1
                    assert found.shape == (*expected.shape, *[1] * keeps)
                    assert found.tobytes() == expected.tobytes()
    assert some > 50
    for a, b in ((x, x[:1]), (x.T, x.T), (x, 2.0), (x.astype(np.float32), x)):
        assert function(a, b, False) is None


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
    function, (a, b) = loop("cross"), np.random.default_rng(1).normal(size=(2, *shape))
    found = function(a, b)
    assert (found is None) == (shape[-1] != 3)
    if found is not None:
        assert outcome(np.cross, a, b)[:-1] == outcome(lambda: found)[:-1]
    apart = a.repeat(2, axis=-1)[..., ::2]
    others = [a.astype(np.float32), a[::-1], apart, np.full(shape, np.nan), 1e200 * a, a[:1]]
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


MATRICES = [
    ((4, 3), (3, 2)),
    ((6, 5, 4), (6, 4, 4)),
    ((2, 6, 5, 3), (6, 3, 3)),
    ((7, 8), (3, 8, 2)),
    ((3, 1, 2, 2), (4, 2, 4)),
    ((100, 3), (3, 3)),
    ((3, 9, 20), (3, 20, 20)),
    ((50, 37, 10), (50, 10, 13)),
    ((2, 41, 64), (64, 5)),
    ((4, 6, 2), (4, 2, 26)),
    ((2, 9, 300), (2, 300, 21)),
    ((23, 1030), (1030, 47)),
    ((14, 20), (3, 20, 9)),
    ((2, 1, 12, 30), (5, 30, 7)),
]


def order_of(array: Any) -> tuple[int, ...]:
    return tuple(sorted(range(array.ndim), key=lambda k: -array.strides[k]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shapes", MATRICES, ids=str)
def test_products_of_matrices(shapes: Any) -> None:
    function = loop("matmul")
    checkpoint.grad(np.sum)(np.ones(2))  # NumPy is the library that has been met
    for seed in range(3):
        rng = np.random.default_rng(seed)
        a, b = (rng.normal(size=shape) * (rng.random(shape) < 0.7) for shape in shapes)
        for x, y in ((a, b), (-a, b), (0.0 * a, b), (a, b * 1e-310), (a * 1e200, b * 1e200), (a, b + np.inf)):
            nan = np.where(rng.random(x.shape) < 0.1, np.nan, x)
            for left in (x, np.asfortranarray(x), np.repeat(x, 2, -2)[..., ::2, :], nan):
                for right in (y, y.swapaxes(-1, -2).copy().swapaxes(-1, -2)):
                    order = order_of(np.matmul(left, right))
                    if not loops.has_products_alike(left, right):
                        continue  # the library adds in another order
                    assert outcome(function, order, left, right) == outcome(np.matmul, left, right)
                    assert outcome(loops.product, left, right) == outcome(np.matmul, left, right)


def test_products_that_are_too_small() -> None:
    """NumPy warns of them if it is told to."""
    rng = np.random.default_rng(6)
    a, b = 1e-300 * rng.normal(size=(5, 8, 8)), 1e-10 * rng.normal(size=(5, 8, 8))
    for mode in ("ignore", "warn", "raise"):
        with np.errstate(under=mode):
            assert outcome(loop("matmul"), (0, 1, 2), a, b) == outcome(np.matmul, a, b)


def test_products_that_underflow_have_the_librarys_zeros() -> None:
    """Fused sums that end with a tiny negative product are -0; the library adds them to 0."""
    for rows, terms, columns in ((4, 4, 4), (3, 3, 2), (9, 12, 11), (3, 300, 5)):
        a, b = np.zeros((rows, terms)), np.zeros((terms, columns))
        a[:, -1], b[-1] = 1e-200 * (-1.0) ** np.arange(rows), 1e-200
        if loops.has_products_alike(a, b):
            assert outcome(loop("matmul"), (0, 1), a, b) == outcome(np.matmul, a, b)


def test_products_that_are_the_librarys() -> None:
    function, a = loop("matmul"), np.random.default_rng(1).normal(size=(4, 4))
    others: list[tuple[Any, ...]] = [
        ((0, 1), a, a),
        ((0, 1), a, a.T),
        ((0, 1), a[:1], a),
        ((0, 1), a, a[:, :1]),
        ((0,), a, a[0]),
        ((0, 1), a, a[:3]),
        ((0, 1), a, a.astype(np.float32)),
        ((0, 1), a, np.ones((4, 5))),
        ((0, 1), np.ones((4, 65)), np.ones((65, 4))),
        ((0, 1), np.ones((4, 64)), np.ones((64, 40))),
        ((0, 1, 2), np.ones((2, 3, 3)), np.ones((5, 3, 3))),
        ((0, 1, 2), np.ones((0, 3, 3)), np.ones((3, 3))),
        ((0, 1), 2.0, a),
        ((1, 1), a, a.copy()),
        ((0, 2), a, a.copy()),
        ("ab", a, a.copy()),
    ]
    for order, x, y in others:
        assert outcome(function, order, x, y) == outcome(np.matmul, x, y)
    assert function(a, a) is None


def test_the_result_has_its_axes_in_the_order_asked_for() -> None:
    rng, function = np.random.default_rng(2), loop("matmul")
    a, b = rng.normal(size=(5, 4, 3)), rng.normal(size=(5, 3, 2))
    for order in ((0, 1, 2), (1, 0, 2), (2, 1, 0), (2, 0, 1)):
        found = function(order, a, b)
        assert order_of(found) == order
        assert found.tobytes() == np.matmul(a, b).tobytes()


def test_peaks() -> None:
    rng, function = np.random.default_rng(3), loop("peak")
    x = rng.normal(size=(5, 6, 7))
    for part in (
        x,
        -x,
        x.T,
        x[::2, ::-1],
        x[:, :, 3:4],
        x[0, 0],
        x[..., None, :3],
        0.0 * x,
        x[:, 1],
        x[2:, 1:3, ::3],
    ):
        assert function(part) == np.abs(part).max()
    for odd in (np.inf, -np.inf, 5e-324):
        assert function(np.array([[0.0, odd]])) == abs(odd)
    for nan in (np.nan, -np.nan):
        x[3, 2, 1] = nan
        assert np.isnan(function(x))
        assert np.isnan(function(x[:, ::-1]))
    for other in (x[:0], x.astype(np.float32), np.arange(3), np.float64(1.0), np.array(1.0), "text", 2.0):
        assert function(other) is None


def parts_of(rng: Any) -> list[list[Any]]:
    """Return arrays that fit side by side along each of their axes, in several orders in memory."""
    x, y = rng.normal(size=(3, 4, 2)), rng.normal(size=(4, 3, 2)).swapaxes(0, 1)
    wide = rng.normal(size=(6, 8, 4))
    return [
        [x],
        [x, x],
        [y, y],
        [x, y, np.asfortranarray(x)],
        [wide[::2, ::-2, 1:3], x],
        [x[:, :1, :], x[:, 3:, :]],
        [rng.normal(size=5), rng.normal(size=5)[::-1]],
        [rng.normal(size=(70, 1)), rng.normal(size=(70, 1))],
        [np.broadcast_to(rng.normal(size=(4, 1)), (3, 4, 2)), x],
    ]


@pytest.mark.parametrize("name", ["concatenate", "stack"])
def test_arrays_side_by_side(name: str) -> None:
    function, own = loop(name), getattr(np, name)
    for arrays in parts_of(np.random.default_rng(4)):
        for axis in range(-arrays[0].ndim - 1, arrays[0].ndim + 1):
            for given in (arrays, tuple(arrays)):
                try:
                    order = order_of(own(given, axis))
                except ValueError:
                    order = (0,)
                assert outcome(function, order, given, axis) == outcome(own, given, axis)
        assert outcome(function, order_of(own(arrays)), arrays) == outcome(own, arrays)


@pytest.mark.parametrize("name", ["concatenate", "stack"])
def test_arrays_that_numpy_joins(name: str) -> None:
    function, own, x = loop(name), getattr(np, name), np.ones((3, 2))
    others: list[Any] = [
        [],
        x,
        [x, x[:2]],
        [x, x[0]],
        [x, np.ones((3, 2), int)],
        [x[:0], x[:0]],
        [x, 2.0],
        "text",
        3,
    ]
    for arrays in others:
        for axis in (0, 1, 2, -4):
            assert outcome(function, (0, 1), arrays, axis) == outcome(own, arrays, axis)
    assert outcome(function, (0, 1), [x, x], None) == outcome(own, [x, x], None)
    assert outcome(function, (1, 1), [x, x], 0) == outcome(own, [x, x], 0)
    assert function((0, 1)) is None


def test_copies_in_an_order() -> None:
    rng, function = np.random.default_rng(5), loop("copy")
    for x in (
        rng.normal(size=(3, 5, 4)),
        rng.normal(size=(8, 5, 6)).T[::-2, 1:],
        np.ones((1, 1, 1)),
        np.full((2, 1, 3), np.nan),
    ):
        for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)):
            found = function(order, x)
            assert found.tobytes() == x.tobytes()
            assert found.transpose(order).flags.c_contiguous
            assert not np.may_share_memory(found, x)
        assert function((0, 1), x) is None
    for other in (np.ones((0, 2, 2)), np.ones((2, 2, 2), np.float32), 2.0, [1.0]):
        assert function((0, 1, 2), other) is None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scaled_cotangents() -> None:
    """They are products, and 0 beside cotangents of 0."""
    rng, function = np.random.default_rng(7), loop("scaled")
    for shape in ((4, 5, 7), (3, 2), (9,), (2, 1, 3), (600, 20)):
        wide = (*shape[:-1], shape[-1] + 2)
        x = rng.normal(size=wide) * rng.choice(
            [1.0, 0.0, -0.0, np.inf, 1e-310], wide, p=[0.8, 0.05, 0.05, 0.05, 0.05]
        )
        x = x[..., 2:]
        whole = rng.normal(size=shape) * rng.choice([1.0, 0.0, -0.0], shape)
        for g in (
            whole,
            whole[..., :1],
            np.broadcast_to(whole[..., :1], shape),
            whole[:1],
            whole[:1].reshape(whole.shape[1:] or 1),
            1e200 * whole,
        ):
            for factor in (2.0, 1e200):
                found, expected = function(g, factor, x), g * (factor * x)
                expected[np.broadcast_to(g == 0.0, shape)] = 0.0
                assert found.tobytes() == expected.tobytes()
                assert found.strides == expected.strides
    x[0, 0] = np.nan
    assert function(whole, 2.0, x) is None or whole[0, 0] == 0.0
    others: list[tuple[Any, ...]] = [
        (np.full((600, 20), np.nan), 2.0, x),
        (whole, 2, x),
        (whole, 2.0, np.asfortranarray(x)),
        (np.asfortranarray(whole), 2.0, x),
        (whole[::-1], 2.0, x),
        (whole[:7], 2.0, x),
        (whole[None], 2.0, x),
        (whole, 2.0, x.astype(np.float32)),
        (2.0, 2.0, x),
        (whole, 2.0, x[:0]),
        (whole, 2.0),
    ]
    for other in others:
        assert function(*other) is None


def test_gradients_of_squares() -> None:
    """They have the bits of products."""
    x, weights = np.random.default_rng(8).normal(size=(30, 20)), np.random.default_rng(9).normal(size=30)

    def f(x: Any, power: Any) -> Any:
        return np.sum(weights * np.sum(x**power, 1))

    expected = weights[:, None] * (2.0 * x)
    for power in (2, 2.0):
        assert checkpoint.grad(f)(x, power).tobytes() == expected.tobytes()
        assert checkpoint.grad(f)(x.T.copy().T, power).tobytes() == expected.tobytes()
