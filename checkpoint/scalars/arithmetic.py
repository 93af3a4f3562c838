"""Sums, products, quotients, the negative, and a real itself."""

from __future__ import annotations

import math
import operator

from checkpoint.scalars.definition import ANY, INF, NAN, NONZERO, Arrays, Integers, define

_BOTH = (-2.0, 2.0)


def _overflows(name: str, operands: str = "x, y") -> Integers:
    return Integers(given=f"!__builtin_{name}_overflow({operands}, &z)", result="of_integer(z)")


add = define(
    "add",
    "sum",
    lambda x, y, z: 1.0,
    lambda x, y, z: 1.0,
    formula=lambda x, y: x + y,
    value=operator.add,
    language="+",
    exact=("py.add", "py.iadd"),
    python=(),
    integers=_overflows("add"),
    inline="{0} + {1}",
    arrays=Arrays(name="np.add", overloads=("py.add",), domain=(_BOTH, _BOTH)),
)
subtract = define(
    "subtract",
    "difference",
    lambda x, y, z: 1.0,
    lambda x, y, z: -1.0,
    formula=lambda x, y: x - y,
    value=operator.sub,
    language="-",
    exact=("py.sub", "py.isub"),
    python=(),
    integers=_overflows("sub"),
    inline="{0} - {1}",
    arrays=Arrays(name="np.subtract", overloads=("py.sub",), domain=(_BOTH, _BOTH)),
)
multiply = define(
    "multiply",
    "product",
    lambda x, y, z: y,
    lambda x, y, z: x,
    formula=lambda x, y: x * y,
    value=operator.mul,
    language="*",
    exact=("py.mul", "py.imul"),
    python=(),
    integers=_overflows("mul"),
    inline="{0} * {1}",
    arrays=Arrays(
        name="np.multiply",
        overloads=("py.mul",),
        pullbacks=(lambda g, x, y, z: g * y, lambda g, x, y, z: g * x),
        domain=(_BOTH, _BOTH),
    ),
)


def _divide(x: float, y: float) -> float:
    if y != 0.0:
        return x / y
    if x == 0.0 or math.isnan(x) or math.isnan(y):
        return NAN
    return math.copysign(INF, x) * math.copysign(1.0, y)


divide = define(
    "divide",
    "quotient",
    lambda x, y, z: 1.0 / y,
    lambda x, y, z: -(z / y),
    formula=lambda x, y: x / y,
    value=operator.truediv,
    ieee=_divide,
    fails="y == 0.0",
    language="/",
    exact=("py.truediv", "py.itruediv"),
    python=(),
    integers=Integers(given="y != 0 && is_exact(x) && is_exact(y)", result="of_real((double)x / (double)y)"),
    domain=(ANY, NONZERO),
    inline="{0} / {1}",
    arrays=Arrays(
        name="np.divide",
        others=("np.true_divide",),
        overloads=("py.truediv",),
        # Rounded once: the cotangent is divided, not multiplied by a quotient.
        pullbacks=(lambda g, x, y, z: g / y, lambda g, x, y, z: -(g * z / y)),
        domain=(_BOTH, (0.5, 2.0)),
    ),
)
negate = define(
    "negate",
    "the negative: (- x)",
    lambda x, z: -1.0,
    formula=lambda x: -x,
    value=operator.neg,
    language="neg",
    exact=("py.neg",),
    python=(),
    integers=_overflows("sub", "0, x"),
    inline="-{0}",
    arrays=Arrays(name="np.negative", overloads=("py.neg",), domain=(_BOTH,)),
)
real = define(
    "real",
    "a real, unchanged; of a tensor of one element that real",
    lambda x, z: 1.0,
    formula=lambda x: x,
    value=lambda x: x * 1.0,
    exact=("py.pos",),
    beside=("py.float",),
    python=(),
    integers=Integers(given="true", result="of_integer(x)"),
    arrays=Arrays(name="np.positive", overloads=("py.pos",), domain=(_BOTH,)),
)
with_derivative = define(
    "with_derivative",
    "a value computed elsewhere, with the derivative of another real",
    lambda x, like, z: 0.0,
    lambda x, like, z: 1.0,
    value=lambda x, like: x * 1.0,
    c="((void)y, x)",
    language="py.with-derivative",
    python=(),
)
sumall = define(
    "sumall",
    "the sum of all elements of a tensor; of a real that real",
    lambda x, z: 1.0,
    formula=lambda x: x,
    value=lambda x: x * 1.0,
    python=(),
)
