"""Values with methods: operators, indexing, calling, properties, two classes with one method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from tests.python.corpus import Example


@dataclass(frozen=True)
class Vector:
    """A vector of any length."""

    items: tuple[float, ...]

    def __add__(self, other: Vector) -> Vector:
        return Vector(tuple(a + b for a, b in zip(self.items, other.items, strict=True)))

    def __sub__(self, other: Vector) -> Vector:
        return self + -other

    def __neg__(self) -> Vector:
        return Vector(tuple(-a for a in self.items))

    def __mul__(self, factor: float) -> Vector:
        return Vector(tuple(factor * a for a in self.items))

    __rmul__ = __mul__

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> float:
        return self.items[index]

    def dot(self, other: Vector) -> float:
        return sum(self[i] * other[i] for i in range(len(self)))

    @property
    def norm(self) -> float:
        return math.sqrt(self.dot(self))


@dataclass(frozen=True)
class Complex:
    """A complex number."""

    re: float
    im: float = 0.0

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __truediv__(self, other: Complex) -> Complex:
        size = other.squared
        return self * Complex(other.re / size, -other.im / size)

    @property
    def squared(self) -> float:
        return self.re**2 + self.im**2


class Interval(NamedTuple):
    """All numbers between two bounds."""

    low: float
    high: float

    def plus(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def times(self, other: Interval) -> Interval:
        products = [a * b for a in self for b in other]
        return Interval(min(products), max(products))

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass(frozen=True)
class Polynomial:
    """A polynomial, lowest power first, that can be called."""

    coefficients: tuple[float, ...]

    def __call__(self, x: float) -> float:
        return reduce(lambda total, c: total * x + c, reversed(self.coefficients), 0.0)

    def __mul__(self, other: Polynomial) -> Polynomial:
        product = [0.0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return Polynomial(tuple(product))

    def slope(self) -> Polynomial:
        return Polynomial(tuple(k * c for k, c in enumerate(self.coefficients) if k > 0))


@dataclass(frozen=True)
class Circle:
    """A round shape."""

    radius: float

    def area(self) -> float:
        return math.pi * self.radius**2

    def scaled(self, factor: float) -> Circle:
        return Circle(factor * self.radius)


@dataclass(frozen=True)
class Rectangle:
    """A shape with corners."""

    width: float
    height: float = 1.0

    def area(self) -> float:
        return self.width * self.height

    def scaled(self, factor: float) -> Rectangle:
        return Rectangle(factor * self.width, factor * self.height)


@dataclass(frozen=True)
class Dual:
    """A number with a slope."""

    value: float
    slope: float = 0.0

    def __add__(self, other: Dual | float) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    def __mul__(self, other: Dual | float) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)
        return Dual(self.value * other, self.slope * other)

    def sin(self) -> Dual:
        return Dual(math.sin(self.value), self.slope * math.cos(self.value))


@dataclass
class Quantity:
    """A number with a unit."""

    amount: float
    unit: str = "m"

    def __add__(self, other: Quantity) -> Quantity:
        if self.unit != other.unit:
            raise TypeError(f"{self.unit} and {other.unit}")
        return Quantity(self.amount + other.amount, self.unit)

    def __lt__(self, other: Quantity) -> bool:
        return self.unit == other.unit and self.amount < other.amount

    def __str__(self) -> str:
        return f"{self.amount:.1f} {self.unit}"


@dataclass(frozen=True)
class Money:
    """An amount that equals another of the same rounded value."""

    amount: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and round(100 * self.amount) == round(100 * other.amount)

    def __hash__(self) -> int:
        return round(100 * self.amount)


@dataclass(frozen=True)
class Matrix2:
    """A two by two matrix."""

    a: float
    b: float
    c: float
    d: float

    def __mul__(self, m: Matrix2) -> Matrix2:
        return Matrix2(
            self.a * m.a + self.b * m.c,
            self.a * m.b + self.b * m.d,
            self.c * m.a + self.d * m.c,
            self.c * m.b + self.d * m.d,
        )

    def __pow__(self, n: int) -> Matrix2:
        if n == 0:
            return IDENTITY
        root = self ** (n // 2)
        return root * root * self if n % 2 else root * root


@dataclass(frozen=True)
class Ramp:
    """A callable straight line, with a bound."""

    slope: float
    start: float = 0.0

    def __call__(self, x: float, *, limit: float = math.inf) -> float:
        return min(limit, self.start + self.slope * x)


IDENTITY = Matrix2(1.0, 0.0, 0.0, 1.0)
SHAPES = (Circle(1.5), Rectangle(2.0, 3.0), Rectangle(4.0))


def reflect(direction: Vector, normal: Vector) -> Vector:
    """A direction mirrored by a plane."""
    n = normal * (1 / normal.norm)
    return direction - 2 * direction.dot(n) * n


def centroid(points: Sequence[Vector]) -> tuple[Vector, float]:
    """The center of points, and the mean distance to it."""
    center = reduce(lambda a, b: a + b, points) * (1 / len(points))
    return center, sum((p - center).norm for p in points) / len(points)


def complex_horner(z: Complex, coefficients: list[float]) -> Complex:
    """A real polynomial at a complex number."""
    total = Complex(0.0)
    for c in coefficients:
        total = total * z + Complex(c)
    return total


def complex_newton(re: float, im: float) -> Complex:
    """A complex square root of -3 + 2i."""
    z, target = Complex(re, im), Complex(-3.0, 2.0)
    for _ in range(4):
        z = (z + target / z) * Complex(0.5)
    return z


def interval_polynomial(low: float, high: float) -> tuple[Interval, float]:
    """The bounds of x * x - 3 x + 1, and how wide they are."""
    x = Interval(low, high)
    result = x.times(x).plus(x.times(Interval(-3.0, -3.0))).plus(Interval(1.0, 1.0))
    return result, result.width


def polynomial_newton(polynomial: Polynomial, x: float) -> float:
    """A root of a polynomial from its slope."""
    slope = polynomial.slope()
    for _ in range(5):
        x -= polynomial(x) / slope(x)
    return x


def product_at(p: Polynomial, q: Polynomial, x: float) -> float:
    return (p * q)(x) - p(x) * q(x) / 2


def total_area(shapes: Sequence[Circle | Rectangle], factor: float) -> float:
    """The area of scaled shapes of both kinds."""
    areas = [shape.scaled(factor).area() for shape in shapes]
    rounded = sum(isinstance(shape, Circle) for shape in shapes)
    return sum(areas) / (1 + rounded)


def dual_slope(x: float) -> Dual:
    """The slope of x sin(x + 2 x x) by dual numbers."""
    d = Dual(x, 1.0)
    return d * (d + d * d * 2.0).sin() + 1.0


def add_lengths(first: float, *others: float) -> tuple[float, str]:
    """A sum of lengths, and its text."""
    total = Quantity(first)
    for other in others:
        total = total + Quantity(other)
    return total.amount, str(total)


def mixed_units(amount: float) -> Quantity:
    """A sum of unlike quantities."""
    return Quantity(amount) + Quantity(2.0, unit="kg")


def longest(amounts: list[float]) -> float:
    """The largest of some quantities, by their own order."""
    best = Quantity(0.0)
    for amount in amounts:
        candidate = Quantity(amount)
        best = candidate if best < candidate else best
    return best.amount


def settle(paid: list[float], due: float) -> float:
    """What is paid until the due amount is met to the cent."""
    total = 0.0
    for amount in paid:
        total += amount
        if Money(total) == Money(due):
            return total * 1.02
    return -total


def fibonacci_growth(rate: float, n: int) -> float:
    """A Fibonacci-like number by powers of a matrix."""
    return (Matrix2(rate, 1.0, 1.0, 0.0) ** n).b


def methods_as_values(xs: list[float], ramp: Ramp) -> list[float]:
    """Bound methods and callable objects given to map."""
    area_of = Rectangle(ramp.slope, 2.0).scaled
    return list(map(ramp, xs)) + [area_of(x).area() for x in xs] + [ramp(9.0, limit=4.0)]


EXAMPLES = [
    Example(reflect, (Vector((1.0, -2.0, 0.5)), Vector((0.2, 1.0, 0.1)))),
    Example(centroid, ((Vector((0.0, 1.0)), Vector((2.0, 0.5)), Vector((1.0, 3.0))),)),
    Example(complex_horner, (Complex(0.5, 1.5), [1.0, -2.0, 3.0])),
    Example(complex_newton, (1.0, 1.0)),
    Example(interval_polynomial, (-0.5, 2.0)),
    Example(polynomial_newton, (Polynomial((-2.0, 1.0, 0.0, 1.0)), 1.5)),
    Example(product_at, (Polynomial((1.0, 2.0)), Polynomial((0.5, -1.0, 3.0)), 0.8)),
    Example(total_area, (SHAPES, 1.3)),
    Example(dual_slope, (0.6,)),
    Example(add_lengths, (1.5, 2.0, 3.25)),
    Example(mixed_units, (1.0,), raises=TypeError),
    Example(longest, ([1.5, 4.0, 3.0],)),
    Example(settle, ([10.0, 5.25, 7.5, 3.0], 22.75)),
    Example(fibonacci_growth, (1.1, 9)),
    Example(methods_as_values, ([0.5, 1.5], Ramp(2.0, start=0.3))),
]
