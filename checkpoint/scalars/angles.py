"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

import math
import sys
from typing import Any

from checkpoint.scalars.algebra import Expr, Rule, is_zero, where, word
from checkpoint.scalars.definition import INF, NAN, NONZERO, UNIT, Arrays, Bounds, Definition, define
from checkpoint.scalars.ieee import MATH_1, quotient, signed_infinity, square, total
from checkpoint.scalars.powers import sqrt

_ARRAYS: Bounds = (-2.0, 2.0)
_WITHIN: Bounds = (-0.9, 0.9)
_INSIDE: Bounds = (-0.8, 0.8)


def _complement(x: Expr) -> Expr:
    """1 - x**2, exact near 1."""
    return (1.0 - x) * (1.0 + x)


def _roots(x: Any) -> Any:
    """Return the root of 1 - x², as two roots: it has the right sign on the branch cuts of complex x."""
    return sqrt(-(x - 1.0)) * sqrt(x + 1.0) + 0.0  # which is no -0.0 at 1.0


def _math(
    name: str, doc: str, *partials: Rule, c: str = "", fails: str = MATH_1, **fields: Any
) -> Definition:
    """Define the function of Python's module `math` and of C that has this name."""
    function = getattr(math, name)
    otherwise = fields.pop("otherwise", NAN)
    return define(
        name,
        doc,
        *partials,
        value=function,
        ieee=total(function, otherwise) if fails else function,
        c=c or f"{name}({'x' if len(partials) == 1 else 'x, y'})",
        fails=fails,
        python=(function,),
        **fields,
    )


sin = _math("sin", "sine", lambda x, z: cos(x), arrays=Arrays(name="np.sin", domain=(_ARRAYS,)))
cos: Definition = _math(
    "cos", "cosine", lambda x, z: -sin(x), arrays=Arrays(name="np.cos", domain=(_ARRAYS,))
)
tan = _math(
    "tan",
    "tangent",
    lambda x, z: 1.0 + square(z),
    domain=(UNIT,),
    arrays=Arrays(name="np.tan", domain=(_WITHIN,)),
)
asin = _math(
    "asin",
    "arc sine",
    lambda x, z: quotient(1.0, sqrt(_complement(x))),
    language="",
    domain=(_INSIDE,),
    singular=True,
    arrays=Arrays(name="np.arcsin", partials=(lambda x, z: quotient(1.0, _roots(x)),), domain=(_WITHIN,)),
)
acos = _math(
    "acos",
    "arc cosine",
    lambda x, z: quotient(-1.0, sqrt(_complement(x))),
    language="",
    domain=(_INSIDE,),
    singular=True,
    arrays=Arrays(name="np.arccos", partials=(lambda x, z: quotient(-1.0, _roots(x)),), domain=(_WITHIN,)),
)
atan = _math(
    "atan",
    "arc tangent",
    lambda x, z: 1.0 / (1.0 + square(x)),
    fails="",
    arrays=Arrays(name="np.arctan", domain=(_ARRAYS,)),
)

# The length of the point (x, y), on arrays; and quotients by it.

length = word("length", "np.hypot")


def _modulus(x: float, y: float) -> float:
    """Return the absolute value of the complex number x + iy, infinity where it is too large."""
    try:
        return abs(complex(x, y))
    except (
        OverflowError
    ):  # CPython also raises it for a NaN, if the last error of C's library was one of range
        return math.nan if math.isnan(x) or math.isnan(y) else math.inf


def _norm2(y: Expr, x: Expr) -> Expr:
    return x * x + y * y


def _over_square(x: Expr, size: Expr) -> Expr:
    """X / size**2, without a square that overflows."""
    return quotient(quotient(x, size), size)


