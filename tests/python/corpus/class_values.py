"""Classes known only at run time: in variables, lists, dictionaries, as `type(x)`; attributes of classes."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import Any

from tests.python.corpus import Example


class Shape:
    sides = 0.0
    made = "shape"

    def __init__(self, r, scale=1.0):
        self.r = r
        self.scale = scale

    def area(self):
        return self.r * self.scale

    def grown(self, by):
        return type(self)(self.r + by, scale=self.scale)

    def twin(self):
        return self.__class__(self.r)

    @classmethod
    def unit(cls, r):
        return cls(r * 0.5)

    @staticmethod
    def double(x):
        return 2.0 * x


class Disc(Shape):
    made = "disc"

    def area(self):
        return math.pi * self.r * self.r * self.scale


class Square(Shape):
    sides = 4.0

    def area(self):
        return self.r * self.r * self.scale

    @classmethod
    def unit(cls, r):
        return cls(r, scale=3.0)


class Kind(enum.Enum):
    LOW = 1
    HIGH = 2


class Plain:
    pass


SHAPES = {"disc": Disc, "square": Square, "plain": Shape}
ORDER = [Square, Disc]
BY_KIND = {Kind.LOW: Disc, Kind.HIGH: Square}
WEIGHTS = {Disc: 2.0, Square: 3.0}


def from_table(names, r):
    return sum(SHAPES[name](r).area() for name in names)


def by_enumeration(r):
    return BY_KIND[Kind.LOW](r).area() - BY_KIND[Kind.HIGH](r, 2.0).area()


def weighted(r):
    return sum(WEIGHTS[cls] * cls(r).area() for cls in ORDER)


def class_attributes(r):
    total = 0.0
    for cls in (Shape, Disc, Square):
        total += cls(r, scale=cls.sides + 1.0).area() * len(cls.made)
    return total


def class_methods(r):
    return [cls.unit(r).area() + cls.double(r) for cls in ORDER]


def methods_by_name(r):
    found = []
    for cls in ORDER:
        for name in ("unit", "double"):
            made = getattr(cls, name)(r)
            found.append(made.area() if isinstance(made, Shape) else made)
    return found


def methods_as_functions(r):
    return [cls.area(Square(r)) for cls in (Shape, Disc)]


def own_class(r):
    found = []
    for shape in (Disc(r), Square(r, 2.0)):
        found += [shape.grown(0.5).area(), shape.twin().area(), type(shape).__name__]
    return found


def type_in_variable(r):
    shape = Disc(r)
    cls = type(shape)
    again = cls(r * 2.0)
    return again.area(), cls is Disc, cls == Square, cls.made, cls.__name__, type(again) is cls


def types_compared(r):
    kinds = [type(x) for x in (Disc(r), Square(r), Disc(2.0), r, 1, "a", [r])]
    return (
        [[a is b for b in kinds] for a in kinds[:3]],
        kinds[3] is float,
        kinds.count(int),
        [list] == kinds[6:],
    )


def dispatched(r):
    table = {Disc: lambda s: s.r * 2.0, Square: lambda s: s.r**3}
    return sum(table[type(s)](s) for s in (Disc(r), Square(r + 1.0), Disc(r * r)))


def sorted_by_class(r):
    groups = {}
    for shape in (Disc(r), Square(r), Disc(r + 1.0)):
        groups.setdefault(type(shape), []).append(shape.area())
    return {cls.__name__: sum(areas) for cls, areas in groups.items()}


def asked(r):
    def is_one(x, classes):
        return isinstance(x, classes)

    shapes = [Disc(r), Square(r), Shape(r)]
    found = [[is_one(s, cls) for cls in (Shape, Disc, (Square, float))] for s in shapes]
    return found, [issubclass(cls, Shape) for cls in ORDER], issubclass(type(shapes[0]), type(shapes[1])), r


class Factory:
    kind = Disc

    def __init__(self, kind=None, **options):
        if kind is not None:
            self.kind = kind
        self.options = options

    def build(self, r):
        return self.kind(r, **self.options)


def factories(r):
    return [
        Factory().build(r).area(),
        Factory(Square).build(r).area(),
        Factory(Disc, scale=2.0).build(r).area(),
    ]


def called_with_stars(r):
    def build(cls, *args, **named):
        return cls(*args, **named)

    return build(Disc, r).area() + build(Square, r, scale=r).area() + build(Shape, r=r).area()


def among_functions(r):
    table = {"sin": math.sin, "disc": Disc, "double": lambda x: 2.0 * x, "float": float}
    made = {name: f(r) for name, f in table.items()}
    return made["sin"] + made["disc"].area() + made["double"] + made["float"]


def mapped(r):
    return sum(shape.area() for shape in map(Disc, [r, r * r])) + sum(map(float, [r, 1]))


def shown(r):
    cls = ORDER[0]
    print(cls, f"{cls!r}", [cls])
    return r * len(str(cls))


def in_sets(r):
    found = {type(s) for s in (Disc(r), Square(r), Disc(2.0))}
    return Disc in found, Shape in found, len(found), r


def without_such_attribute(r):
    cls = ORDER[1] if r > 0.0 else Plain
    return cls.missing


def without_arguments(r):
    cls = SHAPES["disc"]
    return cls() if r > 0.0 else cls(r)


def no_class(r):
    wanted = [Disc, r][1]
    return isinstance(r, wanted)


def not_subclass(r):
    return issubclass(r, ORDER[0])


def types_mapped(x: float) -> tuple[float, int, bool]:
    """`type` as a function that is passed on."""
    kinds = list(map(type, [x, [x], "a", 2]))
    assert kinds[0] is float
    return x * 2.0, len(set(map(type, [x, 1.0, 2]))), kinds[1] is list and kinds[-1] is int


class Differentiator:
    """What its class stores is nothing: None, 0, the empty string."""

    last = None
    calls = 0
    label = ""

    def __call__(self, x):
        slope = 0.0 if self.last is None else x - self.last
        self.last = x
        self.calls += 1
        return slope


@dataclass
class Smoothed:
    rate: float
    mean: float | None = field(default=None, init=False)
    count: int = field(default=0, init=False)

    def add(self, x):
        self.mean = x if self.mean is None else self.mean + self.rate * (x - self.mean)
        self.count += 1


def empty_attributes(x):
    """Attributes that are nothing until a method assigns to them."""
    slopes, smoothed, untouched = Differentiator(), Smoothed(x), Differentiator()
    total = slopes(x) + slopes(x * x)
    smoothed.add(x)
    smoothed.add(total)
    names = [getattr(untouched, name) for name in ("last", "calls", "label")]
    assert names == [None, 0, ""]
    assert hasattr(untouched, "last")
    assert Differentiator.last is None
    return total, smoothed.mean, slopes.calls + smoothed.count, Smoothed(x).mean is None


def like_it(tree: Any, x: float) -> Any:
    """Return containers as those of a tree, with other numbers."""
    if isinstance(tree, list | tuple):
        return type(tree)(like_it(each, x) for each in tree)
    if isinstance(tree, dict):
        return type(tree)((key, like_it(each, x)) for key, each in tree.items())
    return type(tree)(tree * x)


def made_like_others(x: float) -> Any:
    """Containers and numbers of the classes of others."""
    empty = [type(each)() for each in (True, 1, x, "ab", (x,), [x])]
    return like_it({"a": [x, (2, x)], "b": ()}, x), empty


EXAMPLES = [
    Example(empty_attributes, (1.5,)),
    Example(types_mapped, (1.5,)),
    Example(from_table, (["disc", "square", "plain", "disc"], 0.7)),
    Example(by_enumeration, (0.7,)),
    Example(weighted, (0.7,)),
    Example(class_attributes, (0.7,)),
    Example(class_methods, (0.7,)),
    Example(methods_by_name, (0.7,)),
    Example(methods_as_functions, (0.7,)),
    Example(own_class, (0.7,)),
    Example(type_in_variable, (0.7,)),
    Example(types_compared, (0.7,), differentiable=False),
    Example(dispatched, (0.7,)),
    Example(sorted_by_class, (0.7,)),
    Example(asked, (0.7,)),
    Example(factories, (0.7,)),
    Example(called_with_stars, (0.7,)),
    Example(among_functions, (0.7,)),
    Example(mapped, (0.7,)),
    Example(shown, (0.7,)),
    Example(in_sets, (0.7,)),
    Example(without_such_attribute, (0.7,), raises=AttributeError),
    Example(without_arguments, (0.7,), raises=TypeError),
    Example(no_class, (0.7,), raises=TypeError),
    Example(not_subclass, (0.7,), raises=TypeError),
    Example(made_like_others, (1.5,)),
]
