"""A Decimal that was made of a real: it can be rounded, compared and printed, but not be a real again.

What it is rounded to, an integer or a text, has no derivative, as for a real. The real itself has one, which
a Decimal would lose on the way; so what gives the real back ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from checkpoint.errors import RunError

_GIVING_BACK = ("__float__", "__complex__", "as_integer_ratio", "as_tuple")
# What is inherited as it is: it gives no Decimal, or makes or describes one.
_INHERITED = frozenset(
    (
        *("__new__", "__init__", "__init_subclass__", "__subclasshook__", "__class__", "__class_getitem__"),
        *("__getattribute__", "__setattr__", "__delattr__", "__dir__", "__sizeof__", "__getstate__"),
        *("__reduce__", "__reduce_ex__", "__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__"),
        "__ge__",
        *("__repr__", "__str__", "__format__", "__bool__", "__int__", "__trunc__", "from_float"),
    )
)


class DecimalOfReal(Decimal):
    """A Decimal made of a real."""

    __slots__ = ()


def again(result: Any) -> Any:
    """Return what a method gives, in which Decimals are those of a real."""
    if type(result) is Decimal:
        return DecimalOfReal(result)
    return tuple(map(again, result)) if type(result) is tuple else result


def loss(name: str) -> RunError:
    """Return the error for what would lose the derivative of a real. name: of the class."""
    return RunError(
        f"a {name} of a real would lose the derivative: keep the real, or make it of integers or of a text"
    )


def python_class(thing: Any) -> type:
    """Return the class of an object, as Python has it."""
    return Decimal if type(thing) is DecimalOfReal else type(thing)


def leaving(thing: Any) -> Any:
    """Return an object that leaves its run; RunError if it is a Decimal of a real."""
    if type(thing) is DecimalOfReal:
        raise loss("Decimal")
    return thing


def _giving_decimals(name: str) -> Callable[..., Any]:
    method = getattr(Decimal, name)

    def of_real(self: Decimal, *args: Any, **keywords: Any) -> Any:
        return again(method(self, *args, **keywords))

    return of_real


def _giving_back(self: Decimal, *_: Any) -> Any:
    raise loss("Decimal")


for _name in dir(Decimal):
    if _name in _GIVING_BACK:
        setattr(DecimalOfReal, _name, _giving_back)
    elif callable(getattr(Decimal, _name)) and _name not in _INHERITED:
        setattr(DecimalOfReal, _name, _giving_decimals(_name))
DecimalOfReal.__module__, DecimalOfReal.__name__, DecimalOfReal.__qualname__ = "decimal", "Decimal", "Decimal"