atan2 = _math(
    "atan2",
    "the angle of the point (x, y): (atan y x)",
    lambda y, x, z: x / _norm2(y, x),
    lambda y, x, z: -(y / _norm2(y, x)),
    c="angle(x, y)",
    fails="",
    domain=(NONZERO, NONZERO),
    singular=True,
    arrays=Arrays(
        name="np.arctan2",
        partials=(
            lambda y, x, z: _over_square(x, length(x, y)),
            lambda y, x, z: -_over_square(y, length(x, y)),
        ),
        domain=((0.5, 2.0), _ARRAYS),
    ),
)
hypot = define(
    "hypot",
    "the length of the point (x, y)",
    lambda x, y, z: where(is_zero(z), 0.0, x / z),
    lambda x, y, z: where(is_zero(z), 0.0, y / z),
    value=math.hypot,
    ieee=total(math.hypot),
    # Python's is more exact than C's, and another one since 3.12 (ctemplates/scalars/norms.h).
    c=f"norm(x, y, {str(sys.version_info >= (3, 12)).lower()})",
    language="",
    python=(math.hypot,),
    domain=(NONZERO, NONZERO),
    convention="0 where both operands are 0",
    arrays=Arrays(
        name="np.hypot",
        complete=False,
        # Both branches are computed: the divisor is kept away from 0.
        partials=(
            lambda x, y, z: x / where(is_zero(z), 1.0, z),
            lambda x, y, z: y / where(is_zero(z), 1.0, z),
        ),
        domain=((0.5, 2.0), _ARRAYS),
    ),
)
# Python has the absolute value of a complex number from C's library: its last bit may differ from hypot's.
modulus = define(
    "modulus",
    "the absolute value of the complex number x + iy",
    *hypot.partials or (),
    value=_modulus,
    c="hypot(x, y)",
    language="",
    python=(),
    primitive="py.modulus",
    domain=(NONZERO, NONZERO),
    convention=hypot.convention,
)

# Hyperbolic functions

sinh = _math(
    "sinh",
    "hyperbolic sine",
    lambda x, z: cosh(x),
    language="",
    otherwise=signed_infinity,
    arrays=Arrays(name="np.sinh", domain=(_ARRAYS,)),
)
cosh: Definition = _math(
    "cosh",
    "hyperbolic cosine",
    lambda x, z: sinh(x),
    language="",
    otherwise=INF,
    arrays=Arrays(name="np.cosh", domain=(_ARRAYS,)),
)
tanh = _math(
    "tanh",
    "hyperbolic tangent",
    lambda x, z: 1.0 - square(z),
    fails="",
    arrays=Arrays(name="np.tanh", domain=(_ARRAYS,)),
)
# By their results on scalars, by their operands on arrays: these differ in rounding.
asinh = _math(
    "asinh",
    "inverse hyperbolic sine",
    lambda x, z: 1.0 / cosh(z),
    language="",
    arrays=Arrays(name="np.arcsinh", partials=(lambda x, z: 1.0 / sqrt(1.0 + square(x)),), domain=(_ARRAYS,)),
)
acosh = _math(
    "acosh",
    "inverse hyperbolic cosine",
    lambda x, z: 1.0 / sinh(z),
    language="",
    domain=((1.2, 4.0),),
    singular=True,
    arrays=Arrays(
        name="np.arccosh",
        partials=(lambda x, z: quotient(1.0, sqrt(x - 1.0) * sqrt(x + 1.0)),),
        domain=((1.2, 3.0),),
    ),
)
atanh = _math(
    "atanh",
    "inverse hyperbolic tangent",
    lambda x, z: quotient(1.0, _complement(x)),
    language="",
    otherwise=lambda x: math.copysign(INF, x) if abs(x) == 1.0 else NAN,
    domain=(_INSIDE,),
    arrays=Arrays(name="np.arctanh", singular=True, domain=(_WITHIN,)),
)

# Units of angles. NumPy multiplies by the reciprocal, which rounds differently.

degrees = define(
    "degrees",
    "an angle in degrees",
    lambda x, z: 180.0 / math.pi,
    value=math.degrees,
    c=f"x * {180.0 / math.pi!r}",
    language="",
    python=(math.degrees,),
    arrays=Arrays(
        name="np.rad2deg",
        others=("np.degrees",),
        partials=(lambda x, z: 1.0 / (math.pi / 180.0),),
        domain=(_ARRAYS,),
    ),
)
radians = define(
    "radians",
    "an angle in radians",
    lambda x, z: math.pi / 180.0,
    value=math.radians,
    c=f"x * {math.pi / 180.0!r}",
    language="",
    python=(math.radians,),
    arrays=Arrays(name="np.deg2rad", others=("np.radians",), domain=(_ARRAYS,)),
)
