"""Samples: arrays of the forms of others, by which is found out which bits a product of matrices has.

The order in which a library of linear algebra adds depends on the forms of operands alone, so that whether
two ways to a product have the same bits is found out once for each form, on operands whose sums are rounded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from checkpoint.ad.array_library import defaults

ELEMENT = 8  # bytes
Form = tuple[tuple[int, ...], tuple[int, ...]]  # shape and strides


def form_of(array: Any) -> Form:
    """Return the form of an array."""
    return array.shape, array.strides


def sample(form: Form, step: float) -> Any:
    """Return an array of this form, without negative strides, whose elements have no pattern."""
    xp, (shape, strides) = defaults[0], form
    last = sum([(count - 1) * stride for count, stride in zip(shape, strides, strict=True)])
    elements = xp.sin(1.3 * xp.arange(last // ELEMENT + 1) + step)
    return xp.lib.stride_tricks.as_strided(elements, shape, strides)


@lru_cache(maxsize=256)
def has_rows_alike(whole: Form, some: Form, other: Form) -> bool:
    """Return whether each row of a product of matrices has the same bits where it is one of fewer rows.

    whole, some: the forms of matrices of all rows and of fewer; other: that of the right operand.
    """
    xp = defaults[0]
    rows, right, part = sample(whole, 0.3), sample(other, 0.7), sample(some, 0.0)
    if min(*whole[1], *some[1], *other[1]) < ELEMENT:
        return False
    expected, count = xp.matmul(rows, right), len(part)
    for start in range(0, len(rows), count):
        for step in (1, -1):
            index = (start + step * xp.arange(count)) % len(rows)
            part[...] = rows[index]
            if xp.matmul(part, right).tobytes() != expected[index].tobytes():
                return False
    return True
