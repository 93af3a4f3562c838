"""The operators of fractions.Fraction beside reals: a Fraction is converted, as in Python.

Written in the language that is translated. A Fraction is a constant; what has no real among its operands is
left to Python. `py.of-exact` applies the operator of a name.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.standard.bases import items_of


def is_exact(x: Any) -> Any:
    """Return whether Python computes with a value beside a Fraction; or refuses it, as it does arrays."""
    return isinstance(x, int | Fraction | list | tuple | str) or prim("py.is-array", x)


def is_inexact(x: Any) -> Any:
    """Return whether a Fraction becomes a real beside a value."""
    return isinstance(items_of(x), float) or prim("py.kind", x) == "complex"


class Exact:
    """See fractions.Fraction."""

    def __add__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return float(self) + other
        return prim("py.of-exact", "add", self, other) if is_exact(other) else NotImplemented

    def __radd__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return other + float(self)
        return prim("py.of-exact", "add", other, self) if is_exact(other) else NotImplemented

    def __sub__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return float(self) - other
        return prim("py.of-exact", "sub", self, other) if is_exact(other) else NotImplemented

    def __rsub__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return other - float(self)
        return prim("py.of-exact", "sub", other, self) if is_exact(other) else NotImplemented

    def __mul__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return float(self) * other
        return prim("py.of-exact", "mul", self, other) if is_exact(other) else NotImplemented

    def __rmul__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return other * float(self)
        return prim("py.of-exact", "mul", other, self) if is_exact(other) else NotImplemented

    def __truediv__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return float(self) / other
        return prim("py.of-exact", "truediv", self, other) if is_exact(other) else NotImplemented

    def __rtruediv__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return other / float(self)
        return prim("py.of-exact", "truediv", other, self) if is_exact(other) else NotImplemented

    def __floordiv__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return float(self) // other
        return prim("py.of-exact", "floordiv", self, other) if is_exact(other) else NotImplemented

    def __rfloordiv__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return other // float(self)
        return prim("py.of-exact", "floordiv", other, self) if is_exact(other) else NotImplemented

    def __mod__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return float(self) % other
        return prim("py.of-exact", "mod", self, other) if is_exact(other) else NotImplemented

    def __rmod__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return other % float(self)
        if isinstance(other, str):
            return other % (self,)
        return prim("py.of-exact", "mod", other, self) if is_exact(other) else NotImplemented

    def __pow__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return float(self) ** other
        return prim("py.of-exact", "pow", self, other) if is_exact(other) else NotImplemented

    def __rpow__(self: Any, other: Any) -> Any:
        if is_inexact(other):
            return other**self.numerator if self.denominator == 1 else other ** float(self)
        return prim("py.of-exact", "pow", other, self) if is_exact(other) else NotImplemented


STORED: dict[str, Any] = {  # by name, the methods that a Fraction has in programs
    name: member for name, member in vars(Exact).items() if name.strip("_") != name and callable(member)
}
