"""Indexing: the cases that JAX and HIPS autograd publish, as data; and what can be written at each index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlib
from checkpoint.ad.tensors import ALWAYS, apply
from tensorlib.layout.indexing import GETITEM, TAKE
from tensorlib.layout.writing import SETITEM
from tests.tensorlib.check import check, data_of, value

A = np.array
ALL = slice(None)

STATIC: list[tuple[tuple[int, ...], Any]] = [
    ((3,), 1),
    ((3, 3), 0),
    ((3, 4, 5), 2),
    ((3,), -1),
    ((3,), -2),
    ((3, 3), (2, 1)),
    ((3, 4, 5), (1, 2)),
    ((3, 4, 5), (-1, 2)),
    ((3, 4, 5), (1, 2, 3)),
    ((10,), slice(1, 3)),
    ((10,), slice(1, -1)),
    ((10,), slice(None, -1)),
    ((10,), ALL),
    ((10, 8), slice(1, 3)),
    ((10, 8), slice(1, None)),
    ((10, 8), slice(None, 3)),
    ((10, 8), slice(-3, None)),
    ((10,), slice(3, 1, -1)),
    ((10,), slice(1, 8, -1)),
    ((10,), slice(None, 1, -2)),
    ((10,), slice(None, None, -1)),
    ((10, 8), slice(0, 8, -1)),
    ((10,), slice(0, 8, 3)),
    ((10,), slice(1, None, 2)),
    ((10, 8), slice(1, 8, 3)),
    ((10, 8), slice(None, None, -2)),
    ((10, 8), (slice(1, 3), slice(0, 2))),
    ((10, 8), (slice(None, None, -1), slice(None, 2))),
    ((10, 8, 3), (slice(1, None), slice(0, 2))),
    ((3, 4, 5), (ALL, ALL)),
    ((10, 4), (ALL, slice(0, 2))),
    ((10, 4), (1, ALL)),
    ((3,), ...),
    ((3, 4, 5), (0, ...)),
    ((3, 4, 5), (..., 2, 3)),
    ((), None),
    ((), (None, None)),
    ((), (..., None)),
    ((3, 4), None),
    ((3, 4), (..., None)),
    ((3, 4, 5), (1, None, ...)),
    ((), ()),
    ((3, 4), ()),
    ((3, 2, 3), (0, ALL, np.arange(3))),
    ((3, 2, 3), (np.int32(1), ALL, np.arange(3))),
    ((3, 2, 3), (A(2), ALL, np.arange(3))),
]

ADVANCED: list[tuple[tuple[int, ...], Any]] = [
    ((3,), A([0, 1])),
    ((3, 3), A([1, 2, 1])),
    ((3, 4, 5), A([0, 2, 0, 1])),
    ((3,), A([-2, -1])),
    ((0,), A([], dtype=np.int32)),
    ((3,), A([[0, 0]])),
    ((3, 3), A([[1, 2, 1], [0, 1, -1]])),
    ((3, 4, 5), A([[0, 2, 0, 1], [-1, -2, 1, 0]])),
    ((3, 3), (A([0, 1]), A([1, 2]))),
    ((3, 4, 5), (A([0, 2, 0, 1]), A([-1, 0, -1, 2]))),
    ((3, 3), (A([[0, 1]]), A([1, 2]))),
    ((3, 4, 5), (A([[0, 2, 0, 1]]), A([-1, 0, -1, 2]))),
    ((3, 4, 5), ([0, 1],)),
    ((3, 4, 5), ([[0], [-1]], [[2, 3, 0, 3]])),
    ((3, 4, 5), (0, A([0, 1]))),
    ((3, 4, 5), (0, 1, A([[2, 3, 0, 3]]))),
    ((3, 4, 5), ([0, 1], A([0]))),
    ((3, 4, 5), ([[0], [-1]], A([[2, 3, 0, 3]]))),
    ((2, 3), (A([0, 1]), slice(1, 2))),
    ((2, 3), (slice(0, 2), A([0, 2]))),
    ((3, 4, 5), (..., A([0, 2]), ALL)),
    ((3, 4, 5), (..., A([[0, 2], [1, 1]]), ALL)),
    ((3, 4, 5), (..., A([0, 2]), A([-1, 2]))),
    ((3, 4, 5), (A([0, 2]), ..., A([-1, 2]))),
    ((3, 4, 5), (A([0, 2]), A([-1, 2]), slice(1, 3))),
    ((3, 4, 5), (A([0, 2]), slice(1, 3), A([-1, 2]))),
    ((3, 4, 5), (A([0, 2, -2]), slice(None, None, 2), A([-1, 2, -1]))),
    ((3, 4, 5), (A([[0, 2], [2, 0]]), ..., A([[1, 0], [1, 0]]))),
    ((3, 4, 5), (A([0, 2]), None, A([-1, 2]))),
    ((3, 4, 5), (..., A([0, 2]), None, None, A([-1, 2]))),
    ((3, 4), (..., A(1, dtype=np.int32))),
    ((4,), A([True, False, True, True])),
    ((3, 4), (ALL, A([True, False, True, True]))),
    ((3, 4), (1, A([True, False, True, True]))),
    ((3, 4), np.eye(3, 4, dtype=bool)),
    ((5, 6, 4), (3, slice(2, None), [1, 3])),
    ((5, 6, 4), ([0, 1, 2], ALL, ALL)),
    ((3,), [0, 1, 0]),
]


@pytest.mark.parametrize(("shape", "index"), STATIC + ADVANCED, ids=str)
def test_read(shape: tuple[int, ...], index: Any) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    check(GETITEM, (x, index))
    found = data_of(apply(ALWAYS, GETITEM, [value(x), value(index)]))
    np.testing.assert_array_equal(found, x[index])


@pytest.mark.parametrize(("shape", "index"), STATIC + ADVANCED, ids=str)
def test_write(shape: tuple[int, ...], index: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    if index is None or (isinstance(index, tuple) and any(i is None for i in index)):
        index = tuple(i for i in index if i is not None) if isinstance(index, tuple) else ()
    check(SETITEM, (x, index, rng.normal(size=np.shape(x[index]))))
    check(SETITEM, (x, index, 1.5))


def test_the_last_of_several_writes_counts() -> None:
    rest = tensorlib.writing.last_written(np, np.arange(4.0), A([1, 2, 1]))
    np.testing.assert_array_equal(rest, [0.0, 2.0, 1.0])


def test_what_is_written_has_the_dtype_of_the_array() -> None:
    x = np.zeros(3, np.float32)
    written = apply(ALWAYS, SETITEM, [value(x), 0, 1.1])
    assert written.data.dtype == np.float32
    whole = apply(ALWAYS, SETITEM, [value(np.zeros(3, int)), 0, 1.9])
    np.testing.assert_array_equal(whole.data, [1, 0, 0])
    assert x[0] == 0.0


@pytest.mark.parametrize(
    ("index", "error"),
    [(5, IndexError), ((0, 0, 0), IndexError), (1.5, IndexError), ("a", IndexError), ([0, 7], IndexError)],
)
def test_wrong_indices_raise_what_numpy_raises(index: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        apply(ALWAYS, GETITEM, [value(np.ones((2, 3))), value(index)])
    with pytest.raises(error):
        apply(ALWAYS, SETITEM, [value(np.ones((2, 3))), value(index), 1.0])


def test_wrong_shapes_raise_what_numpy_raises() -> None:
    with pytest.raises(ValueError, match="could not broadcast"):
        apply(ALWAYS, SETITEM, [value(np.ones(3)), value(slice(None)), value(np.ones(2))])
    with pytest.raises(IndexError):
        apply(ALWAYS, TAKE, [value(np.ones(3)), 3])


@pytest.mark.parametrize("index", [0, slice(1, None), (ALL, 1), (None, 0), ..., (ALL, slice(None, None, -1))])
def test_basic_indices_give_views(index: Any) -> None:
    x = value(np.ones((3, 4)))
    assert apply(ALWAYS, GETITEM, [x, value(index)]).memory is x.memory


@pytest.mark.parametrize("index", [[0, 1], A([True, False, True]), (0, 1)])
def test_other_indices_give_copies(index: Any) -> None:
    x = value(np.ones((3, 4)))
    assert apply(ALWAYS, GETITEM, [x, value(index)]).memory is not x.memory


def test_a_read_element_costs_what_it_costs() -> None:
    """The cotangent of an element is kept as one element."""
    x = np.ones(1000)
    rule = GETITEM.vjp(0)
    assert rule is not None
    given = rule(np, np.float64(2.0), None, x, 7)
    assert given.array.shape == ()
    np.testing.assert_array_equal(given.dense(), np.where(np.arange(1000) == 7, 2.0, 0.0))
