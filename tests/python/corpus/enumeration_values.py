"""Enumerations as values: in variables, lists and arguments, iterated over, called, indexed, returned."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

from enum import Enum, IntEnum

from tests.python.corpus import Example


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Label(Enum):
    A = "a"
    B = "b"

    @classmethod
    def first(cls):
        return next(iter(cls))

    @classmethod
    def of_name(cls, name):
        for member in cls:
            if member.name == name:
                return member
        return cls["A"]

    @staticmethod
    def size():
        return 3

    def upper(self):
        return self.value.upper()


KINDS = {"color": Color, "level": Level}
PAIR = [Color, Level]


def in_a_variable(x):
    kind = Color
    total = 0
    for member in kind:
        total += member.value
    found = kind["GREEN"], kind(3), kind.__name__, list(kind), kind.BLUE, Color.RED in kind
    return x * total * len(kind), found


def in_containers(x):
    kind = KINDS["color"]
    total = sum(member.value for member in PAIR[1])
    return x * len(kind) + total, kind(2).name, [cls(1) for cls in PAIR], [len(cls) for cls in (Color, Level)]


def as_an_argument(x):
    def parse(kind, text):
        return kind[text] if text in kind.__members__ else kind(1)

    return parse(Color, "BLUE").value * x, parse(Level, "NONE") * x, list(map(Color, [1, 2]))


def returned_and_printed(x):
    kind = Color if x > 0 else Level
    print(kind, repr(kind))
    return Color, kind, kind is Level, kind == Color, x


def iterated(x):
    it = iter(Color)
    first, second, third = Color
    pairs = dict(zip(Color, [x, 2 * x, 3 * x], strict=True))
    found = [*Color], list(reversed(Color)), tuple(Level), sorted(Color, key=lambda c: -c.value), max(Level)
    named = list(Color.__members__), [i for i, _ in enumerate(Color)], set(Color) == {first, second, third}
    return next(it).value * x, next(it), pairs[second], found, named


def methods(x):
    kind = Label
    return kind.first(), Label.of_name("B").upper(), kind.of_name("Z"), kind.size() * x, kind.A.upper()


def attributes(x):
    kind = Level
    return kind.HIGH * x, getattr(kind, "LOW"), hasattr(kind, "NONE"), kind.__qualname__  # noqa: B009


def of_a_function(x):
    class Mode(Enum):
        P = 1
        Q = 2

    kind = Mode
    return sum(m.value for m in Mode) * x, len(kind), kind(1).name, kind["Q"].value


def weighted(x):
    def total(kind, k):
        return sum(k**member.value for member in kind) * len(kind) + kind(1).value * k

    return total(Color, x) + total(PAIR[1], x * x) + KINDS["color"]["BLUE"].value * x


def no_name(x):
    return PAIR[0]["NONE"]


def no_value(x):
    return PAIR[0](17)


def multiplied(x):
    return Color * 2


def no_attribute(x):
    kind = PAIR[0]
    return kind.NONE


EXAMPLES = [
    Example(in_a_variable, (0.7,), differentiable=False),
    Example(in_containers, (0.7,), differentiable=False),
    Example(as_an_argument, (0.7,), differentiable=False),
    Example(returned_and_printed, (0.7,), differentiable=False),
    Example(iterated, (0.7,), differentiable=False),
    Example(methods, (0.7,), differentiable=False),
    Example(attributes, (0.7,), differentiable=False),
    Example(of_a_function, (0.7,), differentiable=False),
    Example(weighted, (0.7,)),
    Example(no_name, (0.7,), raises=KeyError),
    Example(no_value, (0.7,), raises=ValueError),
    Example(multiplied, (0.7,), raises=TypeError),
    Example(no_attribute, (0.7,), raises=AttributeError),
]
