"""Functions that are piecewise linear or constant: remainders, extremes, signs, parts of reals."""

from __future__ import annotations

import math
import operator

from checkpoint.scalars.algebra import Expr, has_sign, is_zero, step_function, where, word
from checkpoint.scalars.arithmetic import divide
from checkpoint.scalars.definition import ANY, INF, NAN, NONZERO, Arrays, Integers, define
from checkpoint.scalars.ieee import MATH_2, total

_ARRAYS = (-2.0, 2.0)
_AT_JUMPS = "at multiples of the divisor as between them"
_JUMPS = "0 also where it jumps"
_BETWEEN = ((0.1, 0.9), (1.0, 2.0))  # where no remainder jumps

# Functions that are constant wherever they are continuous, for partials


def _whole(quotient: float) -> float:
    """Return the nearest whole number, as a real."""
    return float(round(quotient)) if math.isfinite(quotient) else quotient


def _power_of_two(exponent: float) -> float:
    """Return 2 to a whole exponent."""
    try:
        return math.ldexp(1.0, round(exponent))
    except (OverflowError, ValueError):
        return INF if exponent > 0.0 else NAN


# Minus the whole number n that left z of x - n y.
_multiples = step_function(
    "multiples", lambda x, y, z: -_whole(divide.ieee(x - z, y)), c="multiples(x, y, r)"
)
_sign = step_function("sign", lambda x: math.copysign(1.0, x), c="__builtin_copysign(1.0, x)")
_power = step_function("power_of_two", _power_of_two, c="power_of_two(x)")
_exponent = step_function("exponent_of", lambda x: float(math.frexp(x)[1]), c="exponent_of(x)")
# The same on arrays, where they are functions of NumPy.
_array_sign = word("array_sign", "np.sign")
_array_quotient = word("floor_quotient", "np.floor_divide")
_array_trunc = word("trunc", "np.trunc")

# Whole numbers and remainders

floor = define(
    "floor",
    "the greatest whole number not above",
    lambda x, z: 0.0,
    value=lambda x: float(math.floor(x)),
    ieee=lambda x: float(math.floor(x)) if math.isfinite(x) else x * 1.0,
    c="whole_below(x)",
    fails="!isfinite(x)",
    python=(),
    convention="0 also at whole numbers, its derivative from the right",
)


def _modulo(x: float, y: float) -> float:
    return x % y if y != 0.0 else NAN


def _floor_divide(x: float, y: float) -> float:
    return x // y if y != 0.0 else float(divide.ieee(x, y))


modulo = define(
    "modulo",
    "the remainder of floored division, with the sign of the divisor",
    lambda x, y, z: 1.0,
    lambda x, y, z: -floor(x / y),
    value=operator.mod,
    ieee=_modulo,
    c="modulo(x, y)",
    fails="y == 0.0",
    python=(),
    domain=(ANY, NONZERO),
    convention="at multiples of the divisor its derivatives from the right",
)
float_modulo = define(
    "float_modulo",
    "the remainder of floored division, with the sign of the divisor",
    lambda x, y, z: 1.0,
    _multiples,
    value=operator.mod,
    ieee=_modulo,
    c="modulo(x, y)",
    fails="y == 0.0",
    integers=Integers(given="y > 0 || y < -1", result="of_integer(floored_rest(x, y))"),
    language="",
    exact=("py.mod", "py.imod"),
    python=(),
    domain=(ANY, NONZERO),
    convention="at multiples of the divisor its derivatives from the right",
    inline="{0} % {1}",
    arrays=Arrays(
        name="np.remainder",
        others=("np.mod",),
        overloads=("py.mod",),
        partials=(lambda x, y, z: 1.0, lambda x, y, z: -_array_quotient(x, y)),
        convention=_AT_JUMPS,
        domain=_BETWEEN,
    ),
)
floor_divide = define(
    "floor_divide",
    "floored quotient",
    lambda x, y, z: 0.0,
    lambda x, y, z: 0.0,
    value=operator.floordiv,
    ieee=_floor_divide,
    c="floor_divide(x, y)",
    fails="y == 0.0",
    integers=Integers(given="y > 0 || y < -1", result="of_integer(floored(x, y))"),
    language="",
    exact=("py.floordiv", "py.ifloordiv"),
    python=(),
    domain=(ANY, NONZERO),
    convention=_JUMPS,
    inline="{0} // {1}",
)
fmod = define(
    "fmod",
    "the remainder with the sign of the dividend",
    lambda x, y, z: 1.0,
    _multiples,
    value=math.fmod,
    ieee=total(math.fmod),
    c="fmod(x, y)",
    fails=MATH_2,
    language="",
    python=(math.fmod,),
    domain=(ANY, NONZERO),
    convention="where it jumps, its derivatives away from 0",
    arrays=Arrays(
        name="np.fmod",
        partials=(lambda x, y, z: 1.0, lambda x, y, z: -_array_trunc(x / y)),
        convention=_AT_JUMPS,
        domain=_BETWEEN,
    ),
)
remainder = define(
    "remainder",
    "the remainder of the nearest whole quotient",
    lambda x, y, z: 1.0,
    _multiples,
    value=math.remainder,
    ieee=total(math.remainder),
    c="remainder(x, y)",
    fails=MATH_2,
    language="",
    python=(math.remainder,),
    domain=(ANY, NONZERO),
    convention="where it jumps, its derivatives on the side of the value",
)

# Signs and extremes

