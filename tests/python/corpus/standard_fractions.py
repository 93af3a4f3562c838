"""Fractions beside reals, and sums of objects that are real numbers."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import math
from fractions import Fraction

from tests.python.corpus import Example

THIRD = Fraction(1, 3)


class Length(float):
    pass


class Amount:
    def __init__(self, value):
        self.value = value

    def __mul__(self, k):
        return Amount(self.value * k)

    def __rmul__(self, k):
        return Amount(k * self.value)

    def __float__(self):
        return self.value * 2.0


class Place:
    def __index__(self):
        return 3


class Nothing:
    pass


def operators(x):
    f = Fraction(2, 3)
    sums = [x + f, f + x, x - f, f - x, x * f, f * x, x / f, f / x, x // f, f // x, x % f, f % x]
    powers = [x**f, f**x, x ** Fraction(2), x ** Fraction(-2), 2**f, f**2]
    exact = [f + 1, 1 + f, f * f, f / 3, 3 // f, -f, abs(-f), f.limit_denominator(2), f.numerator, str(f)]
    return sums, powers, exact, f < x, x > f, f == 2 / 3, sum([f, x, f]), int(f), float(f) * x


def from_outside(x):
    return x * THIRD + [THIRD, x][0] + 0.5 * THIRD


def in_place(x):
    f = Fraction(1, 3)
    f += 1
    x *= f
    f *= x
    return f, x


def of_any_kind(x):
    def scaled(q, x):
        return q * x + x / q

    return scaled(Fraction(1, 3), x) + scaled(2.0, x) + scaled(2, x)


def beside_objects(x):
    half = Fraction(1, 2)
    return (Amount(x) * half).value + (half * Amount(x)).value, Length(x) * half, half * Length(x)


def beside_complex(x):
    return Fraction(1, 2) * (x + 2j), (x + 2j) - Fraction(1, 2)


def beside_text(x):
    return Fraction(1, 2) + "a"


def beside_list(x):
    return [x] * Fraction(1, 2)


def by_nothing(x):
    return x / Fraction(0)


def exact_sum(x):
    made = math.fsum(Amount(x * i) for i in range(3))
    return made + math.fsum([Amount(x), 1.0, Place(), THIRD, x, True])


def sum_of_nothing(x):
    return math.fsum([Amount(x), Nothing()])


def sum_of_text(x):
    return math.fsum([Amount(x), "1"])


EXAMPLES = [
    Example(operators, (1.3,)),
    Example(from_outside, (1.3,)),
    Example(in_place, (1.3,)),
    Example(of_any_kind, (1.3,)),
    Example(beside_objects, (1.3,)),
    Example(beside_complex, (1.3,)),
    Example(beside_text, (1.3,), raises=TypeError),
    Example(beside_list, (1.3,), raises=TypeError),
    Example(by_nothing, (1.3,), raises=ZeroDivisionError),
    Example(exact_sum, (1.3,)),
    Example(sum_of_nothing, (1.3,), raises=TypeError),
    Example(sum_of_text, (1.3,), raises=TypeError),
]
