"""Arithmetic and comparison of Python programs.

Each operation is two records: a Scalar for reals (and reals beside integers), and NAME + "/any" for all
other operands: integers and booleans exactly, strings, sequences, and what Python refuses.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable
from typing import Any

from checkpoint.ad.containers import Dict, List, Now, current
from checkpoint.ad.numbers import Number, real_part
from checkpoint.ad.record import PYTHON_FAILURES, Purity, Rearrange, Scalar, lookup, register
from checkpoint.prims import scalars as s
from checkpoint.prims.python import updates
from checkpoint.prims.python.comparison import equal, ordered
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    PLAIN,
    WHOLE,
    Implements,
    asked,
    by_python,
    computed,
    is_tuple,
    list_of,
    rearrange,
    refused,
    tuple_of,
    update,
)

Function = Callable[..., Any]
COMPLEX = (
    "a negative number to a fractional power is complex, which is not supported; write abs(x) ** y, or for "
    "cube roots math.cbrt(x)"
)


def scalar(
    like: Scalar,
    name: str,
    value: Function,
    otherwise: Function,
    implements: Implements,
    **changes: Any,
) -> Scalar:
    """A record like another but for its value on floats, and `otherwise` for other operands."""
    record = dataclasses.replace(
        like,
        name=f"py.{name}",
        purity=Purity.MAY_FAIL,
        value=value,
        failures=PYTHON_FAILURES,
        implements=implements,
        otherwise=f"py.{name}/any",
        **changes,
    )
    if name not in ("iadd", "imul"):
        rearrange(f"{name}/any", like.arity, f"{like.doc}, of what is no real", otherwise)
    return register(record)


# What is no real


def _plainly(function: Function, otherwise: Function) -> Function:
    """The function on Python's own objects; `otherwise(now, *operands)` where one is none."""

    def value(now: Now, *operands: Any) -> Any:
        for operand in operands:
            if type(operand) not in PLAIN:
                return otherwise(now, *operands)
        result = function(*operands)
        return result * 1.0 if type(result) is float else result

    return value


def asking(function: Function) -> Function:
    """The function by Python itself, on whatever the operands are."""
    return _plainly(function, lambda now, *operands: computed(now, function, *operands))


def _add(now: Now, x: Any, y: Any) -> Any:
    if type(x) is List and type(y) is List:
        return list_of(now, [*current(now, x), *current(now, y)])
    if is_tuple(x) and is_tuple(y):
        return tuple_of(x.items + y.items)
    return refused(now, operator.add, x, y)


def _multiply(now: Now, x: Any, y: Any) -> Any:
    if type(x) in WHOLE:
        x, y = y, x
        turned = True
    else:
        turned = False
    if type(y) in WHOLE and type(x) is List:
        return list_of(now, current(now, x) * y)
    if type(y) in WHOLE and is_tuple(x):
        return tuple_of(x.items * y)
    return refused(now, operator.mul, y, x) if turned else refused(now, operator.mul, x, y)


def _or(now: Now, x: Any, y: Any) -> Any:
    if type(x) is Dict and type(y) is Dict:
        return updates.dict_of(now, {**current(now, x), **current(now, y)})
    return refused(now, operator.or_, x, y)


# Reals


def _floor_divide(x: float, y: float) -> float:
    if y != 0.0:
        return x // y
    return s.DIVIDE.ieee(x, y)  # type: ignore[no-any-return]


def _power(x: float, y: float) -> float:
    result = x**y
    if type(result) is complex:
        raise ValueError(COMPLEX)
    return result  # type: ignore[no-any-return]


def whole(quotient: float) -> float:
    """The nearest whole number, as a real."""
    return float(round(quotient)) if math.isfinite(quotient) else quotient


def multiples(x: Number, y: Number, z: Number) -> Number:
    """The derivative by y of x - n y: minus the whole number n that left z."""
    return -whole(s.DIVIDE.ieee(real_part(x) - real_part(z), real_part(y)))


_ANY_NONZERO = (s.ANY, s.NONZERO)

ADD = scalar(s.ADD, "add", operator.add, _plainly(operator.add, _add), (operator.add,))
scalar(s.SUBTRACT, "sub", operator.sub, asking(operator.sub), (operator.sub,))
MULTIPLY = scalar(s.MULTIPLY, "mul", operator.mul, _plainly(operator.mul, _multiply), (operator.mul,))
scalar(s.DIVIDE, "truediv", operator.truediv, asking(operator.truediv), (operator.truediv,))
scalar(
    s.MODULO,
    "mod",
    operator.mod,
    asking(operator.mod),
    (operator.mod,),
    partials=(s.ONE, multiples),
    needs=((), (0, 1, 2)),
    inline=("{0} % {1}",),
)
scalar(
    s.MODULO,
    "floordiv",
    operator.floordiv,
    asking(operator.floordiv),
    (operator.floordiv,),
    doc="floored quotient",
    ieee=_floor_divide,
    partials=(s.ZERO, s.ZERO),
    needs=((), ()),
    inline=("{0} // {1}", "0.0", "0.0"),
    convention="0 also where it jumps",
)
scalar(s.POWER, "pow", _power, asking(operator.pow), (operator.pow, pow), inline=None)
scalar(s.NEGATE, "neg", operator.neg, asking(operator.neg), (operator.neg,))
scalar(s.REAL, "pos", lambda x: x * 1.0, asking(operator.pos), (operator.pos,), doc="the number itself")
scalar(
    s.ABS,
    "abs",
    abs,
    asking(abs),
    (abs, operator.abs),
    needs=((0,),),
    inline=("abs({0})", "(-1.0 if {0} < 0.0 else 1.0)"),
)
scalar(s.REAL, "float", lambda x: x * 1.0, asking(float), (float,), doc="a real")

