"""Calls of one Python function, by which a schedule cuts a run (checkpoint.driver.comparison).

In: a function; a lambda of the core (checkpoint.lang.core). Out: whether the lambda is a translation of the
function. One function may have many: one for each program, and for each class among its arguments. They have
its name and are of its file; of functions without a name, the line counts too. Only the user's own functions
are told apart: no pass makes loops of these, so each call of one is a call on all engines.
"""

from __future__ import annotations

import itertools
from types import CodeType
from typing import Any

from checkpoint.lang.core import Lambda

Key = tuple[str, str, int]

_numbers: dict[Key, int] = {}
_counter = itertools.count(1)


class Calls:
    """The calls of one Python function, or of a method.

    number: as `number_of` gives it to each lambda that is a translation of the function.
    """

    __slots__ = ("function", "number")

    def __init__(self, function: Any) -> None:
        """Find the key of a function; TypeError for what has no Python code."""
        from checkpoint.lang.python.source.texts import shown_name  # noqa: PLC0415 (the front end is large)

        inner = getattr(function, "__func__", function)
        code, name = getattr(inner, "__code__", None), getattr(inner, "__qualname__", None)
        if not isinstance(code, CodeType) or not isinstance(name, str):
            raise TypeError(f"calls_of takes a Python function or method, not {function!r}")
        self.function = function
        line = code.co_firstlineno if _is_nameless(name) else 0
        self.number = _number((shown_name(code.co_filename), name, line))

    def are_of(self, lam: Lambda) -> bool:
        """Return whether a call of a lambda is one of these."""
        return number_of(lam) == self.number


def number_of(lam: Lambda) -> int:
    """Return the number that all translations of one Python function have; 0 for other lambdas."""
    if not lam.shown or lam.name is None:
        return 0
    line = lam.span.line if _is_nameless(lam.name) else 0
    return _number((lam.span.source.name, lam.name, line))


def _number(key: Key) -> int:
    return _numbers.get(key) or _numbers.setdefault(key, next(_counter))


def _is_nameless(name: str) -> bool:
    return name.endswith("<lambda>")
