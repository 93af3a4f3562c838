"""Complex numbers, written in the language that is translated: records of a real and an imaginary part.

Python's own complex numbers become records of the class `Complex` on the way in, and come back out
(stand_ins.py). So a complex number is two reals: its derivatives are those of its parts, of any order, and a
cotangent is conjugated on the way in and out (checkpoint.functions.pytrees). Operations are those of CPython,
in its order, so that they agree in every bit. An operator in this file is one of reals and arrays: no method
of a class is looked for (`computes_with_reals`).
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

SMALL = 100.0  # the greatest whole exponent for which CPython multiplies


@dataclass(frozen=True)
class Complex:
    """See builtins.complex."""

    real: Any
    imag: Any

    def conjugate(self) -> Any:
        """See complex.conjugate."""
        return prim("complex", self.real, -self.imag)

    def __complex__(self) -> Any:
        return self

    def __bool__(self) -> Any:
        return self.real != 0.0 or self.imag != 0.0

    def __neg__(self) -> Any:
        return prim("complex", -self.real, -self.imag)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        size = prim("py.modulus", self.real, self.imag)
        if size == math.inf and math.isfinite(self.real) and math.isfinite(self.imag):
            raise OverflowError("absolute value too large")
        return size

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return prim("complex", self.real + other.real, self.imag + other.imag)
        if isinstance(other, float | int):
            return prim("complex", self.real + float(other), self.imag + 0.0)
        return as_array(self, other) + other if prim("py.is-array", other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        if prim("py.is-array", other):
            return other + as_array(self, other)
        if not isinstance(other, float | int):
            return NotImplemented
        return prim("complex", float(other) + self.real, 0.0 + self.imag)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return prim("complex", self.real - other.real, self.imag - other.imag)
        if isinstance(other, float | int):
            return prim("complex", self.real - float(other), self.imag - 0.0)
        return as_array(self, other) - other if prim("py.is-array", other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        if prim("py.is-array", other):
            return other - as_array(self, other)
        if not isinstance(other, float | int):
            return NotImplemented
        return prim("complex", float(other) - self.real, 0.0 - self.imag)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return _product(self.real, self.imag, other.real, other.imag)
        if isinstance(other, float | int):
            return _product(self.real, self.imag, float(other), 0.0)
        return as_array(self, other) * other if prim("py.is-array", other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        if prim("py.is-array", other):
            return other * as_array(self, other)
        if not isinstance(other, float | int):
            return NotImplemented
        return _product(float(other), 0.0, self.real, self.imag)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return _quotient(self.real, self.imag, other.real, other.imag)
        if isinstance(other, float | int):
            return _quotient(self.real, self.imag, float(other), 0.0)
        return as_array(self, other) / other if prim("py.is-array", other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        if prim("py.is-array", other):
            return other / as_array(self, other)
        if not isinstance(other, float | int):
            return NotImplemented
        return _quotient(float(other), 0.0, self.real, self.imag)

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return _power(self.real, self.imag, other.real, other.imag, True)
        if isinstance(other, float | int):
            return _power(self.real, self.imag, float(other), 0.0, isinstance(other, float))
        return as_array(self, other) ** other if prim("py.is-array", other) else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        if prim("py.is-array", other):
            return other ** as_array(self, other)
        if not isinstance(other, float | int):
            return NotImplemented
        return _power(float(other), 0.0, self.real, self.imag, True)


def as_array(z: Any, other: Any) -> Any:
    """Return a complex number as an array without dimensions, of the precision that an array has."""
    return prim("py.complex-array", z.real, z.imag, other)


def as_operand(x: Any) -> Any:
    """Return an operand of a function of arrays: complex numbers in it as arrays without dimensions."""
    if isinstance(x, Complex):
        return prim("tensorlib.complex", x.real, x.imag, None)
    return [as_operand(each) for each in x] if prim("py.holds-complex", x) else x


def _product(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return (a + bi) (c + di)."""
    return prim("complex", a * c - b * d, a * d + b * c)


