"""Loops of engine c that plans call in place of a library's functions, whose bits they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.samples import ELEMENT, Form, form_of, sample
from checkpoint.scalars.kernels import kernel_of

Order = tuple[int, ...]  # axes, from the one whose elements lie farthest apart
PRODUCTS: set[str | Callable[..., Any]] = {"np.matmul"}  # of matrices, and of stacks of them
MOST_TERMS, MOST_COLUMNS = 8, 4  # of their loop (ctemplates/numpy/matrices.h); others are the library's
_LOOPS = frozenset(f"np.{name}" for name in ("add", "subtract", "multiply", "divide", "negative", "sqrt"))


def loop_of(key: str | Callable[..., Any], args: Sequence[Any], made: Any) -> tuple[Any, ...] | None:
    """Return a loop that returns what a call has made, and what it takes first; None: there is none.

    key: the name of a record whose function is called, or a function. args: without the library's namespace.
    """
    if getattr(made, "ndim", 0) == 0:
        return None
    if key in _LOOPS:
        kernel = kernel_of(str(key).removeprefix("np."))
        return None if kernel is None else (kernel,)
    if key not in PRODUCTS or (kernel := kernel_of("matmul")) is None:
        return None
    if not all(type(x) is defaults[0].ndarray and x.dtype == defaults[0].float64 for x in args):
        return None
    order = _order(made)
    return (kernel, order) if _has_products_alike(form_of(args[0]), form_of(args[1]), order) else None


def _order(array: Any) -> Order:
    return tuple(sorted(range(array.ndim), key=lambda k: -array.strides[k]))


@lru_cache(maxsize=256)
def _has_products_alike(x: Form, y: Form, order: Order) -> bool:
    """Return whether the loop of products of small matrices has the library's bits and strides."""
    kernel = kernel_of("matmul")
    assert kernel is not None
    if len(x[0]) < 2 or len(y[0]) < 2 or x[0][-1] > MOST_TERMS or y[0][-1] > MOST_COLUMNS:
        return False
    if min(*x[0][-2:], y[0][-1]) < 2 or min(*x[1], *y[1]) < ELEMENT:
        return False
    left, right = sample(x, 0.3), sample(y, 0.7)
    left[..., ::3] *= -0.0
    expected, found = defaults[0].matmul(left, right), kernel(order, left, right)
    return bool(found.strides == expected.strides and found.tobytes() == expected.tobytes())
