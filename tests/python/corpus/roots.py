"""Equations in one unknown: Newton and its relatives, bracketing, series, and polynomials."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tests.python.corpus import Example

TOLERANCE = 1e-12
MAX_STEPS = 50


class NoRootError(Exception):
    """The method found no root."""


def newton_sqrt(a: float) -> float:
    """The square root by Newton's iteration."""
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def newton(
    f: Callable[[float], float], df: Callable[[float], float], x: float, tolerance: float = TOLERANCE
) -> float:
    """A root of f near x."""
    for _ in range(MAX_STEPS):
        step = f(x) / df(x)
        x -= step
        if abs(step) < tolerance:
            return x
    raise NoRootError("Newton's iteration does not converge")


def cosine_fixed_point(scale: float) -> float:
    """Where x equals scale * cos(x)."""
    return newton(lambda x: x - scale * math.cos(x), lambda x: 1.0 + scale * math.sin(x), 0.5)


def oscillating_newton(start: float) -> float:
    """Newton's iteration on a function without a root."""
    return newton(lambda x: x * x + 1.0, lambda x: 2.0 * x, start)


def kepler(mean_anomaly: float, eccentricity: float) -> float:
    """The eccentric anomaly from Kepler's equation."""
    anomaly = mean_anomaly + eccentricity * math.sin(mean_anomaly)
    delta = 1.0
    while abs(delta) > 1e-13:
        delta = (anomaly - eccentricity * math.sin(anomaly) - mean_anomaly) / (
            1 - eccentricity * math.cos(anomaly)
        )
        anomaly -= delta
    return anomaly


def halley_cube_root(a: float, steps: int = 6) -> float:
    """The cube root by Halley's iteration, a fixed number of times."""
    x = max(a, 1.0)
    for _ in range(steps):
        cube = x**3
        x *= (cube + 2 * a) / (2 * cube + a)
    return x


def bisect(f: Callable[[float], float], low: float, high: float, steps: int = 40) -> float:
    """A root of f between low and high, where f changes its sign."""
    f_low, f_high = f(low), f(high)
    if f_low == 0.0:
        return low
    if f_low * f_high > 0:
        raise ValueError(f"no change of sign between {low} and {high}")
    for _ in range(steps):
        middle = (low + high) / 2
        f_middle = f(middle)
        if f_low * f_middle <= 0:
            high = middle
        else:
            low, f_low = middle, f_middle
    return (low + high) / 2


def bisected_cubic(p: float, q: float) -> float:
    """The real root of x^3 + p x + q by bisection alone."""
    return bisect(lambda x: x**3 + p * x + q, -4.0, 4.0)


def polished_cubic(p: float, q: float) -> float:
    """The real root of x^3 + p x + q: a coarse bracket, then Newton."""

    def cubic(x: float) -> float:
        return (x * x + p) * x + q

    x = bisect(cubic, -4.0, 4.0, steps=6)
    for _ in range(6):
        x = x - cubic(x) / (3 * x * x + p)
    return x


def bad_bracket(a: float) -> float:
    """Bisection where the sign does not change."""
    return bisect(lambda x: x * x + a, 0.0, 1.0)


def secant(f: Callable[[float], float], x0: float, x1: float) -> float:
    """A root of f by the secant method."""
    f0, f1 = f(x0), f(x1)
    count = 0
    while abs(f1) > 1e-13 and count < 30:
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, f(x1)
        count += 1
    return x1


def annuity_rate(payment: float, principal: float) -> float:
    """The rate at which 24 payments pay back the principal."""

    def excess(rate: float) -> float:
        return principal * rate - payment * (1.0 - (1.0 + rate) ** -24)

    return secant(excess, 0.01, 0.05)


def brent(f: Callable[[float], float], a: float, b: float, tolerance: float = 1e-9) -> float:
    """A root of f between a and b by Brent's method."""
    fa, fb = f(a), f(b)
    if fa * fb > 0:
        raise NoRootError("no change of sign")
    if abs(fa) < abs(fb):
        a, b, fa, fb = b, a, fb, fa
    c, fc, d = a, fa, a
    bisected = True
    while abs(fb) > tolerance and abs(b - a) > tolerance:
        if fc not in (fa, fb):
            s = a * fb * fc / ((fa - fb) * (fa - fc))
            s += b * fa * fc / ((fb - fa) * (fb - fc))
            s += c * fa * fb / ((fc - fa) * (fc - fb))
        else:
            s = b - fb * (b - a) / (fb - fa)
        low, high = sorted(((3 * a + b) / 4, b))
        previous = abs(b - c) if bisected else abs(c - d)
        bisected = not low < s < high or abs(s - b) >= previous / 2
        if bisected:
            s = (a + b) / 2
        fs = f(s)
        d, c, fc = c, b, fb
        if fa * fs < 0:
            b, fb = s, fs
        else:
            a, fa = s, fs
        if abs(fa) < abs(fb):
            a, b, fa, fb = b, a, fb, fa
    return b


