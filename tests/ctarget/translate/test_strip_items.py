"""Items that lanes get in tuples of tuples are in vectors, with the bits of the loop by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.alone import check_alone, is_alone
from tests.support.strips import counted, translate_soon, until_in_strips

pytestmark = [needs_c, needs_compiler]

WIDTH = 200


def lane(item: tuple[float, tuple[float, float]]) -> float:
    x, (n, y) = item
    while n > 0.0:
        x, n = math.sin(x) * y if x > 0.5 else x + y, n - 1.0
    return x * y


def by_lanes(xs: Any, ns: Any, ys: Any) -> Any:
    return np.sum(checkpoint.vmap(lane)((xs, (ns, ys))))


def by_hand(xs: Any, ns: Any, ys: Any) -> Any:
    return np.sum(np.array([lane((x, (n, y))) for x, n, y in zip(xs, ns, ys, strict=True)]))


def test_items_in_tuples(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own: the first array of NumPy's that C meets is one that a sample sees."""
    if not is_alone():
        check_alone(__file__, "items_in_tuples")
        return
    translate_soon(monkeypatch)
    strips = counted(monkeypatch)
    rng = np.random.default_rng(0)
    args = rng.random(WIDTH), rng.integers(1, 40, WIDTH).astype(float), rng.random(WIDTH)
    value, want = checkpoint.value_and_grad(by_hand, (0, 1, 2), engine="hybrid")(*args)
    for _ in until_in_strips(strips):
        found, slopes = checkpoint.value_and_grad(by_lanes, (0, 1, 2), engine="c")(*args)
        assert found == value
        assert all(one.tobytes() == other.tobytes() for one, other in zip(want, slopes, strict=True))
    assert strips.value > 0
