"""Reductions and scans by functions of one's own: values in order, and derivatives through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
import tensorlib

SIZES = [1, 2, 3, 4, 5, 8, 13]


def compose(a: Any, b: Any) -> Any:
    """Return the matrix product: associative, not commutative."""
    return a @ b


def matrices(n: int) -> Any:
    return np.random.default_rng(n).normal(size=(n, 2, 2))


@pytest.mark.parametrize("n", SIZES)
def test_all_elements_in_their_order(n: int) -> None:
    x = matrices(n)
    prefixes = [x[0]]
    for part in x[1:]:
        prefixes.append(prefixes[-1] @ part)
    np.testing.assert_allclose(tensorlib.scan(compose, x), prefixes, rtol=1e-12)
    np.testing.assert_allclose(tensorlib.reduce(compose, x), prefixes[-1], rtol=1e-12)


def test_along_another_axis() -> None:
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(tensorlib.scan(np.add, x, axis=1), np.cumsum(x, axis=1))
    np.testing.assert_array_equal(tensorlib.reduce(np.maximum, x, axis=-1), np.max(x, axis=-1))


def test_no_element() -> None:
    assert tensorlib.scan(np.add, np.zeros((0, 2))).shape == (0, 2)
    with pytest.raises(IndexError):
        tensorlib.reduce(np.add, np.zeros(0))


def loss(x: Any) -> Any:
    """Return a number that depends on all prefixes."""
    weights = np.arange(1.0, 1.0 + len(x))
    return np.sum(tensorlib.scan(compose, x)[:, 0, 1] * weights) + np.sum(tensorlib.reduce(compose, x))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_gradients_are_limits_of_differences(n: int) -> None:
    x, along = matrices(n), np.random.default_rng(100 + n).normal(size=(n, 2, 2))
    y, xbar = checkpoint.vjp(loss, x, engine="hybrid")
    assert y == loss(x)
    expected = (loss(x + 1e-6 * along) - loss(x - 1e-6 * along)) / 2e-6
    assert np.sum(xbar * along) == pytest.approx(expected, rel=1e-6)
    np.testing.assert_array_equal(checkpoint.vjp(loss, x, engine="interp")[1], xbar)


X = np.array([0.3, -0.9, 0.5, 0.7, 0.2, 0.65])


@pytest.mark.parametrize("engine", ["interp", "hybrid"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.polyval(x, np.array([2.0, -0.5])),
        lambda x: np.polyval(x, x),
        np.sum,
        np.linalg.norm,
        np.vander,
        lambda x: np.vander(x, 3, increasing=True),
        np.cov,
        lambda x: np.cov(x.reshape(2, 3), bias=True),
        lambda x: np.cov(x.reshape(2, 3), x.reshape(2, 3) ** 2, rowvar=False, ddof=0),
        lambda x: np.apply_along_axis(lambda r: r.sum(), 0, x.reshape(2, 3)),
        lambda x: np.apply_along_axis(lambda r: r * r[0], 1, x.reshape(2, 3)),
        lambda x: np.apply_along_axis(np.cumsum, 0, x.reshape(2, 3)),
        lambda x: x.reshape(2, 3)[slice(0, 1), slice(None)] ** 2,
    ],
)
def test_functions_of_numpy_that_are_translated(f: Any, engine: str) -> None:
    y = f(X)
    ybar, along = np.cos(np.arange(np.size(y))).reshape(np.shape(y)), np.sin(np.arange(6.0))
    value, xbar = checkpoint.vjp(f, X, ybar, engine=engine)
    np.testing.assert_allclose(value, y, rtol=1e-13, atol=1e-15)
    assert np.shape(value) == np.shape(y)
    expected = np.sum(ybar * (f(X + 1e-6 * along) - f(X - 1e-6 * along))) / 2e-6
    assert np.sum(xbar * along) == pytest.approx(expected, rel=1e-5, abs=1e-7)
