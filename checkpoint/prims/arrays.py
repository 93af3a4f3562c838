"""What primitives do where an operand is an array, beyond what the records of arrays say.

tensorlib registers its records through this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.arrays import Discrete, current_data
from checkpoint.ad.library import (
    also_implements,
    knows_dtypes,
    load,
    methods,
    overload,
    overloads,
    silences,
    tensor,
    translated_as,
)
from checkpoint.ad.numbers import apply
from checkpoint.ad.operands import holds_array
from checkpoint.ad.record import OperandError, Scalar
from checkpoint.ad.tensors import perform
from checkpoint.driver.raised import failure
from checkpoint.errors import Span
from checkpoint.scalars.definition import array_loaders

__all__ = [
    "also_implements",
    "boolean_of",
    "knows_dtypes",
    "methods",
    "overload",
    "overloads",
    "scalar_on_arrays",
    "silences",
    "tensor",
    "translated_as",
    "truth_of",
]


array_loaders.append(load)


def scalar_on_arrays(
    now: Any, step: int, record: Scalar, operands: Sequence[Any], apart: bool = False
) -> Any:
    """A scalar primitive where an operand is an array: by the record that overloads it.

    Without one, arrays of one element are taken as the reals that they hold, as Python's functions do.
    """
    found = overloads.get(record.name)
    if found is not None:
        return perform(now, step, found, operands, apart)
    to_real = overloads["py.float"]
    reals = [perform(now, step, to_real, (x,)) if holds_array((x,)) else x for x in operands]
    return apply(record, reals)


def boolean_of(now: Any, test: Any) -> bool:
    """What `if` takes besides a boolean: an array of one boolean, as NumPy's comparisons give it."""
    if type(test) is not Discrete:
        raise OperandError("the test must be #t or #f")
    return bool(current_data(now, test))


def truth_of(now: Any, test: Any, span: Span) -> bool:
    """The same as a step of a program, which fails where the test is neither."""
    try:
        return boolean_of(now, test)
    except (ValueError, OperandError) as exception:
        raise failure("if", (test,), exception, span) from None
