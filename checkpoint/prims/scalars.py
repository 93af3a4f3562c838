"""The scalar primitives: reals to a real, or to a boolean.

Values are Python's own, errors included. Partials are written with the generic functions that stand
first in this file: they take floats, duals and nodes alike and never fail, so that derivatives of
derivatives need no further rules. A partial receives all operands and then the result.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from checkpoint.ad.numbers import Number, apply, real_part
from checkpoint.ad.record import Interval, Partial, Purity, Scalar, register

INF, NAN = math.inf, math.nan


def _ieee_divide(x: float, y: float) -> float:
    if y != 0.0:
        return x / y
    if x == 0.0 or math.isnan(x) or math.isnan(y):
        return NAN
    return math.copysign(INF, x) * math.copysign(1.0, y)


def _ieee_power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if x < 0.0 and math.fmod(y, 2.0) in (1.0, -1.0) else INF
    except ValueError:
        return INF if x == 0.0 else NAN


def _or_else(function: Callable[[float], float], otherwise: float) -> Callable[[float], float]:
    """The function with what IEEE has where Python's own fails."""

    def total(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return otherwise

    return total


def _ieee_log(x: float) -> float:
    return math.log(x) if x > 0.0 else (-INF if x == 0.0 else NAN)


def _ieee_modulo(x: float, y: float) -> float:
    return x % y if y != 0.0 else NAN


def _ieee_floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) else x * 1.0


def add(x: Number, y: Number) -> Number:
    return apply(ADD, (x, y), strict=False)


def subtract(x: Number, y: Number) -> Number:
    return apply(SUBTRACT, (x, y), strict=False)


def multiply(x: Number, y: Number) -> Number:
    return apply(MULTIPLY, (x, y), strict=False)


def divide(x: Number, y: Number) -> Number:
    return apply(DIVIDE, (x, y), strict=False)


def negate(x: Number) -> Number:
    return apply(NEGATE, (x,), strict=False)


def power(x: Number, y: Number) -> Number:
    return apply(POWER, (x, y), strict=False)


def log(x: Number) -> Number:
    return apply(LOG, (x,), strict=False)


def sin(x: Number) -> Number:
    return apply(SIN, (x,), strict=False)


def cos(x: Number) -> Number:
    return apply(COS, (x,), strict=False)


def floor(x: Number) -> Number:
    return apply(FLOOR, (x,), strict=False)


def _constant(value: float) -> Partial:
    return lambda *_: value


ONE, ZERO, MINUS_ONE = _constant(1.0), _constant(0.0), _constant(-1.0)
ANY, UNIT = Interval(-3.0, 3.0), Interval(-1.0, 1.0)
POSITIVE, NONZERO = Interval(0.1, 3.0), Interval(0.5, 3.0)


def _smooth(
    name: str,
    doc: str,
    value: Callable[..., float],
    *partials: Partial,
    ieee: Callable[..., float] | None = None,
    domain: tuple[Interval, ...] | None = None,
    singular: bool = False,
    convention: str = "",
    needs: tuple[tuple[int, ...], ...] | None = None,
    inline: tuple[str, ...] | None = None,
) -> Scalar:
    """Register a differentiable function; one that can fail states `ieee`, what it gives instead."""
    return register(
        Scalar(
            name=name,
            arity=len(partials),
            purity=Purity.PURE if ieee is None else Purity.MAY_FAIL,
            doc=doc,
            value=value,
            ieee=value if ieee is None else ieee,
            partials=partials,
            singular=singular,
            convention=convention,
            domain=domain or (ANY,) * len(partials),
            needs=needs,
            inline=inline,
        )
    )


def _predicate(name: str, doc: str, arity: int, value: Callable[..., bool], inline: str) -> Scalar:
    """Register a function to booleans, which has no derivative."""
    return register(
        Scalar(
            name=name,
            arity=arity,
            purity=Purity.PURE,
            doc=doc,
            value=value,
            ieee=value,
            partials=None,
            domain=(ANY,) * arity,
            inline=(inline,),
        )
    )


