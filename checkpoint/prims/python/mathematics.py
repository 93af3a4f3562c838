"""The functions of Python's module `math` that have a derivative.

In: the records of checkpoint.prims.scalars where they are the same function. Each is a Scalar with
Python's own value and failures, and a record for all other operands, which asks Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from checkpoint.ad.numbers import Number, apply, real_part
from checkpoint.ad.record import Interval, Partial, Purity, Scalar
from checkpoint.prims import scalars as s
from checkpoint.prims.python.arithmetic import Function, asking, multiples, scalar
from checkpoint.prims.python.gamma import generic_polygamma

INF, NAN = math.inf, math.nan


def _generic(record: Scalar) -> Callable[..., Number]:
    """The function for use in partials: on any numbers, without failures."""
    return lambda *operands: apply(record, operands, strict=False)


_sqrt, _exp = _generic(s.SQRT), _generic(s.EXP)


def _total(function: Function, otherwise: float | Function) -> Function:
    """The function with what IEEE has where Python's own fails: a value, or for each operands one."""

    def ieee(*operands: float) -> float:
        try:
            result: float = function(*operands)
        except (ValueError, ArithmeticError):
            result = otherwise(*operands) if callable(otherwise) else otherwise
        return result * 1.0

    return ieee


def _like(record: Scalar, function: Function, **changes: Any) -> Scalar:
    """A function of `math` that the language has too."""
    name = f"math.{function.__name__}"
    value = changes.pop("value", function)
    return scalar(record, name, value, asking(function), (function,), **changes)


def _math(
    function: Function,
    *partials: Partial,
    name: str = "",
    implements: tuple[Function, ...] | None = None,
    otherwise: float | Function = NAN,
    domain: tuple[Interval, ...] | None = None,
    needs: tuple[tuple[int, ...], ...] | None = None,
    **facts: Any,
) -> Scalar:
    """A function of `math` with its partials; `otherwise`: what IEEE has where it fails."""
    name = name or function.__name__
    record = Scalar(
        name=name,
        arity=len(partials),
        purity=Purity.MAY_FAIL,
        doc=f"math.{name}",
        value=function,
        ieee=_total(function, otherwise),
        partials=partials,
        domain=domain or (s.ANY,) * len(partials),
        needs=needs,
        **facts,
    )
    known = (function,) if implements is None else implements
    return scalar(record, f"math.{name}", function, asking(function), known)


def _signed_infinity(x: float, *_: float) -> float:
    return math.copysign(INF, x)


# Powers and logarithms

_like(s.SQRT, math.sqrt)
_like(s.EXP, math.exp)
_like(s.LOG, math.log)
_like(s.POWER, math.pow)
_like(s.ABS, math.fabs)
_math(math.exp2, lambda x, z: s.multiply(math.log(2.0), z), otherwise=INF, needs=((1,),))
_math(math.expm1, lambda x, z: _exp(x), otherwise=INF, needs=((0,),))
_math(
    math.cbrt,
    lambda x, z: s.divide(1.0 / 3.0, s.multiply(z, z)),
    domain=(s.POSITIVE,),
    singular=True,
    needs=((1,),),
)


def _log_otherwise(x: float, *_: float) -> float:
    return -INF if x == 0.0 else NAN


_math(
    math.log,
    lambda x, b, z: s.divide(1.0, s.multiply(x, s.log(b))),
    lambda x, b, z: s.negate(s.divide(z, s.multiply(b, s.log(b)))),
    name="log_base",
    implements=(math.log,),
    otherwise=lambda x, base: s.DIVIDE.ieee(s.LOG.ieee(x), s.LOG.ieee(base)),
    domain=(s.POSITIVE, Interval(1.5, 4.0)),
)
_math(
    math.log2,
    lambda x, z: s.divide(1.0 / math.log(2.0), x),
    otherwise=_log_otherwise,
    domain=(s.POSITIVE,),
    needs=((0,),),
)
_math(
    math.log10,
    lambda x, z: s.divide(1.0 / math.log(10.0), x),
    otherwise=_log_otherwise,
    domain=(s.POSITIVE,),
    needs=((0,),),
)
_math(
    math.log1p,
    lambda x, z: s.divide(1.0, s.add(1.0, x)),
    otherwise=lambda x: -INF if x == -1.0 else NAN,
    domain=(Interval(-0.5, 3.0),),
    needs=((0,),),
)

# Angles


def _complement(x: Number) -> Number:
    """1 - x**2, exact near 1."""
    return s.multiply(s.subtract(1.0, x), s.add(1.0, x))


_INSIDE = (Interval(-0.8, 0.8),)

_like(s.SIN, math.sin)
_like(s.COS, math.cos)
_like(s.TAN, math.tan)
_like(s.ATAN, math.atan)
_like(s.ATAN2, math.atan2)
_like(s.TANH, math.tanh)
_math(
    math.asin,
    lambda x, z: s.divide(1.0, _sqrt(_complement(x))),
    domain=_INSIDE,
    singular=True,
    needs=((0,),),
)
_math(
    math.acos,
    lambda x, z: s.divide(-1.0, _sqrt(_complement(x))),
    domain=_INSIDE,
    singular=True,
    needs=((0,),),
)


def _sinh(x: Number) -> Number:
    return apply(SINH, (x,), strict=False)


def _cosh(x: Number) -> Number:
    return apply(COSH, (x,), strict=False)