def brent_decay(rate: float, level: float) -> float:
    """When exp(-rate t) + t/10 falls to a level."""
    return brent(lambda t: math.exp(-rate * t) + 0.1 * t - level, 0.0, 3.0)


def lambert_w(x: float) -> float:
    """The principal branch of Lambert's function."""
    if x < -1 / math.e:
        raise ValueError("outside the domain")
    w = math.log1p(x)
    for _ in range(8):
        e = math.exp(w)
        error = w * e - x
        w -= error / (e * (w + 1) - (w + 2) * error / (2 * w + 2))
    return w


def continued_fraction(x: float, depth: int = 12) -> float:
    """The tangent by Lambert's continued fraction."""
    value = 2.0 * depth + 1.0
    for k in range(2 * depth - 1, 0, -2):
        value = k - x * x / value
    return x / value


def horner(coefficients: Sequence[float], x: float) -> float:
    """A polynomial, highest power first."""
    result = 0.0
    for coefficient in coefficients:
        result = result * x + coefficient
    return result


def horner_with_slope(coefficients: Sequence[float], x: float) -> tuple[float, float]:
    """A polynomial and its slope in one pass."""
    value = slope = 0.0
    for c in coefficients:
        slope = slope * x + value
        value = value * x + c
    return value, slope


def clenshaw(coefficients: Sequence[float], x: float) -> float:
    """A sum of Chebyshev polynomials."""
    first, *rest = coefficients
    b1 = b2 = 0.0
    for c in reversed(rest):
        b1, b2 = 2 * x * b1 - b2 + c, b1
    return x * b1 - b2 + first


def quadratic(a: float, b: float, c: float) -> tuple[float, float] | None:
    """Both real roots of a quadratic, the smaller first."""
    if (discriminant := b * b - 4 * a * c) < 0:
        return None
    q = -0.5 * (b + math.copysign(math.sqrt(discriminant), b))
    return min(q / a, c / q), max(q / a, c / q)


def newton_backtracking(target: float) -> float:
    """The inverse of the arc tangent by damped Newton steps."""
    x = 3.0
    residual = math.atan(x) - target
    for _ in range(25):
        step = residual * (1 + x * x)
        factor = 1.0
        while abs(trial := math.atan(x - factor * step) - target) > abs(residual):
            factor /= 2
        x, residual = x - factor * step, trial
        if abs(residual) < 1e-11:
            break
    return x


def exponential_series(x: float) -> tuple[float, int]:
    """exp(x) by its series, and the number of terms."""
    total = term = 1.0
    n = 0
    while term > 1e-14 * total:
        n += 1
        term *= x / n
        total += term
    return total, n


def agm(a: float, b: float) -> float:
    """The arithmetic-geometric mean."""
    return a if abs(a - b) < 1e-13 * a else agm((a + b) / 2, math.sqrt(a * b))


def settled(a: float) -> tuple[float, list[bool]]:
    """A cube root by Newton's iteration, until two iterates are close; and what `isclose` says of others."""
    x = a
    while not math.isclose(x, following := (2.0 * x + a / (x * x)) / 3.0, rel_tol=1e-13):
        x = following
    pairs = (
        (x, x + 1e-12),
        (math.inf, math.inf),
        (-math.inf, x),
        (math.nan, math.nan),
        (0.0, 1e-12),
        (3, True),
    )
    found = [math.isclose(p, q, abs_tol=t) for p, q in pairs for t in (0.0, 1e-9)]
    return x, [*found, *map(math.isclose, (x, 1), (x, 1.5))]


def badly_settled(a: float) -> bool:
    """A tolerance that is passed by position."""
    return math.isclose(a, 1.0, 1e-9)  # type: ignore[call-arg]


EXAMPLES = [
    Example(newton_sqrt, (2.0,)),
    Example(cosine_fixed_point, (1.3,)),
    Example(oscillating_newton, (1.0,), raises=ZeroDivisionError),
    Example(oscillating_newton, (0.75,), raises=NoRootError),
    Example(kepler, (1.2, 0.3)),
    Example(halley_cube_root, (20.0,)),
    Example(bisected_cubic, (1.0, -3.0), differentiable=False),
    Example(polished_cubic, (1.0, -3.1)),
    Example(bad_bracket, (1.0,), raises=ValueError),
    Example(annuity_rate, (5.0, 100.0)),
    Example(brent_decay, (1.4, 0.5)),
    Example(lambert_w, (1.7,)),
    Example(continued_fraction, (1.1,)),
    Example(horner, ([2.0, -3.0, 0.5, 7.0], 1.5)),
    Example(horner_with_slope, ((1.0, 0.0, -2.0, 4.5), 0.7)),
    Example(clenshaw, ([0.3, 1.2, -0.7, 0.25], 0.4)),
    Example(quadratic, (1.0, -5.0, 3.0)),
    Example(quadratic, (1.0, 1.0, 3.0), differentiable=False),
    Example(newton_backtracking, (0.4,)),
    Example(exponential_series, (1.5,)),
    Example(agm, (1.0, 2.5)),
    Example(settled, (20.0,)),
    Example(badly_settled, (20.0,), raises=TypeError),
]
