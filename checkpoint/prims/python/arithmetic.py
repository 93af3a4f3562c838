"""Arithmetic and comparison of Python programs.

Each operation has two records: a Scalar for reals (and reals beside integers), made of a definition of
checkpoint.scalars, and NAME + "/any" for all other operands: integers and booleans, which are exact, strings,
sequences, and operands that Python refuses.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Dict, List
from checkpoint.ad.record import Purity, Rearrange, Scalar, lookup, register
from checkpoint.ad.storage import Now
from checkpoint.ad.tables import NATIVES, Table
from checkpoint.prims.python import updates
from checkpoint.prims.python.comparison import equal, ordered
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    PLAIN,
    WHOLE,
    Implements,
    by_python,
    check_own,
    is_tuple,
    list_of,
    plain_result,
    python_result,
    rearrange,
    refuse,
    tuple_of,
    update,
)
from checkpoint.prims.scalars import record_of
from checkpoint.scalars import arithmetic, piecewise, powers, predicates
from checkpoint.scalars.definition import Definition, definitions

Function = Callable[..., Any]


def scalar(
    definition: Definition,
    name: str,
    value: Function,
    otherwise: Function,
    implements: Implements,
    doc: str = "",
) -> Scalar:
    """Register a definition as py.NAME, with `value` on floats and `otherwise` for other operands."""
    doc = doc or definition.doc
    record = record_of(
        definition,
        f"py.{name}",
        purity=Purity.MAY_FAIL,
        value=value,
        implements=implements,
        otherwise=f"py.{name}/any",
        doc=doc,
    )
    if name not in ("iadd", "imul"):
        rearrange(f"{name}/any", definition.arity, f"{doc}, of what is no real", otherwise)
    return register(record)


# Operands other than reals


def _plainly(function: Function, otherwise: Function) -> Function:
    """Return the function of Python's own objects, which calls `otherwise(now, *operands)` for others."""

    def value(now: Now, *operands: Any) -> Any:
        for operand in operands:
            if type(operand) not in PLAIN:
                return otherwise(now, *operands)
        result = function(*operands)
        return result * 1.0 if type(result) is float else result

    return value


def in_python(function: Function) -> Function:
    """Return the function that Python itself computes, whatever the operands are."""
    return _plainly(function, lambda now, *operands: plain_result(now, function, *operands))


def _add(now: Now, x: Any, y: Any) -> Any:
    if type(x) is List and type(y) is List:
        return list_of(now, [*x.items, *y.items])
    if is_tuple(x) and is_tuple(y):
        return tuple_of(x.items + y.items)
    return refuse(now, operator.add, x, y)


def _multiply(now: Now, x: Any, y: Any) -> Any:
    if type(x) in WHOLE:
        x, y = y, x
        turned = True
    else:
        turned = False
    if type(y) in WHOLE and type(x) is List:
        return list_of(now, x.items * y)
    if type(y) in WHOLE and is_tuple(x):
        return tuple_of(x.items * y)
    return refuse(now, operator.mul, y, x) if turned else refuse(now, operator.mul, x, y)


def _or(now: Now, x: Any, y: Any) -> Any:
    if type(x) is Dict and type(y) is Dict:
        return updates.dict_of(now, {**x.items, **y.items})
    if all(each is None or (type(each) is Native and isinstance(each.value, _UNITED)) for each in (x, y)):
        return Native(python_result(now, operator.or_, x, y))
    return refuse(now, operator.or_, x, y)


_UNITED = (type, types.UnionType, types.GenericAlias)  # whose union is what isinstance takes


# Reals


scalar(arithmetic.add, "add", operator.add, _plainly(operator.add, _add), (operator.add,))
scalar(arithmetic.subtract, "sub", operator.sub, in_python(operator.sub), (operator.sub,))
scalar(arithmetic.multiply, "mul", operator.mul, _plainly(operator.mul, _multiply), (operator.mul,))
scalar(arithmetic.divide, "truediv", operator.truediv, in_python(operator.truediv), (operator.truediv,))
scalar(piecewise.float_modulo, "mod", operator.mod, in_python(operator.mod), (operator.mod,))
scalar(
    piecewise.floor_divide,
    "floordiv",
    operator.floordiv,
    in_python(operator.floordiv),
    (operator.floordiv,),
)
scalar(powers.float_power, "pow", powers.float_power.value, in_python(operator.pow), (operator.pow, pow))
scalar(arithmetic.negate, "neg", operator.neg, in_python(operator.neg), (operator.neg,))
scalar(
    arithmetic.real,
    "pos",
    lambda x: x * 1.0,
    in_python(operator.pos),
    (operator.pos,),
    doc="the number itself",
)
scalar(piecewise.absolute, "abs", abs, in_python(abs), (abs, operator.abs))
scalar(arithmetic.real, "float", lambda x: x * 1.0, in_python(float), (float,), doc="a real")

