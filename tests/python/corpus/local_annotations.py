"""Classes inside functions whose annotations are evaluated, and whose bodies have comprehensions."""

# mypy: ignore-errors
# Without `from __future__ import annotations`, on purpose: what Python says of it is compared.

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    NamedTuple,
    Optional,
    ParamSpec,
    Self,
    TypeVar,
    Union,
)

from tests.python.corpus import Example

T = TypeVar("T")
P = ParamSpec("P")
Vector = list[float]


def forms(x):
    class Account:
        rate: ClassVar[float] = 2.0
        kind: Literal["a", "b"] = "b"
        limit: Final = 3.0

        def __init__(self, start: Optional[float] = None):  # noqa: UP045
            self.total = start or x

        def add(self, amount: Union[int, float]) -> Self:  # noqa: UP007
            self.total += self.rate * amount
            return self

        def apply(self, f: Callable[[float], Any], args: "Vector", *rest: T) -> Optional[T]:  # noqa: UP045
            return f(self.total) * args[0] * self.limit

    made = Account().add(x).add(2)
    return made.total, made.apply(math.sin, [x]), Account(1.0).add(x).total, made.kind


def generic(x):
    class Box(Generic[T]):
        def __init__(self, value: T) -> None:
            self.value = value

        def mapped(self, f: Callable[P, T]) -> "Box[T]":
            return Box(f(self.value))

    return Box(x).mapped(math.exp).mapped(lambda v: v * x).value


def dataclasses(x):
    @dataclass
    class Body:
        mass: float
        path: Optional[list[float]] = None  # noqa: UP045
        force: Callable[[float], float] = math.sin
        seen: list[T] = field(default_factory=list)

        def push(self) -> Self:
            self.seen.append(self.force(self.mass))
            return self

    body = Body(x).push().push()
    return sum(body.seen) * body.mass, body.path


def named(x):
    class Pair(NamedTuple):
        a: Optional[float]  # noqa: UP045
        b: Union[float, int] = 2.0  # noqa: UP007

    return Pair(x).a * Pair(x).b


def comprehensions(x):
    class Table:
        size = 4
        halves = [i * 0.5 for i in range(4) if i > 0 and i != 2]  # noqa: RUF012
        lengths = {k: len(k) for k in ("a", "bb")}  # noqa: RUF012
        total = sum(h for h in (0.5, 1.5))
        signs = tuple([1.0 if i % 2 else -1.0 for i in range(size)])

        def weigh(self):
            return sum(self.halves) * self.lengths["bb"] * self.total * x

    return Table().weigh(), [sign * x for sign in Table.signs]


EXAMPLES = [
    Example(forms, (0.7,), differentiable=False),
    Example(generic, (0.7,)),
    Example(dataclasses, (0.7,), differentiable=False),
    Example(named, (0.7,)),
    Example(comprehensions, (0.7,)),
]
