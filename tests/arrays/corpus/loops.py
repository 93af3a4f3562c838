"""Loops whose state is an array: counted, stopped by the data, left early."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def heat(u: Any, steps: int) -> Any:
    """Explicit steps of the heat equation on a ring."""
    for _ in range(steps):
        u = u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return u


def heat_until_flat(u: Any) -> Any:
    """The same, until the largest change is small."""
    steps = 0
    while True:
        change = 0.2 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
        u = u + change
        steps += 1
        if np.max(np.abs(change)) < 0.05:
            break
    return u, steps


def jacobi(a: Any, b: Any) -> Any:
    """Jacobi's method, stopped by the residual."""
    d = np.diag(a)
    x = np.zeros_like(b)
    while np.max(np.abs(a @ x - b)) > 1e-3:
        x = (b - (a @ x - d * x)) / d
    return x


def power_method(a: Any, steps: int) -> Any:
    """The largest eigenvalue."""
    v = np.ones(a.shape[0])
    for _ in range(steps):
        w = a @ v
        v = w / np.linalg.norm(w)
    return v @ a @ v


def newton_root(c: Any) -> Any:
    """Square roots of all elements at once, until none moves."""
    x = np.ones_like(c)
    for _ in range(50):
        new = 0.5 * (x + c / x)
        if np.all(np.abs(new - x) < 1e-12):
            return new
        x = new
    return x


def first_large(x: Any) -> Any:
    """Leaves the loop at the first element over a bound, else takes the else."""
    for i in range(len(x)):
        if x[i] > 1.0:
            found = x[i] * i
            break
    else:
        found = x.sum()
    return found


def skipping(x: Any) -> Any:
    """Goes on without the negative ones."""
    total = 0.0
    for i in range(x.size):
        if x[i] < 0:
            continue
        total += x[i] ** 2
    return total


def descent(a: Any, b: Any, x: Any) -> Any:
    """Gradient descent by hand, the rate halved when the loss goes up."""
    rate, last = 0.5, np.inf
    for _ in range(8):
        r = a @ x - b
        loss = 0.5 * r @ r
        if loss > last:
            rate *= 0.5
        last = loss
        x = x - rate * (a.T @ r)
    return x, loss


def two_indices(x: Any) -> Any:
    """Nested loops over both axes."""
    n, m = x.shape
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += x[i, j] * np.sin(x[j % n, i % m])
    return total


def nested_breaks(x: Any) -> Any:
    """The inner loop ends the outer one."""
    total, done = 0.0, False
    for i in range(4):
        for j in range(3):
            total = total + x[j] ** i
            if total > 6.0:
                done = True
                break
        if done:
            break
    return total, i, j


def logistic(x: Any, rates: Any) -> Any:
    """A map for each rate at once, with its history in a list."""
    history = [x]
    for _ in range(6):
        x = rates * x * (1.0 - x)
        history.append(x)
    return np.stack(history), history[-1]


A = filled(4, 4) + 6.0 * np.eye(4)

EXAMPLES = [
    Example(heat, (filled(8), 5)),
    Example(heat_until_flat, (filled(6),)),
    Example(jacobi, (A, filled(4))),
    Example(power_method, (A + A.T, 4)),
    Example(newton_root, (1.5 + filled(3),)),
    Example(first_large, (np.array([0.5, 0.9, 1.5, 2.0]),)),
    Example(first_large, (np.array([0.5, 0.9]),)),
    Example(skipping, (filled(6),)),
    Example(descent, (filled(3, 2), filled(3), filled(2))),
    Example(two_indices, (filled(3, 2),)),
    Example(nested_breaks, (np.array([0.7, 1.4, 0.3]),)),
    Example(logistic, (np.array([0.3, 0.6]), np.array([2.5, 3.2]))),
]
