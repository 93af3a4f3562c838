"""Elementary functions element by element: roots, exponentials, logarithms, angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from tensorlib.pointwise import (
    ADD,
    ANY,
    DIVIDE,
    MULTIPLY,
    NEGATIVE,
    NONZERO,
    POSITIVE,
    QUOTIENT,
    SQUARE,
    SUBTRACT,
)
from tensorlib.rules import constant, pointwise, sampled

UNIT = (-0.9, 0.9)

# Roots

SQRT = pointwise(
    "np.sqrt",
    lambda xp, x: xp.sqrt(x),
    lambda x, y: QUOTIENT(0.5, y),
    singular=True,
    needs=((1,),),
    implements=(np.sqrt,),
    samples=sampled(POSITIVE),
)
CBRT = pointwise(
    "np.cbrt",
    lambda xp, x: xp.cbrt(x),
    lambda x, y: QUOTIENT(1.0 / 3.0, SQUARE(y)),
    singular=True,
    needs=((1,),),
    implements=(np.cbrt,),
    samples=sampled(POSITIVE),
)

# Exponentials and logarithms

EXP = pointwise(
    "np.exp",
    lambda xp, x: xp.exp(x),
    lambda x, y: y,
    needs=((1,),),
    implements=(np.exp,),
    samples=sampled(ANY),
)
EXP2 = pointwise(
    "np.exp2",
    lambda xp, x: xp.exp2(x),
    lambda x, y: MULTIPLY(math.log(2.0), y),
    needs=((1,),),
    implements=(np.exp2,),
    samples=sampled(ANY),
)
EXPM1 = pointwise(
    "np.expm1",
    lambda xp, x: xp.expm1(x),
    lambda x, y: EXP(x),
    needs=((0,),),
    implements=(np.expm1,),
    samples=sampled(ANY),
)
LOG = pointwise(
    "np.log",
    lambda xp, x: xp.log(x),
    lambda x, y: QUOTIENT(1.0, x),
    singular=True,
    needs=((0,),),
    implements=(np.log,),
    samples=sampled(POSITIVE),
)
LOG2 = pointwise(
    "np.log2",
    lambda xp, x: xp.log2(x),
    lambda x, y: QUOTIENT(1.0 / math.log(2.0), x),
    singular=True,
    needs=((0,),),
    implements=(np.log2,),
    samples=sampled(POSITIVE),
)
LOG10 = pointwise(
    "np.log10",
    lambda xp, x: xp.log10(x),
    lambda x, y: QUOTIENT(1.0 / math.log(10.0), x),
    singular=True,
    needs=((0,),),
    implements=(np.log10,),
    samples=sampled(POSITIVE),
)
LOG1P = pointwise(
    "np.log1p",
    lambda xp, x: xp.log1p(x),
    lambda x, y: QUOTIENT(1.0, ADD(1.0, x)),
    singular=True,
    needs=((0,),),
    implements=(np.log1p,),
    samples=sampled(UNIT),
)
LOGADDEXP = pointwise(
    "np.logaddexp",
    lambda xp, x, y: xp.logaddexp(x, y),
    lambda x, y, z: EXP(SUBTRACT(x, z)),
    lambda x, y, z: EXP(SUBTRACT(y, z)),
    needs=((0, 2), (1, 2)),
    implements=(np.logaddexp,),
    samples=sampled(ANY, ANY),
)
LOGADDEXP2 = pointwise(
    "np.logaddexp2",
    lambda xp, x, y: xp.logaddexp2(x, y),
    lambda x, y, z: EXP2(SUBTRACT(x, z)),
    lambda x, y, z: EXP2(SUBTRACT(y, z)),
    needs=((0, 2), (1, 2)),
    implements=(np.logaddexp2,),
    samples=sampled(ANY, ANY),
)

# Angles


def _complement(x: Any) -> Any:
    """1 - x**2, exact near 1."""
    return MULTIPLY(SUBTRACT(1.0, x), ADD(1.0, x))


SIN = pointwise(
    "np.sin",
    lambda xp, x: xp.sin(x),
    lambda x, y: COS(x),
    needs=((0,),),
    implements=(np.sin,),
    samples=sampled(ANY),
)
COS: Tensor = pointwise(
    "np.cos",
    lambda xp, x: xp.cos(x),
    lambda x, y: NEGATIVE(SIN(x)),
    needs=((0,),),
    implements=(np.cos,),
    samples=sampled(ANY),
)
TAN = pointwise(
    "np.tan",
    lambda xp, x: xp.tan(x),
    lambda x, y: ADD(1.0, SQUARE(y)),
    needs=((1,),),
    implements=(np.tan,),
    samples=sampled(UNIT),
)
ARCSIN = pointwise(
    "np.arcsin",
    lambda xp, x: xp.arcsin(x),
    lambda x, y: QUOTIENT(1.0, SQRT(_complement(x))),
    singular=True,
    needs=((0,),),
    implements=(np.arcsin,),
    samples=sampled(UNIT),
)
ARCCOS = pointwise(
    "np.arccos",
    lambda xp, x: xp.arccos(x),
    lambda x, y: QUOTIENT(-1.0, SQRT(_complement(x))),
    singular=True,
    needs=((0,),),
    implements=(np.arccos,),
    samples=sampled(UNIT),
)
ARCTAN = pointwise(
    "np.arctan",
    lambda xp, x: xp.arctan(x),
    lambda x, y: DIVIDE(1.0, ADD(1.0, SQUARE(x))),
    needs=((0,),),
    implements=(np.arctan,),
    samples=sampled(ANY),
)


def _over_square(x: Any, length: Any) -> Any:
    """X / length**2, without a square that overflows."""
    return QUOTIENT(QUOTIENT(x, length), length)


ARCTAN2 = pointwise(
    "np.arctan2",
    lambda xp, y, x: xp.arctan2(y, x),
    lambda y, x, z: _over_square(x, HYPOT(x, y)),
    lambda y, x, z: NEGATIVE(_over_square(y, HYPOT(x, y))),
    singular=True,
    needs=((0, 1), (0, 1)),
    implements=(np.arctan2,),
    samples=sampled(NONZERO, ANY),
)


def _over_length(x: Any, length: Any) -> Any:
    """X / length; 0 where the length is."""
    from tensorlib.comparison import EQUAL  # noqa: PLC0415
    from tensorlib.selection import WHERE  # noqa: PLC0415

    return DIVIDE(x, WHERE(EQUAL(length, 0.0), 1.0, length))


HYPOT: Tensor = pointwise(
    "np.hypot",
    lambda xp, x, y: xp.hypot(x, y),
    lambda x, y, z: _over_length(x, z),
    lambda x, y, z: _over_length(y, z),
    needs=((0, 2), (1, 2)),
    implements=(np.hypot,),
    convention="0 where both operands are 0",
    samples=lambda rng: [*sampled(NONZERO, ANY)(rng), (np.array([3.0, 1.0]), np.array([4.0, 0.0]))],
)
_DEGREE = math.pi / 180.0
RADIANS = pointwise(
    "np.deg2rad",
    lambda xp, x: xp.deg2rad(x),
    constant(_DEGREE),
    needs=((),),
    implements=(np.deg2rad, np.radians),
    samples=sampled(ANY),
)
DEGREES = pointwise(
    "np.rad2deg",
    lambda xp, x: xp.rad2deg(x),
    constant(1.0 / _DEGREE),
    needs=((),),
    implements=(np.rad2deg, np.degrees),
    samples=sampled(ANY),
)

# Hyperbolic functions

SINH = pointwise(
    "np.sinh",
    lambda xp, x: xp.sinh(x),
    lambda x, y: COSH(x),
    needs=((0,),),
    implements=(np.sinh,),
    samples=sampled(ANY),
)
COSH: Tensor = pointwise(
    "np.cosh",
    lambda xp, x: xp.cosh(x),
    lambda x, y: SINH(x),
    needs=((0,),),
    implements=(np.cosh,),
    samples=sampled(ANY),
)
TANH = pointwise(
    "np.tanh",
    lambda xp, x: xp.tanh(x),
    lambda x, y: SUBTRACT(1.0, SQUARE(y)),
    needs=((1,),),
    implements=(np.tanh,),
    samples=sampled(ANY),
)
ARCSINH = pointwise(
    "np.arcsinh",
    lambda xp, x: xp.arcsinh(x),
    lambda x, y: DIVIDE(1.0, SQRT(ADD(1.0, SQUARE(x)))),
    needs=((0,),),
    implements=(np.arcsinh,),
    samples=sampled(ANY),
)
ARCCOSH = pointwise(
    "np.arccosh",
    lambda xp, x: xp.arccosh(x),
    lambda x, y: QUOTIENT(1.0, SQRT(MULTIPLY(SUBTRACT(x, 1.0), ADD(x, 1.0)))),
    singular=True,
    needs=((0,),),
    implements=(np.arccosh,),
    samples=sampled((1.2, 3.0)),
)
ARCTANH = pointwise(
    "np.arctanh",
    lambda xp, x: xp.arctanh(x),
    lambda x, y: QUOTIENT(1.0, _complement(x)),
    singular=True,
    needs=((0,),),
    implements=(np.arctanh,),
    samples=sampled(UNIT),
)

# sin(pi x) / (pi x)


def _sinc_series(xp: Any, x: Any, n: int) -> Any:
    """The n-th derivative of sinc near 0: the Taylor series, term by term."""
    total = xp.zeros_like(x)
    for k in range((n + 1) // 2, n + 20):
        term = (-1.0) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(2 * k - n))
        total = total + term * x ** (2 * k - n)
    return total


def _sinc_recurrence(xp: Any, x: Any, n: int) -> Any:
    """The n-th derivative of sinc away from 0: what x sinc(x) = sin(pi x) / pi gives when derived n times."""
    found = xp.sinc(x)
    for k in range(1, n + 1):
        found = (math.pi ** (k - 1) * xp.sin(math.pi * x + k * math.pi / 2) - k * found) / x
    return found


def _sinc_derived(xp: Any, x: Any, n: int) -> Any:
    near = xp.abs(x) < 0.5 + 0.35 * n
    return xp.where(
        near, _sinc_series(xp, xp.where(near, x, 0.0), n), _sinc_recurrence(xp, xp.where(near, 9.0, x), n)
    )


SINC_DERIVED: Tensor = pointwise(
    "tensorlib.sinc-derived",
    _sinc_derived,
    lambda x, n, y: SINC_DERIVED(x, n + 1),
    lambda x, n, y: 0.0,
    needs=((0, 1), ()),
    samples=lambda rng: [(rng.normal(size=4), n) for n in (1, 2, 5)],
)
SINC = pointwise(
    "np.sinc",
    lambda xp, x: xp.sinc(x),
    lambda x, y: SINC_DERIVED(x, 1),
    needs=((0,),),
    implements=(np.sinc,),
    samples=lambda rng: [*sampled(ANY)(rng), (np.array([0.0, 0.01, 0.9, 5.0, -3.0]),)],
)
