"""Which steps have, for many lanes at once, the bits that each lane has alone.

These are the functions that IEEE 754 rounds correctly, element by element, those that only move elements, and
products of stacks of matrices, which NumPy multiplies one by one (as products.py does where that has the same
bits). Not so: functions of the C library, which
NumPy computes otherwise, sums and products with vectors, which are added in an order that depends on their
shapes, and complex numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from checkpoint.ad.array_library import dtype_kind, is_default
from checkpoint.ad.numbers import real_part
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.batched.operands import is_shared_array, rank
from checkpoint.prims.batched.program import NoForm
from checkpoint.prims.batched.values import data_of, is_batch, is_numbers

_ROUNDED_CORRECTLY = frozenset(
    f"np.{name}"
    for name in (
        *("add", "subtract", "multiply", "divide", "true_divide", "sqrt", "square", "negative", "positive"),
        *("absolute", "fabs", "copysign", "maximum", "minimum", "fmax", "fmin", "where"),
        *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
        *("logical_and", "logical_or", "logical_xor", "logical_not", "isfinite", "isinf", "isnan"),
        *("sign", "floor", "ceil", "trunc", "rint", "truth", "not"),
    )
)
_MOVING = frozenset(
    f"np.{name}"
    for name in (
        *("reshape", "ravel", "transpose", "swapaxes", "moveaxis", "expand_dims", "squeeze", "stack"),
        *("concatenate", "array", "asarray", "copy", "getitem", "slice", "float", "attribute", "flip"),
    )
) | {"array.reshape", "array.flatten", "array.transpose", "array.copy", "tensorlib.relu"}


# Functions of Python's numbers that have other derivatives at 0 than those of arrays (docs/limits.md).
_KINKED = frozenset(("py.abs", "py.math.fabs", "py.math.copysign"))


def check_kinks(name: str, operands: Sequence[Any]) -> None:
    """Raise NoForm for a step on numbers of which one is at a kink, where arrays have another derivative."""
    if name in _KINKED and any(is_batch(x) and is_numbers(x) and not data_of(x).all() for x in operands):
        raise NoForm(f"{name} of 0")


def check_exact(record: Tensor, operands: Sequence[Any]) -> None:
    """Raise NoForm for a step that may round otherwise for many lanes than for one."""
    if any(is_batch(x) and dtype_kind(data_of(x).dtype) == "c" for x in operands):
        raise NoForm("arithmetic on complex numbers")
    if is_rounded_alike(record.name) or (record.name == "np.matmul" and _is_one_by_one(operands)):
        return
    name = record.name.replace("ndarray.", "np.")
    raise NoForm(f"{name}, which may round otherwise for many lanes than for one,")


@cache
def is_rounded_alike(record: str) -> bool:
    """Return whether a function of arrays rounds each element as for one lane, or moves elements alone."""
    name = record.replace("ndarray.", "np.")
    return name in _ROUNDED_CORRECTLY or name in _MOVING


def _is_one_by_one(operands: Sequence[Any]) -> bool:
    """Return whether each lane multiplies matrices, or stacks of them, which NumPy does one by one.

    Other libraries may multiply many by a matrix that lanes share as if they were one.
    """
    if all(is_batch(x) and not is_shared_array(x) and rank(x) == 2 for x in operands):
        return True
    return all(rank(x) >= 2 and is_default(_data(x)) for x in operands)


def _data(x: Any) -> Any:
    """Return the library's array of a batch, or of an array that all lanes share."""
    return data_of(x) if is_batch(x) else real_part(x).data
