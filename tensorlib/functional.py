"""Functions of arrays that are written with others: reductions and scans by a function of the user's own, and
some of NumPy's.

In a program these are translated as the user's functions are: their derivatives are those of what they call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as

Combine = Callable[[Any, Any], Any]


def reduce(function: Combine, x: Any, axis: int = 0) -> Any:
    """Return all elements along an axis, combined by an associative function, in their order.

    function(a, b): the combination of a's elements with b's, one by one along their first axis. It is called
    about log2(n) times, on half of what is left each time. Raises IndexError where there is no element.

    >>> reduce(np.multiply, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    np.float64(120.0)
    """
    x = np.moveaxis(x, axis, 0)
    while len(x) > 1:
        even = len(x) - len(x) % 2
        paired = function(x[0:even:2], x[1:even:2])
        x = paired if even == len(x) else np.concatenate([paired, x[even:]])
    return x[0]


def scan(function: Combine, x: Any, axis: int = 0) -> Any:
    """Return the reductions of the first 1, 2, ... elements along an axis, by an associative function.

    function: as in `reduce`; it is called about 2 log2(n) times (Blelloch 1990, Prefix Sums and Their
    Applications).

    >>> scan(np.multiply, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    array([  1.,   2.,   6.,  24., 120.])
    """
    return np.moveaxis(_prefixes(function, np.moveaxis(x, axis, 0)), 0, axis)


def _prefixes(function: Combine, x: Any) -> Any:
    if len(x) < 2:
        return x
    even = len(x) - len(x) % 2
    at_odd = _prefixes(function, function(x[0:even:2], x[1:even:2]))
    found = np.zeros_like(x)
    found[0] = x[0]
    found[1::2] = at_odd
    if len(x) > 2:
        rest = x[2::2]
        found[2::2] = function(at_odd[: len(rest)], rest)
    return found


def polyval(p: Any, x: Any) -> Any:
    """See numpy.polyval."""
    y = np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """See numpy.vander."""
    x = np.asarray(x)
    x = x.astype(np.result_type(x.dtype, int))
    count = len(x) if N is None else N
    if count == 0:
        return np.zeros((len(x), 0), x.dtype)
    columns = [np.ones_like(x), x][:count]
    while len(columns) < count:
        columns.append(columns[-1] * x)  # as NumPy rounds, which x**i does not
    return np.stack(columns if increasing else columns[::-1], axis=1)


translated_as(np.polyval, polyval)
translated_as(np.vander, vander)
