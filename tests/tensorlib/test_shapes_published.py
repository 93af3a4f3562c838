"""Shapes, joins, sorting: the cases that HIPS autograd and JAX publish, as data; views; errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlib  # noqa: F401
from checkpoint.ad.numbers import real_part
from checkpoint.ad.operands import leaves
from checkpoint.ad.tensors import ALWAYS, apply
from checkpoint.errors import RunError
from tensorlib.rules import record
from tests.tensorlib.check import check, data_of, value

RNG = np.random.default_rng(0)
B, C = RNG.normal(size=(2, 5, 6, 4))
M = RNG.normal(size=(10, 11))


def R(*shape: int) -> Any:
    return RNG.normal(size=shape)


AUTOGRAD: list[tuple[Any, ...]] = [
    ("flipud", M),
    ("fliplr", M),
    ("rot90", M),
    ("reshape", B, (20, 6)),
    ("ravel", B),
    ("append", [1.0, 2.0, 3.0], 4.0),
    ("append", np.array([1.0, 2.0, 3.0]), 4.0),
    ("concatenate", (B, R(4, 6, 4))),
    ("concatenate", (C, B, C)),
    ("concatenate", (C, B, C), 1),
    ("split", R(10), 2),
    ("diag", R(10, 10)),
    ("roll", R(4, 5), 2, 1),
    ("triu", R(5, 5), 2),
    ("tril", R(5, 5), 2),
    ("array", [3.0, 3.0, 5.5]),
    ("array", [[3.0, 3.0, 5.5], [9.0, 3.0, 1.5]]),
    ("array", 3.0),
    ("array", [R(3, 2), R(3, 2)]),
    ("array", [[R(3, 2), R(3, 2)], [R(3, 2), R(3, 2)]]),
    ("squeeze", R(5, 1, 4)),
    ("repeat", R(5, 3, 4), 2, 1),
    ("repeat", R(5, 3, 4), 1, 1),
    ("repeat", R(5, 3), 2, 0),
    ("repeat", R(5), 2, 0),
    ("repeat", R(5, 1), 1, 0),
    ("expand_dims", R(5, 1, 4), 2),
    ("diagonal", R(4, 4), 0, -1, -2),
    ("diagonal", R(3, 4, 4), 0, -1, -2),
    *[
        ("transpose", R(2, 3, 4), list(axes))
        for axes in ((0, 1, 2), (0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 2, 0))
    ],
    ("transpose", R(2, 3, 4), None),
    ("sort", R(1)),
    ("sort", R(7)),
    *[("partition", x, kth) for x in (R(7), R(14)) for kth in (0, 3, 6)],
    *[
        (f"atleast_{n}d", x)
        for n in (1, 2, 3)
        for x in (1.2, R(1), R(7), R(1, 4), R(2, 4), R(2, 4, 5), R(2, 4, 3, 5))
    ],
    ("tile", R(2, 1, 3, 1), (1, 4, 1, 2)),
    ("tile", R(1, 2), (1, 2)),
    ("interp", np.arange(-20, 20, 0.7) + 0.013, np.arange(10) * 1.0, R(10)),
    ("interp", np.arange(-20, 20, 0.7) + 0.013, np.arange(10) * 1.0, R(10), -1, -1),
    ("interp", np.arange(-20, 20, 0.7) + 0.013, np.arange(10) * 1.0, np.arange(10) ** 2.0),
    ("pad", R(3, 2), ((1, 2), (3, 4)), "constant"),
    ("pad", R(3, 2), 1, "constant", 2.5),
    *[("gradient", x, None, 1, *h) for x in (R(10), R(10, 10)) for h in ((), (0.1,))],
    ("gradient", R(5, 6, 4), 1, 1),
    ("gradient", R(5, 6, 4), (0, -1), 1),
]

JAX: list[tuple[Any, ...]] = [
    *[
        ("moveaxis", R(2, 3, 4), i, j)
        for i, j in ((0, 2), (2, 0), (-1, 1), ((0, 1), (1, 2)), ((0, -1), (-1, 0)))
    ],
    *[("rollaxis", R(2, 3, 4), i, j) for i, j in ((1, 0), (0, 3), (2, 1), (-1, 0), (0, 2))],
    *[("swapaxes", R(2, 3, 4), i, j) for i, j in ((0, 1), (-1, 0), (1, 1))],
    *[("squeeze", R(1, 2, 1), axis) for axis in (None, 0, 2, (0, 2), -1)],
    *[("roll", x, s, a) for x in (R(3), R(4, 5), R(2, 0)) for s, a in ((1, None), (-3, 0), (20, -1))],
    *[("roll", R(3, 4, 5), s, a) for s, a in (((2, 1), (0, 1)), (2, (1, 2)), ((1, 2), 0))],
    *[("tile", x, r) for x in (R(3), R(2, 1, 2)) for r in ((3,), (1, 1, 2), (2, 0), 0, ())],
    *[("repeat", x, r, None) for x in (R(), R(4), R(4, 5)) for r in (0, 1, 3)],
    ("repeat", R(2, 3), np.array([1, 2]), 0),
    ("repeat", R(2, 3), np.array([1, 2, 0]), 1),
    *[
        ("pad", x, w, mode)
        for x, w in ((R(3), (3, 2)), (R(3, 4), ((1, 3), (2, 5))), (R(2, 3), 1), (R(4), (0, 0)))
        for mode in ("constant", "edge", "wrap", "reflect", "symmetric")
    ],
    *[("rot90", R(3, 4, 2), k, axes) for k in range(-4, 5, 2) for axes in ((0, 1), (1, 2), (-1, 0))],
    *[("flip", R(2, 3), axis) for axis in (None, 0, -1, (0, 1))],
    *[("take", R(3, 4, 5), np.array([[0, 2], [1, -1]]), axis) for axis in (None, 0, 1, -1)],
    *[("take_along_axis", R(3, 4), np.argsort(R(3, 4), axis), axis) for axis in (0, 1, -1)],
    *[("sort", R(5, 3), axis) for axis in (0, -1, None)],
    ("broadcast_to", R(2, 3), (4, 2, 3)),
    ("broadcast_to", R(2, 1, 3), (2, 5, 3)),
    ("broadcast_to", R(), (2, 3)),
    *[("stack", [R(2, 3), R(2, 3), R(2, 3)], axis) for axis in (0, 1, 2, -1, -3)],
    *[(name, [R(3), R(3)]) for name in ("hstack", "vstack", "dstack", "column_stack")],
    *[(name, [R(2, 3), R(2, 3)]) for name in ("hstack", "vstack", "dstack", "column_stack")],
    *[("array_split", R(7, 2), n, 0) for n in (1, 3, [2, 5], [0, 9])],
    *[
        ("convolve", R(n), R(m), mode)
        for n in (1, 3, 6)
        for m in (1, 2, 4)
        for mode in ("full", "same", "valid")
    ],
    *[
        ("correlate", R(n), R(m), mode)
        for n in (1, 3, 6)
        for m in (1, 2, 4)
        for mode in ("full", "same", "valid")
    ],
    *[
        ("linspace", R(2), R(2), num, end, False, None, axis)
        for num in (0, 1, 5)
        for end in (True, False)
        for axis in (0, -1)
    ],
    ("logspace", -0.5, 1.0, 5),
    ("insert", R(3, 4), [0, 2], 1.5, 0),
    ("insert", R(3, 4), slice(0, 2), R(2, 4), 0),
    ("delete", R(3, 4), [1, -1], 1),
    ("delete", R(3, 4), slice(None, None, 2), 1),
    ("resize", R(2, 3), (4, 4)),
    ("diagflat", R(2, 2), -1),
    ("meshgrid", "ij", R(3), R(2), R(2)),
    ("trapezoid", R(3, 4), R(4)),
    ("extract", np.eye(3) == 0, R(3, 3)),
    ("unique", np.array([3.0, 1.0, 2.0, 0.5])),
]


def at(name: str, *operands: Any) -> Any:
    return apply(ALWAYS, record(f"np.{name}"), [value(x) for x in operands])


@pytest.mark.parametrize("case", AUTOGRAD + JAX, ids=lambda case: case[0])
def test_derivatives(case: tuple[Any, ...]) -> None:
    name, *operands = case
    check(record(f"np.{name}"), tuple(operands))


@pytest.mark.parametrize("case", AUTOGRAD + JAX, ids=lambda case: case[0])
def test_values(case: tuple[Any, ...]) -> None:
    name, *operands = case
    keywords: dict[str, Any] = {}
    if name == "gradient":
        axis, edge_order = operands[1:3]
        operands = [operands[0], *operands[3:]]
        keywords = {"axis": axis, "edge_order": edge_order}
    elif name == "meshgrid":
        keywords = {"indexing": operands.pop(0)}
    elif name == "pad" and len(operands) == 4:
        keywords = {"constant_values": operands.pop()}
    expected = getattr(np, name)(*operands, **keywords)
    parts = list(expected) if isinstance(expected, list | tuple) else [expected]
    actual = [data_of(real_part(x)) for x in leaves(at(*case))]
    for x, y in zip(actual, parts, strict=True):
        np.testing.assert_array_equal(x, y)


VIEWS = [
    ("reshape", (6, 2)),
    ("ravel",),
    ("transpose", None),
    ("swapaxes", 0, 1),
    ("moveaxis", 0, 1),
    ("squeeze", None),
    ("expand_dims", 0),
    ("flip", None),
    ("asarray", None),
    ("diagonal",),
    ("broadcast_to", (2, 3, 4)),
    ("broadcast_to", (3, 4)),
    ("atleast_2d",),
    ("attribute", "T"),
    ("attribute", "real"),
    ("sequence",),
]


@pytest.mark.parametrize("case", VIEWS, ids=lambda case: case[0])
def test_views_share_their_memory(case: tuple[Any, ...]) -> None:
    name, *rest = case
    x = value(np.ones((3, 4)))
    result = apply(ALWAYS, record(f"np.{name}"), [x, *[value(part) for part in rest]])
    assert result.memory is x.memory
    assert result.data is not x.data


@pytest.mark.parametrize("name", ["list-of", "tuple-of", "split", "broadcast_arrays"])
def test_parts_that_are_views_share_the_memory(name: str) -> None:
    x = value(np.ones((2, 4)))
    rest = [2] if name == "split" else []
    result = apply(ALWAYS, record(f"np.{name}"), [x, *rest])
    parts = [result] if hasattr(result, "memory") else list(result.items)
    assert all(part.memory is x.memory for part in parts)


COPIES = [
    ("copy",),
    ("sort",),
    ("roll", 0),
    ("concatenate",),
    ("repeat", 1),
    ("tile", 1),
    ("pad", 0),
    ("array",),
]


@pytest.mark.parametrize("case", COPIES, ids=lambda case: case[0])
def test_copies_do_not(case: tuple[Any, ...]) -> None:
    name, *rest = case
    x = value(np.ones((3, 4)))
    result = apply(ALWAYS, record(f"np.{name}"), [x, *rest])
    assert result.memory is not x.memory
    assert not np.shares_memory(result.data, x.data)


@pytest.mark.parametrize(
    ("case", "error"),
    [
        (("reshape", np.ones(6), (4, 2)), ValueError),
        (("transpose", np.ones((2, 3)), (0, 2)), ValueError),
        (("concatenate", [np.ones(2), np.ones((2, 2))]), ValueError),
        (("stack", [np.ones(2), np.ones(3)]), ValueError),
        (("squeeze", np.ones((2, 3)), 0), ValueError),
        (("expand_dims", np.ones(2), 4), ValueError),
        (("broadcast_to", np.ones(2), (3,)), ValueError),
        (("split", np.ones(5), 2), ValueError),
        (("flip", np.ones(5), 1), ValueError),
        (("sort", np.ones(5), 1), ValueError),
        (("moveaxis", np.ones((2, 2)), 0, 5), ValueError),
        (("attribute", np.ones(2), "nothing"), AttributeError),
        (("unpack", np.ones(3), 2), ValueError),
        (("sequence", np.float64(1.0)), TypeError),
        (("truth", np.ones(2)), ValueError),
        (("pad", np.ones(2), 1, "median"), RunError),
        (("attribute", np.ones(2), "sum"), RunError),
        (("array", [np.ones(2), np.ones(3)]), ValueError),
    ],
    ids=lambda case: case[0] if isinstance(case, tuple) else case.__name__,
)
def test_what_numpy_refuses_is_refused(case: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        at(*case)


def test_facts_are_python_objects() -> None:
    x = np.ones((2, 3))
    assert at("attribute", x, "shape").items == (2, 3)
    assert at("len", x) == 2
    assert type(at("len", x)) is int
    assert at("int", np.array(3.7)) == 3
    assert at("index", np.int64(3)) == 3
    assert at("truth", np.float64(0.0)) is False
    assert at("not", np.float64(0.0)) is True
    assert at("contains", np.arange(3), 2) is True
    assert type(at("float", np.array(1.5))) is float


def test_float32_stays_float32() -> None:
    x = R(3, 4).astype(np.float32)
    for name, option in [("reshape", -1), ("roll", 1), ("pad", 1), ("sort", 0), ("tile", 2), ("stack", 0)]:
        assert at(name, x, option).data.dtype == np.float32


def test_empty_gives_zeros() -> None:
    np.testing.assert_array_equal(at("empty", (2, 3)).data, np.zeros((2, 3)))