ADD = _smooth("+", "sum", operator.add, ONE, ONE, needs=((), ()), inline=("{0} + {1}", "1.0", "1.0"))
SUBTRACT = _smooth(
    "-", "difference", operator.sub, ONE, MINUS_ONE, needs=((), ()), inline=("{0} - {1}", "1.0", "-1.0")
)
MULTIPLY = _smooth(
    "*",
    "product",
    operator.mul,
    lambda x, y, z: y,
    lambda x, y, z: x,
    needs=((1,), (0,)),
    inline=("{0} * {1}", "{1}", "{0}"),
)
DIVIDE = _smooth(
    "/",
    "quotient",
    operator.truediv,
    lambda x, y, z: divide(1.0, y),
    lambda x, y, z: negate(divide(z, y)),
    ieee=_ieee_divide,
    domain=(ANY, NONZERO),
    needs=((1,), (1, 2)),
    inline=("{0} / {1}", "(1.0 / {1})", "(-({z} / {1}))"),
)
NEGATE = _smooth("neg", "the negative: (- x)", operator.neg, MINUS_ONE, needs=((),), inline=("-{0}", "-1.0"))
SQRT = _smooth(
    "sqrt",
    "square root",
    math.sqrt,
    lambda x, z: divide(0.5, z),
    ieee=_or_else(math.sqrt, NAN),
    domain=(POSITIVE,),
    singular=True,
    needs=((1,),),
)
EXP = _smooth("exp", "exponential", math.exp, lambda x, z: z, ieee=_or_else(math.exp, INF), needs=((1,),))
LOG = _smooth(
    "log", "natural logarithm", math.log, lambda x, z: divide(1.0, x), ieee=_ieee_log, domain=(POSITIVE,)
)
SIN = _smooth("sin", "sine", math.sin, lambda x, z: cos(x), ieee=_or_else(math.sin, NAN))
COS = _smooth("cos", "cosine", math.cos, lambda x, z: negate(sin(x)), ieee=_or_else(math.cos, NAN))
TAN = _smooth(
    "tan",
    "tangent",
    math.tan,
    lambda x, z: add(1.0, multiply(z, z)),
    needs=((1,),),
    ieee=_or_else(math.tan, NAN),
    domain=(UNIT,),
)
TANH = _smooth(
    "tanh", "hyperbolic tangent", math.tanh, lambda x, z: subtract(1.0, multiply(z, z)), needs=((1,),)
)
ATAN = _smooth("atan", "arc tangent", math.atan, lambda x, z: divide(1.0, add(1.0, multiply(x, x))))


def _norm2(y: Number, x: Number) -> Number:
    return add(multiply(x, x), multiply(y, y))


ATAN2 = _smooth(
    "atan2",
    "the angle of the point (x, y): (atan y x)",
    math.atan2,
    lambda y, x, z: divide(x, _norm2(y, x)),
    lambda y, x, z: negate(divide(y, _norm2(y, x))),
    domain=(NONZERO, NONZERO),
    singular=True,
)


def _power_by_exponent(x: Number, y: Number, z: Number) -> Number:
    base = real_part(x)
    if base == 0.0 and real_part(y) > 0.0:
        return 0.0
    return multiply(z, log(x))


def _power_by_base(x: Number, y: Number, z: Number) -> Number:
    if real_part(y) == 0.0:
        return 0.0
    return multiply(y, power(x, subtract(y, 1.0)))


POWER = _smooth(
    "expt",
    "power",
    lambda x, y: math.pow(x, y) if x != 0.0 or y >= 0.0 else x**y,
    _power_by_base,
    _power_by_exponent,
    ieee=_ieee_power,
    domain=(POSITIVE, ANY),
    singular=True,
    convention="by the exponent 0 at a base of 0 and a positive exponent; by the base 0 at an exponent of 0",
)
FLOOR = _smooth(
    "floor",
    "the greatest whole number not above",
    lambda x: float(math.floor(x)),
    ZERO,
    ieee=_ieee_floor,
    convention="0 also at whole numbers, its derivative from the right",
)
MODULO = _smooth(
    "modulo",
    "the remainder of floored division, with the sign of the divisor",
    operator.mod,
    ONE,
    lambda x, y, z: negate(floor(divide(x, y))),
    ieee=_ieee_modulo,
    domain=(ANY, NONZERO),
    convention="at multiples of the divisor its derivatives from the right",
)
ABS = _smooth(
    "abs",
    "absolute value",
    math.fabs,
    lambda x, z: -1.0 if real_part(x) < 0.0 else 1.0,
    convention="1 at 0, its derivative from the right",
)
MAX = _smooth(
    "max",
    "the greater; the first of equals",
    lambda x, y: max(x, y) * 1.0,
    lambda x, y, z: 0.0 if real_part(y) > real_part(x) else 1.0,
    lambda x, y, z: 1.0 if real_part(y) > real_part(x) else 0.0,
    convention="of equals all goes to the first",
)
MIN = _smooth(
    "min",
    "the lesser; the first of equals",
    lambda x, y: min(x, y) * 1.0,
    lambda x, y, z: 0.0 if real_part(y) < real_part(x) else 1.0,
    lambda x, y, z: 1.0 if real_part(y) < real_part(x) else 0.0,
    convention="of equals all goes to the first",
)
REAL = _smooth("real", "a real, unchanged; of a tensor of one element that real", lambda x: x * 1.0, ONE)
_smooth("sumall", "the sum of all elements of a tensor; of a real that real", lambda x: x * 1.0, ONE)

_predicate("=", "equal", 2, operator.eq, "{0} == {1}")
_predicate("<", "less", 2, operator.lt, "{0} < {1}")
_predicate(">", "greater", 2, operator.gt, "{0} > {1}")
_predicate("<=", "not greater", 2, operator.le, "{0} <= {1}")
_predicate(">=", "not less", 2, operator.ge, "{0} >= {1}")
_predicate("zero?", "equal to 0", 1, lambda x: x == 0.0, "{0} == 0.0")
_predicate("positive?", "greater than 0", 1, lambda x: x > 0.0, "{0} > 0.0")
_predicate("negative?", "less than 0", 1, lambda x: x < 0.0, "{0} < 0.0")
