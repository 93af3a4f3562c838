"""Functions of scipy.special by their elementary derivatives.

The derivative by an order or parameter for which there is no formula is nan; a zero tangent, and a
constant, is not concerned. Loaded with scipy.special.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from scipy import special as _scipy

from tensorlib.elementwise.pointwise import ADD, DIVIDE, MULTIPLY, NEGATIVE, SUBTRACT
from tensorlib.rules import pointwise, record, sampled
from tensorlib.scipy_special import Interval
from tensorlib.scipy_special import elementwise as registered

elementwise = functools.partial(registered, module=__name__)


def call(name: str, *operands: Any) -> Any:
    """Return a function's value; names without a dot are those of scipy.special."""
    return record(name if "." in name else f"scipy.special.{name}")(*operands)


def _of_numpy(name: str, partial: Any, at: Any) -> None:
    """Register a function that NumPy has under the same name, of complex numbers where SciPy takes them."""
    function = getattr(_scipy, name)
    pointwise(
        f"scipy.special.{name}",
        lambda xp, x: function(x),
        partial,
        singular=True,
        implements=(function,),
        samples=sampled(at),
    )


def _unknown(*_: Any) -> float:
    return math.nan


def _exp(x: Any) -> Any:
    return call("np.exp", x)


def _log(x: Any) -> Any:
    return call("np.log", x)


def _squared(x: Any) -> Any:
    return MULTIPLY(x, x)


def _bell(x: Any) -> Any:
    return _exp(MULTIPLY(_squared(x), -0.5))


_LINE, _POSITIVE, _UNIT, _PART = (-2.0, 2.0), (0.5, 4.0), (0.1, 0.9), (-0.9, 0.9)
_ROOT = math.sqrt(2.0 * math.pi)
_SLOPE = 2.0 / math.sqrt(math.pi)

# The normal law and the error function

elementwise("ndtr", lambda x, y: MULTIPLY(_bell(x), 1.0 / _ROOT), at=(_LINE,))
elementwise(
    "log_ndtr",
    lambda x, y: MULTIPLY(_exp(SUBTRACT(MULTIPLY(_squared(x), -0.5), y)), 1.0 / _ROOT),
    at=(_LINE,),
)
elementwise("ndtri", lambda x, y: MULTIPLY(_exp(MULTIPLY(_squared(y), 0.5)), _ROOT), at=(_UNIT,))
elementwise("erfcx", lambda x, y: SUBTRACT(MULTIPLY(MULTIPLY(x, y), 2.0), _SLOPE), at=(_LINE,))
pointwise(
    "scipy.special.wofz",
    lambda xp, x: _scipy.wofz(x),
    lambda x, y: ADD(MULTIPLY(MULTIPLY(x, y), -2.0), 1j * _SLOPE),
    implements=(_scipy.wofz,),
    samples=lambda rng: [(rng.normal(size=3) + 1j * rng.uniform(0.1, 2.0, size=3),), (rng.normal(size=3),)],
)
elementwise("erfi", lambda x, y: MULTIPLY(_exp(_squared(x)), _SLOPE), at=(_LINE,))
elementwise("erfcinv", lambda x, y: MULTIPLY(_exp(_squared(y)), -1.0 / _SLOPE), at=((0.1, 1.9),))
elementwise("dawsn", lambda x, y: SUBTRACT(1.0, MULTIPLY(MULTIPLY(x, y), 2.0)), at=(_LINE,))
elementwise(
    "owens_t",
    lambda h, a, y: MULTIPLY(
        MULTIPLY(_bell(h), call("erf", MULTIPLY(MULTIPLY(a, h), math.sqrt(0.5)))), -0.5 / _ROOT
    ),
    lambda h, a, y: DIVIDE(
        _bell(MULTIPLY(h, call("np.sqrt", ADD(_squared(a), 1.0)))),
        MULTIPLY(ADD(_squared(a), 1.0), 2.0 * math.pi),
    ),
    at=(_LINE, _LINE),
)

# Integrals

