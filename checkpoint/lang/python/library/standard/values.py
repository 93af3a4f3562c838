"""The methods of float and int for objects of classes that derive from them.

Written in the language that is translated. An object of such a class is one with attributes; the number
that it is in Python is a field of it, "(items)", as of classes that derive from dict (bases.py). What
operators give is of Python's own types, as in Python, unless the class has an operator of its own.
"""

from __future__ import annotations

import enum
import types
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.standard.bases import items_of
from checkpoint.lang.python.library.standard.texts import StrBase


def operand_of(own: Any, other: Any) -> Any:
    """Return what a number computes with; a float takes any other float as one of Python's own."""
    value = items_of(other)
    return float(value) if isinstance(own, float) and isinstance(value, float) else value


def is_operand(x: Any) -> Any:
    """Return whether a value is one that float and int compute with, or an array, which does it for them."""
    if prim("py.kind", x) == "complex":
        what = "a complex number beside an object of a class that derives from float or int"
        return prim("py.refuse", f"{what} cannot be differentiated: write float(x) or int(x)")
    return isinstance(x, float | int) or prim("py.is-array", x)


class NumberBase:
    """Gives classes derived from float and int what they share."""

    def __add__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) + value if is_operand(value) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        value = items_of(other)
        return value + items_of(self) if is_operand(value) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) - value if is_operand(value) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        value = items_of(other)
        return value - items_of(self) if is_operand(value) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        if isinstance(value, str | bytes | list | tuple):
            return items_of(self) * value
        return items_of(self) * value if is_operand(value) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        value = items_of(other)
        if isinstance(value, str | bytes | list | tuple):
            return value * items_of(self)
        return value * items_of(self) if is_operand(value) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) / value if is_operand(value) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        value = items_of(other)
        return value / items_of(self) if is_operand(value) else NotImplemented

    def __floordiv__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) // value if is_operand(value) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        value = items_of(other)
        return value // items_of(self) if is_operand(value) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) % value if is_operand(value) else NotImplemented

    def __rmod__(self, other: Any) -> Any:
        value = items_of(other)
        if isinstance(value, str | bytes):
            return value % (self,)
        return value % items_of(self) if is_operand(value) else NotImplemented

    def __pow__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) ** value if is_operand(value) else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        value = items_of(other)
        return value ** items_of(self) if is_operand(value) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) == value if is_operand(value) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) != value if is_operand(value) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) < value if is_operand(value) else NotImplemented

    def __le__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) <= value if is_operand(value) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) > value if is_operand(value) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        value = operand_of(items_of(self), other)
        return items_of(self) >= value if is_operand(value) else NotImplemented

    def __hash__(self) -> Any:
        return hash(items_of(self))

    def __neg__(self) -> Any:
        return -items_of(self)

    def __pos__(self) -> Any:
        return +items_of(self)

    def __abs__(self) -> Any:
        return abs(items_of(self))

    def __bool__(self) -> Any:
        return bool(items_of(self))

    def __int__(self) -> Any:
        return int(items_of(self))

    def __float__(self) -> Any:
        return float(items_of(self))

    def __round__(self, digits: Any = None) -> Any:
        return round(items_of(self)) if digits is None else round(items_of(self), digits)

    def __repr__(self) -> Any:
        return repr(items_of(self))

    def __format__(self, spec: Any) -> Any:
        return str(self) if spec == "" else format(items_of(self), spec)

    @property
    def real(self) -> Any:
        """See float.real."""
        return items_of(self)

    @property
    def imag(self) -> Any:
        """See float.imag."""
        return items_of(self) * 0

    def conjugate(self) -> Any:
        """See float.conjugate."""
        return items_of(self)


class FloatBase(NumberBase):
    """See float."""

    def is_integer(self) -> Any:
        """See float.is_integer."""
        return items_of(self).is_integer()


class IntBase(NumberBase):
    """See int."""

    def __index__(self) -> Any:
        return items_of(self)

    def __invert__(self) -> Any:
        return ~items_of(self)

    def bit_length(self) -> Any:
        """See int.bit_length."""
        return items_of(self).bit_length()

    def __and__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) & value if isinstance(value, int) else NotImplemented

    def __rand__(self, other: Any) -> Any:
        value = items_of(other)
        return value & items_of(self) if isinstance(value, int) else NotImplemented

    def __or__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) | value if isinstance(value, int) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        value = items_of(other)
        return value | items_of(self) if isinstance(value, int) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) ^ value if isinstance(value, int) else NotImplemented

    def __rxor__(self, other: Any) -> Any:
        value = items_of(other)
        return value ^ items_of(self) if isinstance(value, int) else NotImplemented

    def __lshift__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) << value if isinstance(value, int) else NotImplemented

    def __rlshift__(self, other: Any) -> Any:
        value = items_of(other)
        return value << items_of(self) if isinstance(value, int) else NotImplemented

    def __rshift__(self, other: Any) -> Any:
        value = items_of(other)
        return items_of(self) >> value if isinstance(value, int) else NotImplemented

    def __rrshift__(self, other: Any) -> Any:
        value = items_of(other)
        return value >> items_of(self) if isinstance(value, int) else NotImplemented


def without_rule(self: Any, *args: Any, **more: Any) -> Any:
    """Refuse a method of float, int or str that is not here."""
    advised = "call it of the number or text alone, float(x), int(x) or str(x)"
    return prim("py.refuse", f"this method of a {type(self).__name__} cannot be differentiated: {advised}")


VALUES: dict[type, type] = {float: FloatBase, int: IntBase, str: StrBase}


def value_base_of(cls: type) -> Any:
    """Return the class float, int or str from which a class of the user's derives; None if it does not."""
    if not cls.__flags__ & (1 << 9) or issubclass(cls, enum.Enum):  # the flag of class statements
        return None
    return next((base for base in cls.__mro__ if base in VALUES), None)


def _methods(base: type, own: type) -> dict[str, Any]:
    members = {name: each for cls in reversed(own.__mro__[:-1]) for name, each in vars(cls).items()}
    found = {n: each for n, each in members.items() if isinstance(each, types.FunctionType | property)}
    return {**{name: without_rule for name in vars(base) if not name.startswith("__")}, **found}


STORED: dict[type, dict[str, Any]] = {base: _methods(base, own) for base, own in VALUES.items()}


def plain_value(x: Any) -> Any:
    """Return the number or text that an object of a derived class is, of Python's own class."""
    if isinstance(x, str):
        return str.__str__(x)
    return float.__pos__(x) if isinstance(x, float) else int.__pos__(x)
