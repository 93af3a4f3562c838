"""A Decimal that was made of a real: it can be rounded, compared and printed, but not be a real again.

What it is rounded to, an integer or a text, has no derivative, as for a real. The real itself has one, which
a Decimal would lose on the way; so what gives the real back ends the run. The class of such Decimals is made
when the first of them is: a program without Decimals does not load `decimal`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from checkpoint.errors import RunError

if TYPE_CHECKING:
    from decimal import Decimal

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


def is_of_real(thing: Any) -> bool:
    """Return whether an object is a Decimal that was made of a real."""
    return type(thing).__module__ == "decimal" and type(thing).__base__ is _python_class()


def is_decimal(thing: Any) -> bool:
    """Return whether an object is a Decimal of Python's own."""
    return type(thing).__module__ == "decimal" and type(thing) is _python_class()


def again(result: Any) -> Any:
    """Return what a method gives, in which Decimals are those of a real."""
    if is_decimal(result):
        return _class_of_reals()(result)
    return tuple(map(again, result)) if type(result) is tuple else result


def loss(name: str) -> RunError:
    """Return the error for what would lose the derivative of a real. name: of the class."""
    return RunError(
        f"a {name} of a real would lose the derivative: keep the real, or make it of integers or of a text"
    )


def python_class(thing: Any) -> type:
    """Return the class of an object, as Python has it."""
    return _python_class() if is_of_real(thing) else type(thing)


def leaving(thing: Any) -> Any:
    """Return an object that leaves its run; RunError if it is a Decimal of a real."""
    if is_of_real(thing):
        raise loss("Decimal")
    return thing


def _python_class() -> type[Decimal]:
    from decimal import Decimal  # noqa: PLC0415  (as the head of this file says)

    return Decimal


@cache
def _class_of_reals() -> type[Decimal]:
    """Return the class of Decimals that were made of a real."""
    of_python = _python_class()
    members: dict[str, Any] = {"__slots__": (), "__module__": "decimal", "__qualname__": "Decimal"}
    for name in dir(of_python):
        if name in _GIVING_BACK:
            members[name] = _giving_back
        elif callable(getattr(of_python, name)) and name not in _INHERITED:
            members[name] = _giving_decimals(getattr(of_python, name))
    return type("Decimal", (of_python,), members)


def _giving_decimals(method: Callable[..., Any]) -> Callable[..., Any]:
    def of_real(self: Decimal, *args: Any, **keywords: Any) -> Any:
        return again(method(self, *args, **keywords))

    return of_real


def _giving_back(self: Decimal, *_: Any) -> Any:
    raise loss("Decimal")
