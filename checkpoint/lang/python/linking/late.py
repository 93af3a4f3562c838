"""Functions in the data of a program that are translated when a run calls them.

A function that a program finds in a list, a dictionary or an attribute is a program of its own. A registry of
a package holds hundreds, of which a run calls a few: where the data of a program hold more than MANY, each
enters as an object that no program can use (checkpoint.ad.values.Unusable). A run that uses one ends with
`Unreached`; its code is noted, and the run begins again.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from dataclasses import field
from typing import Any

from checkpoint.ad.values import Unusable
from checkpoint.dataclass import dataclass
from checkpoint.lang.python.linking.inputs import py_func

MANY = 16
WITH_PROGRAMS = (types.FunctionType, types.MethodType, functools.partial)


@dataclass(eq=False)
class Late:
    """Which functions in the data of one program are translated.

    codes: those of the functions that runs have used. is_active: whether the others are left for later.
    """

    codes: set[Any] = field(default_factory=set)
    is_active: bool = False

    def called(self, functions: Iterable[Any]) -> list[Any]:
        """Return those of the functions in the data that are translated now."""
        own = [function for function in functions if isinstance(function, WITH_PROGRAMS)]
        self.is_active = self.is_active or len(own) > MANY
        return [function for function in own if not self.is_left(function)]

    def is_left(self, function: Any) -> bool:
        """Return whether a function is left until a run uses it."""
        return self.is_active and isinstance(function, WITH_PROGRAMS) and code_of(function) not in self.codes

    def held(self, function: Any) -> Unusable:
        """Return a function as an object that is translated when a run uses it."""
        return Unusable(function, lambda: str(function), LateFunction(self, function))


@dataclass(frozen=True, eq=False)
class LateFunction:
    """One of the functions that are left until a run uses them."""

    late: Late
    function: Any

    def note(self) -> None:
        """Record that a run has used the function."""
        self.late.codes.add(code_of(self.function))

    def __str__(self) -> str:
        return str(getattr(self.function, "__qualname__", self.function))


def code_of(function: Any) -> Any:
    """Return the key under which a function's programs are kept."""
    while isinstance(function, types.MethodType | functools.partial):
        function = function.__func__ if isinstance(function, types.MethodType) else function.func
    if py_func(function) is not None:
        function = py_func(function)
    if isinstance(function, types.FunctionType):
        return function.__code__
    return function if isinstance(function, type | types.BuiltinFunctionType) else type(function)
