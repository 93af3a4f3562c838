"""Values as IEEE has them where Python's own functions fail; words and conditions that definitions share."""

from __future__ import annotations

import math
from collections.abc import Callable

from checkpoint.scalars.algebra import word
from checkpoint.scalars.definition import INF, NAN

# Where a function of Python's module math fails, in C: as its result tells.
MATH_1, MATH_2 = "refused_1(x, r)", "refused_2(x, y, r)"

# On arrays NumPy's own square, and a quotient that may be infinite: a zero cotangent contributes zero.
square = word("square", "np.square", lambda x: x * x)
quotient = word("quotient", "tensorlib.quotient", lambda x, y: x / y)


def total(
    function: Callable[..., float], otherwise: float | Callable[..., float] = NAN
) -> Callable[..., float]:
    """Return the function with what IEEE has where Python's own fails: a value, or one for each operands."""

    def ieee(*operands: float) -> float:
        try:
            result: float = function(*operands)
        except (ValueError, ArithmeticError):
            result = otherwise(*operands) if callable(otherwise) else otherwise
        return result * 1.0

    return ieee


def signed_infinity(x: float, *_: float) -> float:
    """Return the infinity that has the sign of x."""
    return math.copysign(INF, x)
