"""The scalar primitives of the language on tensors: the same, element by element.

An element at which the scalar primitive fails makes it fail here, too. Reals and tensors broadcast together.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from checkpoint.ad.record import lookup, register
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import overloads
from checkpoint.scalars import piecewise
from checkpoint.scalars.definition import Definition, definitions
from tensorlib.elementwise.comparison import GREATER, LESS
from tensorlib.elementwise.formulas import gates_of, loop_of, needs_of, rules_of
from tensorlib.elementwise.pointwise import ANY, POSITIVE
from tensorlib.language.operands import taking_tensors
from tensorlib.rules import discrete, gated, pointwise, sampled

Value = Callable[..., Any]


def _failing(value: Value, *kinds: str) -> Value:
    """Return a value that fails where an element does: "divide", "over", "invalid" as in numpy.errstate."""
    states = dict.fromkeys(kinds, "raise")

    @functools.wraps(value)
    def strict(*operands: Any) -> Any:
        with np.errstate(all="ignore", **states):  # type: ignore[arg-type]
            return value(*operands)

    return strict


def _is(primitive: str, name: str, *failures: str, **fields: Any) -> None:
    """State which record a primitive is on tensors, and for what of an element it fails.

    It is no operator of Python's, which C would apply: that neither fails nor is silent.
    """
    value = taking_tensors(_failing(cast(Tensor, lookup(name)).value, *failures))
    _on_tensors(primitive, name, value, operator="", **fields)


def _on_tensors(primitive: str, name: str, value: Value, **fields: Any) -> None:
    """Register a record as a primitive on tensors, with a value that fails."""
    fields |= {"implements": (), "methods": (), "overloads": (primitive,)}
    record = cast(Tensor, lookup(name))
    on_tensors = register(dataclasses.replace(record, name=f"{primitive}/tensor", value=value, **fields))
    overloads[primitive] = on_tensors


_is("+", "np.add")
_is("-", "np.subtract")
_is("*", "np.multiply")
_is("/", "np.divide", "divide", "invalid")
_is("neg", "np.negative")
_is("sqrt", "np.sqrt", "invalid")
_is("exp", "np.exp", "over")
_is("log", "np.log", "divide", "invalid")
_is("sin", "np.sin", "invalid")
_is("cos", "np.cos", "invalid")
_is("tan", "np.tan", "invalid")
_is("tanh", "np.tanh")
_is("atan", "np.arctan")
_is("atan2", "np.arctan2")
_is("expt", "np.power", "divide", "over", "invalid", samples=sampled(POSITIVE, ANY))
_is("floor", "np.floor")
_is("modulo", "np.remainder", "divide", "invalid")
_is("=", "np.equal")
_is("<", "np.less")
_is(">", "np.greater")
_is("<=", "np.less_equal")
_is(">=", "np.greater_equal")

for _definition in definitions().values():
    if _definition.language and _definition.arrays is not None and not _definition.arrays.name:
        _strict = taking_tensors(loop_of(_definition, strict=True))
        _on_tensors(_definition.language, f"tensorlib.{_definition.name}", _strict)

# Those that are not NumPy's: their conventions are those of the scalar primitives


def _extreme(definition: Definition, replaces: Tensor) -> None:
    """Register max or min: y where it is better than x, and else x."""
    gated(
        f"{definition.name}/tensor",
        taking_tensors(lambda xp, x, y: xp.where(replaces(y, x), y, x) * 1.0),
        *gates_of(definition),
        needs=needs_of(definition),
        overloads=(definition.language,),
        convention=definition.convention,
        samples=sampled(ANY, ANY),
    )


_extreme(piecewise.maximum, GREATER)
_extreme(piecewise.minimum, LESS)
pointwise(
    "abs/tensor",
    taking_tensors(lambda xp, x: xp.abs(x)),
    *rules_of(piecewise.absolute.derivatives, 1),
    needs=piecewise.absolute.needs,
    overloads=("abs",),
    convention=piecewise.absolute.convention,
    samples=sampled(ANY),
)


def _tested(primitive: str, value: Value) -> None:
    discrete(
        f"{primitive}/tensor",
        taking_tensors(value),
        overloads=(primitive,),
        shape="that of the tensor",
        samples=sampled(ANY),
    )


_tested("zero?", lambda xp, x: xp.equal(x, 0.0))
_tested("positive?", lambda xp, x: xp.greater(x, 0.0))
_tested("negative?", lambda xp, x: xp.less(x, 0.0))
