"""The gamma function, and the derivatives of its logarithm: `polygamma(n, x)` is the (n + 1)-th.

For x at least `_FAR + n` the Euler-Maclaurin sum of n! / (x + k)^(n + 1) over k is exact to a rounding
error with ten Bernoulli numbers; a smaller x is moved there by the recurrence, a negative one is reflected.
"""

from __future__ import annotations

import math
from functools import cache

from checkpoint.scalars.algebra import real, word
from checkpoint.scalars.definition import INF, NAN, POSITIVE, Arrays, Definition, define
from checkpoint.scalars.ieee import total

# The Bernoulli numbers B2, B4, ..., B20.
_BERNOULLI = (
    *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730),
    *(7 / 6, -3617 / 510, 43867 / 798, -174611 / 330),
)
_FAR = 12.0
_REFLECTED = -8.0  # from here down; above, the recurrence is as short
_HIGHEST = 150  # the factorials of higher orders are no floats


def digamma(x: float) -> float:
    """The derivative of lgamma; NaN at its poles, 0, -1, ..."""
    if not math.isfinite(x):
        return x if x > 0.0 else NAN
    if x <= 0.0 and x == math.floor(x):
        return NAN
    if x < _REFLECTED:
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * math.fmod(x, 1.0))
    terms = []
    while x < _FAR:
        terms.append(-1.0 / x)
        x += 1.0
    terms += [math.log(x), -0.5 / x]
    terms += [-b / (2 * k * x ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1)] if x < 1e20 else []
    return math.fsum(terms)


def value_of_polygamma(order: float, x: float) -> float:
    """The order-th derivative of digamma; NaN at its poles."""
    n = int(order)
    if n == 0:
        return digamma(x)
    if math.isnan(x) or x == -INF or (x <= 0.0 and x == math.floor(x)):
        return NAN
    sign = 1.0 if n % 2 else -1.0
    if x < _REFLECTED:
        return -sign * value_of_polygamma(n, 1.0 - x) - math.pi ** (n + 1) * _cotangent(n, x)
    return sign * math.factorial(n) * _zeta(n + 1, x)


def _zeta(s: int, x: float) -> float:
    """The sum of (x + k)^-s over all k from 0."""
    terms = []
    while x < _FAR + s:
        terms.append(x**-s)
        x += 1.0
    if math.isinf(x):
        return math.fsum(terms)
    terms += [x ** (1 - s) / (s - 1), 0.5 * x**-s]
    factor = s * x ** (-s - 1) / 2
    for k, b in enumerate(_BERNOULLI, 1):
        terms.append(b * factor)
        factor *= (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2)) / x / x
    return math.fsum(terms)


@cache
def _polynomial(n: int) -> tuple[int, ...]:
    """The coefficients, from the lowest, of the n-th derivative of cot as a polynomial in cot."""
    if n == 0:
        return (0, 1)
    slope = [k * c for k, c in enumerate(_polynomial(n - 1))][1:]
    return tuple(-(a + b) for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True))


def _cotangent(n: int, x: float) -> float:
    """The n-th derivative of cot at pi x."""
    cot = 1.0 / math.tan(math.pi * math.fmod(x, 1.0))
    total = 0.0
    for coefficient in reversed(_polynomial(n)):
        total = total * cot + coefficient
    return total


def _ieee(order: float, x: float) -> float:
    order = float(round(order)) if math.isfinite(order) else NAN
    if not 0.0 <= order <= _HIGHEST:
        return NAN
    try:
        return value_of_polygamma(order, x)
    except (OverflowError, ZeroDivisionError):
        return math.copysign(INF, math.pow(math.copysign(1.0, x), order + 1) * (-1.0) ** (order + 1))


def _value(order: float, x: float) -> float:
    result = _ieee(order, x)
    if math.isnan(result) and not math.isnan(x):
        raise ValueError("polygamma is taken at its pole, or at an order that is none")
    return result * 1.0


polygamma: Definition = define(
    "polygamma",
    "the derivatives of the logarithm of the gamma function: order (0 for the first), x",
    lambda n, x, z: 0.0,
    lambda n, x, z: polygamma(real(n) + 1.0, x),
    value=_value,
    ieee=_ieee,
    c="",
    language="py.polygamma",
    python=(),
    convention="the order is rounded to a whole number, and has the derivative 0",
    domain=((1.0, 1.0), POSITIVE),
)
psi = word("psi", "scipy.special.psi", lambda x: polygamma(0.0, x))

gamma = define(
    "gamma",
    "the gamma function",
    lambda x, z: z * psi(x),
    value=math.gamma,
    ieee=total(math.gamma, lambda x: INF if x > 0.0 else NAN),
    c="",
    language="",
    python=(math.gamma,),
    domain=((0.5, 4.0),),
    arrays=Arrays(name="scipy.special.gamma"),
)
lgamma = define(
    "lgamma",
    "the logarithm of the absolute value of the gamma function",
    lambda x, z: psi(x),
    value=math.lgamma,
    ieee=total(math.lgamma, INF),
    c="",
    language="",
    python=(math.lgamma,),
    domain=((0.5, 4.0),),
    arrays=Arrays(name="scipy.special.gammaln"),
)
