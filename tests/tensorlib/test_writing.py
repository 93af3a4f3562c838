"""Elements written, added and grouped: values as NumPy's loops give them, derivatives of whole programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.tensors import ALWAYS, apply
from tensorlib.layout.accumulating import add_at, subtract_at
from tensorlib.reductions.grouping import segment_max, segment_min, segment_prod, segment_sum
from tensorlib.rules import record
from tests.tensorlib.check import value

INDEX = np.array([0, 2, 0, 2, 2])
VALUES = np.array([[1.0, 2.0], [3.0, 0.0], [-1.0, 4.0], [2.0, 2.0], [0.5, -1.0]])


@pytest.mark.parametrize(
    ("function", "reduce", "empty"),
    [
        (segment_sum, np.sum, 0.0),
        (segment_prod, np.prod, 1.0),
        (segment_max, np.max, -np.inf),
        (segment_min, np.min, np.inf),
    ],
)
def test_segments(function: Any, reduce: Any, empty: float) -> None:
    expected = [reduce(VALUES[i == INDEX], axis=0) if i != 1 else [empty] * 2 for i in range(3)]
    np.testing.assert_allclose(function(VALUES, INDEX, 3), expected)
    inside = apply(ALWAYS, record(f"tensorlib.{function.__name__}"), [value(VALUES), value(INDEX), 3])
    np.testing.assert_allclose(inside.data, expected)


def test_add_at_adds_each_time_and_changes_nothing() -> None:
    x = np.zeros(3)
    np.testing.assert_array_equal(add_at(x, [0, 0, 2], [1.0, 2.0, 4.0]), [3.0, 0.0, 4.0])
    np.testing.assert_array_equal(subtract_at(x, [0, 0, 2], 1.0), [-2.0, 0.0, -1.0])
    np.testing.assert_array_equal(x, np.zeros(3))


def element_by_element(x: Any) -> Any:
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i - 1]
    return float(np.sum(y * y))


def overwritten(x: Any) -> Any:
    y = np.zeros(5)
    y[:] = x
    y[1:3] = x[0]
    y[[0, 0]] = x[:2] * x[3]
    y[y > 0.5] = 2.0
    return float(np.sum(y * x))


def in_place(x: Any) -> Any:
    y = x.copy()
    y[1:] += x[:-1]
    y *= 2.0
    y[::2] -= x[::2] ** 2
    return float(np.sum(y * y))


def sorted_in_place(x: Any) -> Any:
    y = x * x
    y.sort()
    return float(np.sum(y * np.arange(5.0)))


def filled(x: Any) -> Any:
    y = np.empty(5)
    y.fill(x[0])
    m = np.zeros((5, 5))
    np.fill_diagonal(m, y * x)
    z = np.zeros(5)
    np.copyto(z, x)
    np.put_along_axis(z, np.array([1, 1]), x[:2] * x[:2], axis=0)
    return float(np.sum(m @ x)) + float(np.sum(z * x))


def grouped(x: Any) -> Any:
    index = np.array([0, 2, 0, 2, 2])
    total = segment_sum(x * x, index, 3) * np.arange(1.0, 4.0)
    return float(np.sum(add_at(total, index, x)[index] * x)) + float(np.sum(segment_prod(x, index, 3)))


def rows(x: Any) -> Any:
    a, b, *rest = x.reshape(5, 1) * x[:2]
    total = float(np.sum(a * b))
    for row in rest:
        u, v = row
        total = total + u * v
    return total


PROGRAMS = [element_by_element, overwritten, in_place, sorted_in_place, filled, grouped, rows]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(program: Any) -> None:
    x = np.array([0.3, -1.2, 0.7, 1.9, -0.4])
    step = 1e-6
    expected = [(program(x + step * e) - program(x - step * e)) / (2 * step) for e in np.eye(5)]
    np.testing.assert_allclose(checkpoint.grad(program)(x), expected, rtol=1e-6, atol=1e-6)
    assert float(checkpoint.jvp(program, x, np.ones(5))[1]) == pytest.approx(sum(expected), rel=1e-6)