elementwise("exp1", lambda x, y: NEGATIVE(DIVIDE(_exp(NEGATIVE(x)), x)), at=(_POSITIVE,))
elementwise("expi", lambda x, y: DIVIDE(_exp(x), x), at=(_POSITIVE,))
elementwise("spence", lambda x, y: DIVIDE(_log(x), SUBTRACT(1.0, x)), at=((1.5, 4.0),))
elementwise(
    "ellipk",
    lambda m, y: DIVIDE(
        SUBTRACT(DIVIDE(call("ellipe", m), SUBTRACT(1.0, m)), y),
        MULTIPLY(m, 2.0),
    ),
    at=(_UNIT,),
)
elementwise("ellipe", lambda m, y: DIVIDE(SUBTRACT(y, call("ellipk", m)), MULTIPLY(m, 2.0)), at=(_UNIT,))

# Bessel's functions

elementwise("j0", lambda x, y: NEGATIVE(call("j1", x)), at=(_POSITIVE,))
elementwise("j1", lambda x, y: SUBTRACT(call("j0", x), DIVIDE(y, x)), at=(_POSITIVE,))
elementwise("y0", lambda x, y: NEGATIVE(call("y1", x)), at=(_POSITIVE,))
elementwise("y1", lambda x, y: SUBTRACT(call("y0", x), DIVIDE(y, x)), at=(_POSITIVE,))
elementwise("i0", lambda x, y: call("i1", x), at=(_LINE,))
elementwise("i1", lambda x, y: SUBTRACT(call("i0", x), DIVIDE(y, x)), at=(_POSITIVE,))
elementwise("i0e", lambda x, y: SUBTRACT(call("i1e", x), MULTIPLY(call("np.sign", x), y)), at=(_POSITIVE,))
elementwise(
    "i1e",
    lambda x, y: SUBTRACT(call("i0e", x), MULTIPLY(ADD(call("np.sign", x), DIVIDE(1.0, x)), y)),
    at=(_POSITIVE,),
)
elementwise("k0", lambda x, y: NEGATIVE(call("k1", x)), at=(_POSITIVE,))
elementwise("k1", lambda x, y: NEGATIVE(ADD(call("k0", x), DIVIDE(y, x))), at=(_POSITIVE,))


def _orders(low: int, *intervals: Interval) -> Any:
    """Return samples with whole orders, which have no derivative."""

    def samples(rng: Any) -> list[tuple[Any, ...]]:
        drawn = [[rng.uniform(*bounds, 4) for bounds in intervals] for _ in range(3)]
        return [(low + i, *each) for i, each in enumerate(drawn)]

    return samples


def _half_difference(name: str, sign: float) -> Any:
    def slope(v: Any, x: Any, y: Any) -> Any:
        below, above = call(name, SUBTRACT(v, 1), x), call(name, ADD(v, 1), x)
        return MULTIPLY(SUBTRACT(below, above) if sign == 0 else ADD(below, above), -0.5 if sign < 0 else 0.5)

    return slope


for _name, _sign in (("jv", 0), ("yv", 0), ("iv", 1), ("kv", -1), ("kn", -1), ("yn", 0)):
    elementwise(
        _name,
        _unknown,
        _half_difference(_name, _sign),
        at=(),
        samples=_orders(1, _POSITIVE),
        singular=True,
    )

# Of the gamma function

elementwise("rgamma", lambda x, y: NEGATIVE(MULTIPLY(y, call("psi", x))), at=(_POSITIVE,))
elementwise("loggamma", lambda x, y: call("psi", x), at=(_POSITIVE,))
elementwise(
    "beta",
    lambda a, b, y: MULTIPLY(y, SUBTRACT(call("psi", a), call("psi", ADD(a, b)))),
    lambda a, b, y: MULTIPLY(y, SUBTRACT(call("psi", b), call("psi", ADD(a, b)))),
    at=(_POSITIVE, _POSITIVE),
)
elementwise(
    "binom",
    lambda n, k, y: MULTIPLY(y, SUBTRACT(call("psi", ADD(n, 1.0)), call("psi", ADD(SUBTRACT(n, k), 1.0)))),
    lambda n, k, y: MULTIPLY(y, SUBTRACT(call("psi", ADD(SUBTRACT(n, k), 1.0)), call("psi", ADD(k, 1.0)))),
    at=((4.2, 6.0), (0.3, 3.8)),
)
elementwise(
    "poch",
    lambda z, m, y: MULTIPLY(y, SUBTRACT(call("psi", ADD(z, m)), call("psi", z))),
    lambda z, m, y: MULTIPLY(y, call("psi", ADD(z, m))),
    at=(_POSITIVE, _POSITIVE),
)

