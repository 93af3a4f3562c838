"""Integrals and transforms: rules, recursion, extrapolation, discrete Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from tests.python.corpus import Example

Function = Callable[[float], float]

# Nodes and weights on [-1, 1].
GAUSS_5 = (
    (0.0, 128 / 225),
    (0.5384693101056831, 0.47862867049936647),
    (-0.5384693101056831, 0.47862867049936647),
    (0.906179845938664, 0.23692688505618908),
    (-0.906179845938664, 0.23692688505618908),
)


def simpson(f: Function, a: float, b: float, n: int = 20) -> float:
    """Simpson's rule with n intervals."""
    assert n % 2 == 0, "n must be even"
    h = (b - a) / n
    inner = sum((4 if k % 2 else 2) * f(a + k * h) for k in range(1, n))
    return h / 3 * (f(a) + inner + f(b))


def gaussian_mass(mean: float, width: float, limit: float) -> float:
    """The mass of a normal distribution between -limit and limit."""

    def density(x: float) -> float:
        z = (x - mean) / width
        return math.exp(-z * z / 2) / (width * math.sqrt(2 * math.pi))

    return simpson(density, -limit, limit, n=40)


def odd_intervals(a: float) -> float:
    """Simpson's rule with a wrong number of intervals."""
    return simpson(math.sin, 0.0, a, n=7)


def adaptive_simpson(a: float, b: float, sharpness: float) -> float:
    """A peaked integrand by recursive halving."""

    def f(x: float) -> float:
        return 1.0 / (1.0 + sharpness * x * x)

    def rule(left: float, right: float) -> float:
        middle = (left + right) / 2
        return (right - left) / 6 * (f(left) + 4 * f(middle) + f(right))

    def refine(left: float, right: float, whole: float, depth: int) -> float:
        middle = (left + right) / 2
        lower, upper = rule(left, middle), rule(middle, right)
        difference = lower + upper - whole
        if depth == 0 or abs(difference) < 1e-6:
            return lower + upper + difference / 15
        return refine(left, middle, lower, depth - 1) + refine(middle, right, upper, depth - 1)

    return refine(a, b, rule(a, b), 10)


def romberg(f: Function, a: float, b: float, levels: int = 5) -> float:
    """Romberg's extrapolation of the trapezoidal rule."""
    table = [[(b - a) * (f(a) + f(b)) / 2]]
    for i in range(1, levels):
        h = (b - a) / 2**i
        middle = sum(f(a + (2 * k + 1) * h) for k in range(2 ** (i - 1)))
        row = [table[i - 1][0] / 2 + h * middle]
        for j in range(1, i + 1):
            row.append(row[j - 1] + (row[j - 1] - table[i - 1][j - 1]) / (4.0**j - 1))
        table.append(row)
    return table[-1][-1]


def bessel_j0(x: float) -> float:
    """The Bessel function J0 from its integral."""
    return romberg(lambda t: math.cos(x * math.sin(t)), 0.0, math.pi) / math.pi


def gauss_legendre(f: Function, a: float, b: float) -> float:
    """Five-point Gauss-Legendre quadrature."""
    center, half = (a + b) / 2, (b - a) / 2
    return half * sum(weight * f(center + half * node) for node, weight in GAUSS_5)


def pendulum_period(length: float, amplitude: float, *, gravity: float = 9.81) -> float:
    """The exact period of a pendulum, by an elliptic integral."""
    k = math.sin(amplitude / 2)
    integral = gauss_legendre(lambda t: 1 / math.sqrt(1 - (k * math.sin(t)) ** 2), 0.0, math.pi / 2)
    return 4 * math.sqrt(length / gravity) * integral


def power_of(x: float, *, exponent: float, scale: float = 1.0) -> float:
    """A scaled power."""
    return scale * math.pow(x, exponent)


def moments(a: float, b: float, count: int = 3) -> list[float]:
    """The first moments of the interval from a to b."""
    return [gauss_legendre(partial(power_of, exponent=float(k)), a, b) for k in range(count)]


def trapezoid_samples(times: Sequence[float], values: Sequence[float]) -> float:
    """The trapezoidal rule on uneven samples."""
    area = 0.0
    for i in range(1, len(times)):
        area += (times[i] - times[i - 1]) * (values[i] + values[i - 1]) / 2
    return area


