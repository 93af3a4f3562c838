"""Complex numbers, and the parts of real ones."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.python.corpus import Example


def parts_of_reals(x: float, n: int) -> tuple[float, ...]:
    """The parts and conjugates of real numbers, which functions for complex numbers ask for, too."""
    total = 0.0
    for each in (x, n, True, -x * n):
        total += each.real * each.conjugate() + 2.0 * each.imag + (each * x).real
    return total, (x * n).conjugate().real, n.conjugate() ** 2 + n.real


def conjugate_of_a_text(x: float) -> float:
    """A text has no conjugate."""
    return x + "x".conjugate()  # type: ignore[attr-defined,no-any-return]


def escape_times(left: float, top: float, size: float, n: int) -> tuple[list[int], float]:
    """How long points of the Mandelbrot set's border stay, and how far they are when they leave."""
    counts, smooth = [], 0.0
    for i in range(n):
        for k in range(n):
            c, z, count = complex(left + i * size / n, top - k * size / n), 0j, 0
            while abs(z) <= 2.0 and count < 12:
                z = z * z + c
                count += 1
            counts.append(count)
            smooth += count + 1.0 - math.log(abs(math.log(abs(z) + 3.0)))
    return counts, smooth


def fourier(xs: Sequence[complex]) -> list[complex]:
    """The discrete Fourier transform, by halves."""
    n = len(xs)
    if n == 1:
        return [complex(xs[0])]
    even, odd = fourier(xs[::2]), fourier(xs[1::2])
    turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [even[k] + turned[k] for k in range(n // 2)] + [even[k] - turned[k] for k in range(n // 2)]


def spectrum(xs: list[float]) -> list[float]:
    """The power of each frequency."""
    return [abs(x) ** 2 / len(xs) for x in fourier([complex(x) for x in xs])]


@dataclass(frozen=True)
class Circuit:
    """A resistor and an inductor beside a capacitor."""

    resistance: float
    inductance: float
    capacity: float

    def impedance(self, omega: float) -> complex:
        """The impedance at a frequency."""
        series = self.resistance + 1j * omega * self.inductance
        parallel = 1 / (1j * omega * self.capacity)
        return 1 / (1 / series + 1 / parallel)


def resonance(circuit: Circuit, omegas: list[float]) -> tuple[float, list[tuple[float, float]]]:
    """The greatest impedance, and all in decibels and degrees."""
    found = [circuit.impedance(omega) for omega in omegas]
    sizes = [20.0 * math.log10(abs(z)) for z in found]
    return max(sizes), [(size, math.degrees(cmath.phase(z))) for size, z in zip(sizes, found, strict=True)]


def two_levels(energy: float, coupling: float, dt: float, steps: int) -> tuple[float, complex]:
    """The evolution of a quantum system of two levels: the population, and the amplitude."""
    a, b = 1 + 0j, 0j
    for _ in range(steps):
        da = -1j * (0.5 * energy * a + coupling * b)
        db = -1j * (coupling * a - 0.5 * energy * b)
        a, b = a + dt * da, b + dt * db
        norm = math.sqrt((a * a.conjugate()).real + abs(b) ** 2)
        a /= norm
        b /= norm
    return (b * b.conjugate()).real, a


def all_roots(coefficients: list[float], rounds: int) -> list[complex]:
    """The roots of a polynomial, by Durand and Kerner."""
    degree = len(coefficients) - 1
    roots = [(0.4 + 0.9j) ** k for k in range(degree)]
    for _ in range(rounds):
        for i, z in enumerate(roots):
            value = 0j
            for c in coefficients:
                value = value * z + c
            product = coefficients[0] + 0j
            for k, other in enumerate(roots):
                if k != i:
                    product *= z - other
            roots[i] = z - value / product
    return sorted(roots, key=lambda z: (round(z.real, 6), z.imag))


def film(n: complex, thickness: float, wavelength: float, angle: float) -> tuple[float, float]:
    """Reflection and transmission of a thin film in air, by the Fresnel equations."""
    inside = cmath.asin(math.sin(angle) / n)
    first, second = math.cos(angle), cmath.cos(inside)
    r = (first - n * second) / (first + n * second)
    t, back = 2 * first / (first + n * second), 2 * n * second / (first + n * second)
    delta = 2 * math.pi * n * thickness * second / wavelength
    phase = cmath.exp(2j * delta)
    whole = r + t * -r * back * phase / (1 - r * r * phase)
    through = t * back * cmath.exp(1j * delta) / (1 - r * r * phase)
    return abs(whole) ** 2, abs(through) ** 2


def moebius(z: complex, w: complex, n: int) -> dict[str, complex]:
    """Compositions of maps of the plane, which are not holomorphic all."""
    for i in range(n):
        z = (z * (1 + 0.5j) - w) / (1 - w.conjugate() * z / 4)
        w = w.conjugate() * 1j if i % 2 else -w + z.real
    return {"z": z, "w": +w, "both": z - w * abs(z)}


def powers(z: complex, w: complex, x: float, n: int) -> list[complex]:
    """Powers of all kinds."""
    return [z**n, z**-n, z**0, z**x, x**z, z**w, n**z, w**2.0, (z * w) ** 0.5, pow(z, 3), z ** (2 + 0j)]


def of_cmath(z: complex, x: float) -> list[complex]:
    """The functions of cmath."""
    found = [cmath.exp(z), cmath.log(z), cmath.sqrt(z), cmath.log10(z), cmath.log(z, 3), cmath.log(z, 1 + 1j)]
    found += [cmath.sin(z), cmath.cos(z), cmath.tan(z), cmath.sinh(z), cmath.cosh(z), cmath.tanh(z)]
    found += [cmath.asin(z), cmath.acos(z), cmath.atan(z), cmath.asinh(z), cmath.acosh(z), cmath.atanh(z)]
    found += [cmath.rect(x, 0.75), cmath.rect(x, 0.0), cmath.sqrt(-x), cmath.log(x) * cmath.tau]
    size, angle = cmath.polar(z)
    return [*found, cmath.rect(size * 2.0, angle), cmath.phase(z) + 0j]


def questions(z: complex, x: float) -> list[bool]:
    """What is true of numbers."""
    return [
        *(z == +z, z == z.real, z != 1j, z.real + 0j == z.real, bool(z), bool(0j), not z, z in [1j, z]),
        *(cmath.isnan(z), cmath.isinf(complex(x, math.inf)), cmath.isfinite(z), cmath.isfinite(x)),
        *(
            cmath.isclose(z, z + 1e-12),
            cmath.isclose(z, 2 * z, rel_tol=0.4),
            [z] == [z * 1],
            (z, x) == (z, x),
        ),
        *(isinstance(z, complex), isinstance(x, complex), isinstance(z, (int, float)), type(z) is complex),
    ]


def texts(z: complex, x: float) -> list[str]:
    """Complex numbers as texts, and back."""
    found = [
        str(z),
        repr(z),
        f"{z}",
        f"{z:.3f}",
        f"{-z!r}",
        "z is " + str(z),
        str(0j),
        str([z, x * 1j]),
        type(z).__name__,
    ]
    return [*found, str(complex("1+2j") * x), str(complex(str(z))), str(complex(z, z)), str(complex(imag=x))]


def compares(z: complex) -> bool:
    """Complex numbers have no order."""
    return z < z + 1  # type: ignore[operator,no-any-return]


def divides(z: complex, x: float) -> complex:
    """A division by zero."""
    return z / (x - x)


def inverts(z: complex) -> complex:
    """A negative power of zero."""
    return (z - z) ** -2


def overflows(z: complex) -> complex:
    """A power that is too large."""
    return (z.real * 1e200 + 0j) ** 2


def floors(z: complex) -> complex:
    """An operator that complex numbers do not have."""
    return z // 2  # type: ignore[operator]


def as_real(z: complex) -> float:
    """A complex number is no real one."""
    return math.sin(z)  # type: ignore[arg-type]


def as_whole(z: complex) -> int:
    """A complex number is no whole one."""
    return int(z)  # type: ignore[call-overload,no-any-return]


def rounds(z: complex) -> float:
    """A complex number is not rounded."""
    return round(z)  # type: ignore[call-overload,no-any-return]


def adds_text(z: complex) -> complex:
    """A text is not added to a complex number."""
    z += "1"  # type: ignore[operator]
    return z


def of_list(x: float) -> complex:
    """A list is no complex number."""
    return complex([x])  # type: ignore[call-overload,no-any-return]


def out_of_domain(x: float) -> complex:
    """The logarithm of zero."""
    return cmath.log(x - x)


Z = 0.6 - 0.8j


def beside_elements(given: list[float]) -> tuple[Any, ...]:
    """Return products and sums: Python's where the element is on the right, else NumPy's."""
    items = np.array(given)
    x, y = items
    left = 1j * x, 1j + x, 1j - y, (1 + 2j) / y, (1 + 2j) ** y, 1j * items.sum()
    right = x * 1j, x - 1j, y / 1j, y ** (1 + 2j), 1j * np.array(x), 1j * items, 1j * (items + 1j)[0]
    return repr(left), [type(z).__name__ for z in (*left, *right)], sum(left).real


EXAMPLES = [
    Example(beside_elements, ([0.3, 2.0],)),
    Example(parts_of_reals, (1.5, 3)),
    Example(conjugate_of_a_text, (1.5,), raises=AttributeError),
    Example(escape_times, (-0.8, 0.3, 0.2, 3)),
    Example(spectrum, ([1.0, 2.5, -0.5, 3.0, 0.25, -1.5, 2.0, 0.75],)),
    Example(fourier, ([1.0 + 2.0j, 0.5j, -1.0 + 0j, 2.0 - 1.0j],)),
    Example(resonance, (Circuit(10.0, 0.5, 1e-3), [20.0, 44.0, 80.0])),
    Example(two_levels, (1.0, 0.4, 0.05, 20)),
    Example(all_roots, ([2.0, -3.0, 4.0, 1.0], 8)),
    Example(film, (1.5 + 0.02j, 120.0, 550.0, 0.4)),
    Example(moebius, (0.3 + 0.4j, -0.2 + 1.0j, 3)),
    Example(powers, (Z, 0.5 + 1.25j, 1.7, 3)),
    Example(of_cmath, (Z, 1.75)),
    Example(of_cmath, (-1.5 - 0.25j, 0.5)),
    Example(questions, (Z, 1.5), differentiable=False),
    Example(texts, (Z, 1.5), differentiable=False),
    Example(compares, (Z,), raises=TypeError),
    Example(divides, (Z, 1.0), raises=ZeroDivisionError),
    Example(inverts, (Z,), raises=ZeroDivisionError),
    Example(overflows, (Z,), raises=OverflowError),
    Example(floors, (Z,), raises=TypeError),
    Example(as_real, (Z,), raises=TypeError),
    Example(as_whole, (Z,), raises=TypeError),
    Example(rounds, (Z,), raises=TypeError),
    Example(adds_text, (Z,), raises=TypeError),
    Example(of_list, (1.5,), raises=TypeError),
    Example(out_of_domain, (1.5,), raises=ValueError),
]
