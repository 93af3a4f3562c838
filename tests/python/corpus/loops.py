"""Plain loops over numbers: statistics, early ends, special functions, mixed forms of assignment."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass

from tests.python.corpus import Example

LANCZOS = (
    76.18009172947146,
    -86.50532032941677,
    24.01409824083091,
    -1.231739572450155,
    0.1208650973866179e-2,
)


@dataclass(frozen=True)
class Summary:
    """What is known of a sample."""

    mean: float
    deviation: float
    skew: float = 0.0

    def z(self, x: float) -> float:
        return (x - self.mean) / self.deviation


DEFAULT = Summary(0.5, 2.0)


def summarize(values: Sequence[float]) -> Summary:
    """The first three moments."""
    n = len(values)
    mean = sum(values) / n
    second = sum((x - mean) ** 2 for x in values) / n
    third = sum((x - mean) ** 3 for x in values) / n
    return Summary(mean, math.sqrt(second), skew=third / second**1.5)


def welford(values: Sequence[float]) -> tuple[float, float]:
    """Mean and variance in one pass."""
    mean = m2 = 0.0
    for n, x in enumerate(values, start=1):
        delta = x - mean
        mean += delta / n
        m2 += delta * (x - mean)
    return mean, m2 / (len(values) - 1)


def z_scores(values: list[float], reference: Summary = DEFAULT) -> list[float]:
    """The distances from a reference."""
    return [reference.z(x) for x in values if x is not None]


def correlation(xs: list[float], ys: list[float]) -> float:
    """Pearson's correlation."""
    mx, my = [sum(v) / len(v) for v in (xs, ys)]
    top = left = right = 0.0
    for x, y in zip(xs, ys, strict=True):
        dx, dy = x - mx, y - my
        top += dx * dy
        left += dx**2
        right += dy**2
    return top / math.sqrt(left * right)


def percentile(values: list[float], share: float) -> float:
    """A percentile between sorted values."""
    ordered = sorted(values)
    rest, whole = math.modf(share * (len(ordered) - 1))
    i = int(whole)
    return ordered[i] if i + 1 == len(ordered) else (1 - rest) * ordered[i] + rest * ordered[i + 1]


def means(values: Sequence[float]) -> dict[str, float]:
    """Several means."""
    n = len(values)
    return {
        "arithmetic": math.fsum(values) / n,
        "geometric": math.prod(values) ** (1 / n),
        "harmonic": n / sum(1 / x for x in values),
        "quadratic": math.hypot(*values) / math.sqrt(n),
    }


def first_crossing(values: Sequence[float], level: float) -> float | None:
    """Where samples first pass a level, or None."""
    for i in range(1, len(values)):
        before, after = values[i - 1], values[i]
        if before <= level < after:
            break
    else:
        return None
    return i - 1 + (level - before) / (after - before)


def pair_in_table(table: list[list[float]], target: float) -> tuple[int, int, float]:
    """The first entry above a target, out of nested loops."""
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            if value < 0:
                continue
            if value > target:
                return i, j, value - target
    return -1, -1, target


def assignments(a: float, b: float, c: float) -> list[float]:
    """Many forms of assignment in one function."""
    x = y = a * b
    first, *middle, last = [x, y + c, a - c, b]
    (p, q), r = (first, last), sum(middle)
    p, q = q, p
    x += r
    y -= p / 2
    x *= 1 + (square := q * q)
    y /= 1 + square
    x **= 2
    values = [x, y]
    values[0], values[-1] = values[-1], values[0]
    values[1] *= 0.1
    values.insert(1, p)
    values.insert(-1, r)
    values.extend((q, square))
    values.reverse()
    return values


