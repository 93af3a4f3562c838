"""Roots, exponentials, logarithms and powers."""

from __future__ import annotations

import math
from typing import Any

from checkpoint.scalars.algebra import Expr, compared, is_number, is_zero, where, word
from checkpoint.scalars.arithmetic import divide
from checkpoint.scalars.definition import ANY, INF, NAN, POSITIVE, Arrays, Definition, define
from checkpoint.scalars.ieee import MATH_1, MATH_2, quotient, square, total

_ARRAYS = (-2.0, 2.0)
_ABOVE = (0.2, 3.0)
_LOG_2, _LOG_10 = math.log(2.0), math.log(10.0)

# Roots

sqrt = define(
    "sqrt",
    "square root",
    lambda x, z: quotient(0.5, z),
    value=math.sqrt,
    ieee=total(math.sqrt),
    c="__builtin_sqrt(x)",
    fails=MATH_1,
    python=(math.sqrt,),
    singular=True,
    domain=(POSITIVE,),
    arrays=Arrays(name="np.sqrt", domain=(_ABOVE,)),
)
cbrt = define(
    "cbrt",
    "cube root",
    lambda x, z: quotient(1.0 / 3.0, square(z)),
    value=math.cbrt,
    ieee=total(math.cbrt),
    c="cbrt(x)",
    fails=MATH_1,
    language="",
    python=(math.cbrt,),
    singular=True,
    domain=(POSITIVE,),
    arrays=Arrays(name="np.cbrt", domain=(_ABOVE,)),
)

# Exponentials

exp = define(
    "exp",
    "exponential",
    lambda x, z: z,
    value=math.exp,
    ieee=total(math.exp, INF),
    c="exp(x)",
    fails=MATH_1,
    python=(math.exp,),
    arrays=Arrays(name="np.exp", domain=(_ARRAYS,)),
)
exp2 = define(
    "exp2",
    "2 to the power of x",
    lambda x, z: _LOG_2 * z,
    value=math.exp2,
    ieee=total(math.exp2, INF),
    c="exp2(x)",
    fails=MATH_1,
    language="",
    python=(math.exp2,),
    arrays=Arrays(name="np.exp2", domain=(_ARRAYS,)),
)
expm1 = define(
    "expm1",
    "exp(x) - 1, exact near 0",
    lambda x, z: exp(x),
    value=math.expm1,
    ieee=total(math.expm1, INF),
    c="expm1(x)",
    fails=MATH_1,
    language="",
    python=(math.expm1,),
    arrays=Arrays(name="np.expm1", domain=(_ARRAYS,)),
)

# Logarithms. On scalars they fail where a partial would be infinite; arrays have infinities there.


def _ieee_log(x: float) -> float:
    return math.log(x) if x > 0.0 else (-INF if x == 0.0 else NAN)


def _at_zero(x: float) -> float:
    return -INF if x == 0.0 else NAN


def _log_base(x: float, base: float) -> float:
    return float(divide.ieee(_ieee_log(x), _ieee_log(base)))


