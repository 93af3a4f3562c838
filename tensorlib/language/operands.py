"""Operands of the functions of tensors in the language, and results that are reals."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from checkpoint.ad.array_library import dtype_kind
from checkpoint.ad.record import OperandError
from checkpoint.ad.tensors import Tensor
from tensorlib.layout.moving import shape_of

Rule = Callable[..., Any]


def is_tensor(operand: Any) -> bool:
    """Return whether an operand is an array, or a real, which is as good."""
    return hasattr(operand, "dtype") or type(operand) is float


def taking_tensors(value: Rule, count: int | None = None) -> Rule:
    """Return a value that first looks whether its first operands are reals or tensors; None: all.

    What NumPy finds wrong with the type of an operand is said as the language says it.
    """

    @functools.wraps(value)
    def checked(xp: Any, *operands: Any) -> Any:
        for position, operand in enumerate(operands[:count], 1):
            if not is_tensor(operand):
                raise OperandError(f"operand {position} is neither a real nor a tensor")
        try:
            return value(xp, *operands)
        except TypeError as error:
            raise OperandError(str(error)) from None

    return checked


def whole(number: Any) -> int:
    """Return a size, an axis, an index or a seed."""
    if type(number) is not float:
        raise TypeError("a size, an axis, an index and a seed are reals, and a shape is a list of them")
    if not number.is_integer():
        raise ValueError(f"a size, an axis, an index and a seed are whole numbers, not {number!r}")
    return int(number)


def shape(sizes: Any) -> tuple[int, ...]:
    """Return a shape: a list of sizes, or one of them."""
    if type(sizes) is float:
        return (whole(sizes),)
    if sizes is not None and not isinstance(sizes, list):
        raise TypeError("a shape is a list of reals, such as (list 2 3)")
    return tuple([whole(n) for n in sizes or ()])


def axis_in(t: Any, number: Any) -> int:
    """Return an axis of a tensor."""
    axis, count = whole(number), len(shape_of(t))
    if not 0 <= axis < count:
        raise ValueError(f"there is no axis {axis} in a tensor of {count} axes, which count from 0")
    return axis


def as_real(result: Any) -> Any:
    """Return a result that is one number as a real, or a boolean."""
    if result.ndim:
        return result
    return bool(result) if dtype_kind(result.dtype) == "b" else float(result)


def rule_of(record: Tensor, position: int = 0) -> Rule:
    """Return a record's rule for the cotangent of an operand."""
    return cast(Rule, record.vjp(position))