_IADD, _IMUL = (operator.iadd,), (operator.imul,)
scalar(arithmetic.add, "iadd", operator.add, operator.iadd, _IADD, doc="sum, in place")
scalar(arithmetic.multiply, "imul", operator.mul, operator.imul, _IMUL, doc="product, in place")


def _also_in_place(of: str, function: Function) -> None:
    """Register an operation in place that differs from another only in its name in Python's errors."""
    like = lookup(f"py.{of}")
    if isinstance(like, Scalar):
        definition = next(d for d in definitions().values() if like.name in (*d.exact, *d.beside))
        doc = f"{like.doc}, in place"
        scalar(definition, f"i{of}", like.value, _by_python_in_place(function), (function,), doc)
    else:
        assert isinstance(like, Rearrange)
        value = _by_python_in_place(function)
        rearrange(f"i{of}", like.arity, f"{like.doc}, in place", value, (function,), discrete=like.discrete)


def _by_python_in_place(function: Function) -> Function:
    """Return the operation that Python computes; what it would change in place is refused."""
    computed = in_python(function)

    def value(now: Now, x: Any, y: Any) -> Any:
        if type(x) in NATIVES and hasattr(type(x.value), "__setitem__"):
            check_own(x)
        return computed(now, x, y)

    return value


def _ior(now: Now, x: Any, y: Any) -> Any:
    return updates.merge(now, x, y) if type(x) is Dict else _OR_IN_PLACE(now, x, y)


def _ior_writes(now: Now, x: Any, y: Any) -> Any:
    return updates.merge_writes(now, x, y) if type(x) is Dict else None


_OR_IN_PLACE = _plainly(operator.ior, lambda now, x, y: refuse(now, operator.ior, x, y))
update("ior", 2, "x | y, of dictionaries too, in place", _ior, _ior_writes)


def _iadd(now: Now, x: Any, y: Any) -> Any:
    if type(x) is List:
        return updates.extend(now, x, y)
    return _in_place(now, _ADD_ANY, operator.iadd, x, y)


def _in_place(now: Now, apart: Function, function: Function, x: Any, y: Any) -> Any:
    """Return what the operation that is not in place gives; fail with the error of the one that is."""
    try:
        return apart(now, x, y)
    except TypeError:
        return refuse(now, function, x, y)


def _iadd_writes(now: Now, x: Any, y: Any) -> Any:
    return updates.extend_writes(now, x, y) if type(x) is List else None


def _imul(now: Now, x: Any, y: Any) -> Any:
    if type(x) is List and type(y) in WHOLE:
        return updates.rearranged(now, x, x.items * y)
    return _in_place(now, _MULTIPLY_ANY, operator.imul, x, y)


_ADD_ANY = _plainly(operator.add, _add)
_MULTIPLY_ANY = _plainly(operator.mul, _multiply)
update("iadd/any", 2, "x += y of what is no real: x, y", _iadd, _iadd_writes)
update("imul/any", 2, "x *= y of what is no real: x, y", _imul, None)


# Comparisons


def _compared(function: Function) -> Function:
    return _plainly(function, lambda now, x, y: ordered(now, function, x, y))


def _has_elements(x: Any) -> bool:
    shape = getattr(x.value, "shape", ()) if type(x) is Native else ()
    return type(x) is Table or (isinstance(shape, tuple) and bool(shape))  # numpy.shape is a function


def _by_elements(function: Function, otherwise: Function) -> Function:
    """Return a comparison of values as one that compares tables, and arrays of texts, by elements."""

    def value(now: Now, x: Any, y: Any) -> Any:
        if _has_elements(x) or _has_elements(y):
            return refuse(now, function, x, y)
        return otherwise(now, x, y)

    return value


for _definition, _name, _function, _otherwise in (
    (predicates.less, "lt", operator.lt, _compared(operator.lt)),
    (predicates.not_greater, "le", operator.le, _compared(operator.le)),
    (predicates.greater, "gt", operator.gt, _compared(operator.gt)),
    (predicates.not_less, "ge", operator.ge, _compared(operator.ge)),
    (predicates.equal, "eq", operator.eq, equal),
    (predicates.unequal, "ne", operator.ne, lambda now, x, y: not equal(now, x, y)),
):
    scalar(_definition, _name, _function, _by_elements(_function, _otherwise), (_function,))


# Integers

rearrange("matmul", 2, "x @ y", in_python(operator.matmul), (operator.matmul,))
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
    """Return int(x) or int(x, base)."""
    return python_result(now, int, *operands)


rearrange("int", ANY_NUMBER, "int(x) or int(x, base)", integer, (int,))

for _of, _function in (
    ("sub", operator.isub),
    ("truediv", operator.itruediv),
    ("floordiv", operator.ifloordiv),
    ("mod", operator.imod),
    ("pow", operator.ipow),
    ("matmul", operator.imatmul),
    ("and", operator.iand),
    ("xor", operator.ixor),
    ("lshift", operator.ilshift),
    ("rshift", operator.irshift),
):
    _also_in_place(_of, _function)