# Elementary functions

elementwise("entr", lambda x, y: NEGATIVE(ADD(_log(x), 1.0)), at=(_POSITIVE,), singular=True)
elementwise("exp10", lambda x, y: MULTIPLY(y, math.log(10.0)), at=(_LINE,))
elementwise("cosm1", lambda x, y: NEGATIVE(call("np.sin", x)), at=(_LINE,))
if hasattr(_scipy, "softplus"):
    elementwise("softplus", lambda x, y: call("expit", x), at=(_LINE,))
elementwise(
    "rel_entr",
    lambda x, y, z: ADD(_log(DIVIDE(x, y)), 1.0),
    lambda x, y, z: NEGATIVE(DIVIDE(x, y)),
    at=(_POSITIVE, _POSITIVE),
    singular=True,
)
elementwise(
    "kl_div",
    lambda x, y, z: _log(DIVIDE(x, y)),
    lambda x, y, z: SUBTRACT(1.0, DIVIDE(x, y)),
    at=(_POSITIVE, _POSITIVE),
    singular=True,
)
elementwise(
    "huber",
    lambda d, r, y: call("np.maximum", SUBTRACT(call("np.absolute", r), d), 0.0),
    lambda d, r, y: call("np.maximum", call("np.minimum", r, d), NEGATIVE(d)),
    at=((0.8, 0.9), (1.0, 2.0)),
)
elementwise(
    "pseudo_huber",
    lambda d, r, y: SUBTRACT(
        DIVIDE(MULTIPLY(y, 2.0), d),
        DIVIDE(_squared(r), MULTIPLY(d, call("np.sqrt", ADD(_squared(DIVIDE(r, d)), 1.0)))),
    ),
    lambda d, r, y: DIVIDE(r, call("np.sqrt", ADD(_squared(DIVIDE(r, d)), 1.0))),
    at=(_POSITIVE, _LINE),
)
elementwise(
    "boxcox",
    lambda x, p, y: call("np.power", x, SUBTRACT(p, 1.0)),
    lambda x, p, y: DIVIDE(SUBTRACT(MULTIPLY(call("np.power", x, p), _log(x)), y), p),
    at=(_POSITIVE, _UNIT),
)
elementwise(
    "inv_boxcox",
    lambda x, p, y: call("np.power", y, SUBTRACT(1.0, p)),
    lambda x, p, y: MULTIPLY(
        y, SUBTRACT(DIVIDE(x, MULTIPLY(p, ADD(MULTIPLY(x, p), 1.0))), DIVIDE(_log(y), p))
    ),
    at=(_POSITIVE, _UNIT),
)

# Polynomials and hypergeometric functions


elementwise(
    "eval_hermite",
    _unknown,
    lambda n, x, y: MULTIPLY(MULTIPLY(n, 2.0), call("eval_hermite", SUBTRACT(n, 1), x)),
    at=(),
    samples=_orders(2, _LINE),
    singular=True,
)
elementwise(
    "eval_hermitenorm",
    _unknown,
    lambda n, x, y: MULTIPLY(MULTIPLY(n, 1.0), call("eval_hermitenorm", SUBTRACT(n, 1), x)),
    at=(),
    samples=_orders(2, _LINE),
    singular=True,
)
elementwise(
    "eval_legendre",
    _unknown,
    lambda n, x, y: DIVIDE(
        MULTIPLY(n, SUBTRACT(MULTIPLY(x, y), call("eval_legendre", SUBTRACT(n, 1), x))),
        SUBTRACT(_squared(x), 1.0),
    ),
    at=(),
    samples=_orders(1, _PART),
    singular=True,
)
# NumPy's own functions of these names have other last bits

_of_numpy("expm1", lambda x, y: ADD(y, 1.0), at=_LINE)
_of_numpy("log1p", lambda x, y: DIVIDE(1.0, ADD(x, 1.0)), at=_POSITIVE)
_of_numpy("exp2", lambda x, y: MULTIPLY(y, math.log(2.0)), at=_LINE)
_of_numpy("cbrt", lambda x, y: DIVIDE(1.0, MULTIPLY(_squared(y), 3.0)), at=_POSITIVE)
