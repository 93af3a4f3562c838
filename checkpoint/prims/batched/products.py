"""Products of one matrix with narrow ones, one for each direction: these side by side, as one product.

In: a matrix, and a stack of matrices whose first axis is that of the directions, such as points in space
and their derivatives. Out: the products, with the bits of one product for each direction.

Whether a product of matrices that lie side by side has the bits of each is found out once
for each form (checkpoint.ad.tracing.samples). Only finite results are taken: of two NaNs either may be
left.
"""

from __future__ import annotations

import os
import sys
from functools import cache, lru_cache
from math import inf
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.loops import PRODUCTS, copied, peak
from checkpoint.ad.tracing.samples import Form, sample

NARROW = range(2, 5)  # columns; others are as fast one by one, or nearly
LEAST = 1 << 17  # multiplications that are worth it
# Multiplications that OpenBLAS leaves to one thread: to wake others may cost ten times as much.
ALONE = 1 << 18
_ROWS = (0, 1, 2)  # the order of axes of what lies in rows
FEW_ROWS = 16  # as many at once are worth it


def product(x: Any, y: Any) -> Any:
    """Return the products of x with all matrices of y."""
    xp = defaults[0]
    if _is_narrow(x, y) and _is_alike((x.shape, x.strides), (y.shape, y.strides)):
        found = _beside(x, y)
        if peak(found) < inf:
            return found
    return xp.matmul(x, y)


PRODUCTS.add(product)


def _is_narrow(x: Any, y: Any) -> bool:
    if x.ndim != 2 or y.ndim != 3 or y.shape[-1] not in NARROW or _rows(y) < FEW_ROWS:
        return False
    return len(x) * int(y.size) >= LEAST and min(*x.strides, *y.strides) >= 0


def _rows(y: Any) -> int:
    """Return how many rows one thread multiplies at once by all matrices of y."""
    return sys.maxsize if _has_one_thread() else ALONE // max(int(y.size), 1)


@cache
def _has_one_thread() -> bool:
    """Return whether the library of linear algebra has been told to use one thread."""
    told = [os.environ.get(name) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")]
    return next((number == "1" for number in told if number), False)


def _beside(x: Any, y: Any) -> Any:
    """Return the products, by one for each few rows of x."""
    xp, rows, (n, k, p) = defaults[0], _rows(y), y.shape
    beside = copied(y.transpose(1, 0, 2), _ROWS).reshape(k, n * p)
    if rows >= len(x):
        return copied(xp.matmul(x, beside).reshape(-1, n, p).transpose(1, 0, 2), _ROWS)
    found = xp.empty((n, len(x), p))
    for start in range(0, len(x), rows):
        part = xp.matmul(x[start : start + rows], beside).reshape(-1, n, p)
        for column in range(p):  # NumPy's loops over rows of a few elements spend most time between rows
            found[:, start : start + rows, column] = part[..., column].T
    return found


@lru_cache(maxsize=256)
def _is_alike(x: Form, y: Form) -> bool:
    """Return whether `_beside` has the bits of single products, for operands of these forms."""
    first, second = sample(x, 0.3), sample(y, 0.7)
    return bool(_beside(first, second).tobytes() == defaults[0].matmul(first, second).tobytes())
