"""Plans that compute chains tile by tile (checkpoint.ad.tracing.chaining): bits, warnings, errors."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.tracing import lines as plan_lines
from checkpoint.ad.tracing import traces
from checkpoint.ctarget import library
from checkpoint.scalars.kernels import kernel_of
from tests.api.test_direction_plans import agrees

RNG = np.random.default_rng(11)
COUNT = 12  # directions
X = RNG.normal(size=COUNT)
ROWS = RNG.normal(size=(200, 4))
INDEX = RNG.integers(0, 200, (180, 3))
ROW = np.array([7])
WEIGHTS = RNG.uniform(1.0, 2.0, (180, 1))

pytestmark = [
    pytest.mark.engines_in_turn,
    pytest.mark.skipif(library.reason() is not None, reason=str(library.reason())),
]


def vertices(x: Any, rows: Any) -> Any:
    return rows @ x.reshape(4, 3)


def triangles(x: Any, rows: Any, index: Any, weights: Any) -> Any:
    y = vertices(x, rows)[index]
    return -(weights * y[:, 0] + x[:1] * y[:, 1] + (1.0 - weights - x[1]) * y[:, 2])


def parts_of_indices(x: Any, rows: Any, index: Any, weights: Any) -> Any:
    y = vertices(x, rows)[index]
    return 2 * y[:, 1:] - y[:, :2] * x[0], y[:, ::-1] / weights[:, None] + y


def rows_at(x: Any, rows: Any, index: Any, weights: Any) -> Any:
    y = vertices(x, rows)
    return -y[index[:, 0]] * x[0], y[index] * 3.0 - x[1] * y[ROW]


def without_indices(x: Any, rows: Any, index: Any, weights: Any) -> Any:
    y = vertices(x, rows)
    z = y * y[:, :1] - 2.0
    return (z / weights[0] - y) * z + weights[0, 0], z[:, 1]


def read_elsewhere(x: Any, rows: Any, index: Any, weights: Any) -> Any:
    y = vertices(x, rows)[index]
    z = y * 2.0 - 1.0
    return (z + y[:, :1]) * x[0], y.reshape(-1, 9)


CHAINS = [triangles, parts_of_indices, rows_at, without_indices, read_elsewhere]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which plans add the texts of their lines."""
    found: list[str] = []
    usual = plan_lines.compiled

    def compiled(inputs: Any, lines: Any, results: Any, scope: Any) -> Any:
        found.extend([line.text for line in lines])
        return usual(inputs, lines, results, scope)

    monkeypatch.setattr(traces, "compiled", compiled)
    return found


def chains(texts: list[str]) -> list[str]:
    return [text for text in texts if text.startswith("chain(")]


@pytest.mark.parametrize("f", CHAINS)
def test_bits(f: Callable[..., Any], written: list[str]) -> None:
    jacobian = checkpoint.jacfwd(f)
    for k in range(4):
        for index in (INDEX, INDEX[::-1].copy(), INDEX - 200, np.full((180, 3), 199)):
            agrees(jacobian, f, X + 0.1 * k, np.roll(ROWS, k, 0), index, WEIGHTS + k)
    assert chains(written)


@pytest.mark.parametrize("f", CHAINS)
def test_strides(f: Callable[..., Any]) -> None:
    def strides(found: Any) -> Any:
        return [x.strides for x in (found if type(found) is tuple else (found,))]

    jacobian = checkpoint.jacfwd(f)
    made = [strides(jacobian(X, ROWS, INDEX, WEIGHTS)) for _ in range(4)]
    assert made == made[:1] * 4


def test_what_is_read_besides_is_made(written: list[str]) -> None:
    """Read where a gathered array is summed, too: it is no part of the chain."""
    jacobian = checkpoint.jacfwd(read_elsewhere)
    for _ in range(3):
        jacobian(X, ROWS, INDEX, WEIGHTS)
    assert any(re.match(r"c\d+\(r\d+, \(c\d+, i\d+,\)\)", text) for text in written)


@pytest.mark.parametrize("f", [triangles, rows_at])
@pytest.mark.parametrize("wrong", [200, -201])
def test_an_index_that_does_not_fit(f: Any, wrong: int) -> None:
    jacobian = checkpoint.jacfwd(f)
    for _ in range(3):
        jacobian(X, ROWS, INDEX, WEIGHTS)
    index = INDEX.copy()
    index[170, 0] = wrong
    with pytest.raises(IndexError, match="out of bounds"):
        jacobian(X, ROWS, index, WEIGHTS)


def test_an_index_that_does_not_fit_where_nobody_reads() -> None:
    """Show two of three columns of what is taken."""

    def f(x: Any, rows: Any, index: Any) -> Any:
        y = vertices(x, rows)[index]
        return y[:, 0] * 2.0 - y[:, 1]

    jacobian, index = checkpoint.jacfwd(f), INDEX.copy()
    for _ in range(3):
        jacobian(X, ROWS, index)
    index[3, 2] = 200
    with pytest.raises(IndexError, match="out of bounds"):
        jacobian(X, ROWS, index)


