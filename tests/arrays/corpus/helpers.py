"""Functions that work on arrays of their callers: returned, written, recursive, left early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def fill_row(out: Any, i: int, x: Any) -> Any:
    """Writes a row of its caller's array, and returns the array."""
    out[i] = np.sin(i * x)
    return out


def table_by_helper(x: Any) -> Any:
    """An array goes through a helper for each row."""
    out = np.zeros((3, len(x)))
    for i in range(3):
        out = fill_row(out, i, x)
    return out.sum(axis=0) * x


def smoothed(u: Any) -> Any:
    """Changes its argument, which its caller does not read any more."""
    u[1:-1] = 0.5 * (u[:-2] + u[2:])
    return u


def helper_with_fresh_array(x: Any) -> Any:
    """The array that a helper changes was made for it."""
    return smoothed(x * 2.0) + smoothed(np.flip(x).copy())


def normalize(v: Any, *, axis: int = -1, eps: float = 1e-9) -> Any:
    """A helper with options."""
    return v / (np.linalg.norm(v, axis=axis, keepdims=True) + eps)


def attention(q: Any, k: Any, v: Any) -> Any:
    """Softmax weights."""

    def softmax(z: Any) -> Any:
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return softmax(normalize(q) @ normalize(k).T / np.sqrt(q.shape[-1])) @ v


def power(a: Any, n: int) -> Any:
    """By squaring, recursive."""
    if n == 0:
        return np.eye(a.shape[0])
    half = power(a, n // 2)
    square = half @ half
    return square @ a if n % 2 else square


def determinant(a: Any) -> Any:
    """Along the first row, recursive, with deletions."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.delete(a[1:], j, axis=1)
        total += (-1.0) ** j * a[0, j] * determinant(minor)
    return total


def fast_fourier_like(x: Any) -> Any:
    """Haar's transform, recursive, with concatenation."""
    if len(x) == 1:
        return x
    mean, difference = (x[::2] + x[1::2]) / 2.0, (x[::2] - x[1::2]) / 2.0
    return np.concatenate([fast_fourier_like(mean), difference])


def merge_sorted(x: Any) -> Any:
    """Merge sort of an array through lists."""

    def sort(values: list[Any]) -> list[Any]:
        if len(values) < 2:
            return values
        middle = len(values) // 2
        a, b = sort(values[:middle]), sort(values[middle:])
        out = []
        while a and b:
            if a[0] <= b[0]:
                out.append(a[0])
                a = a[1:]
            else:
                out.append(b[0])
                b = b[1:]
        return out + a + b

    return np.array(sort(list(x))) * np.arange(1.0, len(x) + 1.0)


def early(x: Any) -> Any:
    """Returns from the middle of things."""
    if x.sum() > 100.0:
        return x
    for i, row in enumerate(x):
        if row.max() > 1.0:
            return row * i
        if np.any(row < -1.4):
            return row - row.mean()
    return np.zeros(2)


def either_type(x: Any, scalar: bool) -> Any:
    """A float or an array, by a flag."""
    y = float(x[0]) if scalar else x
    return y * y + 1.0


def fixed_point(f: Callable[[Any], Any], x: Any, tol: float = 1e-10) -> Any:
    """Until it moves no more."""
    for _ in range(100):
        new = f(x)
        if np.linalg.norm(new - x) < tol:
            return new
        x = new
    raise RuntimeError("no convergence")


def implicit(a: Any, b: Any) -> Any:
    """A fixed point of a function with parameters."""
    return fixed_point(lambda x: 0.3 * np.tanh(a @ x) + b, np.zeros(len(b)))


def runge_kutta(y: Any, k: float) -> Any:
    """The classical method, with a function of two arguments."""

    def rhs(t: float, y: Any) -> Any:
        return np.array([y[1], -k * y[0] + np.sin(t)])

    t, h = 0.0, 0.1
    for _ in range(3):
        k1 = rhs(t, y)
        k2 = rhs(t + h / 2, y + h / 2 * k1)
        k3 = rhs(t + h / 2, y + h / 2 * k2)
        k4 = rhs(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


def several(x: Any) -> tuple[Any, Any, Any]:
    """A helper gives several arrays."""

    def moments(v: Any) -> tuple[Any, Any]:
        mean = v.mean()
        return mean, ((v - mean) ** 2).mean()

    mean, variance = moments(x)
    return (x - mean) / np.sqrt(variance), mean, variance


def starred(x: Any) -> Any:
    """Arrays through star arguments."""

    def total(*arrays: Any, **named: Any) -> Any:
        return sum(a.sum() for a in arrays) + named["scale"] * named["of"][0]

    rows = [x, x**2]
    return total(*rows, x[:1], scale=2.0, of=x)


EXAMPLES = [
    Example(table_by_helper, (filled(3),)),
    Example(helper_with_fresh_array, (filled(5),)),
    Example(attention, (filled(2, 3), filled(4, 3) + 0.5, filled(4, 2))),
    Example(power, (filled(2, 2), 5)),
    Example(determinant, (filled(3, 3),)),
    Example(fast_fourier_like, (filled(8),)),
    Example(merge_sorted, (filled(5),)),
    Example(early, (filled(3, 2),)),
    Example(early, (filled(3, 2) * 0.1,)),
    Example(either_type, (filled(3), True)),
    Example(either_type, (filled(3), False)),
    Example(implicit, (filled(2, 2), filled(2))),
    Example(runge_kutta, (filled(2), 1.5)),
    Example(several, (filled(5),)),
    Example(starred, (filled(3),)),
]
