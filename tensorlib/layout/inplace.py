"""Operators in place: `a -= b` is `a - b` of a's dtype, after which the old a is gone.

`a[i] -= b` reads a copy of `a[i]`, changes that, and puts it back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from checkpoint.ad.record import register
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import overloads
from tensorlib.elementwise import comparison, pointwise, powers
from tensorlib.layout import indexing
from tensorlib.linear import products

__all__ = ["comparison", "indexing", "pointwise", "powers", "products"]  # what it changes

_UFUNCS = {
    "sub": "subtract",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}

_OF_INTEGERS = frozenset(("and", "or", "xor", "lshift", "rshift"))


def _of_same_kind(ufunc: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a result of the first operand's shape and dtype, if that is an array.

    otherwise: the function for another first operand, a number or a text.
    """

    def value(xp: Any, x: Any, y: Any) -> Any:
        if not hasattr(x, "__setitem__"):
            return otherwise(xp, x, y)
        return getattr(xp, ufunc)(x, y, out=xp.empty_like(x), casting="same_kind")

    return value


def _into(ufunc: str) -> Callable[..., Any]:
    def in_place(xp: Any, x: Any, y: Any) -> None:
        getattr(xp, ufunc)(x, y, out=x, casting="same_kind")

    return in_place


def _samples(operator: str) -> Callable[[Any], list[tuple[Any, ...]]]:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        if operator == "matmul":
            return [(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)))]
        if operator in _OF_INTEGERS:
            return [(rng.integers(0, 5, (2, 3)), rng.integers(0, 5, 3)), (rng.integers(0, 5, 3), 2)]
        return [(rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, 4)), (rng.uniform(0.5, 2.0, 3), 1.5)]

    return samples


for _operator, _ufunc in _UFUNCS.items():
    _like = overloads[f"py.{_operator}"]
    overloads[f"py.i{_operator}"] = register(
        dataclasses.replace(
            _like,
            name=f"py.i{_operator}/array",
            value=_of_same_kind(_ufunc, _like.value),
            in_place=_into(_ufunc),
            changes=True,
            samples=_samples(_operator),
            implements=(),
            overloads=(f"py.i{_operator}",),
            methods=(),
        )
    )


def _copied(of: Tensor, name: str) -> Tensor:
    """Return the record that reads, of a copy."""

    def value(xp: Any, *operands: Any) -> Any:
        found = of.value(xp, *operands)
        return (
            xp.array(found) if hasattr(found, "__setitem__") else found
        )  # a scalar of NumPy's never changes

    return dataclasses.replace(
        of, name=f"{name}/array", value=value, views=False, implements=(), overloads=(name,), methods=()
    )


for _operator in ("item", "slice"):
    _name = f"py.{_operator}-to-change"
    overloads[_name] = register(_copied(overloads[f"py.{_operator}"], _name))
