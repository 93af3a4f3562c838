"""NumPy's functions as engine c calls them: without NumPy's dispatch, and with one loop over short rows.

Out: functions that return what NumPy's return, to the last bit, warn where they warn, and call them where
there is no such loop. Where the engine is not loaded there are none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.scalars.compiled import by_c


def kernel_of(name: str) -> Callable[..., Any] | None:
    """Return the function of NumPy's of a name; None: there is none.

    Some return None where NumPy's function is to be called: "sum", which takes an array, an axis, and whether
    the axis is kept; "total" of a long row; "max" and "min" along the last axis; "where"; "sum_of_products",
    which takes two arrays, and the same of their last axis; "chain" of steps, a shape, strides and operands
    (ctemplates/by_name/chains.h); "cross" of two arrays; "iadd", which adds an
    array to columns of another one; "add_at", which takes an array, indices, what is added there, and the
    axis of the indices; "peak", the largest magnitude in an array; "scaled" of a cotangent g, a float and an
    array x, which is `g * (factor * x)`, and 0 where g is 0; "zeroed" of a product and a cotangent,
    which sets the product to 0 where that is 0; "shared" of an array, an axis or None, its extremes, and what
    these have received, which is what its elements receive; "copy" of an array in an order of its axes in
    memory. "matmul", "concatenate" and "stack" take such an order of the result first.
    """
    return by_c.kernels().get(name)
