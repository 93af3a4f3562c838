"""The registry of operators of ONNX graphs: which function computes a node.

tensorlib.onnx registers them here when a file is read; checkpoint.lang.onnx writes their calls. A function is
either one that programs know (np.add) or one written in Python, which is translated like a user's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar

from checkpoint.ad.library import implementation, translated_as
from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError

F = TypeVar("F", bound=Callable[..., Any])

NEWEST = 10**6  # a version of the operator set that no file has


@dataclass(frozen=True)
class Operator:
    """Says how the nodes of one operator are computed, in some versions of the operator set.

    name: as ONNX has it; `domain.name` outside of ONNX's own domain. function: of the inputs, with the
    attributes as keywords. since, until: the first and the last version. structural: the inputs that decide
    shapes: they are passed as numbers and lists of numbers. shows_shape: whether the result is integers on
    the host, wherever the operand is.
    """

    name: str
    function: Callable[..., Any]
    since: int
    until: int
    structural: frozenset[str]
    shows_shape: bool

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        if not isinstance(self.function, FunctionType):  # a ufunc
            names = [f"x{i}" for i in range(self.function.nin)]  # type: ignore[attr-defined]
            return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
        return list(inspect.signature(self.function).parameters.values())

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of the inputs; that of a variable number of them begins with a star."""
        kinds = inspect.Parameter
        named = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        return tuple(
            p.name if p.kind in named else f"*{p.name}"
            for p in self._parameters
            if p.kind in (*named, kinds.VAR_POSITIONAL)
        )

    @cached_property
    def keywords(self) -> frozenset[str]:
        """Return the attributes that it knows, and `outputs`, where it is told how many a node has."""
        return frozenset(p.name for p in self._parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)

    @property
    def returns_tuple(self) -> bool:
        """Return whether the function takes the number of outputs, and returns so many in a tuple."""
        return "outputs" in self.keywords

    def input_name(self, position: int) -> str:
        """Return the name of an input; "" for one too many."""
        if self.inputs and self.inputs[-1].startswith("*") and position >= len(self.inputs) - 1:
            return self.inputs[-1]
        return self.inputs[position] if position < len(self.inputs) else ""


OPERATORS: dict[str, list[Operator]] = {}  # by name: the versions, which do not overlap


def onnx_operator(
    *names: str,
    since: int = 1,
    until: int = NEWEST,
    structural: tuple[str, ...] = (),
    shows_shape: bool = False,
) -> Callable[[F], F]:
    """Return a decorator that registers the function that computes the nodes of an operator."""

    def registered(function: F) -> F:
        for name in names:
            others = OPERATORS.setdefault(name, [])
            if any(other.since <= until and since <= other.until for other in others):
                raise InternalError(f"the operator {name} is registered twice for one version")
            others.append(Operator(name, function, since, until, frozenset(structural), shows_shape))
        if isinstance(function, FunctionType) and implementation(function) is None:
            translated_as(function, function)
        return function

    return registered


def find(name: str, version: int) -> Operator | None:
    """Return the operator of a name in a version of the operator set; None if there is none."""
    return next((each for each in OPERATORS.get(name, ()) if each.since <= version <= each.until), None)
