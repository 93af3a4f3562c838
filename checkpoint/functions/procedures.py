"""Procedures of `.vlad` programs as functions of Python values.

At the boundary of `.vlad` programs:

    Python                     language
    float, int                 real
    bool, str                  boolean, string
    list                       proper list
    tuple of two               pair
    None                       null (of a tangent or cotangent: nothing)
    Procedure, Capsule         procedure, capsule
    array                      tensor (of integers: of reals, as an int is a real)
    list of one                reference     (on the way back only)
    ("inl", value)             (inl value)   likewise; of inr, too

On the way back a proper list is a list, any other pair a tuple of two, null the empty list. Nothing
here recurses along a list, and nothing recurses at all on the way in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from checkpoint import engines
from checkpoint.ad import library
from checkpoint.ad.array_library import as_dtype, dtype_kind, libraries
from checkpoint.ad.arrays import ARRAYS, Memory, entered
from checkpoint.ad.containers import List, Record
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.values import Capsule, Closure, Opaque, Pair, Symbol, list_value
from checkpoint.ad.walk import Branch, fold
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError, an
from checkpoint.functions.interface import Call, Function
from checkpoint.functions.program import Program
from checkpoint.functions.run import Run, checked_capsule
from checkpoint.functions.runs import ValuesCall
from checkpoint.lang.printer import write_value

_KEY_BYTES = 8  # of each of its integers

AS_THEY_ARE = (bool, str, Symbol, Opaque, type(None))


class Procedure(Function):
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

    @property
    def may_shift(self) -> bool:
        """Return whether procedures of its program may shift."""
        return bool(self.closure.lam.may_shift)

    def on(self, engine: Engine, is_open: bool = False) -> Closure:
        """Return the closure, prepared for an engine; is_open: for runs with functions that may shift."""
        own = self.opened() if is_open else self
        engine.prepare(own.program.thunk, own.program.scopes)
        return own.closure

    def opened(self) -> Procedure:
        """Return the procedure as one that knows that procedures of other programs may shift."""
        program, opened = self.program.opened
        return Procedure(opened(self.closure), program)

    def call(
        self,
        positional: Sequence[Any],
        named: Mapping[str, Any],
        engine: str | None,
        names: Sequence[str] = (),
    ) -> Call:
        """Return the call with these arguments; RunError where there is not exactly one."""
        count = len(positional) + len(named)
        if count != 1 or named:
            raise RunError(
                f"a procedure takes 1 argument, not {count}: "
                "write it with a pattern, (lambda ((list a b)) ...), and give it a list, f([a, b])"
            )
        chosen = engines.get(engine)
        x, met = _entered(positional[0], chosen)
        own = self
        if any(each.may_shift for each in (self, *met)) and any(map(self._is_foreign, met)):
            own, (x, _) = self.opened(), _entered(positional[0], chosen, is_open=True)
        run = Run(own.on(chosen), x, chosen)
        return ProcedureCall(run, positional, own.program)

    def _is_foreign(self, other: Procedure | Capsule) -> bool:
        """Return whether a procedure, or what a capsule holds, is of another program."""
        if isinstance(other, Procedure):
            return other.program is not self.program
        lam = None if other.origin is None else other.origin.code.lam
        return lam is None or lam.definitions is not self.closure.lam.definitions

    def __call__(self, x: Any, *more: Any) -> Any:
        return self.call((x, *more), {}, None).value()

    def __repr__(self) -> str:
        return write_value(self.closure)


class ProcedureCall(ValuesCall):
    """A call of a procedure at a Python value. program: where the procedures that leave it belong."""

    __slots__ = ("program",)

    def __init__(self, run: Run, given: Sequence[Any], program: Program | None) -> None:
        super().__init__(run, given)
        self.program = program

    def leave(self, value: Any) -> Any:
        return to_python(super().leave(value), self.program)

    def seed(self, ybar: Any, name: str) -> Callable[[Any], Any]:
        return super().seed(to_language(ybar, self.run.engine), name)

    def tangent(self, part: Any, xtan: Any, name: str) -> Any:
        return super().tangent(part, to_language(xtan, self.run.engine), name)

    def leave_cotangent(self, x: Any, xbar: Any) -> Any:
        return _fold(x, xbar, _plain)

    def leave_tangent(self, y: Any, ytan: Any) -> Any:
        return _fold(y, ytan, _plain)

    def with_leaves(self, x: Any, part: Any, leaves: Sequence[Any]) -> Any:
        rest = iter(leaves)
        return _fold(x, part, lambda leaf: next(rest) if type(leaf) in NUMBERS else None)


def to_language(value: Any, engine: Engine) -> Any:
    """Return the language's value for a Python one; RunError for what has none.

    engine: will run the procedures that the value holds.
    """
    return _entered(value, engine)[0]


def _entered(value: Any, engine: Engine, is_open: bool = False) -> tuple[Any, list[Procedure | Capsule]]:
    """Return the language's value for a Python one, and the procedures and capsules in that.

    is_open: whether procedures of different programs, of which some may shift, meet in the run.
    """
    met: list[Procedure | Capsule] = []

    def opened(item: Any) -> Any:
        if isinstance(item, list):
            return Branch(item, list_value)
        if isinstance(item, tuple):
            if len(item) != 2:
                raise RunError(f"a tuple of {len(item)} is no pair: write a list, or nest tuples of two")
            return Branch(item, lambda parts: Pair(*parts))
        if isinstance(item, Procedure | Capsule):
            met.append(item)
        return _atom(item, engine, is_open)

    return fold(value, opened), met


def _atom(value: Any, engine: Engine, is_open: bool) -> Any:
    if type(value) is Capsule:
        return checked_capsule(value, engine)
    if isinstance(value, AS_THEY_ARE):
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Procedure):
        return value.on(engine, is_open)
    if library.is_of_library(value) and type(value) in libraries:
        array = _with_reals(value)
        return float(array) if isinstance(array, float) else entered(array, Memory(FROZEN))
    raise RunError(f"{an(type(value).__name__)} has no counterpart in the language")


def _with_reals(data: Any) -> Any:
    """Return an array of integers as one of reals; a key of random numbers stays what it is."""
    kind = dtype_kind(data.dtype)
    if kind == "i" or (kind == "u" and data.dtype.itemsize < _KEY_BYTES):
        return as_dtype(data, float)
    return data


def to_python(value: Any, program: Program | None) -> Any:
    """Return the Python value for one of the language; its closures are procedures of `program`."""

    def opened(item: Any) -> Any:
        if type(item) is Pair:
            return _of_pairs(item)
        if type(item) is List:
            return Branch(item.items, list)
        if type(item) is Record:
            return Branch([str(item.items[0]), item.items[1]], tuple)
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


def _fold(x: Any, value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return the structure of a Python value x, with `leaf` of the leaves that its `value` has."""

    def opened(pair: tuple[Any, Any]) -> Any:
        item, other = pair
        if isinstance(item, list | tuple):
            return Branch(list(zip(item, _parts(item, other), strict=True)), type(item))
        return leaf(other)

    return fold((x, value), opened)


def _parts(item: Any, other: Any) -> list[Any]:
    """Return the parts of a (co)tangent that belong to those of a Python list or tuple."""
    if type(other) in (List, Record):
        return list(other.items)
    return _elements(other, len(item)) if isinstance(item, list) else [other.car, other.cdr]


def _plain(leaf: Any) -> Any:
    """Return a leaf of a cotangent as Python's own."""
    return leaf.data if type(leaf) in ARRAYS else leaf


def _elements(cotangent: Any, length: int) -> list[Any]:
    items = []
    for _ in range(length):
        items.append(cotangent.car)
        cotangent = cotangent.cdr
    return items
