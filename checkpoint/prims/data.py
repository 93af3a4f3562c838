"""Primitives that make, take apart and examine data, and those that read and write.

Reals that move into a pair or out of one are copied: a field is a location of its own, and so is what
`car` returns (checkpoint.ad.values).
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from checkpoint.ad.graph import reach
from checkpoint.ad.numbers import fresh, is_real, real_part
from checkpoint.ad.operands import holds_array
from checkpoint.ad.record import Data, Effect, NoReset, OperandError, Purity, register
from checkpoint.ad.values import Closure, Pair, Symbol
from checkpoint.driver.effects import Effects, read_word
from checkpoint.driver.raised import NO_RESET, NO_RESET_HERE
from checkpoint.errors import RunError
from checkpoint.lang.control import RESUMED
from checkpoint.lang.printer import write_value


def _pair(value: Any) -> Pair:
    if type(value) is not Pair:
        raise OperandError("not a pair")
    return value


def _same(x: Any, y: Any) -> bool:
    """Return whether two constants are equal; procedures, pairs and reals have no identity in programs."""
    if type(x) is not type(y):
        return False
    if x is not None and not isinstance(x, (str, bool, int)):
        raise OperandError("only symbols, strings, booleans and () can be compared")
    return bool(x == y)


def _predicate(name: str, doc: str, value: Callable[[Any], bool], inline: str | None = None) -> None:
    register(Data(name=name, arity=1, purity=Purity.PURE, doc=doc, value=value, inline=inline))


register(
    Data(
        name="cons",
        arity=2,
        purity=Purity.PURE,
        doc="a pair",
        value=lambda car, cdr: Pair(fresh(car), fresh(cdr)),
        builds=True,
    )
)
register(
    Data(
        name="car",
        arity=1,
        purity=Purity.MAY_FAIL,
        doc="the first of a pair",
        value=lambda pair: fresh(_pair(pair).car),
        takes=0,
        inline="({0} if type({0}) is Pair else not_a_pair()).car",
    )
)
register(
    Data(
        name="cdr",
        arity=1,
        purity=Purity.MAY_FAIL,
        doc="the second of a pair",
        value=lambda pair: fresh(_pair(pair).cdr),
        takes=1,
        inline="({0} if type({0}) is Pair else not_a_pair()).cdr",
    )
)
register(
    Data(
        name="eq?",
        arity=2,
        purity=Purity.MAY_FAIL,
        doc="whether two symbols, strings, booleans or nulls are the same",
        value=_same,
    )
)
_predicate("null?", "whether it is ()", lambda value: value is None, "{0} is None")
_predicate("boolean?", "whether it is a boolean", lambda value: type(value) is bool, "type({0}) is bool")
_predicate("real?", "whether it is a real", is_real)
_predicate("tensor?", "whether it is a tensor", lambda value: holds_array((value,)))
_predicate("pair?", "whether it is a pair", lambda value: type(value) is Pair, "type({0}) is Pair")
_predicate("procedure?", "whether it is a procedure", lambda value: type(value) is Closure)
_predicate("symbol?", "whether it is a symbol", lambda value: type(value) is Symbol)
_predicate("string?", "whether it is a string", lambda value: type(value) is str)


def _no_reset(where: Any) -> Any:
    raise NoReset(NO_RESET_HERE)


register(
    Data(
        name=NO_RESET,
        arity=1,
        purity=Purity.MAY_FAIL,
        doc="the end of a shift that what runs as a whole has no reset for: its name",
        value=_no_reset,
    )
)


def _is_builtin(function: Closure) -> bool:
    return isinstance(function.lam.stands_for, type | BuiltinFunctionType)


def _resumed(value: Any) -> None:
    for part in reach(value)[1]:
        if type(part) is Closure and not (part.lam.may_shift or part.lam.primitive or _is_builtin(part)):
            name = part.lam.name or "a function"
            raise RunError(
                f"{name} comes from a capsule of a program without shift, and cannot be called here, where "
                "functions may shift: interrupt its function in this program, or let it return data"
            )


register(
    Data(
        name=RESUMED,
        arity=1,
        purity=Purity.MAY_FAIL,
        doc="nothing; an error if what a capsule returned holds procedures that know nothing of shifts",
        value=_resumed,
    )
)


END_OF_INPUT = "end of input"


def no_real(word: str) -> str:
    """Return the message for a word of standard input, in quotation marks, that is no real."""
    return f"{word} on standard input is not a real"


def _read_real(effects: Effects, step: int) -> float:
    word = effects.read(step, read_word, is_input=True)
    if not word:
        raise ValueError(END_OF_INPUT)
    try:
        return float(word)
    except ValueError:
        raise ValueError(no_real(repr(word))) from None


def _write_real(effects: Effects, step: int, value: Any) -> Any:
    if not is_real(value):
        raise OperandError("operand 1 is not a real")
    effects.write(step, write_value(real_part(value)))
    return fresh(value)


def _write(effects: Effects, step: int, value: Any) -> Any:
    effects.write(step, write_value(value))
    return fresh(value)


register(
    Effect(
        name="read-real",
        arity=0,
        purity=Purity.EFFECT,
        doc="the next real on standard input",
        value=_read_real,
        copies=False,
    )
)
register(
    Effect(
        name="write-real",
        arity=1,
        purity=Purity.EFFECT,
        doc="write a real on a line; returns it",
        value=_write_real,
        copies=True,
    )
)
register(
    Effect(
        name="write",
        arity=1,
        purity=Purity.EFFECT,
        doc="write any value on a line; returns it",
        value=_write,
        copies=True,
    )
)
