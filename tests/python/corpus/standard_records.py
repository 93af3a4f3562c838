"""Functions of dataclasses, keys of comparisons, chains of dictionaries, identity of arrays."""

from __future__ import annotations

import dataclasses
import functools
from collections import ChainMap
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tests.python.corpus import Example


class Place(NamedTuple):
    """A place."""

    x: float
    y: float


@dataclass
class Body:
    """What moves."""

    mass: float
    places: list[Place] = field(default_factory=list)
    name: str = "body"


@dataclass(frozen=True)
class System:
    """Bodies, by their names."""

    first: Body
    others: dict[str, Body]
    step: float = 0.1


def as_data(x: float) -> tuple[object, ...]:
    """Dataclasses as plain data."""
    body = Body(x, [Place(1.0, x)])
    system = System(body, {"b": Body(2.0)})
    plain = dataclasses.asdict(system)
    body.mass = 7.0
    return (
        plain,
        dataclasses.astuple(system),
        [f.name for f in dataclasses.fields(body)],
        {f.name: getattr(body, f.name) for f in dataclasses.fields(Body)},
        (dataclasses.is_dataclass(body), dataclasses.is_dataclass(Body), dataclasses.is_dataclass(x)),
        dataclasses.replace(system, step=x).step,
    )


@dataclass
class Counter:
    """Fields that are no arguments, one of which the class has the value of."""

    start: float
    step: float = field(init=False, default=2.0)
    seen: list[float] = field(init=False, default_factory=list)


def with_defaults_of_the_class(x: float) -> tuple[object, ...]:
    """Fields whose values the class has, and then the object."""
    counter = Counter(x)
    before = dataclasses.asdict(counter), dataclasses.astuple(counter)
    counter.step = x * x
    return before, dataclasses.asdict(counter)


@dataclass(frozen=True)
class Steel:
    """What computes an attribute of its fields, and checks them."""

    stiffness: float
    density: float = 7.8

    def __post_init__(self) -> None:
        if self.density < 0.0:
            raise ValueError("a density is positive")
        object.__setattr__(self, "shear", self.stiffness / 2.6)


def replaced(x: float) -> tuple[float, ...]:
    """Objects that are made anew, by an `__init__` that does more than to set fields."""
    steel = dataclasses.replace(Steel(x, x), stiffness=2.0 * x)
    counter = Counter(x)
    counter.step = 7.0
    return steel.shear, steel.density, dataclasses.replace(counter, start=x * x).step  # type: ignore[attr-defined]


def replaced_wrongly(x: float) -> Steel:
    """A replacement that the class refuses."""
    return dataclasses.replace(Steel(x), density=-x)


def replaced_without_init(x: float) -> Counter:
    """A replacement of a field that is no argument."""
    return dataclasses.replace(Counter(x), step=x)


def no_data(x: float) -> object:
    """A real, which is no dataclass."""
    return dataclasses.asdict(x)  # type: ignore[call-overload]  # the error is what is tested


def compared(x: float) -> tuple[object, ...]:
    """Orders by a comparison, which is printed as Python makes it."""

    def falling(a: float, b: float) -> int:
        print(a, b)
        return (a < b) - (a > b)

    key = functools.cmp_to_key(falling)
    items = [3.0, x, 2.0, 7.0, 5.0, 4.0, 8.0, 7.0]
    found = sorted(items, key=key), sorted(items, key=key, reverse=True), max(items, key=key)
    items.sort(key=key)
    return found, items, min(items, key=key)


def chained(x: float) -> tuple[object, ...]:
    """Settings over defaults."""
    settings = ChainMap({"a": x}, {"a": 1.0, "b": 2.0})
    inner = settings.new_child({"c": 3.0})
    inner["b"] = 5.0
    return (
        settings["a"] * settings["b"],
        inner["b"] * x,
        len(inner),
        sorted(inner),
        inner.get("z", 1.0),
        "a" in inner,
        dict(inner),
        inner.maps,
        inner.parents["a"],
        list(inner.items()),
        settings,
    )


def not_chained(x: float) -> float:
    """A name that no dictionary has."""
    return ChainMap({"a": x})["b"]


def same_arrays(x: float) -> tuple[object, ...]:
    """Arrays by their identity."""
    a = np.array([x, 2.0])
    b, c, kept = a, np.array([x, 3.0]), [a]
    return a is b, a is c, kept[0] is a, a is not c, float(np.sum(b * c))


class Shape:
    """Compares, shows and hashes its objects, until a dataclass does."""

    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: Any) -> bool:  # type: ignore[misc]  # which comes after those of `order=True`
        return True

    def __repr__(self) -> str:
        return "a shape"

    def __hash__(self) -> int:
        return 1


@dataclass(order=True)
class Box(Shape):
    width: float
    height: float = field(default=2.0, compare=False)


@dataclass(frozen=True)
class Disc(Shape):
    radius: float


@dataclass(eq=False, repr=False)
class Plain(Shape):
    side: float


class Cube(Box):
    """Inherits what the dataclass has made."""


def overriding(x: float) -> tuple[object, ...]:
    """Methods that a dataclass makes come before those of the classes that it derives from."""
    boxes = [Box(2.0, x), Box(1.0, 3.0 * x), Cube(1.5), Box(x * x)]
    first, last = min(boxes[0], boxes[1]), max(boxes[:2])
    print(boxes, Disc(1.0), Plain(2.0), f"{Cube(1.0)}")
    return (
        first.height * x + last.height,
        sorted(boxes[:2])[0].height,
        [Box(1.0) < Box(2.0), Box(1.0) <= Box(0.5), Box(1.0) > Box(2.0), Box(1.0) >= Box(1.0)],
        [Box(1.0) == Box(1.0, 5.0), Box(1.0) != Box(2.0), Box(1.0) == Disc(1.0), Disc(1.0) == Disc(2.0)],
        [Plain(1.0) == Plain(2.0), Plain(1.0) < Plain(2.0), Cube(1.0) == Cube(1.0), Cube(1.0) == Box(1.0)],
        len({Disc(1.0), Disc(2.0), Disc(1.0)}),
        [Box(1.0)] == [Box(2.0)],
        Box(2.0) in boxes,
    )


def without_order(x: float) -> bool:
    return bool(Disc(x) < Disc(2.0) or Box(x) < Disc(x))  # type: ignore[operator]


EXAMPLES = [
    Example(overriding, (1.5,)),
    Example(without_order, (1.5,)),
    Example(as_data, (1.5,)),
    Example(with_defaults_of_the_class, (1.5,)),
    Example(replaced, (1.5,)),
    Example(replaced_wrongly, (1.5,), raises=ValueError),
    Example(replaced_without_init, (1.5,), raises=ValueError),
    Example(no_data, (1.5,), raises=TypeError),
    Example(compared, (1.5,)),
    Example(chained, (1.5,)),
    Example(not_chained, (1.5,), raises=KeyError),
    Example(same_arrays, (1.5,)),
]
