"""A number that is only compared has the cotangent zero, of which a partial that is not finite makes a NaN.

Translated code leaves such numbers out of its adjoint, and gives what the machine gives nevertheless.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.strips import counted, translate_soon

pytestmark = [needs_c, needs_compiler, pytest.mark.usefixtures("soon")]

WIDTH = 400  # lanes: several strips of the widest vectors
TURNS = 400


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)


def quotient(x: float, y: float) -> float:
    """Compare a quotient whose partial by y may be infinite."""
    total = 0.0
    for _ in range(TURNS):
        total = total + (0.5 * x if x / y > 1.0 else x * y)
    return total


def square(x: float, y: float) -> float:
    """Compare a square of what becomes infinite on the way."""
    total, z = 0.0, x
    for _ in range(TURNS):
        z = z * 1.01 + y
        total = total + (x * 0.5 if z * z > 1e300 else y)
    return total


def only_on_one_way(x: float, y: float) -> float:
    """Compare a quotient that one way adds, too."""
    total = 0.0
    for i in range(TURNS):
        ratio = x / y
        if i > 5 or ratio < 1.0:
            total = total + x
        else:
            total = total + 1e-300 * ratio
    return total


def logarithm(x: float, y: float) -> float:
    """Compare what has no expression on vectors: partials are functions."""
    total = 0.0
    for _ in range(TURNS):
        total = total + (x * y if math.atan2(x, y) + math.log(y) > -800.0 else x)
    return total


FUNCTIONS = [quotient, square, only_on_one_way, logarithm]
GIVEN = [(0.5, 0.25), (1e-5, 1e-200), (1e307, 1e306), (1e-250, 1e-250), (0.5, 0.25)]


def bits(found: Any) -> bytes:
    """Return the bits of some numbers, with one NaN for all."""
    numbers = np.array(found, dtype=float)
    return np.where(np.isnan(numbers), np.nan, numbers).tobytes()


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("schedule", ["plain", None])
def test_loops(f: Any, schedule: str | None) -> None:
    """Also in calls after those that have translated the loop, with finite partials and without."""
    how: dict[str, Any] = {} if schedule is None else {"schedule": schedule}
    for given in GIVEN:
        want = bits(checkpoint.grad(f, (0, 1), engine="hybrid")(*given))
        for _ in range(2):
            assert bits(checkpoint.grad(f, (0, 1), engine="c", **how)(*given)) == want


def test_some_make_nans() -> None:
    """So the cases above have what they are about."""
    found = [checkpoint.grad(f, (0, 1), engine="c")(*given) for f in FUNCTIONS for given in GIVEN]
    assert sum(math.isnan(y) for _, y in found) >= 3
    assert all(map(math.isfinite, found[0]))


def test_segments_that_are_taped_together() -> None:
    """A long loop over numbers within a small budget."""

    def long(x: float, y: float) -> float:
        z, total = x, 0.0
        for _ in range(60_000):
            z = z * 0.99 + y
            total = total + (0.5 * z if x / z < 1.0 else 0.25 * y)
        return total

    for given in ((0.5, 0.25), (1e-5, 1e-200)):
        want = bits(checkpoint.grad(long, (0, 1), engine="hybrid")(*given))
        for _ in range(2):
            assert bits(checkpoint.grad(long, (0, 1), engine="c", memory="1MiB")(*given)) == want


def shrinking(x: float, w: float) -> float:
    """Compare squares of what may be infinite, until it is small."""
    y, n = x, 0
    while y * y > w and n < 6:
        y, n = y * 0.7 + 0.002, n + 1
    return y * 0.5 + 0.3 if w > 0.0 else w


def by_angle(x: float, w: float) -> float:
    return x * w if math.atan2(x, w) > 0.5 and math.log(x) > -400.0 else x + w


def by_place(x: float, w: float) -> float:
    """Compare a quotient; its numerator is no number of the lane's result."""
    return w if (w + 1.0) / x > 2.0 else w * 2.0


@pytest.mark.parametrize("f", [shrinking, by_angle, by_place])
def test_strips(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    strips = counted(monkeypatch)

    def loss(xs: Any, w: Any) -> Any:
        return np.sum(checkpoint.vmap(f, (0, None))(xs, w) * np.linspace(0.5, 1.5, len(xs)))

    xs = np.random.default_rng(0).uniform(0.1, 3.0, WIDTH)
    odd = xs.copy()
    odd[[3, 70]], odd[-1] = math.inf, 1e-200
    for by in ((0, 1), (1,)):
        for given in [*[(xs, 0.5)] * 3, (odd, 0.5), (odd, 0.0), (xs, 0.5)]:
            want = gradient(loss, by, given, "hybrid")
            assert gradient(loss, by, given, "c") == want
    assert strips.value


def gradient(loss: Any, by: tuple[int, ...], given: tuple[Any, ...], engine: str) -> bytes:
    found = checkpoint.grad(loss, by, engine=engine)(*given)
    return b"".join(map(bits, found))