log = define(
    "log",
    "natural logarithm",
    lambda x, z: quotient(1.0, x),
    value=math.log,
    ieee=_ieee_log,
    c="log(x)",
    fails=MATH_1,
    python=(math.log,),
    domain=(POSITIVE,),
    arrays=Arrays(name="np.log", singular=True, domain=(_ABOVE,)),
)
log2 = define(
    "log2",
    "logarithm to the base 2",
    lambda x, z: quotient(1.0 / _LOG_2, x),
    value=math.log2,
    ieee=total(math.log2, _at_zero),
    c="log2(x)",
    fails=MATH_1,
    language="",
    python=(math.log2,),
    domain=(POSITIVE,),
    arrays=Arrays(name="np.log2", singular=True, domain=(_ABOVE,)),
)
log10 = define(
    "log10",
    "logarithm to the base 10",
    lambda x, z: quotient(1.0 / _LOG_10, x),
    value=math.log10,
    ieee=total(math.log10, _at_zero),
    c="log10(x)",
    fails=MATH_1,
    language="",
    python=(math.log10,),
    domain=(POSITIVE,),
    arrays=Arrays(name="np.log10", singular=True, domain=(_ABOVE,)),
)
log1p = define(
    "log1p",
    "log(1 + x), exact near 0",
    lambda x, z: quotient(1.0, 1.0 + x),
    value=math.log1p,
    ieee=total(math.log1p, lambda x: -INF if x == -1.0 else NAN),
    c="log1p(x)",
    fails=MATH_1,
    language="",
    python=(math.log1p,),
    domain=((-0.5, 3.0),),
    arrays=Arrays(name="np.log1p", singular=True, domain=((-0.9, 0.9),)),
)
log_base = define(
    "log_base",
    "logarithm to a base",
    lambda x, base, z: 1.0 / (x * log(base)),
    lambda x, base, z: -(z / (base * log(base))),
    value=math.log,
    ieee=total(math.log, _log_base),
    c="log(x) / log(y)",
    fails="refused_1(x, log(x)) || refused_1(y, log(y)) || log(y) == 0.0",
    language="",
    python=(math.log,),
    primitive="py.math.log_base",
    domain=(POSITIVE, (1.5, 4.0)),
)

# Powers

# On arrays: Python's x ** y, which knows some exponents.
raised = word("raised", "py.pow/array")


def _ieee_power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if x < 0.0 and math.fmod(y, 2.0) in (1.0, -1.0) else INF
    except ValueError:
        return INF if x == 0.0 else NAN


def _by_base(x: Expr, y: Expr, z: Expr) -> Expr:
    return where(is_zero(y), 0.0, y * power(x, y - 1.0))


def _by_exponent(x: Expr, y: Expr, z: Expr) -> Expr:
    return where(is_zero(x) & (y > 0.0), 0.0, z * log(x))


def _array_by_base(x: Expr, y: Expr, z: Expr) -> Expr:
    """An exponent that is one number is as on scalars; an element of an array is 0 only where its base is."""
    elsewhere = y * power(x, where(is_zero(x) & is_zero(y), 1.0, y - 1.0))
    by_number = y * where(compared("==", y, 2.0), x, raised(x, y - 1))
    return where(is_number(y), where(is_zero(y), 0.0, by_number), elsewhere)


def _array_by_exponent(x: Expr, y: Expr, z: Expr) -> Any:
    return z * log(where(is_zero(x) & (y > 0.0), 1.0, x))


def _power_arrays(name: str) -> Arrays:
    return Arrays(
        name=name,
        partials=(_array_by_base, _array_by_exponent),
        singular=True,
        convention="0 by a positive exponent where the base is 0; 0 by the base where the exponent is",
        shape="both operands broadcast together",
        complete=False,
    )


def _power(name: str, **fields: object) -> Definition:
    facts: dict[str, object] = {
        "ieee": _ieee_power,
        "fails": MATH_2,
        "singular": True,
        "domain": (POSITIVE, ANY),
        "convention": "by the exponent 0 at a base of 0 and a positive exponent; "
        "by the base 0 at an exponent of 0",
    }
    return define(name, "power", _by_base, _by_exponent, **{**facts, **fields})  # type: ignore[arg-type]


power = _power(
    "power",
    value=lambda x, y: math.pow(x, y) if x != 0.0 or y >= 0.0 else x**y,
    c="power(x, y)",
    language="expt",
    python=(math.pow,),
    arrays=_power_arrays("np.power"),
)

COMPLEX = (
    "a negative number to a fractional power is complex: write complex(x) ** y, or abs(x) ** y, or for "
    "cube roots math.cbrt(x)"
)


def _float_power(x: float, y: float) -> float:
    result = x**y
    if type(result) is complex:
        raise ValueError(COMPLEX)
    return result  # type: ignore[no-any-return]


float_power = _power(
    "float_power",
    value=_float_power,
    c="float_power(x, y)",
    language="",
    beside=("py.pow", "py.ipow"),
    python=(),
    arrays=_power_arrays("np.float_power"),
)
