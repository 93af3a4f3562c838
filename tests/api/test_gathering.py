"""Plans that gather early (checkpoint.ad.tracing.gathering): bits, warnings, errors of those that do not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.api.test_direction_plans import agrees

RNG = np.random.default_rng(8)
ROWS, TERMS = 300, 24
WHOLE = RNG.normal(size=(ROWS, TERMS))
SCALES = RNG.normal(size=(ROWS, 1))
X = RNG.normal(size=2 * TERMS)
FEW = RNG.integers(0, ROWS, 60)

pytestmark = pytest.mark.engines_in_turn


def rows(x: Any, whole: Any, scales: Any, index: Any) -> Any:
    y = (whole * scales) @ np.stack([x[:24], x[24:]], 1)
    return (y @ np.sin(x[:6].reshape(2, 3)) + x[:3])[index]


def rows_of_views(x: Any, whole: Any, scales: Any, index: Any) -> Any:
    y = (whole[:, None, :] * 2.0 - scales[:, None]).reshape(-1, 24) @ x.reshape(24, 2)
    return y[index] * x[0]


def rows_of_a_stack(x: Any, whole: Any, scales: Any, index: Any) -> Any:
    stack = np.stack([whole, whole * 0.5]) @ np.stack([x[:24], -x[24:]], 1)
    return (-stack)[1][index] * 2


def in_two_places(x: Any, whole: Any, scales: Any, index: Any) -> Any:
    y = whole @ x.reshape(24, 2)
    return y[index] * y[index], scales[index]


def with_all_rows(x: Any, whole: Any, scales: Any, index: Any) -> Any:
    y = whole @ x.reshape(24, 2)
    return y[index] + np.sum(y)


def by_two_indices(x: Any, whole: Any, scales: Any, index: Any) -> Any:
    y = whole @ x.reshape(24, 2)
    return y[index] + y[index[::-1]]


def element_by_element_behind(x: Any, whole: Any, scales: Any, index: Any) -> Any:
    y = (whole @ x.reshape(24, 2))[index]
    return (-(y * y[:, :1] - 2.0)).reshape(40, 3) @ whole[:3, :3], y[1:] + y[:-1, 1:]


EARLY = [rows, rows_of_views, rows_of_a_stack, in_two_places, element_by_element_behind]
LATE = [with_all_rows, by_two_indices]


def ways(jacobian: Any) -> list[int]:
    """Return for each plan how many functions it has: two where it gathers early."""
    plans = [plan for _, plan in jacobian._known.plans._plans]
    return [len(plan._plan.runs) for plan in plans]


@pytest.mark.parametrize("f", [*EARLY, *LATE])
def test_bits(f: Callable[..., Any]) -> None:
    jacobian: Any = checkpoint.jacfwd(f)
    for k in range(4):
        x, whole = X + 0.1 * k, np.roll(WHOLE, k, 0)
        for index in (FEW, FEW[::-1].copy(), FEW - ROWS, np.full(60, ROWS - 1), np.arange(60)):
            agrees(jacobian, f, x, whole, SCALES, index)
    assert ways(jacobian) == [2 if f in EARLY else 1]


@pytest.mark.parametrize(
    "index", [FEW.reshape(6, 10), FEW[:2], FEW.astype(np.int32), np.arange(299)], ids=str
)
def test_forms_of_indices(index: Any) -> None:
    """Gather last what are almost all rows."""
    jacobian: Any = checkpoint.jacfwd(rows)
    for k in range(4):
        agrees(jacobian, rows, X * (1 + k), WHOLE, SCALES, (index + k) % ROWS)
    assert ways(jacobian) == [1 if index.size == 299 else 2]


@pytest.mark.parametrize("order", [lambda x: x, np.asfortranarray, lambda x: np.repeat(x, 2, 0)[::2]])
def test_orders_in_memory(order: Any) -> None:
    jacobian = checkpoint.jacfwd(rows)
    for k in range(4):
        agrees(jacobian, rows, X + k, order(WHOLE), SCALES, FEW)


def test_an_index_that_does_not_fit() -> None:
    jacobian = checkpoint.jacfwd(rows)
    for _ in range(3):
        jacobian(X, WHOLE, SCALES, FEW)
    with pytest.raises(IndexError, match="out of bounds"):
        jacobian(X, WHOLE, SCALES, FEW + ROWS)


def said(f: Callable[..., Any], *args: Any) -> tuple[Any, set[str]]:
    """Return what a function returns or raises, and what it warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            made: Any = f(*args).tobytes()
        except FloatingPointError as error:
            made = str(error)
    return made, {str(each.message) for each in found}


@pytest.mark.parametrize("extreme", [1e200, np.inf, np.nan, 1e-200], ids=str)
def test_rows_that_nobody_reads_warn_as_before(extreme: float) -> None:
    """Take rows that are too large or too small, or not finite."""
    jacobian, whole, scales = checkpoint.jacfwd(rows), WHOLE.copy(), SCALES.copy()
    for _ in range(3):
        jacobian(X, whole, scales, FEW % 200)
    whole[250] = scales[250] = extreme
    modes: Any
    for modes in ({}, {"under": "raise"}, {"all": "raise"}):
        with np.errstate(**modes):
            own = said(jacobian, X, whole, scales, FEW % 200)
            assert own == said(checkpoint.jacfwd(rows), X, whole, scales, FEW % 200)
    assert (type(own[0]) is bytes) == np.isnan(extreme)  # nothing warns of NaNs that came in


@pytest.mark.parametrize(
    "index", [FEW, FEW - ROWS, FEW.reshape(6, 10), FEW.astype(np.int32), FEW[:0]], ids=str
)
@pytest.mark.parametrize("order", [lambda x: x, np.asfortranarray, lambda x: x[:, ::-1]])
def test_rows_that_nothing_depends_on(index: Any, order: Any) -> None:
    """Take rows of an array of three axes, and of one whose elements do not lie in a row."""

    def f(x: Any, whole: Any, index: Any) -> Any:
        return whole[index] * x[0], np.reshape(whole, (ROWS, 4, 6))[index] * x[1], np.sin(x) * x

    jacobian, whole = checkpoint.jacfwd(f), order(WHOLE)
    for k in range(4):
        agrees(jacobian, f, X + k, whole, index)
    if index.size:
        with pytest.raises(IndexError, match="out of bounds"):
            jacobian(X, whole, index + 2 * ROWS)


def test_gradients() -> None:
    """What a reversal reads of all rows is computed for all."""

    def loss(x: Any, whole: Any, index: Any) -> Any:
        return np.sum((whole @ x.reshape(24, 2))[index] ** 2)

    gradient = checkpoint.value_and_grad(loss)
    for k in range(5):
        own = gradient(X + k, WHOLE, (FEW + k) % ROWS)
        other = checkpoint.value_and_grad(loss)(X + k, WHOLE, (FEW + k) % ROWS)
        assert own[0] == other[0]
        assert own[1].tobytes() == other[1].tobytes()
