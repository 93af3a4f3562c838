"""Arithmetic element by element, with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from tensorlib.rules import MINUS_ONE, ONE, discrete, pointwise, sampled, unbroadcast

ANY = (-2.0, 2.0)
NONZERO = (0.5, 2.0)
POSITIVE = (0.2, 3.0)


def _negative_quotient(xp: Any, g: Any, z: Any, x: Any, y: Any) -> Any:
    return unbroadcast(xp, xp.negative(g * z / y), y)


ADD = pointwise(
    "np.add",
    lambda xp, x, y: xp.add(x, y),
    ONE,
    ONE,
    needs=((), ()),
    implements=(np.add,),
    overloads=("py.add",),
    samples=sampled(ANY, ANY),
)
SUBTRACT = pointwise(
    "np.subtract",
    lambda xp, x, y: xp.subtract(x, y),
    ONE,
    MINUS_ONE,
    needs=((), ()),
    implements=(np.subtract,),
    overloads=("py.sub",),
    samples=sampled(ANY, ANY),
)
MULTIPLY = pointwise(
    "np.multiply",
    lambda xp, x, y: xp.multiply(x, y),
    lambda x, y, z: y,
    lambda x, y, z: x,
    vjps=(
        lambda xp, g, z, x, y: unbroadcast(xp, xp.multiply(g, y), x),
        lambda xp, g, z, x, y: unbroadcast(xp, xp.multiply(g, x), y),
    ),
    needs=((1,), (0,)),
    implements=(np.multiply,),
    overloads=("py.mul",),
    samples=sampled(ANY, ANY),
)
DIVIDE: Tensor = pointwise(
    "np.divide",
    lambda xp, x, y: xp.divide(x, y),
    lambda x, y, z: DIVIDE(1.0, y),
    lambda x, y, z: NEGATIVE(DIVIDE(z, y)),
    vjps=(
        lambda xp, g, z, x, y: unbroadcast(xp, xp.divide(g, y), x),
        _negative_quotient,
    ),
    needs=((1,), (1, 2)),
    implements=(np.divide, np.true_divide),
    overloads=("py.truediv",),
    samples=sampled(ANY, NONZERO),
)
# The quotient in partials that may be infinite: a zero cotangent contributes zero.
QUOTIENT: Tensor = pointwise(
    "tensorlib.quotient",
    lambda xp, x, y: xp.divide(x, y),
    lambda x, y, z: QUOTIENT(1.0, y),
    lambda x, y, z: NEGATIVE(QUOTIENT(z, y)),
    singular=True,
    needs=((1,), (1, 2)),
    samples=sampled(ANY, NONZERO),
)
NEGATIVE: Tensor = pointwise(
    "np.negative",
    lambda xp, x: xp.negative(x),
    MINUS_ONE,
    needs=((),),
    implements=(np.negative,),
    overloads=("py.neg",),
    samples=sampled(ANY),
)
UNCHANGED = pointwise(
    "np.positive",
    lambda xp, x: xp.positive(x),
    ONE,
    needs=((),),
    implements=(np.positive,),
    overloads=("py.pos",),
    samples=sampled(ANY),
)
RECIPROCAL = pointwise(
    "np.reciprocal",
    lambda xp, x: xp.reciprocal(x),
    lambda x, y: NEGATIVE(MULTIPLY(y, y)),
    needs=((1,),),
    implements=(np.reciprocal,),
    samples=sampled(NONZERO),
)
SQUARE = pointwise(
    "np.square",
    lambda xp, x: xp.square(x),
    lambda x, y: MULTIPLY(2.0, x),
    needs=((0,),),
    implements=(np.square,),
    samples=sampled(ANY),
)

# Whole quotients and remainders

_AT_JUMPS = "at multiples of the divisor as between them"

FLOOR_DIVIDE = discrete(
    "np.floor_divide",
    lambda xp, x, y: xp.floor_divide(x, y),
    2,
    implements=(np.floor_divide,),
    overloads=("py.floordiv",),
    shape="all operands broadcast together",
    convention="0 also where it jumps",
    samples=sampled(ANY, NONZERO),
)
REMAINDER = pointwise(
    "np.remainder",
    lambda xp, x, y: xp.remainder(x, y),
    ONE,
    lambda x, y, z: NEGATIVE(FLOOR_DIVIDE(x, y)),
    needs=((), (0, 1)),
    implements=(np.remainder, np.mod),
    overloads=("py.mod",),
    convention=_AT_JUMPS,
    samples=sampled((0.1, 0.9), (1.0, 2.0)),
)
_TRUNC = discrete(
    "np.trunc",
    lambda xp, x: xp.trunc(x),
    implements=(np.trunc,),
    shape="that of the array",
    convention="0 also where it jumps",
    samples=sampled(ANY),
)
FMOD = pointwise(
    "np.fmod",
    lambda xp, x, y: xp.fmod(x, y),
    ONE,
    lambda x, y, z: NEGATIVE(_TRUNC(DIVIDE(x, y))),
    needs=((), (0, 1)),
    implements=(np.fmod,),
    convention=_AT_JUMPS,
    samples=sampled((0.1, 0.9), (1.0, 2.0)),
)


def _divmod_check(xp: Any, x: Any, y: Any) -> None:
    """Raises what divmod does."""
    xp.remainder(x, y)


discrete(
    "py.divmod-check/array",
    _divmod_check,
    2,
    overloads=("py.divmod-check",),
    shape="all operands broadcast together",
    samples=sampled(ANY, NONZERO),
)

# In place


def _same_kind(name: str) -> Any:
    """The function of two operands with a result of the first one's shape and dtype, as in `x += y`."""

    def value(xp: Any, x: Any, y: Any) -> Any:
        function = getattr(xp, name)
        if getattr(x, "shape", ()) == () and not _is_changeable(x):
            return function(x, y)
        return function(x, y, out=xp.empty_like(x), casting="same_kind")

    return value


def _is_changeable(x: Any) -> bool:
    """Whether it is an array; NumPy's scalars and numbers never change."""
    return hasattr(x, "__setitem__")


def _in_place(name: str) -> Any:
    def change(xp: Any, x: Any, y: Any) -> None:
        getattr(xp, name)(x, y, out=x, casting="same_kind")

    return change


_GROWING = [((3, 4), (4,)), ((2, 3), (2, 3)), ((3,), ()), ((), ()), ((0,), (1,))]


def _to_change(rng: Any) -> list[tuple[Any, ...]]:
    pairs = [(rng.normal(size=left), rng.normal(size=right)) for left, right in _GROWING]
    single = rng.normal(size=3).astype(np.float32)
    return [*pairs, (rng.normal(size=3), 1.5), (1.5, rng.normal(size=3)), (single, rng.normal(size=3))]


pointwise(
    "py.iadd/array",
    _same_kind("add"),
    ONE,
    ONE,
    needs=((), ()),
    overloads=("py.iadd",),
    changes=True,
    in_place=_in_place("add"),
    shape="that of the first operand, to which the second one broadcasts",
    samples=_to_change,
)
pointwise(
    "py.imul/array",
    _same_kind("multiply"),
    lambda x, y, z: y,
    lambda x, y, z: x,
    needs=((1,), (0,)),
    overloads=("py.imul",),
    changes=True,
    in_place=_in_place("multiply"),
    shape="that of the first operand, to which the second one broadcasts",
    samples=_to_change,
)
