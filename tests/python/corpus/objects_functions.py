"""Python's functions and operators as values, applied to objects that have methods for them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from tests.python.corpus import Example


class Weight:
    def __init__(self, a: float) -> None:
        self.a = a

    def __mul__(self, other: Weight) -> Weight:
        return Weight(self.a * other.a)

    def __neg__(self) -> Weight:
        return Weight(-self.a)

    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: int) -> float:
        return self.a * i

    def __abs__(self) -> float:
        return abs(self.a)

    def __str__(self) -> str:
        return f"<{self.a:.2f}>"

    def __bool__(self) -> bool:
        return self.a > 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weight) and self.a == other.a

    def __hash__(self) -> int:
        return 1

    def __lt__(self, other: Weight) -> bool:
        return self.a < other.a

    def __float__(self) -> float:
        return self.a * 2.0

    def __iter__(self) -> Iterator[float]:
        return iter([self.a, 1.0])

    def __contains__(self, x: float) -> bool:
        return x == 3


class Whole:
    def __float__(self) -> Any:
        return 3


def operators(x: float) -> tuple[float, ...]:
    """Functions of the module operator, by their names, from a table, and in library functions."""
    table = {"lt": operator.lt, "eq": operator.eq, "mul": operator.mul}
    negated = operator.neg
    product = reduce(operator.mul, [Weight(x), Weight(2.0), Weight(x)]).a
    chosen: Any = table["mul"](Weight(x), Weight(3.0))
    less = table["lt"](Weight(x), Weight(9.0)) + table["eq"](Weight(x), Weight(x))
    return product, negated(Weight(x)).a, chosen.a, less, operator.getitem(Weight(x), 2)


def builtins(x: float) -> tuple[float, int, float, str, list[bool], float]:
    """Builtin functions as the first argument of `map` and `filter`."""
    weights = [Weight(x), Weight(-1.0)]
    kept = len(list(filter(None, weights))) + len(list(filter(bool, weights)))
    sums = sum(map(sum, weights)) + next(iter(map(list, weights)))[0]
    truths = list(map(operator.truth, weights))
    return sum(map(abs, weights)), sum(map(len, weights)) + kept, sums, " ".join(map(str, weights)), truths, x


def reals(x: float) -> tuple[float, float, float]:
    """`float` of an object, which has the derivative of what `__float__` returns."""
    convert = float
    return float(Weight(x)), sum(map(float, [Weight(x), Weight(x * x)])), convert(Weight(x)) * x


def no_real(x: float) -> float:
    """`__float__` must return a float."""
    return x + float(Whole())


def logged(function: Any) -> Any:
    @functools.wraps(function)
    def call(*args: float) -> tuple[Any, str, str, str | None]:
        return function(*args), function.__name__, function.__qualname__, function.__doc__

    return call


@logged
def halved(x: float, by: float = 2.0) -> float:
    """Half of it."""
    return x / by


def names(x: float) -> tuple[Any, ...]:
    """The names of functions that are values."""

    def square(y: float, times: int = 1) -> float:
        return y * y * times

    def name_of(function: Any) -> str:
        return str(function.__name__)

    functions = [square, lambda y: y, Weight(x).__len__, halved, reduce, abs]
    return halved(x), square(x), [name_of(each) for each in functions], square.__name__


def scaled(function: Any) -> Any:
    @functools.wraps(function)
    def call(y: float) -> Any:
        return 2.0 * function(y)

    return call


def bound(function: Any, y: float) -> Any:
    """Return an object without a name."""
    return functools.partial(function, y)


def wrapped_names(x: float) -> tuple[Any, ...]:
    """Names that `functools.wraps` copies within the run, of functions of one argument and of any."""

    def square(y: float, times: float = 1.0) -> float:
        return y * y * times * x

    twice, kept = scaled(square), functools.wraps(square, assigned=())(lambda y: y)
    both = functools.wraps(bound(square, x))(lambda y: y * x)
    found = [square, logged(square), twice, scaled(twice), kept, both, scaled(abs)]
    names = [(each.__name__, callable(each), hasattr(each, "__wrapped__")) for each in found]
    return names, twice.__wrapped__(x, times=x), twice(y=x), [each(x) for each in found[2:]], twice(*[x])


class Hiding:
    """An object that stores functions under the names of methods of arrays and Python's own types."""

    def __init__(self, k: float) -> None:
        self.mean: Any = lambda v: k * v
        self.get: Any = lambda a, b=2.0: a * b
        self.upper = lambda: 3.0
        self.copy = lambda: self
        self.count = lambda v: v + 1
        self.pop = lambda: k
        self.append = lambda v: v * v
        self.is_integer = lambda: 1.0
        self.sum = np.sum


class Averaging:
    def mean(self, v: float) -> float:
        return v + 7


def hidden(x: float) -> tuple[Any, ...]:
    """What an object stores hides no method of other objects."""
    own: Any = Hiding(x)
    array = np.ones(3) * x
    called = own.mean(2.0), own.get(x), own.get(x, b=5.0), own.upper(), own.copy().mean(1.0)
    more = own.count(x), own.pop(), own.append(x), own.is_integer(), float(own.sum(array))
    of_python = {"a": x}.get("a"), len("ab".upper()), [1, 2].count(1)
    of_arrays = float(array.mean()), float(array.copy().sum()), float(array.sum(axis=0, keepdims=True)[0])
    return called, more, of_python, of_arrays, [each.mean(2.0) for each in (own, Averaging())]


EXAMPLES = [
    Example(hidden, (1.5,)),
    Example(names, (0.7,)),
    Example(wrapped_names, (0.7,)),
    Example(operators, (0.7,)),
    Example(builtins, (0.7,)),
    Example(reals, (0.7,)),
    Example(no_real, (0.7,), raises=TypeError),
]
