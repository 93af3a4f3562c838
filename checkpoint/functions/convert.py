"""Procedures as Python callables, and the way between Python's values and those of the language.

At the boundary of `.vlad` programs:

    Python                     language
    float, int                 real
    bool, str                  boolean, string
    list                       proper list
    tuple of two               pair
    None                       null (of a tangent or cotangent: nothing)
    Procedure, Capsule         procedure, capsule
    array                      tensor (of integers: of reals, as an int is a real)

On the way back a proper list is a list, any other pair a tuple of two, null the empty list. Nothing
here recurses along a list, and nothing recurses at all on the way in.
"""

from __future__ import annotations

from typing import Any

from checkpoint import engines
from checkpoint.ad import library
from checkpoint.ad.arrays import ARRAYS, Memory, array_of, backends
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.values import Capsule, Closure, Opaque, Pair, Symbol, list_value
from checkpoint.ad.walk import Branch, fold
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.functions.program import Program
from checkpoint.functions.runs import call_values
from checkpoint.lang.printer import write_value

_KEY_BYTES = 8  # of each of its integers

AS_THEY_ARE = (bool, str, Symbol, Capsule, Opaque, type(None))


class Procedure:
    """A procedure of a `.vlad` program; calling it runs it on the default engine.

    >>> import checkpoint
    >>> square = checkpoint.read("(lambda (x) (* x x))")
    >>> square(3.0)
    9.0
    """

    __slots__ = ("closure", "program")

    def __init__(self, closure: Closure, program: Program) -> None:
        self.closure = closure
        self.program = program

    def on(self, engine: Engine) -> Closure:
        """The closure, prepared for an engine."""
        engine.prepare(self.program.thunk, self.program.scopes)
        return self.closure

    def __call__(self, x: Any, *more: Any) -> Any:
        if more:
            raise RunError(
                f"a procedure takes 1 argument, not {1 + len(more)}: "
                "write it with a pattern, (lambda ((list a b)) ...), and give it a list, f([a, b])"
            )
        engine = engines.get()
        return to_python(call_values(self.on(engine), to_language(x, engine), engine), self.program)

    def __repr__(self) -> str:
        return write_value(self.closure)


def to_language(value: Any, engine: Engine) -> Any:
    """The language's value for a Python one; RunError for what has none.

    engine: will run the procedures that the value holds.
    """

    def opened(item: Any) -> Any:
        if isinstance(item, list):
            return Branch(item, list_value)
        if isinstance(item, tuple):
            if len(item) != 2:
                raise RunError(f"a tuple of {len(item)} is no pair: write a list, or nest tuples of two")
            return Branch(item, lambda parts: Pair(*parts))
        return _atom(item, engine)

    return fold(value, opened)


def _atom(value: Any, engine: Engine) -> Any:
    if type(value) is Capsule and value.engine not in engine.resumes:
        raise RunError(f"the capsule is one of engine {value.engine}: engine {engine.name} cannot resume it")
    if isinstance(value, AS_THEY_ARE):
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Procedure):
        return value.on(engine)
    if library.is_of_library(value) and type(value) in backends:
        array = _with_reals(value)
        return float(array) if isinstance(array, float) else array_of(array, Memory(FROZEN))
    raise RunError(f"a {type(value).__name__} has no counterpart in the language")


def _with_reals(data: Any) -> Any:
    """An array of integers as one of reals; a key of random numbers stays what it is."""
    if data.dtype.kind == "i" or (data.dtype.kind == "u" and data.dtype.itemsize < _KEY_BYTES):
        return data.astype(float)
    return data


def to_python(value: Any, program: Program | None) -> Any:
    """The Python value for one of the language; its closures are procedures of `program`."""

    def opened(item: Any) -> Any:
        if type(item) is Pair:
            return _of_pairs(item)
        if item is None:
            return []
        if type(item) in ARRAYS:
            return item.data
        if type(item) is Closure and program is not None:
            return Procedure(item, program)
        return item

    return fold(value, opened)


def _of_pairs(pair: Pair) -> Branch:
    """Return a branch for a chain of pairs: a list where it is a proper list, else nested tuples of two."""
    parts = []
    rest: Any = pair
    while type(rest) is Pair:
        parts.append(rest.car)
        rest = rest.cdr
    return Branch(parts, list) if rest is None else Branch([*parts, rest], _nested)


def _nested(parts: list[Any]) -> Any:
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = (part, result)
    return result


def cotangent_to_python(x: Any, cotangent: Any) -> Any:
    """The cotangent of a Python argument, in its structure, with None where there is nothing."""

    def opened(pair: tuple[Any, Any]) -> Any:
        item, other = pair
        if isinstance(item, list | tuple):
            parts = _elements(other, len(item)) if isinstance(item, list) else [other.car, other.cdr]
            return Branch(list(zip(item, parts, strict=True)), type(item))
        return other.data if type(other) in ARRAYS else other

    return fold((x, cotangent), opened)


def _elements(cotangent: Any, length: int) -> list[Any]:
    items = []
    for _ in range(length):
        items.append(cotangent.car)
        cotangent = cotangent.cdr
    return items
