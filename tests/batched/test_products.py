"""Products with narrow matrices along several directions, as one product."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checkpoint.prims.batched import products
from tests.api.test_directions import X, check, steady

RNG = np.random.default_rng(3)
LARGE, INFINITE = RNG.normal(size=(800, 60)), np.where(np.arange(60) == 7, np.inf, 1.0)


def narrow(x: Any) -> Any:
    """Multiply one large matrix by narrow ones, which may lie side by side."""
    y = np.sin(np.arange(180.0)).reshape(60, 3) * steady(x)[9:]
    found = [LARGE @ y, LARGE @ y[:, :2], LARGE @ y[:, 1:], LARGE[::-1] @ y, LARGE @ y[:, :1]]
    return found, LARGE.T @ (LARGE @ y), np.asfortranarray(LARGE) @ y


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of what is not finite
@pytest.mark.parametrize("one_thread", [False, True])
def test_products_have_the_bits_of_each_direction(one_thread: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiply all rows at once, or as many as one thread would."""
    monkeypatch.setattr(products, "_has_one_thread", lambda: one_thread)
    products._is_alike.cache_clear()
    check(narrow, X, None)
    check(lambda x: LARGE @ (np.outer(INFINITE, steady(x)[:3]) * np.sin(x[3])), X, None)


def test_products_are_one_only_where_that_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a library of linear algebra does: a form that has other bits is multiplied one by one."""
    y, usual = RNG.normal(size=(50, 60, 3)), products._beside
    one_by_one = np.matmul(LARGE, y).tobytes()
    products._is_alike.cache_clear()
    assert products.product(LARGE, y).tobytes() == one_by_one
    monkeypatch.setattr(products, "_beside", lambda x, y: usual(x, y) * (1.0 + 2.0**-52))
    products._is_alike.cache_clear()
    assert products.product(LARGE, y).tobytes() == one_by_one
    assert products._is_alike.cache_info().currsize == 1
    products._is_alike.cache_clear()