absolute = define(
    "abs",
    "absolute value",
    lambda x, z: where(x < 0.0, -1.0, 1.0),
    value=math.fabs,
    c="__builtin_fabs(x)",
    integers=Integers(
        given="x >= 0 || !__builtin_sub_overflow(0, x, &z)", result="of_integer(x < 0 ? z : x)"
    ),
    exact=("py.abs",),
    python=(math.fabs,),
    convention="1 at 0, its derivative from the right",
    inline="abs({0})",
    # Of complex arrays, too: tensorlib registers it with their rule.
    arrays=Arrays(
        name="np.absolute", partials=(lambda x, z: _array_sign(x),), convention="0 at 0", complete=False
    ),
)
maximum = define(
    "max",
    "the greater; the first of equals",
    lambda x, y, z: where(y > x, 0.0, 1.0),
    lambda x, y, z: where(y > x, 1.0, 0.0),
    formula=lambda x, y: where(y > x, y, x),
    value=lambda x, y: max(x, y) * 1.0,
    python=(),
    convention="of equals all goes to the first",
)
minimum = define(
    "min",
    "the lesser; the first of equals",
    lambda x, y, z: where(y < x, 0.0, 1.0),
    lambda x, y, z: where(y < x, 1.0, 0.0),
    formula=lambda x, y: where(y < x, y, x),
    value=lambda x, y: min(x, y) * 1.0,
    python=(),
    convention="of equals all goes to the first",
)
copysign = define(
    "copysign",
    "x with the sign of y",
    lambda x, y, z: _sign(x) * _sign(y),
    lambda x, y, z: 0.0,
    value=math.copysign,
    c="__builtin_copysign(x, y)",
    language="",
    python=(math.copysign,),
    domain=(NONZERO, NONZERO),
    convention="0 by the sign; at 0 of the first operand that of its sign",
    arrays=Arrays(
        name="np.copysign",
        partials=(lambda x, y, z: _array_sign(x) * where(has_sign(y), -1.0, 1.0), lambda x, y, z: 0.0),
        convention="by the first operand 0 where it is; by the second one 0 everywhere",
        domain=((0.5, 2.0), (0.5, 2.0)),
    ),
)

# What rounding loses of sums, for builtins.sum of Python 3.12 and later


def _loss(x: Expr, y: Expr) -> Expr:
    """Return what x + y is short of the sum, by Neumaier's algorithm; NaN where the sum is not finite."""
    z = x + y
    return where(absolute(x) < absolute(y), (y - z) + x, (x - z) + y)


rounding_loss = define(
    "rounding_loss",
    "what rounding loses of a sum",
    lambda x, y, z: 0.0,
    lambda x, y, z: 0.0,
    formula=_loss,
    language="",
    python=(),
    primitive="py.rounding-loss",
    convention=_JUMPS,
)
made_good = define(
    "made_good",
    "a sum with what rounding has lost of it, if that is finite",
    lambda x, lost, z: 1.0,
    lambda x, lost, z: 1.0,
    formula=lambda x, lost: where(is_zero(lost), x, where(is_zero(lost - lost), x + lost, x)),
    language="",
    python=(),
    primitive="py.made-good",
)

# Neighbours, and parts of reals

nextafter = define(
    "nextafter",
    "the next real from x to y",
    lambda x, y, z: 1.0,
    lambda x, y, z: 0.0,
    value=math.nextafter,
    c="nextafter(x, y)",
    language="",
    python=(math.nextafter,),
    convention="by the second operand 0",
    arrays=Arrays(name="np.nextafter"),
)
ulp = define(
    "ulp",
    "the distance to the next real",
    lambda x, z: 0.0,
    value=math.ulp,
    c="last_place(x)",
    language="",
    python=(math.ulp,),
    convention=_JUMPS,
)


def _scaled(x: float, exponent: float) -> float:
    """Return x times 2 to an exponent, which is taken as a whole number."""
    return math.ldexp(x, round(exponent))


ldexp = define(
    "ldexp",
    "x times 2 to a whole exponent",
    lambda x, exponent, z: _power(exponent),
    lambda x, exponent, z: 0.0,
    value=_scaled,
    ieee=total(_scaled, lambda x, exponent: x * _power_of_two(exponent)),
    c="scaled(x, y)",
    fails="!isfinite(y) || (isinf(r) && isfinite(x))",
    language="",
    python=(),
    primitive="py.math.ldexp",
    domain=(ANY, (2.0, 2.0)),
    convention="the exponent is a whole number, and has the derivative 0",
)
mantissa = define(
    "mantissa",
    "the mantissa, as math.frexp has it",
    lambda x, z: _power(-_exponent(x)),
    value=lambda x: math.frexp(x)[0],
    c="mantissa(x)",
    language="",
    python=(),
    primitive="py.math.frexp-mantissa",
    domain=(NONZERO,),
    convention="where it jumps, its derivative away from 0; 1 at 0",
)
fraction = define(
    "fraction",
    "what is behind the point",
    lambda x, z: 1.0,
    value=lambda x: math.modf(x)[0],
    c="fraction(x)",
    language="",
    python=(),
    primitive="py.math.modf-fraction",
    convention="where it jumps, its derivative away from 0",
)
whole_part = define(
    "whole_part",
    "what is before the point",
    lambda x, z: 0.0,
    value=lambda x: math.modf(x)[1],
    c="trunc(x)",
    language="",
    python=(),
    primitive="py.math.modf-whole",
    convention=_JUMPS,
)
if hasattr(math, "fma"):  # from Python 3.13
    define(
        "fma",
        "x y + w, rounded once",
        lambda x, y, w, z: y,
        lambda x, y, w, z: x,
        lambda x, y, w, z: 1.0,
        value=math.fma,
        ieee=total(math.fma, lambda x, y, w: x * y + w),
        c="",
        language="",
        python=(math.fma,),
    )
