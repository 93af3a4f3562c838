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
from checkpoint.ad.containers import FROZEN
from checkpoint.ad.values import Capsule, Closure, Opaque, Pair, Symbol, list_value
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
    results: list[Any] = []
    pending: list[tuple[Any, bool]] = [(value, False)]
    while pending:
        item, visited = pending.pop()
        if isinstance(item, list | tuple) and not visited:
            if isinstance(item, tuple) and len(item) != 2:
                raise RunError(f"a tuple of {len(item)} is no pair: write a list, or nest tuples of two")
            pending.append((item, True))
            pending.extend((part, False) for part in reversed(item))
        elif visited:
            parts = results[len(results) - len(item) :]
            del results[len(results) - len(item) :]
            results.append(list_value(parts) if isinstance(item, list) else Pair(*parts))
        else:
            results.append(_atom(item, engine))
    return results[0]


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
    results: list[Any] = []
    pending: list[tuple[str, Any]] = [("value", value)]
    while pending:
        what, item = pending.pop()
        if what == "list":
            parts = results[len(results) - item :]
            del results[len(results) - item :]
            results.append(parts)
        elif what == "pair":
            cdr = results.pop()
            results.append((results.pop(), cdr))
        elif type(item) is Pair:
            pending.extend(_plan(item))
        elif item is None:
            results.append([])
        elif type(item) in ARRAYS:
            results.append(item.data)
        elif type(item) is Closure and program is not None:
            results.append(Procedure(item, program))
        else:
            results.append(item)
    return results[0]


def _plan(pair: Pair) -> list[tuple[str, Any]]:
    """What to convert for a pair, last first: a whole proper list at once, or car and cdr."""
    items = []
    rest: Any = pair
    while type(rest) is Pair:
        items.append(rest.car)
        rest = rest.cdr
    if rest is None:
        return [("list", len(items)), *(("value", item) for item in reversed(items))]
    plan: list[tuple[str, Any]] = [("pair", None)] * len(items)
    return [*plan, ("value", rest), *(("value", item) for item in reversed(items))]


def cotangent_to_python(x: Any, cotangent: Any) -> Any:
    """The cotangent of a Python argument, in its structure, with None where there is nothing."""
    results: list[Any] = []
    pending: list[tuple[Any, Any, bool]] = [(x, cotangent, False)]
    while pending:
        item, other, visited = pending.pop()
        if visited:
            parts = results[len(results) - len(item) :]
            del results[len(results) - len(item) :]
            results.append(type(item)(parts))
        elif isinstance(item, list | tuple):
            pending.append((item, None, True))
            parts = _elements(other, len(item)) if isinstance(item, list) else [other.car, other.cdr]
            pending.extend((a, b, False) for a, b in zip(reversed(item), reversed(parts), strict=True))
        else:
            results.append(other.data if type(other) in ARRAYS else other)
    return results[0]


def _elements(cotangent: Any, length: int) -> list[Any]:
    items = []
    for _ in range(length):
        items.append(cotangent.car)
        cotangent = cotangent.cdr
    return items
