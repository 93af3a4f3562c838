"""Loops of engine c that plans and records call in place of a library's functions, whose bits they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from operator import getitem
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.samples import ELEMENT, Form, form_of, sample
from checkpoint.scalars.kernels import kernel_of

Order = tuple[int, ...]  # axes, from the one whose elements lie farthest apart
PRODUCTS: set[str | Callable[..., Any]] = {"np.matmul"}  # of matrices, and of stacks of them
_JOINS = ("np.concatenate", "np.stack")
MOST_ELEMENTS = 2048  # of a right matrix that any number of rows is multiplied with in their loop
MOST_TERMS = 1 << 21  # of all sums in a product by a larger one: libraries share more terms among threads
OFTEN, MOST_FORMS = 2, 1000  # products of matrices of one form; forms that are remembered
LEAST = 256  # elements of a product for which it is worth while to look whether the loop has its bits
LOOPS = frozenset(f"np.{name}" for name in ("add", "subtract", "multiply", "divide", "negative", "sqrt"))


def loop_of(key: str | Callable[..., Any], args: Sequence[Any], made: Any) -> tuple[Any, ...] | None:
    """Return a loop that returns what a call has made, and what it takes first; None: there is none.

    key: the name of a record whose function is called, or a function. args: without the library's namespace.
    """
    if getattr(made, "ndim", 0) == 0:
        return None
    if key in LOOPS:
        kernel = kernel_of(str(key).removeprefix("np."))
        return None if kernel is None else (kernel,)
    if key not in PRODUCTS and key not in _JOINS:
        return None
    kernel, order = kernel_of("matmul" if key in PRODUCTS else str(key).removeprefix("np.")), order_of(made)
    if kernel is None:
        return None
    if key in _JOINS:
        is_plain = type(args[0]) in (list, tuple) and [type(x) for x in args[1:]] in ([], [int])
        return (kernel, order) if is_plain and all(map(_is_of_doubles, args[0])) else None
    return (kernel, order) if all(map(_is_of_doubles, args)) and has_products_alike(*args) else None


def has_products_alike(x: Any, y: Any) -> bool:
    """Return whether the loop of products has the bits and strides that a library's function has for them."""
    return _order_of_products(form_of(x), form_of(y)) is not None


def product(x: Any, y: Any) -> Any:
    """Return the product of two matrices, or those of two stacks of them, arrays of one library."""
    if (kernel := kernel_of("matmul")) is not None and _is_of_doubles(x) and _is_of_doubles(y):
        forms = form_of(x), form_of(y)
        is_worthwhile = x.size >= LEAST and (x.ndim > 2 or _is_often_met(forms))
        order = _order_of_products(*forms) if is_worthwhile else None
        if order is not None:
            return kernel(order, x, y)
    return x @ y


_met: dict[tuple[Form, Form], int] = {}


def _is_often_met(forms: tuple[Form, Form]) -> bool:
    """Return whether products of two matrices of these forms were often asked for.

    To find out whether the loop has the library's bits takes as long as some products.
    """
    if len(_met) > MOST_FORMS:
        _met.clear()
    _met[forms] = times = _met.get(forms, 0) + 1
    return times > OFTEN


def part_of(x: Any, index: Any) -> Callable[[Any, Any], Any]:
    """Return a function that returns the part of an array at an index.

    NumPy takes up to five times as long by an index as by `take` for rows of an array, which lie in a row.
    """
    arrays = defaults[0].ndarray
    is_of_rows = type(x) is arrays and type(index) is arrays and x.ndim > 1 and bool(x.flags.c_contiguous)
    return _rows_at if is_of_rows and index.ndim > 0 and index.dtype == defaults[0].intp else getitem


def _rows_at(x: Any, index: Any) -> Any:
    return x.take(index, 0)


def copied(array: Any, order: Order) -> Any:
    """Return a copy of an array whose axes have an order in memory."""
    found = None if (kernel := kernel_of("copy")) is None else kernel(order, array)
    if found is not None:
        return found
    return array.transpose(order).copy().transpose([order.index(k) for k in range(len(order))])


def peak(x: Any) -> float:
    """Return the largest magnitude in an array that is not empty; NaN: it has one."""
    if type(x) is float or type(x) is int:
        return abs(float(x))
    found = None if (kernel := kernel_of("peak")) is None else kernel(x)
    return float(defaults[0].abs(x).max()) if found is None else float(found)


def _is_of_doubles(x: Any) -> bool:
    return type(x) is defaults[0].ndarray and bool(x.dtype == defaults[0].float64)


def order_of(array: Any) -> Order:
    """Return the axes of an array, from the one whose elements lie farthest apart in memory."""
    return tuple(sorted(range(array.ndim), key=lambda k: -array.strides[k]))


@lru_cache(maxsize=256)
def _order_of_products(x: Form, y: Form) -> Order | None:
    """Return the order in memory of products of matrices of these forms; None: they are the library's.

    The loop of products has the library's bits, which is found out here, for as many threads as the library
    has, and the strides of this order.
    """
    kernel = kernel_of("matmul")
    if kernel is None or len(x[0]) < 2 or len(y[0]) < 2 or min(*x[0][-2:], y[0][-1]) < 2:
        return None
    elements = prod(y[0][-2:])
    if elements > MOST_ELEMENTS and x[0][-2] * elements > MOST_TERMS:
        return None
    if min(*x[1], *y[1]) < ELEMENT:
        return None
    left, right = sample(x, 0.3), sample(y, 0.7)
    left[..., ::3] *= -0.0
    expected = defaults[0].matmul(left, right)
    found = kernel(order := order_of(expected), left, right)
    return order if found.strides == expected.strides and found.tobytes() == expected.tobytes() else None
