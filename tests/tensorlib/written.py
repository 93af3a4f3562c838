"""Expressions of functions that are written with others, in a program, beside what they give in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

import checkpoint
from tests.python.texts import defined


@np.vectorize
def doubled(v: Any) -> Any:
    """Return twice a positive number, or another one as it is."""
    return 2.0 * v if v > 0.0 else v


NAMES = {"np": np, "DOUBLED": doubled, "TWICE": np.vectorize(lambda v, w: 2.0 * v + w)}


def function_of(expression: str) -> Any:
    """Return the function of x with this value; an expression may be statements that end in a `return`."""
    body = expression if "return " in expression else f"return {expression}"
    indented = "\n".join("    " + line for line in body.split("\n"))
    return defined(f"def f(x):\n{indented}\n", **NAMES)["f"]


def same(found: Any, expected: Any, rtol: float) -> None:
    """Assert that two results are of one structure and dtype, and nearly equal."""
    if isinstance(expected, list | tuple):
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other, rtol)
        return
    assert np.asarray(found).dtype == np.asarray(expected).dtype, (found, expected)
    assert np.shape(found) == np.shape(expected), (found, expected)
    if np.asarray(expected).dtype.kind in "US":
        assert found == expected
    else:
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rtol, atol=rtol)


def cotangent(y: Any, rng: np.random.Generator) -> Any:
    """Return a random cotangent of a result."""
    if isinstance(y, list | tuple):
        return type(y)([cotangent(part, rng) for part in y])
    kind = np.asarray(y).dtype.kind
    if kind not in "fc":
        return None
    drawn = rng.normal(size=np.shape(y))
    if isinstance(y, float) and not isinstance(y, np.generic):
        return float(drawn)
    return np.asarray(drawn + 1j * rng.normal(size=np.shape(y)) if kind == "c" else drawn).astype(y.dtype)


def pairing(bar: Any, y: Any) -> float:
    """Return the real part of the product of a cotangent with a result, by the convention of cotangents."""
    if isinstance(bar, list | tuple):
        return sum([pairing(one, other) for one, other in zip(bar, y, strict=True)])
    return 0.0 if bar is None else float(np.real(np.sum(bar * np.asarray(y))))


def check(expression: str, x: Any, rtol: float = 1e-13, has_slopes: bool = True) -> None:
    """Assert that a function of x has the value that Python gives it, and its derivative if it has slopes."""
    f = function_of(expression)
    with np.errstate(all="ignore"):
        expected = f(x)
        bar = cotangent(expected, np.random.default_rng(1))
        y, xbar = checkpoint.vjp(f, x, bar, engine="hybrid")
        same(y, expected, rtol)
        along = np.random.default_rng(2).normal(size=x.shape)
        high, low = (pairing(bar, f(x + h * along)) for h in (1e-6, -1e-6))
    if not has_slopes:
        return
    slope = (high - low) / 2e-6
    found = 0.0 if xbar is None else float(np.real(np.sum(xbar * along)))
    assert abs(slope - found) <= 1e-5 * max(1.0, abs(slope)), (slope, found)
