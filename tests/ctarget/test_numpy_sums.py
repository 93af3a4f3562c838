"""Sums along one axis by engine c (numpy/sums.h): NumPy's bits, warnings and NaNs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import value_and_grad
from checkpoint.ctarget import library
from checkpoint.functions.python_functions import result, run_of
from checkpoint.scalars.kernels import kernel_of
from tests.combinators.test_formulas import by_threads

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

SHAPES = [
    (300, 2),
    (100, 7),
    (40, 8),
    (64, 9),
    (33, 64),
    (9, 65),
    (20, 129),
    (7, 50, 3),
    (3, 64, 11),
    (2, 3, 60, 5),
    (1, 90, 6),
    (5, 70, 2),
    (3, 50, 4),
    (3, 50, 5),
    (3, 50, 7),
    (3, 50, 8),
]


def uneven(shape: tuple[int, ...]) -> Any:
    """Return numbers of which sums show the order in which they are added, and rows of zeros below 0."""
    rng = np.random.default_rng(len(shape))
    found = rng.normal(size=shape) * 10.0 ** rng.integers(-4, 5, size=shape)
    found[::5] = -0.0
    return found


def _run(f: Callable[..., Any], *args: Any) -> Any:
    """Return the value of a run on engine c."""
    call = run_of(f, args, {}, "c")
    return result(call.value(), call.engine)


def _assert_same(x: Any) -> None:
    for axis in range(x.ndim):
        for keeps in (False, True):
            for f in (np.sum, np.mean):
                expected = f(x, axis=axis, keepdims=keeps)
                found = _run(lambda x, f=f, axis=axis, keeps=keeps: f(x, axis=axis, keepdims=keeps), x)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                assert found.tobytes() == expected.tobytes(), (x.shape, axis, keeps)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_have_numpys_bits(shape: tuple[int, ...]) -> None:
    x = uneven(shape)
    _assert_same(x)
    _assert_same(x.astype(np.float32))
    _assert_same(np.swapaxes(x, 0, 1))


def test_nans_are_those_of_numpy() -> None:
    payload = np.array([0x7FF8000000000123, 0xFFF8000000000456], np.uint64).view(np.float64)
    x = uneven((5, 60, 11))
    x[:, ::7, ::3], x[:, 3::7, 1::3] = payload
    _assert_same(x)


@pytest.mark.parametrize("numbers", [(1.7e308, 1.7e308), (np.inf, -np.inf)], ids=["overflow", "invalid"])
def test_warnings_are_numpys(numbers: tuple[float, float]) -> None:
    x = np.ones((100, 9))
    x[3, :2] = numbers
    texts = []
    runs: list[Callable[[], Any]] = [lambda: np.sum(x, axis=1), lambda: _run(lambda x: np.sum(x, axis=1), x)]
    for run in runs:
        with warnings.catch_warnings(record=True) as met, np.errstate(all="warn"):
            warnings.simplefilter("always")
            run()
        texts.append([str(each.message) for each in met])
    assert texts[0] == texts[1] != []


def normalised(x: Any) -> Any:
    """Return a number of rows and columns that are divided by their sums."""
    by_rows = x / np.sum(x * x, axis=1, keepdims=True)
    return np.sum((by_rows - np.mean(x, axis=0)) ** 2)


@pytest.mark.parametrize("shape", [(90, 3), (40, 12)], ids=str)
def test_gradients_agree_on_all_engines(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    found = [value_and_grad(normalised, engine=engine)(x) for engine in ("c", "hybrid", "interp")]
    assert len({(value, slope.tobytes()) for value, slope in found}) == 1


@pytest.mark.parametrize("count", [2**21, 2**21 + 8, 2_300_017])
def test_threads_add_a_row_in_numpys_order(count: int) -> None:
    library.runtime()
    x = uneven((count,))
    total = kernel_of("total")
    assert total is not None
    with by_threads(3):
        for row in (x, x[::-1].copy()):
            assert total(row).tobytes() == np.sum(row).tobytes() == _run(np.sum, row).tobytes()
            assert type(total(row)) is np.float64


def test_threads_leave_to_numpy_what_it_might_warn_of() -> None:
    library.runtime()
    total, row = kernel_of("total"), np.ones(2**21)
    assert total is not None
    with by_threads(2):
        assert total(row) == 2.0**21
        for others in ((1.7e308, 1.7e308), (np.inf, -np.inf), (np.nan, 1.0), (1.0, 1.0 - 2.0**21)):
            row[12_345:12_347] = others
            assert total(row) is None
        assert total(row[::2]) is None
        assert total(row.astype(np.float32)) is None
