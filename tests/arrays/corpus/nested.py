"""Derivatives within the program: what asks for them is differentiated again."""

from __future__ import annotations

from typing import Any

import numpy as np

import checkpoint
from tests.arrays.corpus import Example, filled

MATRIX = np.array([[2.0, 0.5], [0.5, 1.0]])


def quartic(x: Any) -> Any:
    """A smooth function."""
    return np.sum(x**4) / 4.0 + 0.5 * x @ x


def gradient_step(x: Any) -> Any:
    """A step of gradient descent."""
    return x - 0.1 * checkpoint.grad(quartic)(x)


def descended(x: Any, steps: int) -> Any:
    """Many steps, by value_and_grad."""
    for _ in range(steps):
        value, g = checkpoint.value_and_grad(quartic)(x)
        x = x - 0.1 * g / (1.0 + value)
    return quartic(x)


def penalty(w: Any, x: Any) -> Any:
    """The norm of a gradient as a penalty."""

    def score(v: Any) -> Any:
        return np.sum(np.tanh(w @ v))

    g = checkpoint.grad(score)(x)
    return score(x) + np.sqrt(g @ g)


def directional(x: Any, v: Any) -> Any:
    """Jvp within."""
    y, tangent = checkpoint.jvp(lambda z: np.sin(z) * z[0], x, v)
    return y @ tangent


def pulled_back(x: Any, ybar: Any) -> Any:
    """Vjp within."""
    y, xbar = checkpoint.vjp(lambda z: np.exp(MATRIX @ z), x, ybar)
    return y.sum() * xbar


def curvature(x: Any, v: Any) -> Any:
    """Hvp within."""
    return v @ checkpoint.hvp(quartic, x, v)


def stopped(x: Any) -> Any:
    """A part that counts as a constant."""
    return np.sum(x * checkpoint.stop_gradient(x) ** 2)


def learned_rate(rate: float, x: Any) -> Any:
    """The derivative with respect to the rate, through the steps."""
    for _ in range(3):
        x = x - rate * checkpoint.grad(quartic)(x)
    return quartic(x)


def with_writes(x: Any) -> Any:
    """The inner function makes an array in place."""

    def f(z: Any) -> Any:
        y = np.zeros(3)
        for i in range(3):
            y[i] = z[i % 2] ** (i + 1)
        y[1:] *= y[:-1]
        return y.sum()

    return checkpoint.grad(f)(x) * x


def newton(a: Any, x: Any) -> Any:
    """A minimum, by Newton's method."""

    def energy(z: Any) -> Any:
        return np.sum((z[1:] - z[:-1] ** 2) ** 2) + np.sum((a - z) ** 2)

    for _ in range(2):
        x = x - np.linalg.solve(checkpoint.hessian(energy)(x), checkpoint.grad(energy)(x))
    return x


def matrices(x: Any) -> Any:
    """Jacobians of arrays, of lists, of numbers."""

    def of_array(z: Any) -> Any:
        return np.outer(z, z * z)

    def of_list(z: Any) -> Any:
        return [z[0] * z[1], np.sin(z)]

    first = checkpoint.jacfwd(of_array)(x)
    second = checkpoint.jacrev(of_array)(x)
    third = checkpoint.jacfwd(of_list)(x)
    return np.sum(first * second) + np.sum(third[0]) + np.sum(third[1] ** 2)


EXAMPLES = [
    Example(gradient_step, (filled(2),)),
    Example(descended, (filled(2), 3)),
    Example(penalty, (filled(3, 2), filled(2))),
    Example(directional, (filled(2), filled(2) + 1.0)),
    Example(pulled_back, (filled(2), filled(2) + 1.0)),
    Example(curvature, (filled(2), filled(2) + 1.0)),
    Example(stopped, (filled(2),), differentiable=False),
    Example(learned_rate, (0.1, filled(2))),
    Example(with_writes, (filled(2),)),
    Example(newton, (1.1, filled(2))),
    Example(matrices, (filled(2),)),
]
