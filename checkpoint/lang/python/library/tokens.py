"""Tokens of constants: keys of the language's dictionaries that are equal for equal elements of sets or keys.

In: a constant of Python's. Out: its token, which holds no real; or from a token the constant.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

from checkpoint.ad.opaque import is_constant
from checkpoint.errors import RunError
from checkpoint.lang.python.library.standard.values import plain_value, value_base_of

REAL, COMPLEX, OBJECT, SET, RANGE = "%real", "%complex", "%object", "%set", "%range"
IS_VALUE = object()  # what `constant_of` gives for the token of something that is no constant


_CONSTANTS = frozenset((str, int, bool, float, tuple, type(None)))


def of_real(x: float) -> Any:
    """Return the token of a real, which is that of an equal integer."""
    return int(x) if x.is_integer() else (REAL, x.hex())


def of_complex(x: complex) -> Any:
    """Return the token of a complex number, which is that of an equal real."""
    return of_real(x.real) if x.imag == 0.0 else (COMPLEX, x.real.hex(), x.imag.hex())


def of_number(x: Any) -> Any:
    """Return the token of a constant; of a number that of the float, integer or complex which it equals.

    Any other constant is its own token: equal ones have equal hashes.
    """
    import numbers  # noqa: PLC0415  # few programs have such keys

    if not isinstance(x, numbers.Number) or isinstance(x, int):
        return x
    hash(x)  # raises what Python raises
    if isinstance(x, numbers.Complex) and not isinstance(x, numbers.Real):
        return of_complex(complex(x))
    number: Any = x  # a Decimal is no Real, though it is a Number
    try:
        real = float(number)
    except OverflowError:
        return x
    return of_real(real) if real == number else x


def is_scalar(kind: type) -> bool:
    """Return whether a class is that of complex numbers, or one of NumPy's of numbers."""
    return kind is complex or (kind.__module__ == "numpy" and kind.__name__.startswith(_SCALARS))


_SCALARS = ("bool", "int", "uint", "float", "complex", "longdouble", "clongdouble")


def needs_tokens(keys: Iterable[Any]) -> bool:
    """Return whether a dictionary has a real or complex key, or a number or text of the user's or NumPy's."""
    kinds = set(map(type, keys))
    if not kinds <= _CONSTANTS and any(value_base_of(kind) is not None or is_scalar(kind) for kind in kinds):
        return True
    return float in kinds or (tuple in kinds and any(needs_tokens(key) for key in keys if type(key) is tuple))


def of_constant(key: Any) -> Any:
    """Return the token of a key that comes in from outside; raise RunError for a NaN."""
    kind = type(key)
    if kind is tuple:
        return tuple(map(of_constant, key))
    if kind in (float, complex):
        if key != key:  # noqa: PLR0124  # a NaN, complex ones too
            raise RunError(f"the key {key!r} cannot enter: Python tells NaNs apart by their identities")
        return of_real(key) if kind is float else of_complex(key)
    if kind in _CONSTANTS:
        return key
    if value_base_of(kind) is not None:
        return of_constant(plain_value(key))
    number = key.item() if hasattr(kind, "item") and is_scalar(kind) else key
    return of_constant(number) if type(number) in (float, complex) else of_number(number)


def constant_of(token: Any) -> Any:
    """Return the constant of a token, or IS_VALUE."""
    if type(token) is not tuple:
        return token
    if token and token[0] == REAL:
        return float.fromhex(token[1])
    if token and token[0] == COMPLEX:
        return complex(*map(float.fromhex, token[1:]))
    if token and type(token[0]) is str and token[0].startswith("%"):
        return IS_VALUE
    parts = tuple(map(constant_of, token))
    return IS_VALUE if any(part is IS_VALUE for part in parts) else parts


def unfit_part(key: Any) -> str | None:
    """Return why a key of a dictionary cannot enter a program; None if it can."""
    pending = [key]
    while pending:
        part = pending.pop()
        if isinstance(part, Enum | type) or is_constant(type(part)):
            continue
        if isinstance(part, tuple):
            pending.extend(part)
        elif type(part) not in (int, float, str, bool, bytes, type(None)):
            name = type(part).__name__
            return (
                f"the key {key!r} cannot enter a program: a key is a number, a str, a bool, None, or a tuple "
                f"of these, not a {name}"
            )
    return None
