"""Arithmetic element by element, with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.scalars import arithmetic, piecewise
from checkpoint.scalars.definition import Definition
from tensorlib.elementwise.formulas import function_of, on_arrays, rules_of, with_quotients
from tensorlib.rules import discrete, pointwise, sampled

ANY = (-2.0, 2.0)
NONZERO = (0.5, 2.0)
POSITIVE = (0.2, 3.0)


ADD = on_arrays(arithmetic.add, operator="add")
SUBTRACT = on_arrays(arithmetic.subtract, operator="subtract")


_COMPLEX = frozenset((complex, np.complex64, np.complex128))


def _product(xp: Any, x: Any, y: Any) -> Any:
    """Return a product; of two complex numbers as Python and engine c have it, without fused operations."""
    if type(x) in _COMPLEX and type(y) in _COMPLEX:
        return x * y
    if type(x) is str or type(y) is str:
        return x * y  # the text, repeated
    _check_repeated(x, y)
    return function_of(xp, "multiply")(x, y)


def _check_repeated(x: Any, y: Any) -> None:
    """Refuse a list times an integer that is an element of an array: Python repeats the list."""
    for one, other in ((x, y), (y, x)):
        if type(one) in (list, tuple) and isinstance(other, np.integer):
            raise refusal("a list times an integer of an array: write xs * int(n), or np.asarray(xs) * n")


MULTIPLY = on_arrays(arithmetic.multiply, operator="multiply", value=_product)
DIVIDE = on_arrays(arithmetic.divide, operator="divide")
# The quotient in partials that may be infinite: a zero cotangent contributes zero.
QUOTIENT = on_arrays(
    arithmetic.divide,
    name="tensorlib.quotient",
    partials=rules_of([with_quotients(part) for part in arithmetic.divide.derivatives], 2),
    singular=True,
    vjps=(),
    implements=(),
    overloads=(),
)
NEGATIVE = on_arrays(arithmetic.negate, operator="negative")
on_arrays(arithmetic.real)
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

discrete(
    "np.floor_divide",
    lambda xp, x, y: xp.floor_divide(x, y),
    2,
    implements=(np.floor_divide,),
    overloads=("py.floordiv",),
    shape="all operands broadcast together",
    convention="0 also where it jumps",
    samples=sampled(ANY, NONZERO),
)


def _remainder(xp: Any, x: Any, y: Any) -> Any:
    """Return a remainder; of a text and an array, the text formatted with it."""
    return x % y if type(x) is str else xp.remainder(x, y)


on_arrays(piecewise.float_modulo, value=_remainder)
discrete(
    "np.trunc",
    lambda xp, x: xp.trunc(x),
    implements=(np.trunc,),
    shape="that of the array",
    convention="0 also where it jumps",
    samples=sampled(ANY),
)
on_arrays(piecewise.fmod)


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
    """Return the function whose result has the first operand's shape and dtype, as in `x += y`."""

    def value(xp: Any, x: Any, y: Any) -> Any:
        function = getattr(xp, name)
        if name == "multiply":
            _check_repeated(x, y)
        if getattr(x, "shape", ()) == () and not _is_changeable(x):
            return _product(xp, x, y) if name == "multiply" else function(x, y)
        return function(x, y, out=xp.empty_like(x), casting="same_kind")

    return value


def _is_changeable(x: Any) -> bool:
    """Return whether it is an array; NumPy's scalars and numbers never change."""
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


def _changing(definition: Definition, name: str, overload: str) -> None:
    """Register a function of two operands as one that changes the first."""
    on_arrays(
        definition,
        name=f"{overload}/array",
        value=_same_kind(name),
        vjps=(),
        implements=(),
        overloads=(overload,),
        operator=name,
        changes=True,
        in_place=_in_place(name),
        shape="that of the first operand, to which the second one broadcasts",
        samples=_to_change,
    )


_changing(arithmetic.add, "add", "py.iadd")
_changing(arithmetic.multiply, "multiply", "py.imul")
