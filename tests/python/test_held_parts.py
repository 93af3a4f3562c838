"""Values that hold other values: partial objects with functions, slices for methods and in variables."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import value_and_grad


def apply(x: float, f: Callable[[float], float], scale: float = 1.0) -> float:
    return f(x) * scale


def double(x: float) -> float:
    return 2.0 * x


PARTS: dict[str, Any] = {
    "known": functools.partial(apply, f=double),
    "sine": functools.partial(apply, f=math.sin, scale=3.0),
}


def of_parts(x: float) -> float:
    total: float = sum(part(x) for part in PARTS.values())
    return total


class Row:
    def __init__(self, items: list[float]) -> None:
        self.items = list(items)
        self.starts: list[int] = []

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self.starts.append(key.start)
            self.items[key.start : key.stop] = value
        else:
            self.items[key] = value


def of_slices(x: float) -> float:
    row, plain = Row([x, 2.0, x]), [x, x, x]
    plain[0:2] = [x * x, 1.0]
    row[0:2] = [3.0 * x, x * x]
    row[2] = x**3
    return plain[0] + row.items[0] * row.items[1] + row.items[2] + row.starts[0]


def zeros(x: float, dtype: Any = float) -> Any:
    found = np.zeros((2, 2), dtype=dtype)
    found[0, 0] = x
    return found


def of_dtypes(x: float) -> float:
    """Return a sum of elements of arrays whose dtypes are values."""
    total: float = zeros(x)[0, 0] + zeros(x, complex)[0, 0].real + np.asarray([x * x], float)[0]
    for dtype in (float, bool, int):
        total += x * np.ones(2, dtype=dtype).sum()
    return float(total)


REALS = np.float32 | np.float64


def of_unions(x: float) -> float:
    dtype: Any = np.float64
    assert dtype in REALS.__args__
    return float(np.asarray([x], dtype)[0]) * len(REALS.__args__)


@pytest.mark.parametrize("f", [of_parts, of_slices, of_dtypes, of_unions])
def test_what_is_held(f: Callable[[float], float], engine: str) -> None:
    y, slope = value_and_grad(f, engine=engine)(1.5)
    assert y == f(1.5)
    assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-8)


def by_a_held_slice(x: float) -> float:
    xs, part = [x, x, x], slice(0, 2)
    xs[part] = [x * x, 1.0]
    return xs[0]


def test_a_slice_that_is_a_value(engine: str) -> None:
    with pytest.raises(checkpoint.RunError, match=r"write its bounds, xs\[i:j\] = v"):
        value_and_grad(by_a_held_slice, engine=engine)(1.5)


class Word(str):
    """A text that no program can take."""

    __slots__ = ()


def test_what_lies_at_two_places_is_held_with_each(engine: str) -> None:
    shared = Word("x")
    spaces = {"a": json.JSONDecoder(), "b": json.JSONDecoder(), "n": 2.0}
    for name in ("a", "b"):
        spaces[name].channels = (shared, [Word("y")])  # type: ignore[attr-defined]

    def f(x: float) -> float:
        return spaces["n"] * x  # type: ignore[operator]

    assert value_and_grad(f, engine=engine)(1.5) == (3.0, 2.0)
