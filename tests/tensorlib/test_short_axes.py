"""Sums and extremes along short last axes have NumPy's bits, whichever way they are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from tensorlib import short_axes
from tests.support.corpus import engine_name, usable_engines

ENGINES = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
SHAPES = [(64, 2), (70, 3), (100, 5), (9, 8, 7), (64, 8), (63, 3), (3, 4, 6, 4), (400, 5), (30, 10, 6)]


def samples(shape: tuple[int, ...]) -> list[Any]:
    """Return arrays of a shape: of any numbers, of zeros of both signs, with infinities, of other layouts."""
    rng = np.random.default_rng(sum(shape))
    normal = rng.normal(size=shape)
    signs = rng.choice((0.0, -0.0), size=shape)
    some = np.where(rng.random(shape) < 0.5, normal, signs)
    infinite = np.where(rng.random(shape) < 0.1, np.inf, normal)
    nan = np.where(rng.random(shape) < 0.1, np.nan, some)
    return [normal, signs, some, infinite, nan, np.asfortranarray(normal), normal.astype(np.float32), -signs]


@pytest.fixture
def without_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the loop of engine c be missing."""
    monkeypatch.setattr(short_axes, "kernel_of", lambda name: None)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.usefixtures("without_engine")
def test_bits_without_the_engine(shape: tuple[int, ...], keepdims: bool) -> None:
    test_bits(shape, keepdims)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_bits(shape: tuple[int, ...], keepdims: bool) -> None:
    for x in samples(shape):
        for axis in (-1, x.ndim - 1, 0):
            found = short_axes.added_up(np, x, axis, keepdims)
            assert_same(found, np.sum(x, axis=axis, keepdims=keepdims))
            for name in ("max", "min", "nanmax"):
                found = short_axes.extreme(np, name, x, axis, keepdims)
                assert_same(found, getattr(np, name)(x, axis=axis, keepdims=keepdims))


def assert_same(found: Any, expected: Any) -> None:
    assert (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


@pytest.mark.usefixtures("without_engine")
def test_numpy_is_asked_for_longer_rows_and_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, own = [], short_axes._added

    def added(a: Any) -> Any:
        seen.append(a.shape)
        return own(a)

    monkeypatch.setattr(short_axes, "_added", added)
    for shape in ((64, 7), (64, 8), (63, 3), (200,)):
        short_axes.added_up(np, np.ones(shape), -1)
    assert {shape for shape in seen if shape != (64, 3)} == {(64, 7)}


@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 4, 3), (0, 3)])
def test_cross_products(shape: tuple[int, ...]) -> None:
    for a, b in zip(samples(shape), reversed(samples(shape)), strict=True):
        with np.errstate(invalid="ignore"):
            assert_same(short_axes.crossed(np, a, b), np.cross(a, b))
            assert_same(short_axes.crossed(np, a, b, -1, -1, -1, None), np.cross(a, b))
            assert_same(short_axes.crossed(np, a.T, b.T, 0, 0, 0), np.cross(a.T, b.T, 0, 0, 0))


def reduced(both: Any) -> Any:
    x, w = both
    return np.sum(x * w[:, None], axis=1) * np.mean(x, -1) + np.max(x, axis=1) - x.min(axis=1)


def in_columns(both: Any) -> Any:
    x, w = both
    a, b, c = x[:, 0], x[:, 1], x[:, 2]
    mean = (a + b + c) / 3.0
    extent = np.maximum(np.maximum(a, b), c) - np.minimum(np.minimum(a, b), c)
    return (a * w + b * w + c * w) * mean + extent


@ENGINES
def test_programs(engine: Any) -> None:
    """Values have NumPy's bits; derivatives are those of the same function, column by column."""
    rng = np.random.default_rng(4)
    at, along = [(rng.normal(size=(100, 3)), rng.normal(size=100)) for _ in range(2)]
    value, found = checkpoint.vjp(reduced, at, np.ones(100), engine=engine.name)
    assert_same(value, reduced(at))
    _, expected = checkpoint.vjp(in_columns, at, np.ones(100), engine=engine.name)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
    one, other = [checkpoint.jvp(f, at, along, engine=engine.name)[1] for f in (reduced, in_columns)]
    np.testing.assert_allclose(one, other, rtol=1e-12)


@ENGINES
def test_ties_share_the_tangent(engine: Any) -> None:
    """The tangent of an extreme is the mean of those of equal elements, in any row."""
    x, t = np.tile([1.0, 1.0, 0.0], (80, 1)), np.tile([2.0, 4.0, 8.0], (80, 1))
    x[1] = 5.0, 0.0, 0.0
    _, along = checkpoint.jvp(lambda x: np.max(x, axis=1), x, t, engine=engine.name)
    assert along.tolist() == [3.0, 2.0] + [3.0] * 78
