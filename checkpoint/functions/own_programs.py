"""The Python functions that a program uses as values, each with the program that it is by itself.

In: which functions these are, and how to close one's own program over its hidden inputs. Out: an OwnPrograms
for the operators of checkpoint.prims.python.own, which run f as it runs outside of any program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.values import Closure
from checkpoint.errors import SourceError
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.public import COUNTERPARTS
from checkpoint.functions.run import RESUME
from checkpoint.lang.python.linking.values import Overloads

# By the identity of a function: the function, with the closure of its own program or why there is none.
Owned = dict[int, tuple[Any, Closure | SourceError | None]]


class Functions:
    """The functions that one program uses as values, during one call of it.

    by_lambda: which function each procedure is; AMBIGUOUS where it may be several.
    owned: shared by all programs of one call, so that functions may use one another as values.
    """

    __slots__ = ("by_lambda", "owned")

    def __init__(self, owned: Owned) -> None:
        self.owned = owned
        self.by_lambda: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return "functions"

    def add(self, value: Any, function: Any) -> None:
        """Note which function a value is that was made for this call."""
        lam = _lambda_of(value)
        if lam is not None:
            self.by_lambda[lam] = AMBIGUOUS if lam in self.by_lambda else function

    def read_inputs(self, own: Callable[[Any], Closure]) -> None:
        """Close the functions' own programs over what these read of their surroundings, now."""
        for function in self.by_lambda.values():
            if id(function) not in self.owned and not isinstance(function, Procedure | _Ambiguous):
                self.owned[id(function)] = function, None  # while its closure is made
                try:
                    self.owned[id(function)] = function, own(function)
                except SourceError as error:
                    self.owned[id(function)] = function, error

    def entered(self, f: Any, x: Any) -> tuple[Any, Any] | None:
        """See OwnPrograms."""
        function = self.by_lambda.get(_lambda_of(f), AMBIGUOUS)
        if function is AMBIGUOUS:
            return None
        if isinstance(function, Procedure):
            return f, x
        if _is_resume(function):
            return RESUME, x
        own = self.owned[id(function)][1]
        if isinstance(own, SourceError):
            raise own
        return own, Record(TUPLE, (x,))


class _Ambiguous:
    """The type of AMBIGUOUS."""


AMBIGUOUS = _Ambiguous()


def _is_resume(function: Any) -> bool:
    return getattr(function, "__name__", "") == "resume" and COUNTERPARTS.get(function) == "resume"


def _lambda_of(value: Any) -> Any:
    """Return the lambda of a procedure, or that of the first procedure of a record of several."""
    if type(value) is Record and value.layout.cls is Overloads:
        value = value.items[0]
    return value.lam if type(value) is Closure else None
