"""Primitives with operands that are arrays, beyond what the records of arrays state.

tensorlib registers its records through this module, and names primitives by `prim` in functions that it has
translated in place of a library's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.array_library import ArrayLibrary, defaults, install, lacks
from checkpoint.ad.arrays import Discrete, current_data
from checkpoint.ad.library import (
    StandIn,
    also_implements,
    instances_translated_as,
    load,
    methods,
    overload,
    overloads,
    parameters_of,
    refused,
    solver,
    stands_for,
    tensor,
    translated_as,
    translated_beside,
    translated_in_full,
)
from checkpoint.ad.numbers import apply
from checkpoint.ad.operands import holds_array
from checkpoint.ad.record import OperandError, Scalar
from checkpoint.ad.tensors import perform
from checkpoint.config import kernels as chosen_kernels
from checkpoint.driver.raised import failure
from checkpoint.errors import Span
from checkpoint.lang.onnx.operators import onnx_operator
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.scopes.syntax import DRAWN
from checkpoint.scalars.definition import array_loaders

__all__ = [
    "DRAWN",
    "ArrayLibrary",
    "StandIn",
    "also_implements",
    "boolean_of",
    "chosen_kernels",
    "defaults",
    "install",
    "instances_translated_as",
    "lacks",
    "methods",
    "onnx_operator",
    "overload",
    "overloads",
    "parameters_of",
    "prim",
    "refused",
    "scalar_on_arrays",
    "solver",
    "stands_for",
    "tensor",
    "translated_as",
    "translated_beside",
    "translated_in_full",
    "truth_of",
]


array_loaders.append(load)


def scalar_on_arrays(
    now: Any, step: int, record: Scalar, operands: Sequence[Any], apart: bool = False, literals: int = 0
) -> Any:
    """Apply a scalar primitive to operands with an array among them, by the record that overloads it.

    Without one, arrays of one element are taken as the reals that they hold, as Python's functions do.
    """
    found = overloads.get(record.name)
    if found is not None:
        return perform(now, step, found, operands, apart, literals)
    to_real = overloads["py.float"]
    reals = [perform(now, step, to_real, (x,)) if holds_array((x,)) else x for x in operands]
    return apply(record, reals)


def boolean_of(now: Any, test: Any) -> bool:
    """Return the boolean in an array of one, as NumPy's comparisons make it, for `if`."""
    if type(test) is not Discrete:
        raise OperandError("the test must be #t or #f")
    return bool(current_data(now, test))


def truth_of(now: Any, test: Any, span: Span) -> bool:
    """Return the boolean that a test is, as a step of a program: it fails where the test is neither."""
    try:
        return boolean_of(now, test)
    except (ValueError, OperandError) as exception:
        raise failure("if", (test,), exception, span) from None