COSH = _math(math.cosh, lambda x, z: _sinh(x), otherwise=INF, needs=((0,),))
SINH = _math(math.sinh, lambda x, z: _cosh(x), otherwise=_signed_infinity, needs=((0,),))
_math(math.asinh, lambda x, z: s.divide(1.0, _cosh(z)), needs=((1,),))
_math(
    math.acosh,
    lambda x, z: s.divide(1.0, _sinh(z)),
    domain=(Interval(1.2, 4.0),),
    singular=True,
    needs=((1,),),
)
_math(
    math.atanh,
    lambda x, z: s.divide(1.0, _complement(x)),
    otherwise=lambda x: math.copysign(INF, x) if abs(x) == 1.0 else NAN,
    domain=_INSIDE,
    needs=((0,),),
)
_math(math.degrees, lambda x, z: 180.0 / math.pi, needs=((),))
_math(math.radians, lambda x, z: math.pi / 180.0, needs=((),))


def _hypotenuse(position: int) -> Partial:
    def partial(*numbers: Number) -> Number:
        return 0.0 if real_part(numbers[2]) == 0.0 else s.divide(numbers[position], numbers[2])

    return partial


_math(
    math.hypot,
    _hypotenuse(0),
    _hypotenuse(1),
    domain=(s.NONZERO, s.NONZERO),
    needs=((0, 2), (1, 2)),
    convention="0 where both operands are 0",
)

# Special functions

_BELL = 2.0 / math.sqrt(math.pi)


def _bell(factor: float) -> Partial:
    return lambda x, z: s.multiply(factor, _exp(s.negate(s.multiply(x, x))))


_math(math.erf, _bell(_BELL), needs=((0,),))
_math(math.erfc, _bell(-_BELL), needs=((0,),))
_math(
    math.gamma,
    lambda x, z: s.multiply(z, generic_polygamma(0.0, x)),
    otherwise=lambda x: INF if x > 0.0 else NAN,
    domain=(Interval(0.5, 4.0),),
    needs=((0, 1),),
)
_math(
    math.lgamma,
    lambda x, z: generic_polygamma(0.0, x),
    otherwise=INF,
    domain=(Interval(0.5, 4.0),),
    needs=((0,),),
)

# What is piecewise linear or constant


def _sign(x: Number) -> float:
    return math.copysign(1.0, real_part(x))


def _scaled(x: float, exponent: float) -> float:
    """X times 2 to an exponent, which is taken as a whole number."""
    return math.ldexp(x, round(exponent))


def _scaled_otherwise(x: float, exponent: float) -> float:
    return x * _power_of_two(exponent)


def _power_of_two(exponent: float) -> float:
    """2 to a whole exponent, as a partial."""
    try:
        return math.ldexp(1.0, round(exponent))
    except (OverflowError, ValueError):
        return INF if exponent > 0.0 else NAN


_math(
    math.copysign,
    lambda x, y, z: _sign(x) * _sign(y),
    s.ZERO,
    domain=(s.NONZERO, s.NONZERO),
    needs=((0, 1), ()),
    convention="0 by the sign; at 0 of the first operand that of its sign",
)
_math(
    math.fmod,
    s.ONE,
    multiples,
    domain=(s.ANY, s.NONZERO),
    needs=((), (0, 1, 2)),
    convention="where it jumps, its derivatives away from 0",
)
_math(
    math.remainder,
    s.ONE,
    multiples,
    domain=(s.ANY, s.NONZERO),
    needs=((), (0, 1, 2)),
    convention="where it jumps, its derivatives on the side of the value",
)
_math(math.nextafter, s.ONE, s.ZERO, needs=((), ()), convention="by the second operand 0")
_math(math.ulp, s.ZERO, needs=((),), convention="0 also where it jumps")


def _mantissa(x: float) -> float:
    return math.frexp(x)[0]


def _fraction(x: float) -> float:
    return math.modf(x)[0]


def _whole_part(x: float) -> float:
    return math.modf(x)[1]


def _mantissa_by_x(x: Number, z: Number) -> float:
    return _power_of_two(float(-math.frexp(real_part(x))[1]))


def _by_scaled(x: Number, exponent: Number, z: Number) -> float:
    return _power_of_two(real_part(exponent))


_math(
    _scaled,
    _by_scaled,
    s.ZERO,
    name="ldexp",
    implements=(),
    otherwise=_scaled_otherwise,
    domain=(s.ANY, Interval(2.0, 2.0)),
    needs=((1,), ()),
    convention="the exponent is a whole number, and has the derivative 0",
)
_math(
    _mantissa,
    _mantissa_by_x,
    name="frexp-mantissa",
    implements=(),
    domain=(s.NONZERO,),
    needs=((0,),),
    convention="where it jumps, its derivative away from 0; 1 at 0",
)
_math(
    _fraction,
    s.ONE,
    name="modf-fraction",
    implements=(),
    needs=((),),
    convention="where it jumps, its derivative away from 0",
)
_math(
    _whole_part,
    s.ZERO,
    name="modf-whole",
    implements=(),
    needs=((),),
    convention="0 also where it jumps",
)
if hasattr(math, "fma"):
    _math(
        math.fma,
        lambda x, y, w, z: y,
        lambda x, y, w, z: x,
        s.ONE,
        otherwise=lambda x, y, w: x * y + w,
        needs=((1,), (0,), ()),
    )
