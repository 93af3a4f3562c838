"""Broadcasting, 0-d and zero-size arrays, float32, integers, Python's numbers beside NumPy's."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def broadcast(a: Any, b: Any, c: float) -> Any:
    """Rows, columns, scalars."""
    return a * b[:, None] + c, a - b.reshape(-1, 1) @ b[None, :2], (a[:, None, :] * a[None]).sum(axis=2)


def distances(x: Any, y: Any) -> Any:
    """All pairs of points."""
    d = np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(-1))
    return d, d.min(axis=1), np.argmin(d, axis=1)


def zero_dimensional(x: Any) -> Any:
    """0-d arrays and NumPy's scalars."""
    y = x * 2.0
    z = np.array(3.0) * x
    return y, z, np.sum(y), y[()], np.float64(2.0) * x, z.shape, y + np.ones(2), x.ndim


def empty(x: Any) -> Any:
    """Arrays of no elements."""
    nothing = x[:0]
    return (
        nothing.sum() + x[0],
        nothing * 2.0,
        np.concatenate([nothing, x]),
        np.zeros((0, 3)) @ np.ones(3),
        len(nothing),
    )


def empty_argument(x: Any, y: float) -> Any:
    """An argument of no elements."""
    total = y
    for v in x:
        total += v
    return total + np.sum(x**2), np.prod(x)


def single(x: Any) -> Any:
    """float32 stays what it is beside Python's numbers."""
    y = np.float32(0.5) * x + 1.0
    return y, np.tanh(y).sum(), y.mean(axis=0), (y @ y.T) / 3


def promoted(x: Any) -> Any:
    """float32 beside float64, and converted."""
    return x.astype(np.float64) * np.ones(2), x + np.zeros(2), str((x * 2.0).dtype), np.sum(x, dtype=float)


def integer_arrays(x: Any, counts: Any) -> Any:
    """Integers and booleans beside reals."""
    return (
        x * counts,
        x / counts,
        counts // 2 * x,
        (counts > 1) * x,
        counts.sum() * x[0],
        x**counts,
        str(counts.dtype),
    )


def integers_only(n: Any) -> Any:
    """Integers alone."""
    return n + 1, n * n % 3, n // 2, n << 1, ~n & 3, n.sum(), n / 2, -n, n.max() > 2, np.bitwise_xor(n, 1)


def mathematics(x: Any) -> Any:
    """math.* on NumPy's scalars gives floats."""
    a = math.sin(x[0]) + math.exp(x[1])
    b = math.sqrt(x @ x) + math.hypot(x[0], x[1])
    return a * x, b, math.floor(x[0]), math.pi * x[1], math.isfinite(x[0]), math.log(np.sum(x**2))


def conversions(x: Any) -> Any:
    """float(), int(), bool(), item(), tolist(), round()."""
    f = float(x[0])
    return (
        f * f,
        int(x[1] * 10.0),
        bool(x[0] > 0),
        x.item(2) * 2.0,
        x.tolist(),
        round(x[0], 1),
        [float(v) for v in x],
    )


def mixed(x: float, y: Any) -> Any:
    """Python's floats with NumPy's scalars: which of both comes out."""
    s = y[0]
    return (
        x + s,
        x * x,
        s * 2,
        2 * s,
        s + s,
        x / (s + 1),
        s**2,
        x**s,
        -s,
        abs(s),
        max(x, s),
        min(1.0, s),
        s - 1 + x,
    )


def accumulators(x: Any) -> Any:
    """A float that becomes an array, an int that becomes a NumPy scalar."""
    total, count = 0, 0.0
    for row in x:
        total = total + row
        count += row[0]
    total += 1
    return total, count


def shown(x: Any) -> str:
    """Arrays and NumPy's scalars as text."""
    s = x[0]
    print(x, s, x.shape, x > 0)
    return f"{x} {s} {s:.2f} {x!r} {s!r} {x.shape} {x.dtype} {float(s)} {x.sum():8.3f} {np.arange(3)}" + str(
        x[:1]
    )


def conditions(x: Any) -> Any:
    """Comparisons of elements in conditions."""
    if x[0] > 0 and x.max() < 9.0 and not np.isnan(x).any():
        y = x * 2.0
    elif 0 < x[1] < 1:
        y = x * 3.0
    else:
        y = x / 2.0
    z = x[0] if (x > 0).all() else x[1]
    return (
        y,
        z,
        x[0] > 0,
        x.sum() == 1.0,
        (x == x[0]).sum(),
        np.any(x < 0) or 5.0,
        x is not None,
        x[0] != 0.0 or x[1],
    )


def infinities(x: Any) -> Any:
    """Infinity and NaN."""
    big = np.inf * np.abs(x)
    return big, big - big, np.isnan(big - big), x / 0.0, np.nanmax(np.array([x[0], np.nan])), -0.0 * x


class Scaled:
    """What converts by a type of elements that it was given."""

    def __init__(self, dtype: Any = np.float64) -> None:
        self.dtype = dtype

    def __call__(self, x: Any) -> Any:
        return self.dtype(x) * self.dtype(2)


KINDS = {"double": np.float64, "single": np.float32, "whole": np.int64}


def types_as_functions(x: Any, name: str) -> Any:
    """Types of elements that are called where only the run knows them."""
    kind = KINDS[name]
    made = [each(x[0] * 2.0) for each in (kind, float, np.float64)]
    count = np.asarray([3]).dtype.type(2)
    return made, Scaled()(x[1]), Scaled(kind)(x[1]), x.dtype.type(x[2]), count


def in_functions_of_python(x: Any, n: Any) -> Any:
    """Elements where Python's functions take numbers: sums, distances, repeated texts; parts of elements."""
    print("-" * n[0], n[1] * "ab", repr((n[0].real, n[0].imag, x[0].imag, n[0].copy())))
    text = "="
    text *= n[0]
    line = math.fsum(x), math.fsum([x[0], 2.0]), statistics.linear_regression(x, [1.0, 2.0]).slope
    return line, math.hypot(*x, 1.0), math.dist(x, [1.0, 2.5]), x[0].real, text


EXAMPLES = [
    Example(in_functions_of_python, (filled(2), np.array([3, 1]))),
    Example(types_as_functions, (filled(3), "double")),
    Example(types_as_functions, (filled(3), "single"), differentiable=False),
    Example(types_as_functions, (filled(3), "whole"), differentiable=False),
    Example(broadcast, (filled(3, 2), filled(3), 1.5)),
    Example(distances, (filled(3, 2), filled(2, 2) + 0.3)),
    Example(zero_dimensional, (np.array(1.5),)),
    Example(empty, (filled(3),)),
    Example(empty_argument, (np.zeros(0), 2.0)),
    Example(single, (filled(2, 2).astype(np.float32),), coarse=True),
    Example(promoted, (filled(2).astype(np.float32),), coarse=True),
    Example(integer_arrays, (filled(3) + 2.0, np.array([1, 2, 3]))),
    Example(integers_only, (np.array([1, 2, 3]),), differentiable=False),
    Example(mathematics, (filled(3),)),
    Example(conversions, (filled(3),)),
    Example(mixed, (1.7, filled(3))),
    Example(mixed, (1.7, filled(3) + 2.0)),
    Example(accumulators, (filled(3, 2),)),
    Example(shown, (filled(3),), differentiable=False),
    Example(conditions, (filled(3),)),
    Example(conditions, (filled(3) + 1.7,)),
    Example(infinities, (filled(3),), differentiable=False),
]