def windows(values: list[float], scale: float) -> tuple[list[float], list[float], list[float], float]:
    """Slices of all kinds."""
    doubled = [scale * x for x in values]
    return doubled[::2], doubled[-2:], doubled[:-3:-1], doubled[len(doubled) // 2]


def log_gamma(x: float) -> float:
    """The series of Lanczos, against the library."""
    y = x
    t = x + 5.5
    t -= (x + 0.5) * math.log(t)
    series = 1.000000000190015
    for c in LANCZOS:
        y += 1
        series += c / y
    mine = -t + math.log(2.5066282746310005 * series / x)
    return 0.5 * (mine + math.lgamma(x))


def error_function(x: float) -> float:
    """The error function by its series, until terms are small."""
    term, n, total = x, 0, x
    while True:
        n += 1
        term *= -x * x / n
        total += term / (2 * n + 1)
        if abs(term) < 1e-13:
            break
    return 2 / math.sqrt(math.pi) * total - 0.5 * math.erf(x)


def zeta(s: float) -> float:
    """The zeta function by an accelerated alternating sum."""
    n = 12
    weights = [1]
    for k in range(1, n + 1):
        weights.append(weights[-1] + math.comb(n, k))
    total = 0.0
    for k in range(n):
        share = weights[n - 1 - k] / 2**n
        total += (-1) ** k * share / (k + 1) ** s
    factor: float = 1 - 2.0 ** (1 - s)
    return total / factor


def hyperbolic(x: float) -> list[float]:
    """Functions of the library that go together."""
    return [
        math.sinh(x) - math.cosh(x) * math.tanh(x),
        math.asinh(math.sinh(x)) + math.acosh(1 + x * x) + math.atanh(x / 2),
        math.degrees(math.atan2(x, 2.0)) + math.radians(x),
        math.expm1(x) * math.log10(2 + x) - math.log2(3 + x) + math.exp2(-x),
        math.cbrt(x) + math.gamma(1 + x) * math.tan(x) + math.fmod(x, 0.25),
        math.ldexp(x, 3) + math.copysign(x, -1.0) + math.remainder(x, 1.0),
    ]


def mantissas(values: Sequence[float]) -> float:
    """Products kept in range by their exponents."""
    mantissa, exponent = 1.0, 0
    for value in values:
        mantissa, shift = math.frexp(mantissa * value)
        exponent += shift
    return mantissa * 2.0**exponent if math.isfinite(mantissa) else math.nan


def soft_extremes(values: Sequence[float], sharpness: float) -> tuple[float, float]:
    """Smooth versions of the largest and the smallest value."""

    def soft(sign: float) -> float:
        shifted = [sign * sharpness * x for x in values]
        top = max(shifted)
        return sign * (top + math.log(sum(math.exp(x - top) for x in shifted))) / sharpness

    return soft(1.0), soft(-1.0)


def piecewise(x: float) -> float:
    """A function with many cases."""
    if x < -1:
        return -x - 0.5
    elif -1 <= x < 0:
        return x * x / 2
    elif x == 0 or not x < 1:
        return math.sqrt(x) if x > 4 else x**1.5
    return x**3 - x


def pieces(xs: Sequence[float]) -> list[float]:
    return [piecewise(x) for x in xs]


def grade(kind: str, score: float) -> float:
    """A score by kind, chosen by a match."""
    match (kind, score > 50.0):
        case ("exam" | "test", True):
            return 1.2 * score
        case ("exam", False):
            return score - 5.0
        case (other, high) if high and other.startswith("home"):
            return math.sqrt(score)
        case _:
            return 0.5 * score


def grades(score: float) -> list[float]:
    return [grade(kind, s) for kind in ("exam", "test", "homework", "essay") for s in (score, score - 30.0)]


def convex_combination(points: dict[str, tuple[float, float]], **weights: float) -> tuple[float, float]:
    """A mean of named points with named weights."""
    total = sum(weights.values())
    x = sum(weights[name] * points[name][0] for name in weights) / total
    y = sum(w * points[name][1] for name, w in weights.items()) / total
    return x, y


def corner_mix(a: float, b: float) -> tuple[float, float]:
    """A mixture of three corners."""
    corners = {"left": (0.0, 0.0), "right": (4.0, a), "top": (b, 3.0)}
    return convex_combination(corners, left=1.0, right=a, top=b * b)


def checksum_terms(values: Sequence[float]) -> float:
    """Even and odd places, added with different signs."""
    even, odd = values[::2], values[1::2]
    difference: float = sum(map(operator.mul, even, even)) - sum(map(abs, odd))
    return difference if any(v > 1 for v in values) and not all(v > 1 for v in values) else -difference


def rounded_total(values: Sequence[float]) -> tuple[float, int, bool]:
    """What is left after rounding."""
    total = sum(round(v, 2) for v in values)
    return total, math.ceil(total) + math.trunc(-total), bool(values)


VALUES = [2.0, 0.7, 3.1, 1.4, 5.2]

EXAMPLES = [
    Example(summarize, (VALUES,)),
    Example(summarize, ([],), raises=ZeroDivisionError),
    Example(welford, (VALUES,)),
    Example(z_scores, (VALUES,)),
    Example(z_scores, (VALUES, Summary(1.0, 0.5))),
    Example(correlation, (VALUES, [1.0, 0.9, 2.8, 0.4, 4.0])),
    Example(percentile, (VALUES, 0.3)),
    Example(means, (VALUES,)),
    Example(first_crossing, (VALUES, 2.5)),
    Example(first_crossing, (VALUES, 9.5), differentiable=False),
    Example(pair_in_table, ([[1.0, -2.0], [0.5, 3.5]], 2.0)),
    Example(assignments, (1.5, -0.7, 2.2)),
    Example(windows, (VALUES, 2.0)),
    Example(log_gamma, (3.7,)),
    Example(error_function, (0.8,)),
    Example(zeta, (2.5,)),
    Example(hyperbolic, (0.6,)),
    Example(mantissas, ([1e100, 3.5e80, 2.5e-90, 0.125],)),
    Example(soft_extremes, (VALUES, 2.0)),
    Example(pieces, ([-1.5, -0.4, 0.3, 2.0, 9.0],)),
    Example(grades, (72.0,)),
    Example(corner_mix, (0.8, 1.7)),
    Example(checksum_terms, (VALUES,)),
    Example(rounded_total, ([1.234, 5.678],), differentiable=False),
]
