"""NumPy's functions as records call them (by_name/functions.h): NumPy's bits, or NumPy is asked."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.tracing import loops
from checkpoint.ctarget import library
from checkpoint.scalars.kernels import kernel_of
from tensorlib.reductions import extremes
from tensorlib.reductions.axes import kept
from tests.ctarget import test_numpy_sums
from tests.ctarget.test_functions import loop, outcome
from tests.ctarget.test_kernels import odd

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_choices() -> None:
    """They have NumPy's bits, those of NaN too, or are left to NumPy."""
    function, rng, some = loop("where"), np.random.default_rng(5), 0
    payload = np.array([0x7FF8000000000123, 0xFFF0000000000456], np.uint64).view(np.float64)
    for shape in ((1200,), (300, 5), (7, 1, 200), (40, 2)):
        x, y = rng.normal(size=shape), rng.choice([-0.0, 2.0], size=shape)
        x.ravel()[:2] = payload
        one, mask = np.broadcast_to(np.float64(-0.0), shape), rng.random(shape) < 0.4
        others = [(x, y[:1]), (x, x.astype(np.float32)), (x, y.T), (1.0, 2.0), (x, 1)]
        for a, b in [(x, y), (x, 0.0), (1.5, y), (x, one), (one, x), *others]:
            for condition in (mask, np.flip(mask), (mask * 2).astype(np.uint8).view(bool), mask * 1.0):
                found = function(condition, a, b)
                if found is not None:
                    some += 1
                    assert outcome(np.where, condition, a, b) == outcome(lambda found=found: found)
    assert some >= 3 * 5 * 2


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_extremes_have_received() -> None:
    """It is shared evenly by the elements that are equal, with the bits of the rule in Python."""
    function, rng, some = loop("shared"), np.random.default_rng(6), 0
    for shape in ((7,), (5, 130), (4, 3), (3, 5, 70), (2, 3, 1), (1, 1)):
        for a in (rng.normal(size=shape), rng.integers(0, 3, size=shape) - 1.0, odd(shape, np.float64, 3)):
            for axis in (None, *range(-len(shape), len(shape))):
                for keepdims in (False, True):
                    y = np.max(a, axis=axis, keepdims=keepdims)
                    g = odd(np.shape(y), np.float64, 4)[()]
                    found = function(a, axis, y, g)
                    some += found is not None
                    if found is not None:
                        whole = [kept(np, x, a.ndim, axis, keepdims) for x in (y, g)]
                        expected = whole[1] * extremes._shares(np, a, whole[0], axis)
                        assert found.shape == shape
                        assert found.tobytes() == expected.tobytes()
    assert some > 60
    x = rng.normal(size=(4, 6))
    assert function(x.T, 0, x.max(1), x.max(1)) is None
    assert function(x, 2, x.max(1), x.max(1)) is function(x, -3, x.max(1), x.max(1)) is None
    assert function(x, 1, x.max(0), x.max(1)) is function(x, 1.0, x.max(1), x.max(1)) is None
    assert function(np.zeros((0, 3)), 1, np.zeros(0), np.zeros(0)) is None


def test_axes_that_no_array_has() -> None:
    x = np.random.default_rng(8).normal(size=(100, 6))
    for axis in (2, -3, 2**70, -(2**70), 1.0, True):
        assert loop("sum")(x, axis, False) is None
        assert loop("shared")(x, axis, x.max(1), x.max(1)) is None


def test_products_beside_zeros() -> None:
    """They become 0 where the cotangent is 0 of either sign, in place, or are left alone."""
    function, some = loop("zeroed"), 0
    for shape in ((9,), (5, 7), (2, 3, 4)):
        for g in (odd(shape, np.float64, 1), np.broadcast_to(np.float64(-0.0), shape), 0.0, 2.0, np.zeros(1)):
            product = odd(shape, np.float64, 2)
            expected = np.where(np.asarray(g) == 0, 0.0, product)
            before = product.tobytes()
            done = function(product, g)
            some += done is not None
            assert product.tobytes() == (before if done is None else expected.tobytes())
    assert some == 3 * 4
    product = odd((4, 6), np.float64, 2)
    frozen = product.copy()
    frozen.flags.writeable = False
    assert function(product.T, product.T) is function(frozen, product) is function(product, None) is None


def test_cotangents_of_squares() -> None:
    """They have the bits of `g * (factor * x)`, and are 0 where the cotangent is."""
    function, rng, some = loop("scaled"), np.random.default_rng(7), 0
    for shape in ((5,), (1, 6), (40, 2), (3, 50, 3), (2, 3, 4, 5)):
        x, whole = rng.normal(size=shape), rng.choice([0.0, -0.0, 1.5, -np.inf], size=shape)
        for axis in range(len(shape)):
            column = whole.take([0], axis)
            for g in (whole, column, np.broadcast_to(column, shape)):
                found = function(g, 2.0, x)
                some += found is not None
                if found is not None:
                    assert found.tobytes() == np.where(g == 0, 0.0, g * (2.0 * x)).tobytes()
    assert some > 25


def test_products_of_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have NumPy's bits, and are made by the loop once they are often asked for."""
    called, usual = [], kernel_of("matmul")
    assert usual is not None

    def counted(*args: Any) -> Any:
        called.append(args)
        return usual(*args)

    monkeypatch.setattr(loops, "kernel_of", lambda name: counted)
    monkeypatch.setattr(loops, "_met", {})
    loops._order_of_products.cache_clear()
    x, y = test_numpy_sums.uneven((300, 16)), test_numpy_sums.uneven((5, 16)).T
    for k in range(loops.OFTEN + 2):
        assert outcome(loops.product, x, y) == outcome(np.matmul, x, y)
        assert (len(called) > 0) == (k >= loops.OFTEN)


@pytest.mark.parametrize("sizes", [(40, 333, 27, 45), (40, 29, 600, 25), (3, 700, 300, 130)], ids=str)
def test_stacks_that_leave_the_caches(sizes: tuple[int, int, int, int]) -> None:
    """They are computed in blocks of rows, while what the next ones need is asked for."""
    count, rows, terms, columns = sizes
    checkpoint.grad(np.sum)(np.ones(2))  # NumPy is the library that has been met
    rng, function = np.random.default_rng(3), kernel_of("matmul")
    assert function is not None
    lefts = rng.normal(size=(count, rows, terms)), rng.normal(size=(count, terms, rows)).swapaxes(1, 2)
    rights = rng.normal(size=(count, terms, columns)), rng.normal(size=(count, columns, terms)).swapaxes(1, 2)
    for left, right in itertools.product(lefts, rights):
        found = function((0, 1, 2), left, right)
        if found is None:
            pytest.skip("a processor without loops for products")
        np.testing.assert_allclose(found, np.matmul(left, right), rtol=0.0, atol=1e-10)
        alone = [function((0, 1), x, y) for x, y in zip(left, right, strict=True)]  # in the caches
        assert found.tobytes() == np.stack(alone).tobytes()
