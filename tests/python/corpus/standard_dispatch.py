"""Functions of functools that choose or hold others; functions called by re.sub; `_make`; unions."""

from __future__ import annotations

import functools
import re
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.python.corpus import Example

Vec = namedtuple("Vec", "x y", defaults=(1.0,))
NUMBER = re.compile(r"(?P<n>\d+)")


@functools.singledispatch
def area(shape: Any, *more: float, scale: float = 1.0) -> float:
    """The area of a shape that is not known."""
    raise TypeError(f"no area of {shape!r}")


@area.register
def _(shape: float, *more: float, scale: float = 1.0) -> float:
    return shape * shape * scale + sum(more)


@area.register(int)
def _of_int(shape: int, *more: float, scale: float = 1.0) -> float:
    return area(float(shape), *more, scale=scale)


@area.register(list)
@area.register(tuple)
def _of_parts(shape: Any, **keywords: Any) -> float:
    return sum([area(part, **keywords) for part in shape])


class Square:
    """A square."""

    def __init__(self, side: float) -> None:
        self.side = side


class Tile(Square):
    """A square whose class is derived."""


@area.register
def _of_square(shape: Square, scale: float = 1.0) -> float:
    return scale * shape.side**2


def dispatched(x: float) -> tuple[object, ...]:
    """Functions chosen by the class of the first argument, called by name, with stars, and as values."""
    total = area([x, 2, (x, Square(x))], scale=0.5)
    return total, area(Tile(x)), list(map(area, [x, 3])), area(*[x, 1.0]), area(True)


def not_dispatched(x: float) -> float:
    """A class without a function of its own."""
    return x * area("a circle")


def without_arguments(x: float) -> float:
    """A call without the argument that chooses."""
    return x * area()  # type: ignore[call-arg]  # on purpose


class Scaled:
    """An object with methods that hold arguments, or choose by their class."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def by(self, first: float, second: float, *, power: float = 1.0) -> float:
        """The product of all."""
        return float(self.factor * first * second**power)

    twice = functools.partialmethod(by, 2.0)
    squared = functools.partialmethod(by, power=2.0)

    @functools.singledispatchmethod
    def add(self, other: Any, weight: float = 1.0) -> float:
        """Add what has no class of its own here."""
        return self.factor - weight

    @add.register
    def _(self, other: float, weight: float = 1.0) -> float:
        return self.factor + weight * other

    @add.register
    def _of_scaled(self, other: list, weight: float = 1.0) -> float:  # type: ignore[type-arg]
        return sum([self.add(each, weight) for each in other])


class Doubled(Scaled):
    """A class that inherits them."""

    def twice_of(self, x: float) -> float:
        """Call the inherited one."""
        return super().twice(x)


def held(x: float) -> tuple[object, ...]:
    """Methods with arguments that they hold, and that may be replaced."""
    scaled = Scaled(x)
    kept = scaled.twice
    return (
        *(scaled.twice(x), scaled.squared(x, 3.0), scaled.squared(x, 3.0, power=1.0), kept(3.0)),
        *(Doubled(x).twice_of(x), scaled.add(x), scaled.add([x, "y"], weight=2.0), Doubled(x).add("z")),
    )


def substituted(x: float) -> tuple[object, ...]:
    """Texts in which functions replace what a pattern finds."""
    seen: list[int] = []
    changes: dict[int | str, str | int | None] = {"-": "+", "b": None}

    def doubled(found: re.Match[str]) -> str:
        seen.append(found.start())
        return str(2 * int(found.group("n")))

    return (
        *(
            NUMBER.sub(doubled, "1 a 22"),
            NUMBER.subn(lambda m: "", "1 2 3", count=2),
            re.sub("b*", "-", "abc"),
        ),
        *(re.sub("(b)*", lambda m: f"<{m.group()}>", "abbc"), NUMBER.sub(r"(\g<n>)", "7 8", 1), seen, x),
        "a-b".translate(str.maketrans(changes)) + "ab".translate(str.maketrans("ab", "xy", "")),
    )


def not_substituted(x: float) -> object:
    """A function that returns no text."""
    return re.sub("a", lambda m: 1, "xaa")  # type: ignore[arg-type, return-value]  # on purpose


def made(x: float, rows: list[tuple[float, float]]) -> tuple[object, ...]:
    """Named tuples of any items, also by a function that is passed on."""
    total = sum([v.x * v.y for v in map(Vec._make, rows)])
    return (
        Vec._make([x, 2.0 * x]),
        total,
        Vec(x)._replace(y=x)._asdict(),
        Vec._fields,
        Vec._field_defaults["y"],
    )


def not_made(x: float) -> object:
    """Too few items."""
    return Vec._make([x])


def united(x: float) -> tuple[object, ...]:
    """Unions of classes as values; fractions and decimals of reals that are written out."""
    number = int | float
    kinds = [number, number | None]
    found = [isinstance(x, number), isinstance(None, kinds[1]), isinstance("a", number)]
    return found, x * float(Fraction(0.75) + Fraction(-0.25)), x * float(Decimal(0.5))  # noqa: RUF032  # a real


EXAMPLES = [
    Example(dispatched, (1.5,)),
    Example(not_dispatched, (1.5,), raises=TypeError),
    Example(without_arguments, (1.5,), raises=TypeError),
    Example(held, (1.5,)),
    Example(substituted, (1.5,)),
    Example(not_substituted, (1.5,), raises=TypeError),
    Example(made, (1.5, [(1.0, 2.0), (0.5, 3.0)])),
    Example(not_made, (1.5,), raises=TypeError),
    Example(united, (1.5,)),
]
