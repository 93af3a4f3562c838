"""The functions of cmath, written in the language that is translated.

In: numbers. Out: complex numbers, with Python's own values (checkpoint.scalars.complex_parts).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.complex_numbers import converted
from checkpoint.lang.python.library.intrinsics import prim

LARGE = 700.0  # less than the logarithm of the greatest real


def exp_(z: Any, /) -> Any:
    """See cmath.exp."""
    z = _number(z)
    x = z.real
    y = z.imag
    if math.fabs(x) < LARGE and math.isfinite(y):
        size = math.exp(x)
        return prim("complex", size * math.cos(y), size * math.sin(y))
    return prim("complex", prim("py.cmath.exp-real", x, y), prim("py.cmath.exp-imag", x, y))


def log_(z: Any, base: Any = None, /) -> Any:
    """See cmath.log."""
    z = _number(z)
    x = z.real
    y = z.imag
    found = prim("complex", prim("py.cmath.log-real", x, y), prim("py.cmath.log-imag", x, y))
    return found if base is None else found / log_(base)


def phase_(z: Any, /) -> Any:
    """See cmath.phase."""
    z = _number(z)
    return math.atan2(z.imag, z.real)


def polar_(z: Any, /) -> Any:
    """See cmath.polar."""
    z = _number(z)
    return (abs(z), math.atan2(z.imag, z.real))


def rect_(r: Any, phi: Any, /) -> Any:
    """See cmath.rect."""
    r = float(r)
    phi = float(phi)
    if phi == 0.0:
        return prim("complex", r, r * phi)
    return prim("complex", r * math.cos(phi), r * math.sin(phi))


def isfinite_(z: Any, /) -> Any:
    """See cmath.isfinite."""
    z = _number(z)
    return math.isfinite(z.real) and math.isfinite(z.imag)


def isinf_(z: Any, /) -> Any:
    """See cmath.isinf."""
    z = _number(z)
    return math.isinf(z.real) or math.isinf(z.imag)


def isnan_(z: Any, /) -> Any:
    """See cmath.isnan."""
    z = _number(z)
    return math.isnan(z.real) or math.isnan(z.imag)


def isclose_(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """See cmath.isclose."""
    return prim("py.cmath-isclose", _number(a), _number(b), rel_tol, abs_tol)


def sqrt_(z: Any, /) -> Any:
    """See cmath.sqrt."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.sqrt-real", z.real, z.imag), prim("py.cmath.sqrt-imag", z.real, z.imag)
    )


def sin_(z: Any, /) -> Any:
    """See cmath.sin."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.sin-real", z.real, z.imag), prim("py.cmath.sin-imag", z.real, z.imag)
    )


def cos_(z: Any, /) -> Any:
    """See cmath.cos."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.cos-real", z.real, z.imag), prim("py.cmath.cos-imag", z.real, z.imag)
    )


def tan_(z: Any, /) -> Any:
    """See cmath.tan."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.tan-real", z.real, z.imag), prim("py.cmath.tan-imag", z.real, z.imag)
    )


def sinh_(z: Any, /) -> Any:
    """See cmath.sinh."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.sinh-real", z.real, z.imag), prim("py.cmath.sinh-imag", z.real, z.imag)
    )


def cosh_(z: Any, /) -> Any:
    """See cmath.cosh."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.cosh-real", z.real, z.imag), prim("py.cmath.cosh-imag", z.real, z.imag)
    )


def tanh_(z: Any, /) -> Any:
    """See cmath.tanh."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.tanh-real", z.real, z.imag), prim("py.cmath.tanh-imag", z.real, z.imag)
    )


def asin_(z: Any, /) -> Any:
    """See cmath.asin."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.asin-real", z.real, z.imag), prim("py.cmath.asin-imag", z.real, z.imag)
    )


def acos_(z: Any, /) -> Any:
    """See cmath.acos."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.acos-real", z.real, z.imag), prim("py.cmath.acos-imag", z.real, z.imag)
    )


def atan_(z: Any, /) -> Any:
    """See cmath.atan."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.atan-real", z.real, z.imag), prim("py.cmath.atan-imag", z.real, z.imag)
    )


def asinh_(z: Any, /) -> Any:
    """See cmath.asinh."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.asinh-real", z.real, z.imag), prim("py.cmath.asinh-imag", z.real, z.imag)
    )


def acosh_(z: Any, /) -> Any:
    """See cmath.acosh."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.acosh-real", z.real, z.imag), prim("py.cmath.acosh-imag", z.real, z.imag)
    )


def atanh_(z: Any, /) -> Any:
    """See cmath.atanh."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.atanh-real", z.real, z.imag), prim("py.cmath.atanh-imag", z.real, z.imag)
    )


def log10_(z: Any, /) -> Any:
    """See cmath.log10."""
    z = _number(z)
    return prim(
        "complex", prim("py.cmath.log10-real", z.real, z.imag), prim("py.cmath.log10-imag", z.real, z.imag)
    )


def _number(z: Any) -> Any:
    """Return the argument of a function of cmath as a complex number."""
    if isinstance(z, str):
        raise TypeError("must be real number, not str")
    return converted(z)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    getattr(cmath, name.removesuffix("_")): function
    for name, function in list(globals().items())
    if name.endswith("_") and hasattr(cmath, name.removesuffix("_"))
}