def cumulative(values: Sequence[float], step: float) -> list[float]:
    """The running integral of samples."""
    result = [0.0]
    for k, value in enumerate(values[1:]):
        result.append(result[-1] + step * (values[k] + value) / 2)
    return result


def arc_length(points: Sequence[tuple[float, float]]) -> float:
    """The length of a chain of points."""
    return sum(math.dist(points[i], points[i + 1]) for i in range(len(points) - 1))


def dft(signal: Sequence[float]) -> list[tuple[float, float]]:
    """The discrete Fourier transform as pairs of reals."""
    n = len(signal)
    spectrum = []
    for k in range(n // 2 + 1):
        re = im = 0.0
        for t, x in enumerate(signal):
            angle = 2 * math.pi * k * t / n
            re += x * math.cos(angle)
            im -= x * math.sin(angle)
        spectrum.append((re, im))
    return spectrum


def power_spectrum(signal: Sequence[float]) -> list[float]:
    """The powers of a signal at its frequencies."""
    return [(re * re + im * im) / len(signal) for re, im in dft(signal)]


def fast_fourier(re: list[float], im: list[float]) -> tuple[list[float], list[float]]:
    """The recursive radix-2 transform on lists of real and imaginary parts."""
    n = len(re)
    if n == 1:
        return re, im
    even_re, even_im = fast_fourier(re[::2], im[::2])
    odd_re, odd_im = fast_fourier(re[1::2], im[1::2])
    out_re, out_im = [0.0] * n, [0.0] * n
    for k in range(n // 2):
        c, s = math.cos(math.tau * k / n), -math.sin(math.tau * k / n)
        tr, ti = c * odd_re[k] - s * odd_im[k], c * odd_im[k] + s * odd_re[k]
        out_re[k], out_im[k] = even_re[k] + tr, even_im[k] + ti
        out_re[k + n // 2], out_im[k + n // 2] = even_re[k] - tr, even_im[k] - ti
    return out_re, out_im


def cosine_transform(signal: Sequence[float], keep: int) -> list[float]:
    """A signal rebuilt from its first cosine coefficients."""
    n = len(signal)
    coefficients = [
        2 / n * sum(x * math.cos(math.pi * k * (2 * t + 1) / (2 * n)) for t, x in enumerate(signal))
        for k in range(keep)
    ]
    return [
        coefficients[0] / 2
        + sum(coefficients[k] * math.cos(math.pi * k * (2 * t + 1) / (2 * n)) for k in range(1, keep))
        for t in range(n)
    ]


def convolve(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """The full convolution of two sequences."""
    result = [0.0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


def double_integral(radius: float) -> float:
    """The volume under a dome, by nested rules."""

    def slice_area(x: float) -> float:
        return gauss_legendre(lambda y: math.exp(-(x * x + y * y)), 0.0, radius * (1 - x / (2 * radius)))

    return gauss_legendre(slice_area, 0.0, radius)


EXAMPLES = [
    Example(gaussian_mass, (0.2, 0.8, 1.5)),
    Example(odd_intervals, (1.0,), raises=AssertionError),
    Example(adaptive_simpson, (-1.0, 2.0, 25.0)),
    Example(bessel_j0, (1.7,)),
    Example(pendulum_period, (1.2, 0.9)),
    Example(moments, (0.5, 2.0)),
    Example(trapezoid_samples, ([0.0, 0.4, 1.1, 1.5], [1.0, 2.5, 2.0, 0.3])),
    Example(cumulative, ([1.0, 3.0, 2.0, -1.0], 0.25)),
    Example(arc_length, ([(0.0, 0.0), (1.0, 2.0), (3.0, 1.5), (4.0, 4.0)],)),
    Example(dft, ([1.0, 0.5, -0.3, 2.0, 0.1, -1.0],)),
    Example(power_spectrum, ([1.0, 2.0, 0.5, -1.0, -2.0, 0.25, 1.5, 0.0],)),
    Example(fast_fourier, ([1.0, 2.0, -1.0, 0.5, 0.3, 0.7, -0.2, 1.1], [0.0] * 8)),
    Example(cosine_transform, ([1.0, 3.0, 2.0, 5.0, 4.0], 3)),
    Example(convolve, ([1.0, 2.0, 0.5], (0.25, 0.5, 0.25))),
    Example(double_integral, (1.3,)),
]
