"""The derivatives of norms of matrices: by sums of columns or rows, and by singular values.

Made of records, so that they serve arrays and derivatives of every order.
"""

from __future__ import annotations

import math
from typing import Any

from checkpoint.ad.containers import Record
from tensorlib.elementwise.comparison import EQUAL
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY
from tensorlib.elementwise.selection import ABSOLUTE, SIGN
from tensorlib.layout.moving import shape_now
from tensorlib.reductions.scans import EVERY
from tensorlib.rules import record

_LINES = {1: 0, -1: 0, math.inf: 1, -math.inf: 1}  # which of the two axes is summed


def of_matrices(x: Any, ord: Any, axes: tuple[int, int]) -> Any:
    """Return the derivative of the norm of order `ord` by each element of matrices along two axes."""
    return _of_sums(x, ord, axes) if ord in _LINES else _of_singular_values(x, ord, axes)


def _of_sums(x: Any, ord: Any, axes: tuple[int, int]) -> Any:
    total = record("np.sum")
    sums = total(ABSOLUTE(x), axes[_LINES[ord]], None, True)
    chosen = EQUAL(sums, record("np.max" if ord > 0 else "np.min")(sums, axes, True))
    return DIVIDE(MULTIPLY(SIGN(x), chosen), total(chosen, axes, None, True))


def _of_singular_values(x: Any, ord: Any, axes: tuple[int, int]) -> Any:
    move = record("np.moveaxis")
    parts = record("np.linalg.svd")(move(x, axes, (-2, -1)), False)
    u, s, vh = parts.items if type(parts) is Record else parts
    if ord != "nuc":
        sizes = s.shape if hasattr(s, "dtype") else shape_now(s)
        place = 0 if ord == 2 else sizes[-1] - 1
        swap = record("np.swapaxes")
        u = EVERY(u, place, place + 1, 1)
        vh = swap(EVERY(swap(vh, -1, -2), place, place + 1, 1), -1, -2)
    return move(record("np.matmul")(u, vh), (-2, -1), axes)