def said(f: Callable[..., Any], *args: Any) -> tuple[Any, set[str]]:
    """Return what a function returns or raises, and what it warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            made: Any = [x.tobytes() for x in f(*args)]
        except FloatingPointError as error:
            made = str(error)
    return made, {str(each.message) for each in found}


@pytest.mark.parametrize("f", [without_indices, parts_of_indices])
@pytest.mark.parametrize("extreme", [1e200, 1e308, np.inf, np.nan, -np.nan, 1e-200, 5e-324], ids=str)
def test_what_is_not_finite_or_warns(
    f: Any, extreme: float, written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan without chains says what is right."""
    jacobian, rows, other = checkpoint.jacfwd(f), ROWS.copy(), checkpoint.jacfwd(f)
    for _ in range(3):
        jacobian(X, rows, INDEX, WEIGHTS)
    assert chains(written)
    monkeypatch.setattr(traces, "chained", lambda lines, *_: lines)
    for _ in range(3):
        other(X, rows, INDEX, WEIGHTS)
    rows[7, 1] = extreme
    index = np.where(INDEX < 10, 7, INDEX)
    modes: Any
    for modes in ({}, {"under": "raise"}, {"all": "raise"}):
        with np.errstate(**modes):
            own = said(jacobian, X, rows, index, WEIGHTS)
            assert own == said(other, X, rows, index, WEIGHTS)


def test_gradients(written: list[str]) -> None:
    def loss(x: Any, y: Any) -> Any:
        return np.sum((x * y - 2.0 * x + y) / (2.0 + x * x) * y)

    gradient, x, y = checkpoint.value_and_grad(loss), RNG.normal(size=(70, 80)), RNG.normal(size=(70, 80))
    for k in range(5):
        own, other = gradient(x + k, y), checkpoint.value_and_grad(loss)(x + k, y)
        assert own[0] == other[0]
        assert own[1].tobytes() == other[1].tobytes()
    assert chains(written)


# The loop

STEPS = b"*\x80\x00\x01" + b"-\x81\x80\x02" + b"n\x80\x80\x80" + b"/\x80\x80\x81"


def expected(a: Any, b: Any, c: Any) -> Any:
    return -(a * b) / (a * b - c)


SHAPES = [
    (2, 9000, 3),
    (5,),
    (2000,),
    (40, 300),
    (700, 3),
    (3, 900, 2),
    (20, 1, 31),
    (2, 3, 40, 5),
    (1, 200),
    (1000, 1),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_forms_of_operands(shape: tuple[int, ...]) -> None:
    """Broadcast along any axes; take views with strides of both signs, and results in all orders of axes."""
    chain: Any = kernel_of("chain")
    b = RNG.normal(size=shape)
    for kept in product((False, True), repeat=len(shape)):
        few = [n if is_kept else 1 for n, is_kept in zip(shape, kept, strict=True)]
        a, c = RNG.normal(size=few), np.repeat(RNG.normal(size=shape), 2, 0)[::-2]
        for like in (b, b.T.copy().T):
            made = chain(STEPS, shape, like.strides, a, b, c)
            assert made is not None
            assert made.strides == like.strides
            assert made.tobytes() == expected(a, b, c).tobytes()


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("few", [(), (3,), (60, 2), (700,), (9000,)])
def test_indices_along_axes(axis: int, few: tuple[int, ...]) -> None:
    chain: Any = kernel_of("chain")
    whole = RNG.normal(size=(6, 50, 4))
    index = RNG.integers(-whole.shape[axis], whole.shape[axis], few)
    b = np.take(whole, index, axis)
    for each, other in ((whole, index), (whole[:, ::-1][:, ::-1], index[..., None].repeat(2, -1)[..., 1])):
        made = chain(STEPS, b.shape, b.strides, 2.0, (each, other, axis), np.float64(0.5))
        if b.ndim > 4:
            assert made is None
        else:
            assert made.tobytes() == expected(2.0, b, 0.5).tobytes()


def test_what_is_left_to_the_calls() -> None:
    chain: Any = kernel_of("chain")
    a = RNG.normal(size=(3, 400))
    shape, strides = a.shape, a.strides
    add = b"+\x80\x00\x01"
    assert chain(add, shape, strides, a, a) is not None
    bad = a.copy()
    bad[2, 399] = np.nan
    index = np.array([0, 1, 2])
    for steps, args in (
        (add, (a, bad)),
        (add, (a, a[:, :3])),
        (add, (a, a[0].astype(np.float32))),
        (add, (a, 1)),
        (add, (a,)),
        (b"*\x80\x00\x01", (a, 1e308)),
        (b"/\x80\x00\x01", (a, 0.0)),
        (b"%\x80\x00\x01", (a, a)),
        (b"+\x81\x00\x01", (a, a)),
        (b"+\x80\x00\x02", (a, a)),
        (b"+\x80\x00", (a, a)),
        (b"", (a, a)),
        (add, (a, (a, index + 1, 0))),
        (add, (a, (a, index - 4, 0))),
        (add, (a, (a, index.astype(np.int32), 0))),
        (add, (a, (a, index, 2))),
    ):
        assert chain(steps, shape, strides, *args) is None
    assert chain(add, shape, (strides[0] * 2, 8), a, a) is None
    assert chain(add, (3, "a"), strides, a, a) is None
    assert chain(add, (), (), 1.0, 2.0) is None