_IADD, _IMUL = (operator.iadd,), (operator.imul,)
scalar(s.ADD, "iadd", operator.add, operator.iadd, _IADD, doc="sum, in place")
scalar(s.MULTIPLY, "imul", operator.mul, operator.imul, _IMUL, doc="product, in place")


def _also_in_place(of: str, function: Function) -> None:
    """Register the operation in place that is like another but for what Python's errors call it."""
    like = lookup(f"py.{of}")
    if isinstance(like, Scalar):
        changes = {"inline": like.inline, "doc": f"{like.doc}, in place"}
        scalar(like, f"i{of}", like.value, asking(function), (function,), **changes)
    else:
        assert isinstance(like, Rearrange)
        rearrange(f"i{of}", like.arity, f"{like.doc}, in place", like.value, (function,), tells=like.tells)


def _iadd(now: Now, step: int, x: Any, y: Any) -> Any:
    if type(x) is List:
        return updates.extend(now, step, x, y)
    return _in_place(now, _ADD_ANY, operator.iadd, x, y)


def _in_place(now: Now, apart: Function, function: Function, x: Any, y: Any) -> Any:
    """What the operation gives that is not in place; where it fails, the error of the one that is."""
    try:
        return apart(now, x, y)
    except TypeError:
        return refused(now, function, x, y)


def _iadd_writes(now: Now, x: Any, y: Any) -> Any:
    return updates.extend_writes(now, x, y) if type(x) is List else None


def _imul(now: Now, step: int, x: Any, y: Any) -> Any:
    if type(x) is List and type(y) in WHOLE:
        return updates.rebuilt(now, step, x, updates.changeable(now, x) * y)
    return _in_place(now, _MULTIPLY_ANY, operator.imul, x, y)


_ADD_ANY = _plainly(operator.add, _add)
_MULTIPLY_ANY = _plainly(operator.mul, _multiply)
update("iadd/any", 2, "x += y of what is no real: x, y", _iadd, _iadd_writes)
update("imul/any", 2, "x *= y of what is no real: x, y", _imul, None)


# Comparisons


def _compared(function: Function) -> Function:
    return _plainly(function, lambda now, x, y: ordered(now, function, x, y))


for _name, _like, _function in (
    ("lt", "<", operator.lt),
    ("le", "<=", operator.le),
    ("gt", ">", operator.gt),
    ("ge", ">=", operator.ge),
    ("eq", "==", operator.eq),
    ("ne", "!=", operator.ne),
):
    scalar(
        Scalar(
            name=_name,
            arity=2,
            purity=Purity.MAY_FAIL,
            doc=f"x {_like} y",
            value=_function,
            ieee=_function,
            partials=None,
            domain=(s.ANY, s.ANY),
            inline=(f"{{0}} {_like} {{1}}",),
        ),
        _name,
        _function,
        {
            "eq": equal,
            "ne": lambda now, x, y: not equal(now, x, y),
        }.get(_name)
        or _compared(_function),
        (_function,),
    )


# Integers

rearrange("matmul", 2, "x @ y", asking(operator.matmul), (operator.matmul,))
by_python("and", 2, "x & y", operator.and_)
by_python("xor", 2, "x ^ y", operator.xor)
by_python("invert", 1, "~x", operator.invert, (operator.invert, operator.inv))
by_python("lshift", 2, "x << y", operator.lshift)
by_python("rshift", 2, "x >> y", operator.rshift)
rearrange("or", 2, "x | y, of dictionaries too", _plainly(operator.or_, _or), (operator.or_,))
by_python(
    "index",
    1,
    "an integer, as an index",
    operator.index,
    inline="({0} if type({0}) is int else {p}(m, {0}))",
)
by_python("power-modulo", 3, "pow(x, y, m)", pow)
by_python("round", ANY_NUMBER, "round(x) or round(x, n)", round)
by_python("divmod-check", 2, "None, or what divmod(x, y) raises", lambda x, y: divmod(x, y) and None, ())


def integer(now: Now, *operands: Any) -> Any:
    """int(x) or int(x, base)."""
    return asked(now, int, *operands)


rearrange("int", ANY_NUMBER, "int(x) or int(x, base)", integer, (int,))

for _of, _function in (
    ("sub", operator.isub),
    ("truediv", operator.itruediv),
    ("floordiv", operator.ifloordiv),
    ("mod", operator.imod),
    ("pow", operator.ipow),
    ("matmul", operator.imatmul),
    ("and", operator.iand),
    ("or", operator.ior),
    ("xor", operator.ixor),
    ("lshift", operator.ilshift),
    ("rshift", operator.irshift),
):
    _also_in_place(_of, _function)
