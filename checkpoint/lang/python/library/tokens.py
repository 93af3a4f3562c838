"""Tokens of constants: keys of the language's dictionaries that are equal for equal elements of sets or keys.

In: a constant of Python's. Out: its token, which holds no real; or from a token the constant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from typing import Any

from checkpoint.ad.opaque import is_constant
from checkpoint.lang.python.library.standard.values import plain_value, value_base_of

REAL, OBJECT, SET, RANGE = "%real", "%object", "%set", "%range"
IS_VALUE = object()  # what `constant_of` gives for the token of something that is no constant


_CONSTANTS = frozenset((str, int, bool, float, tuple, type(None)))


def of_real(x: float) -> Any:
    """Return the token of a real, which is that of an equal integer."""
    return int(x) if x.is_integer() else (REAL, x.hex())


def needs_tokens(keys: Iterable[Any]) -> bool:
    """Return whether there is a real among the keys of a dictionary, or a number or text of another class."""
    kinds = set(map(type, keys))
    if not kinds <= _CONSTANTS and any(value_base_of(kind) is not None for kind in kinds):
        return True
    return float in kinds or (tuple in kinds and any(needs_tokens(key) for key in keys if type(key) is tuple))


def of_constant(key: Any) -> Any:
    """Return the token of a key that comes in from outside."""
    base = None if type(key) in _CONSTANTS else value_base_of(type(key))
    if base is not None:
        key = plain_value(key)
    if type(key) is float and not math.isnan(key):
        return of_real(key)
    return tuple(map(of_constant, key)) if type(key) is tuple else key


def constant_of(token: Any) -> Any:
    """Return the constant of a token, or IS_VALUE."""
    if type(token) is not tuple:
        return token
    if token and token[0] == REAL:
        return float.fromhex(token[1])
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
