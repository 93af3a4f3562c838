"""Results that are written to arrays: out=, where=, and the methods of ufuncs such as np.add."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def buffers(u: Any, steps: int) -> Any:
    """Buffers that are used again in each step."""
    u = u.copy()
    flow, change = np.empty(len(u) - 1), np.zeros(len(u))
    for _ in range(steps):
        np.subtract(u[1:], u[:-1], out=flow)
        np.multiply(flow, 0.2, flow)
        np.subtract(flow[1:], flow[:-1], out=change[1:-1])
        np.add(u, change, out=u)
    return u, flow


def guarded(x: Any) -> Any:
    """A quotient only where it is defined, other elements elsewhere."""
    ratio = np.divide(1.0, x, out=np.zeros_like(x), where=x > 0.25)
    other = x.copy()
    np.log(x, out=other, where=x > 0.25)
    np.copyto(other, ratio, where=x < -1.0)
    return ratio * other, np.sum(other, where=x < 0.5), np.max(x, initial=0.75)


def with_result(x: Any) -> Any:
    """The result of a call that writes to an array is that array."""
    y = np.empty(len(x))
    z = np.exp(np.sin(x, out=y), out=y)
    return z[0] * y[1] + np.sum(np.cumsum(y, out=y), out=np.zeros(())) + 0.0


def parts(x: Any) -> Any:
    """Results written to rows, slices and elements of a list."""
    table, rows = np.ones((2, len(x))), [x.copy(), x * 2.0]
    np.tanh(x, out=table[0])
    np.multiply(table[0, 1:], x[:-1], out=table[1, 1:])
    np.sqrt(rows[1] * rows[1] + 1.0, out=rows[0])
    table[1].sum(out=table[0, :1], keepdims=True)
    return table * rows[0]


def optional(x: Any) -> Any:
    """A function with a parameter `out`, as packages have it, called with and without it."""

    def scaled(v: Any, k: float, out: Any = None) -> Any:
        out = np.multiply(v, k, out=out)
        out += 1.0
        return out

    return scaled(x, 3.0) * scaled(x, 2.0, np.empty(len(x)))


def own_parameter(x: Any) -> Any:
    """A method of that name is not NumPy's."""

    def total(v: Any, out: Any) -> Any:
        return np.sum(v) * out

    scale = 2.5
    return total(x, out=scale) + scale


def of_ufuncs(x: Any) -> Any:
    """Reduce, accumulate, outer, reduceat, at."""
    y = x.copy()
    np.maximum.at(y, [0, 0, 2], 0.5 * x[1:4])
    table = np.subtract.outer(x, y)
    first = np.add.reduce(table, axis=1) + np.multiply.accumulate(x)
    return first[::2] * np.add.reduceat(y, [0, 2, 3]), np.maximum.reduce(table)


def formats(x: Any, forms: Any) -> Any:
    """Texts are formatted by `%` with elements and arrays, where only the run knows that they are texts."""
    whole = forms[0]
    whole %= x[1]
    print(whole, forms[1] % x)
    return [form % x[0] for form in forms], [n % x[0] for n in (x[1], 2.5)]


def wrong_shape(x: Any) -> Any:
    """The array for the result is too small."""
    return np.add(x, 1.0, out=np.zeros(2))


def wrong_dtype(x: Any) -> Any:
    """The array for the result holds integers."""
    y = np.zeros(len(x), int)
    np.add(x, 1.0, out=y)
    return y


EXAMPLES = [
    Example(buffers, (filled(6), 3)),
    Example(guarded, (filled(6),)),
    Example(with_result, (filled(4),)),
    Example(parts, (filled(5),)),
    Example(optional, (filled(4),)),
    Example(own_parameter, (filled(4),)),
    Example(of_ufuncs, (filled(5),)),
    Example(formats, (filled(2), ["%.2f", "%s|"])),
    Example(wrong_shape, (filled(4),), raises=ValueError),
    Example(wrong_dtype, (filled(4),), raises=TypeError),
]