def _quotient(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return (a + bi) / (c + di), by the greater part of the denominator."""
    if math.fabs(c) >= math.fabs(d):
        if c == 0.0:
            raise ZeroDivisionError("complex division by zero")
        ratio = d / c
        denominator = c + d * ratio
        return prim("complex", (a + b * ratio) / denominator, (b - a * ratio) / denominator)
    if math.fabs(d) >= math.fabs(c):
        ratio = c / d
        denominator = c * ratio + d
        return prim("complex", (a * ratio + b) / denominator, (b * ratio - a) / denominator)
    return prim("complex", math.nan, math.nan)


def _power(a: Any, b: Any, c: Any, d: Any, varies: Any) -> Any:
    """Return (a + bi) ** (c + di); varies: whether the exponent may have derivatives."""
    if d == 0.0 and -SMALL <= c <= SMALL and c == math.floor(c):
        result = _whole_power(a, b, int(c))
        if varies and not (a == 0.0 and b == 0.0):
            like = _any_power(a, b, c, d)
            real = prim("py.with-derivative", result.real, like.real)
            result = prim("complex", real, prim("py.with-derivative", result.imag, like.imag))
    elif a == 0.0 and b == 0.0:
        if d != 0.0 or c < 0.0:
            raise ZeroDivisionError(ZERO_POWER)
        result = prim("complex", 0.0, 0.0)
    else:
        result = _any_power(a, b, c, d)
    if math.isinf(result.real) or math.isinf(result.imag):
        raise OverflowError("complex exponentiation")
    return result


ZERO_POWER = "0.0 to a negative or complex power"


def _any_power(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return (a + bi) ** (c + di) for a base that is not zero; where that over- or underflows, a constant."""
    try:
        return _general_power(a, b, c, d)
    except (OverflowError, ValueError):
        real = prim("py.complex-power", "real", a, b, c, d)
        return prim("complex", real, prim("py.complex-power", "imag", a, b, c, d))


def _general_power(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return (a + bi) ** (c + di) by logarithms, for a base that is not zero."""
    size = prim("py.modulus", a, b)
    length = math.pow(size, c)
    angle = math.atan2(b, a)
    phase = angle * c
    if d != 0.0:
        length = length / math.exp(angle * d)
        phase = phase + d * math.log(size)
    else:
        length = prim("py.with-derivative", length, length / math.exp(angle * d))
        phase = prim("py.with-derivative", phase, phase + d * math.log(size))
    return prim("complex", length * math.cos(phase), length * math.sin(phase))


def _whole_power(a: Any, b: Any, n: Any) -> Any:
    """Return (a + bi) ** n, by products of squares."""
    if n <= 0:
        below = _whole_power(a, b, -n) if n < 0 else prim("complex", 1.0, 0.0)
        if below.real == 0.0 and below.imag == 0.0:
            raise ZeroDivisionError(ZERO_POWER)
        return _quotient(1.0, 0.0, below.real, below.imag)
    result = prim("complex", 1.0, 0.0)
    square = prim("complex", a, b)
    mask = 1
    while n >= mask:
        if n & mask:
            result = _product(result.real, result.imag, square.real, square.imag)
        mask = mask << 1
        square = _product(square.real, square.imag, square.real, square.imag)
    return result


def complex_(real: Any = None, imag: Any = None) -> Any:
    """See builtins.complex."""
    if isinstance(real, str) or isinstance(imag, str):
        return prim("py.complex", real) if imag is None else prim("py.complex", real, imag)
    first = prim("complex", 0.0, 0.0) if real is None else converted(real, imag)
    if imag is None:
        return first
    second = converted(imag, real)
    if isinstance(imag, Complex):
        if isinstance(real, Complex):
            return prim("complex", first.real - second.imag, first.imag + second.real)
        return prim("complex", first.real - second.imag, second.real)
    if isinstance(real, Complex):
        return prim("complex", first.real, first.imag + second.real)
    return prim("complex", first.real, second.real)


def converted(x: Any, other: Any = None) -> Any:
    """Return a number as a complex one; other: the other argument, for errors."""
    if isinstance(x, Complex):
        return x
    if isinstance(x, float | int):
        return prim("complex", float(x), 0.0)
    if prim("py.is-array", x):
        return prim("complex", float(x.real), float(x.imag))
    if hasattr(x, "__complex__"):
        return x.__complex__()
    return prim("py.complex", x) if other is None else prim("py.complex", x, other)


FUNCTIONS: dict[Any, Callable[..., Any]] = {builtins.complex: complex_, as_operand: as_operand}
