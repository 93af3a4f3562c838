"""The values of the language, as Python objects; immutable, hence without cycles.

    real       float, or a Dual or Node of checkpoint.ad.numbers while derivatives are taken
    integer    int (exact, not differentiable)      boolean   bool
    null       None                                 string    str
    symbol     Symbol                               pair      Pair
    tuple      tuple                                procedure Closure
    capsule    Capsule: the rest of an interrupted run
    opaque     Opaque: a tangent or cotangent of a closure or capsule
    failure    Failure: what a handler receives when a primitive failed

A *location* is a place that holds a real and has a cotangent of its own: a bound variable, a slot of
an environment, a field of a pair. Here a location is a number *object*: whatever makes a location
makes a new object (checkpoint.ad.numbers.fresh), and reading one passes the object on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Symbol(str):
    """A quoted name; equal to another symbol of the same name, never to a string."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Pair:
    """What `cons` makes."""

    __slots__ = ("car", "cdr")

    def __init__(self, car: Any, cdr: Any) -> None:
        self.car = car
        self.cdr = cdr


class Closure:
    """A lambda and its environment: the values of the variables that it captures, in their order.

    The lambdas of one strongly connected group of a letrec share one environment tuple.
    """

    __slots__ = ("lam", "env")

    def __init__(self, lam: Any, env: tuple[Any, ...]) -> None:
        self.lam = lam
        self.env = env


class Opaque:
    """A tangent or cotangent of a closure or capsule: one number for each location in it.

    `numbers` follow the order in which checkpoint.ad.graph.numbers finds the locations. A program
    can pass an Opaque on and give it back, and do nothing else with it.
    """

    __slots__ = ("numbers",)

    def __init__(self, numbers: tuple[Any, ...]) -> None:
        self.numbers = numbers


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """A primitive's failure as a value: the Python exception, and the text that describes it."""

    exception: Exception
    text: str


def list_value(items: Any, tail: Any = None) -> Any:
    """The proper list of a Python sequence (or the pairs that end in `tail`)."""
    result = tail
    for item in reversed(items):
        result = Pair(item, result)
    return result
