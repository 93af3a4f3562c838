"""NumPy's functions of objects whose classes say, by `__array_ufunc__`, what these make of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.python.corpus import Example


class Amount:
    """A number whose operators are NumPy's functions."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value})"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        values = [each.value if isinstance(each, Amount) else each for each in inputs]
        if ufunc is np.add and method == "__call__":
            return Amount(values[0] + values[1])
        if ufunc is np.multiply:
            return Amount(values[0] * values[1])
        if ufunc is np.absolute:
            return abs(values[0])
        if ufunc == np.sin:
            return Amount(np.sin(values[0]))
        return NotImplemented

    def __add__(self, other: Any) -> Any:
        return np.add(self, other)  # type: ignore[call-overload]

    def __mul__(self, other: Any) -> Any:
        return np.multiply(self, other)  # type: ignore[call-overload]

    def __rmul__(self, other: Any) -> Any:
        return np.multiply(other, self)  # type: ignore[call-overload]

    def __abs__(self) -> Any:
        return np.absolute(self)


class Squared(Amount):
    """One that comes before what it derives from."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        if ufunc is np.cos:
            return NotImplemented
        return "squared", super().__array_ufunc__(ufunc, method, *inputs, **keywords).value ** 2


class Other:
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        return len(inputs), inputs[0] is self


def any_of(value: Any) -> Any:
    return value


def by_operators(x: float) -> Any:
    a = Amount(x)
    return (a + Amount(2.0)).value, (3.0 * a * a).value, abs(a * -1.0)


def by_functions(x: float) -> Any:
    a: Any = Amount(x)
    called = np.sin(a)
    return float(called.value), float(np.add(np.ones(2), a).value.sum())


def in_order(x: float) -> Any:
    a, b, other = any_of(Amount(x)), any_of(Squared(2.0)), any_of(Other())

    return np.add(a, b), np.add(b, a), np.add(other, a), np.add(other, other)


def declined(x: float) -> Any:
    a: Any = Amount(x)
    return np.cos(a)


def declined_by_all(x: float) -> Any:

    return np.arctan2(any_of(Amount(x)), np.ones(1))


class OfArrays:
    library: Any = np


class OfNumbers:
    library: Any = math


def compared(x: float) -> Any:
    """Modules are compared, one of which has a function named shape."""
    one, other = OfArrays().library, OfNumbers().library
    same = OfArrays().library
    return one == other, one != other, one == same, x * other.cos(x) == x * math.cos(x)


def texts_of_elements(x: float) -> tuple[str, ...]:
    """Texts that an element of an array stands in."""
    a = np.array([x, 2.0 * x])
    return "%5.1f" % a[1], "%.2e|" % (a[0] * 3.0), "%s and %d" % (a[0], 2), "100%"  # noqa: UP031


EXAMPLES = [
    Example(compared, (0.7,)),
    Example(by_operators, (0.7,)),
    Example(by_functions, (0.7,)),
    Example(in_order, (0.7,)),
    Example(declined, (0.5,), raises=TypeError),
    Example(declined_by_all, (0.5,), raises=TypeError),
    Example(texts_of_elements, (1.5,)),
]
