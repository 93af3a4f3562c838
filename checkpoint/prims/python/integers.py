"""Functions of Python's module `math` that have no derivative: on integers, to integers, to booleans."""

from __future__ import annotations

import math
from typing import Any

from checkpoint.ad.storage import Now
from checkpoint.prims.python.support import ANY_NUMBER, WHOLE, by_python, python_result, rearrange

for _function in (math.floor, math.ceil, math.trunc, math.isqrt, math.factorial):
    by_python(f"math.{_function.__name__}", 1, f"math.{_function.__name__}", _function)
for _test in (math.isfinite, math.isinf, math.isnan):
    by_python(f"math.{_test.__name__}", 1, f"math.{_test.__name__}", _test)
for _of_many in (math.gcd, math.lcm, math.perm):
    by_python(f"math.{_of_many.__name__}", ANY_NUMBER, f"math.{_of_many.__name__}", _of_many)
by_python("math.comb", 2, "math.comb", math.comb)


def _is_close(now: Now, a: Any, b: Any, rel_tol: Any, abs_tol: Any) -> bool:
    def close(a: Any, b: Any, rel_tol: Any, abs_tol: Any) -> bool:
        return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)

    return bool(python_result(now, close, a, b, rel_tol, abs_tol))


def _exponent(now: Now, x: Any) -> int:
    return int(python_result(now, math.frexp, x)[1])


_ENOUGH = 5000  # 2 to this exponent, or to its negative, takes any real out of range


def _for_ldexp(now: Now, i: Any) -> int:
    if type(i) not in WHOLE:
        raise TypeError("Expected an int as second argument to ldexp.")
    return max(-_ENOUGH, min(_ENOUGH, int(i)))


rearrange("math.isclose", 4, "math.isclose: a, b, rel_tol, abs_tol", _is_close, discrete=True)
rearrange("math.frexp-exponent", 1, "math.frexp(x)[1]", _exponent)
rearrange("math.ldexp-exponent", 1, "the exponent of math.ldexp, checked, for py.math.ldexp", _for_ldexp)
