"""Operators in place: `a -= b` is `a - b` of a's dtype, after which the old a is gone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from checkpoint.ad.record import register
from checkpoint.prims.arrays import overloads

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


def _of_same_kind(ufunc: str) -> Callable[..., Any]:
    """The function into a copy of the first operand, if that is an array."""

    def value(xp: Any, x: Any, y: Any) -> Any:
        function = getattr(xp, ufunc)
        return function(x, y, out=xp.array(x)) if getattr(x, "shape", ()) != () else function(x, y)

    return value


def _into(ufunc: str) -> Callable[..., Any]:
    def in_place(xp: Any, x: Any, y: Any) -> None:
        getattr(xp, ufunc)(x, y, out=x)

    return in_place


for _operator, _ufunc in _UFUNCS.items():
    _like = overloads[f"py.{_operator}"]
    overloads[f"py.i{_operator}"] = register(
        dataclasses.replace(
            _like,
            name=f"py.i{_operator}/array",
            value=_of_same_kind(_ufunc),
            in_place=_into(_ufunc),
            changes=True,
            implements=(),
            overloads=(f"py.i{_operator}",),
            methods=(),
        )
    )
