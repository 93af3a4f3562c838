"""The Python functions that a program uses as values, each with the program that it is by itself.

In: which functions these are, and how to close one's own program over its hidden inputs. Out: an OwnPrograms
for the operators of checkpoint.prims.python.own, which run f as it runs outside of any program.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from checkpoint.ad.containers import TUPLE, WITH_ATTRIBUTES, Record
from checkpoint.ad.graph import reach
from checkpoint.ad.values import Closure
from checkpoint.dataclass import dataclass
from checkpoint.errors import RunError, SourceError
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.public import COUNTERPARTS
from checkpoint.functions.run import RESUME
from checkpoint.lang.python.library.stand_ins import Overloads
from checkpoint.lang.python.linking.nested import Nested
from checkpoint.prims.python.native import native

# By the identity of a function: the function, with the closure of its own program or why there is none.
Owned = dict[int, tuple[Any, Closure | SourceError | None]]


# Python objects, by their identities, with the values of the language that they stand for.
Given = dict[int, tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class NestedFunction:
    """A function that a program makes.

    outer: the outermost function around it. captures: the core variables that its closures hold.
    """

    nested: Nested
    outer: FunctionType
    captures: tuple[str, ...]

    def made_anew(self, closure: Closure) -> tuple[Any, Given] | None:
        """Return the Python function that a closure is, with what stands for its captured values."""
        captured = dict(zip(self.captures, closure.env.values, strict=True))
        given: Given = {}
        cells = []
        for name, variable in self.nested.variables.items():
            if variable is None:
                cells.append((self.outer.__closure__ or ())[self.outer.__code__.co_freevars.index(name)])
                continue
            value = captured.get(variable, closure)  # a closure has no counterpart among data
            try:
                thing = None if holds_procedure(value) else native(value)
            except RunError:  # a list that has been changed since
                return None
            if thing is None and value is not None:
                return None
            thing = thing * 1.0 if type(thing) is float else thing  # an object of its own
            given[id(thing)] = thing, value
            cells.append(CellType(thing))
        code = self.nested.code
        return FunctionType(code, self.outer.__globals__, code.co_name, None, tuple(cells)), given


def holds_procedure(value: Any) -> bool:
    """Return whether a value is or holds a procedure."""
    return any(type(part) is Closure for part in reach(value)[1])


class Functions:
    """The functions that one program uses as values, during one call of it.

    by_lambda: which function each procedure is; AMBIGUOUS where it may be several.
    nested: the functions that the program makes, by their lambdas. close: closes the own program of one that
    was made anew over its inputs; None where it cannot.
    owned: shared by all programs of one call, so that functions may use one another as values.
    """

    __slots__ = ("by_lambda", "close", "nested", "owned")

    def __init__(self, owned: Owned) -> None:
        self.owned = owned
        self.by_lambda: dict[Any, Any] = {}
        self.nested: dict[Any, NestedFunction] = {}
        self.close: Callable[[Callable[..., Any], Given], Closure | None] = lambda f, given: None

    def __repr__(self) -> str:
        return "functions"

    def add(self, value: Any, function: Any) -> None:
        """Note which function a value is that was made for this call."""
        lam = _lambda_of(value)
        if lam is not None:
            is_other = self.by_lambda.get(lam, function) is not function
            self.by_lambda[lam] = AMBIGUOUS if is_other else function

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
        """Return what OwnPrograms.entered says."""
        lam = _lambda_of(f)
        if lam in self.nested or lam is None:
            made = self.nested[lam].made_anew(f) if lam in self.nested else _object_of(f)
            own = None if made is None else self.close(*made)
            return None if own is None else (own, Record(TUPLE, (x,)))
        function = self.by_lambda.get(lam, AMBIGUOUS)
        if function is AMBIGUOUS:
            return None
        if isinstance(function, Procedure):
            return f, x
        if _is_resume(function):
            return RESUME, x
        found = self.owned[id(function)][1]
        if isinstance(found, SourceError):
            raise found
        return found, Record(TUPLE, (x,))


class _Ambiguous:
    """The type of AMBIGUOUS."""


AMBIGUOUS = _Ambiguous()


def _object_of(f: Any) -> tuple[Any, Given] | None:
    """Return the Python object that a value with `__call__` is, with what it stands for."""
    if type(f) not in WITH_ATTRIBUTES or holds_procedure(f):
        return None
    if not any("__call__" in vars(base) for base in f.layout.cls.__mro__):
        return None
    thing = native(f)
    return thing, {id(thing): (thing, f)}


def _is_resume(function: Any) -> bool:
    return getattr(function, "__name__", "") == "resume" and COUNTERPARTS.get(function) == "resume"


def _lambda_of(value: Any) -> Any:
    """Return the lambda of a procedure, or that of the first procedure of a record of several."""
    if type(value) is Record and value.layout.cls is Overloads:
        value = value.items[0]
    return value.lam if type(value) is Closure else None
