"""What the tests of SciPy's functions share: a function's value is Python's, its derivatives are limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.arrays.agreement import ENGINES
from tests.support.sampling import in_turn, is_among

Function = Callable[[Any], Any]


def slopes(f: Function, x: Any, step: float) -> Any:
    """Return central differences of a function of a vector."""
    return np.array([(f(x + e) - f(x - e)) / (2 * step) for e in step * np.eye(len(x))])


def agrees(
    f: Function,
    x: Any,
    rtol: float = 1e-6,
    step: float = 1e-5,
    second: bool = True,
    engines: Sequence[str] = (),
) -> None:
    """Assert that a function of a vector has its value in Python and the slopes of differences, everywhere.

    Forward mode is compared on one of the engines, which x decides. rtol: how near differences are. second:
    whether the Hessian is compared, too, with differences of gradients, by one test in three. engines: one in
    turn if none are named.
    """
    x = np.asarray(x, float)
    engines = engines or in_turn(ENGINES)
    found = [checkpoint.value_and_grad(f, engine=engine)(x) for engine in engines]
    for value, gradient in found:
        assert value == f(x)
        np.testing.assert_array_equal(gradient, found[0][1])
    expected = slopes(f, x, step)
    np.testing.assert_allclose(found[0][1], expected, rtol=rtol, atol=rtol * np.abs(expected).max())
    engine = Random(repr(x)).choice(engines)
    np.testing.assert_allclose(checkpoint.jacfwd(f, engine=engine)(x), found[0][1], rtol=1e-9, atol=1e-12)
    if second and is_among(3):
        hessian = checkpoint.hessian(f)(x)
        expected = slopes(checkpoint.grad(f), x, step)
        np.testing.assert_allclose(hessian, expected, rtol=10 * rtol, atol=10 * rtol * np.abs(expected).max())


def refused(f: Function, x: Any, text: str) -> None:
    """Assert that a function has a value but no derivative, and that the error says why."""
    x = np.asarray(x, float)
    f(x)
    for engine in ENGINES:
        checkpoint.vjp(lambda p: (f(p), 1.0)[1], x, 1.0, engine=engine)  # it is not needed
        with pytest.raises(checkpoint.RunError, match=text):
            checkpoint.grad(f, engine=engine)(x)
        with pytest.raises(checkpoint.RunError, match=text):
            checkpoint.jacfwd(f, engine=engine)(x)
