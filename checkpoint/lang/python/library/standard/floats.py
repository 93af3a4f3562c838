"""The operators of float as functions, `float.__mul__`; written in the language that is translated.

As in Python the first argument must be a float; the result is NotImplemented where the second is no number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def checked(x: Any, name: Any) -> Any:
    """Return a float; raise Python's error for all else."""
    if not isinstance(x, float):
        raise TypeError(f"descriptor {name!r} requires a 'float' object but received a {type(x).__name__!r}")
    return x


def add(x: Any, y: Any, /) -> Any:
    """See float.__add__."""
    return checked(x, "__add__") + y if isinstance(y, float | int) else NotImplemented


def radd(x: Any, y: Any, /) -> Any:
    """See float.__radd__."""
    return y + checked(x, "__radd__") if isinstance(y, float | int) else NotImplemented


def sub(x: Any, y: Any, /) -> Any:
    """See float.__sub__."""
    return checked(x, "__sub__") - y if isinstance(y, float | int) else NotImplemented


def rsub(x: Any, y: Any, /) -> Any:
    """See float.__rsub__."""
    return y - checked(x, "__rsub__") if isinstance(y, float | int) else NotImplemented


def mul(x: Any, y: Any, /) -> Any:
    """See float.__mul__."""
    return checked(x, "__mul__") * y if isinstance(y, float | int) else NotImplemented


def rmul(x: Any, y: Any, /) -> Any:
    """See float.__rmul__."""
    return y * checked(x, "__rmul__") if isinstance(y, float | int) else NotImplemented


def truediv(x: Any, y: Any, /) -> Any:
    """See float.__truediv__."""
    return checked(x, "__truediv__") / y if isinstance(y, float | int) else NotImplemented


def rtruediv(x: Any, y: Any, /) -> Any:
    """See float.__rtruediv__."""
    return y / checked(x, "__rtruediv__") if isinstance(y, float | int) else NotImplemented


def floordiv(x: Any, y: Any, /) -> Any:
    """See float.__floordiv__."""
    return checked(x, "__floordiv__") // y if isinstance(y, float | int) else NotImplemented


def rfloordiv(x: Any, y: Any, /) -> Any:
    """See float.__rfloordiv__."""
    return y // checked(x, "__rfloordiv__") if isinstance(y, float | int) else NotImplemented


def mod(x: Any, y: Any, /) -> Any:
    """See float.__mod__."""
    return checked(x, "__mod__") % y if isinstance(y, float | int) else NotImplemented


def rmod(x: Any, y: Any, /) -> Any:
    """See float.__rmod__."""
    return y % checked(x, "__rmod__") if isinstance(y, float | int) else NotImplemented


def pow(x: Any, y: Any, /) -> Any:
    """See float.__pow__."""
    return checked(x, "__pow__") ** y if isinstance(y, float | int) else NotImplemented


def rpow(x: Any, y: Any, /) -> Any:
    """See float.__rpow__."""
    return y ** checked(x, "__rpow__") if isinstance(y, float | int) else NotImplemented


def neg(x: Any, /) -> Any:
    """See float.__neg__."""
    return -checked(x, "__neg__")


def pos(x: Any, /) -> Any:
    """See float.__pos__."""
    return +checked(x, "__pos__")


def abs_(x: Any, /) -> Any:
    """See float.__abs__."""
    return abs(checked(x, "__abs__"))


def eq(x: Any, y: Any, /) -> Any:
    """See float.__eq__."""
    return checked(x, "__eq__") == y if isinstance(y, float | int) else NotImplemented


def ne(x: Any, y: Any, /) -> Any:
    """See float.__ne__."""
    return checked(x, "__ne__") != y if isinstance(y, float | int) else NotImplemented


def lt(x: Any, y: Any, /) -> Any:
    """See float.__lt__."""
    return checked(x, "__lt__") < y if isinstance(y, float | int) else NotImplemented


def le(x: Any, y: Any, /) -> Any:
    """See float.__le__."""
    return checked(x, "__le__") <= y if isinstance(y, float | int) else NotImplemented


def gt(x: Any, y: Any, /) -> Any:
    """See float.__gt__."""
    return checked(x, "__gt__") > y if isinstance(y, float | int) else NotImplemented


def ge(x: Any, y: Any, /) -> Any:
    """See float.__ge__."""
    return checked(x, "__ge__") >= y if isinstance(y, float | int) else NotImplemented


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    float.__add__: add,
    float.__radd__: radd,
    float.__sub__: sub,
    float.__rsub__: rsub,
    float.__mul__: mul,
    float.__rmul__: rmul,
    float.__truediv__: truediv,
    float.__rtruediv__: rtruediv,
    float.__floordiv__: floordiv,
    float.__rfloordiv__: rfloordiv,
    float.__mod__: mod,
    float.__rmod__: rmod,
    float.__pow__: pow,
    float.__rpow__: rpow,
    float.__neg__: neg,
    float.__pos__: pos,
    float.__abs__: abs_,
    float.__eq__: eq,
    float.__ne__: ne,
    float.__lt__: lt,
    float.__le__: le,
    float.__gt__: gt,
    float.__ge__: ge,
}
