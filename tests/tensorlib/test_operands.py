"""Derivatives by operands that are seldom differentiated: steps, fills, bounds, orders, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.arrays.agreement import ENGINES
from tests.python.texts import defined

A = np.array([0.3, 1.7, -0.4, 2.2, 0.9])
M = np.arange(12.0).reshape(3, 4) / 3

EXPRESSIONS = """
np.arange(0.0, 3.0, 0.3 * x)
np.linspace(x, 2 * x, 5)
np.logspace(0, 1, 4, base=x)
np.geomspace(x, 10 * x, 4)
np.full(3, x)
np.full_like(A, x)
np.clip(A, 0.2 * x, 1.1 * x)
np.quantile(A, 0.3 * x)
np.percentile(A, 30 * x)
np.interp(0.5, [0.0, x, 2.0], A[:3])
np.unwrap(A * 3, period=x)
np.nan_to_num(np.array([np.nan, 1.0, np.inf, -np.inf]), nan=x, posinf=2 * x, neginf=x * x)
np.pad(A, 2, constant_values=x)
np.insert(A, 1, x)
np.gradient(A, x)
np.trapezoid(A, dx=x)
np.trapezoid(A, x=np.arange(5.0) * x)
np.diff(A, prepend=x)
np.ediff1d(A, to_end=x)
np.copysign(x, A)
np.average(A, weights=np.arange(5.0) + x)
np.std(A * x, ddof=0.5 * x)
np.var(A, ddof=0.5 * x)
np.select([A > 1, A > 0], [x * A, A], default=x)
np.piecewise(A, [A > 1], [lambda v: v * x, x])
np.choose([0, 1, 0], [np.ones(3) * x, np.zeros(3)])
np.linalg.norm(A, ord=2.5 * x)
np.linalg.norm(M, ord=2.5 * x, axis=1)
np.fft.fftfreq(5, d=x)
np.bincount([0, 1, 1], weights=[x, 1.0, x])
np.histogram(A, bins=3, range=(0, x * 2.9), density=True)[0]
np.random.default_rng(0).normal(x, x, 3)
np.random.default_rng(0).uniform(0, x, 3)
np.random.RandomState(0).normal(x, x, 3)
np.meshgrid([x, 1.0], [2.0])[0]
np.mgrid[0:x:3j]
np.r_[0:x:4j]
np.add.reduce(A * x, initial=x)
np.sum(A, initial=x)
np.prod(A, initial=x)
np.max(A, initial=x * 5)
np.minimum.reduce(A, initial=-x)
np.apply_along_axis(lambda v: v.sum() * x, 0, M)
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_gradients_are_differences(expression: str) -> None:
    value = "float((y * W[: y.size].reshape(y.shape)).sum())"
    text = f"def f(x):\n    y = np.asarray({expression})\n    return {value}\n"
    f: Any = defined(text, np=np, A=A, M=M, W=np.cos(np.arange(20.0)))["f"]
    y, gradient = checkpoint.value_and_grad(f)(1.1)
    assert y == f(1.1)
    difference = (f(1.1 + 1e-6) - f(1.1 - 1e-6)) / 2e-6
    assert gradient == pytest.approx(difference, rel=1e-5, abs=1e-7)


# Lists with elements of an array among their numbers: each has a cotangent of its own kind.
LISTS = """
np.convolve(a, [1, 2.0, a[0]], "same")[1]
np.convolve([a[0], a[1]], [a[2], 1.0]).sum()
np.correlate([1.0, a[1]], a).sum()
np.trapezoid([a[0], 2, 1], [0, a[1], 2])
np.bincount([0, 1], weights=[a[0], 1]) @ [1.0, 2.0]
np.insert([1.0, 2.0], 1, [a[0], a[1]]) @ [1.0, 2.0, 3.0, 4.0]
np.insert([1.0, a[0]], 1, a[1] * a[2]) @ [1.0, 2.0, 3.0]
np.dot(a, [1, 2, a[0]])
np.sort([a[0], a[2], 1, a[1]]) @ [1.0, 2.0, 3.0, 4.0]
np.sort([[a[0], a[2]], [a[1], 0.5]], axis=None) @ [1.0, 2.0, 3.0, 4.0]
np.sort([float(v) for v in a]) @ [1.0, 2.0, 3.0]
np.partition([a[0], a[2], a[1]], 1) @ [1.0, 2.0, 3.0]
np.unique([a[0], a[2], a[1], a[0]]) @ [1.0, 2.0, 3.0]
np.linalg.multi_dot([[[a[0], 1.0]], np.outer(a, a)[:2, :2], [[1], [a[1]]]])[0, 0]
""".strip().splitlines()


@pytest.mark.parametrize("text", LISTS)
def test_a_list_may_hold_elements_of_arrays(text: str) -> None:
    f: Any = defined(f"def f(a):\n    return {text}\n", np=np)["f"]
    a, step = A[:3], 1e-6
    found = [checkpoint.value_and_grad(f, engine=engine)(a) for engine in ENGINES]
    expected = [(f(a + e) - f(a - e)) / (2 * step) for e in step * np.eye(3)]
    for value, gradient in found:
        assert value == f(a)
        np.testing.assert_array_equal(gradient, found[0][1])
        np.testing.assert_allclose(gradient, expected, atol=1e-8)
    np.testing.assert_allclose(checkpoint.jacfwd(f)(a), expected, atol=1e-8)
