"""The real and imaginary parts of functions of a complex number, as functions of its two parts.

Values are those of Python's module cmath. A function f of z = x + iy is holomorphic, so its derivative
f' = u + iv gives all partials: of Re f they are u and -v, of Im f they are v and u. On a branch cut these are
the ones along the cut and into the side that the value belongs to.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable

from checkpoint.scalars.algebra import Expr, call
from checkpoint.scalars.angles import cos, cosh, sin, sinh
from checkpoint.scalars.definition import NAN, Bounds, define
from checkpoint.scalars.ieee import quotient, square

Parts = tuple[Expr, Expr]
Slope = Callable[[Parts, Parts], Parts]  # the derivative at z, of z and the value at z
Function = Callable[[complex], complex]

_LOG_10 = math.log(10.0)
_RIGHT: tuple[Bounds, Bounds] = ((0.3, 2.0), (0.2, 1.5))


def _reciprocal(z: Parts) -> Parts:
    """Return 1 / z."""
    size = square(z[0]) + square(z[1])
    return quotient(z[0], size), quotient(-z[1], size)


def _negative(z: Parts) -> Parts:
    return -z[0], -z[1]


def _square(z: Parts) -> Parts:
    return square(z[0]) - square(z[1]), 2.0 * (z[0] * z[1])


def _sine(z: Parts) -> Parts:
    return sin(z[0]) * cosh(z[1]), cos(z[0]) * sinh(z[1])


def _cosine(z: Parts) -> Parts:
    return cos(z[0]) * cosh(z[1]), -(sin(z[0]) * sinh(z[1]))


def _hyperbolic_sine(z: Parts) -> Parts:
    return sinh(z[0]) * cos(z[1]), cosh(z[0]) * sin(z[1])


def _hyperbolic_cosine(z: Parts) -> Parts:
    return cosh(z[0]) * cos(z[1]), sinh(z[0]) * sin(z[1])


def _one_plus(z: Parts) -> Parts:
    return 1.0 + z[0], z[1]


def _one_minus(z: Parts) -> Parts:
    return 1.0 - z[0], -z[1]


def _value(function: Function, part: str) -> Callable[[float, float], float]:
    def value(x: float, y: float) -> float:
        found: float = getattr(function(complex(x, y)), part)
        return found * 1.0

    return value


def _total(value: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """Return a function that is not a number where a value fails."""

    def total(x: float, y: float) -> float:
        try:
            return value(x, y)
        except (ArithmeticError, ValueError):
            return NAN

    return total


def _holomorphic(
    name: str, doc: str, function: Function, slope: Slope, singular: bool = False, fails: bool = True
) -> None:
    """Define the two parts of a function of a complex number; fails: whether it has no value somewhere."""

    def derivative(x: Expr, y: Expr) -> Parts:
        names = (f"complex_{name}_real", f"complex_{name}_imag")
        return slope((x, y), (call(names[0], x, y), call(names[1], x, y)))

    for part, partials in (
        ("real", (lambda x, y, z: derivative(x, y)[0], lambda x, y, z: -derivative(x, y)[1])),
        ("imag", (lambda x, y, z: derivative(x, y)[1], lambda x, y, z: derivative(x, y)[0])),
    ):
        value = _value(function, part)
        define(
            f"complex_{name}_{part}",
            f"the {'real' if part == 'real' else 'imaginary'} part of the {doc} of x + iy",
            *partials,
            value=value,
            ieee=_total(value) if fails else value,
            c="",
            language=f"py.cmath.{name}-{part}",
            python=(),
            singular=singular,
            domain=_RIGHT,
        )


_holomorphic("exp", "exponential", cmath.exp, lambda z, w: w)
_holomorphic("log", "logarithm", cmath.log, lambda z, w: _reciprocal(z), singular=True)
_holomorphic(
    "log10",
    "logarithm to the base 10",
    cmath.log10,
    lambda z, w: _reciprocal((_LOG_10 * z[0], _LOG_10 * z[1])),
    singular=True,
)
_holomorphic(
    "sqrt",
    "square root",
    cmath.sqrt,
    lambda z, w: _reciprocal((2.0 * w[0], 2.0 * w[1])),
    singular=True,
    fails=False,
)
_holomorphic("sin", "sine", cmath.sin, lambda z, w: _cosine(z))
_holomorphic("cos", "cosine", cmath.cos, lambda z, w: _negative(_sine(z)))
_holomorphic("tan", "tangent", cmath.tan, lambda z, w: _one_plus(_square(w)))
_holomorphic("sinh", "hyperbolic sine", cmath.sinh, lambda z, w: _hyperbolic_cosine(z))
_holomorphic("cosh", "hyperbolic cosine", cmath.cosh, lambda z, w: _hyperbolic_sine(z))
_holomorphic("tanh", "hyperbolic tangent", cmath.tanh, lambda z, w: _one_minus(_square(w)))
_holomorphic("asin", "arc sine", cmath.asin, lambda z, w: _reciprocal(_cosine(w)), singular=True, fails=False)
_holomorphic(
    "acos",
    "arc cosine",
    cmath.acos,
    lambda z, w: _negative(_reciprocal(_sine(w))),
    singular=True,
    fails=False,
)
_holomorphic(
    "atan", "arc tangent", cmath.atan, lambda z, w: _reciprocal(_one_plus(_square(z))), singular=True
)
_holomorphic(
    "asinh",
    "inverse hyperbolic sine",
    cmath.asinh,
    lambda z, w: _reciprocal(_hyperbolic_cosine(w)),
    singular=True,
    fails=False,
)
_holomorphic(
    "acosh",
    "inverse hyperbolic cosine",
    cmath.acosh,
    lambda z, w: _reciprocal(_hyperbolic_sine(w)),
    singular=True,
    fails=False,
)
_holomorphic(
    "atanh",
    "inverse hyperbolic tangent",
    cmath.atanh,
    lambda z, w: _reciprocal(_one_minus(_square(z))),
    singular=True,
)
