"""Objects that their classes' `__new__` makes: own ones, `object.__new__`, classes known only at run time."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import abc
import copy
from collections import namedtuple
from dataclasses import dataclass

from tests.python.corpus import Example


class Tagged:
    def __new__(cls, x, *args, **kw):
        print("new", cls.__name__)
        made = super().__new__(cls)
        made.tag = x * 2
        return made

    def __init__(self, x, y=3.0):
        self.x, self.y = x, y

    def value(self):
        return self.x * self.tag + self.y


class Squared(Tagged):
    def __init__(self, x, y=1.0):
        super().__init__(x * x, y)


class Made:
    """Its `__new__` gives objects of other classes, too, which are not initialised."""

    def __new__(cls, kind, x):
        if kind == "tagged":
            return Tagged(x)
        if kind == "number":
            return x * 3
        if kind == "derived":
            return object.__new__(Derived)
        return object.__new__(cls)

    def __init__(self, kind, x):
        self.x = x


class Derived(Made):
    def __init__(self, kind, x):
        self.x = 10 * x


class Excess:
    def __new__(cls, x):
        return super().__new__(cls, x)


class Pair(namedtuple("Pair", "x y")):
    __slots__ = ()

    def __new__(cls, x, y=2.0):
        return super().__new__(cls, x * 2, y)

    def area(self):
        return self.x * self.y


class Twin(Pair):
    __slots__ = ()

    def __new__(cls, v):
        return super().__new__(cls, v, y=v)


class Copied:
    def __init__(self, x):
        self.x = x

    def copy(self):
        new = self.__class__.__new__(self.__class__)
        new.__dict__.update(self.__dict__)
        return new

    def doubled(self):
        cls = type(self)
        new = cls.__new__(cls)
        new.x = self.x * 2
        return new

    @classmethod
    def of(cls, x):
        made = cls.__new__(cls)
        made.x = x
        return made


class Twice(Copied):
    def twice(self):
        return 2 * self.x


class Keyword:
    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)

    def __init__(self, a, *, b=1.0):
        self.v = a * b


@dataclass
class Counted:
    x: float
    y: float = 1.0

    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls)
        made.seen = 1
        return made


class Abstract(abc.ABC):
    def __new__(cls, *args):
        return super().__new__(cls)

    @abc.abstractmethod
    def go(self): ...


class Chain:
    def __new__(cls, n):
        if n == 0:
            return None
        made = super().__new__(cls)
        made.next = cls(n - 1)
        return made

    def __init__(self, n):
        self.n = n


class Shape:
    """Chooses the class of its objects, in the variable that is its class."""

    def __new__(cls, kind, x):
        if cls is Shape:
            cls = {"square": Square, "cube": Cube}[kind]  # noqa: PLW0642
        return super().__new__(cls)

    def __init__(self, kind, x):
        self.x = x

    @classmethod
    def total(cls, x):
        total = 0.0
        for cls in [Square, Cube]:  # noqa: PLR1704
            total += cls("any", x).size() * len(cls.__name__)
        return total


class Square(Shape):
    def size(self):
        return self.x**2


class Cube(Shape):
    def size(self):
        return self.x**3


class Slotted:
    __slots__ = ("a", "b")

    def __new__(cls, a, b=None):
        made = object.__new__(cls)
        made.a = a
        made.b = b if b is not None else a * a
        return made


class Counter:
    """An object that counts how often it was copied."""

    unit = 2.0

    def __init__(self, x):
        self.x, self.n = x, 0

    def __copy__(self):
        new = Counter(self.x * 2)
        new.n = self.n + 1
        return new

    def named(self, name):
        return self.__getattribute__(name)

    @property
    def square(self):
        return self.x**2


def counters(x):
    found = copy.copy(Counter(x))
    found.__setattr__("x", found.named("x") * 3.0)
    inner = copy.copy([found])[0]
    return found.x * found.n + inner.named("x") * inner.named("unit") + inner.__getattribute__("square")


def unknown_name(x):
    return Counter(x).named("missing")


def tagged(x):
    return Tagged(x).value() + Tagged(x, y=x).value() + Squared(x).value()


def chosen(x):
    return Made("tagged", x).value() + Made("number", x) + Made("other", x).x + Made("derived", x).x


def named_tuples(x):
    return Pair(x).area() + Pair(x, y=x).area() + Pair(x)._replace(x=x).area() + Twin(x).area()


def named_tuples_shown(x):
    pair = Pair(x)
    return pair, pair[0], len(pair), pair._asdict(), Twin(x)


def copied(x):
    one = Twice(x)
    other = one.copy()
    other.x = 5 * x
    return other.twice() * one.x + one.copy().doubled().twice() + Twice.of(x).twice()


def classes(x):
    found = type(Twice(x).copy()).__name__, isinstance(Twice.of(x), Twice)
    return (
        found,
        Twice(x).__class__ is Copied(x).__class__,
        x.__class__.__name__,
        x.__class__ is float,
    )


def starred(x):
    args, keywords = [x], {"b": 3.0}
    made = sum(each.v for each in map(Keyword, [x, 2 * x]))
    return Keyword(*args, **keywords).v + Keyword(x, b=x).v + made + [Keyword][0](x, b=2.0).v


def counted(x):
    made = Counted(x, y=x)
    return made.x * made.y + made.seen


def chained(x):
    chain, total = Chain(4), 0.0
    while chain is not None:
        total += chain.n * x
        chain = chain.next
    return total


def shapes(x):
    return Shape("square", x).size() + Shape("cube", x).size() + Square("any", x).size() + Shape.total(x)


def slotted(x):
    return Slotted(x).a * Slotted(x).b


def uninitialised(x):
    return object.__new__(Copied).x


def missing(x):
    return Tagged()


def unexpected(x):
    return Keyword(x, c=1)


def excess(x):
    return Excess(x)


def abstract(x):
    return Abstract(x)


def abstract_by_object(x):
    return object.__new__(Abstract)


def not_a_class(x):
    return object.__new__(3)


def of_int(x):
    return object.__new__(int)


def without_class(x):
    return object.__new__()


class Scaled:
    def __init__(self, *parts):
        self.parts = list(parts)

    def total(self, by):
        return sum(self.parts) * by

    @staticmethod
    def thrice(v):
        return v * 3


class Prepared(Scaled):
    def __new__(cls, *args):
        made = super().__new__(cls)
        super().__init__(made, 1.0, 2.0)
        made.before = super().total(made, by=2.0) + super().thrice(1.0)
        return made

    def __init__(self, x):
        self.parts.append(x)


class Bare:
    def __new__(cls, *args):
        made = super().__new__(cls)
        super().__init__(made)
        return made

    def __init__(self, x):
        self.x = x

    def doubled(self):
        return self.x * 2

    @classmethod
    def twice(cls, x):
        return cls(x)


class Twofold(Bare):
    @classmethod
    def twice(cls, x):
        return super().doubled(super().twice(x))


def methods_before_object(x):
    made = Prepared(x)
    return made.parts, made.before, Bare(x).x, Twofold.twice(x)


EXAMPLES = [
    Example(methods_before_object, (0.7,)),
    Example(tagged, (0.7,)),
    Example(counters, (0.7,)),
    Example(unknown_name, (0.7,), raises=AttributeError),
    Example(chosen, (0.7,)),
    Example(named_tuples, (0.7,)),
    Example(named_tuples_shown, (0.7,), differentiable=False),
    Example(copied, (0.7,)),
    Example(classes, (0.7,), differentiable=False),
    Example(starred, (0.7,)),
    Example(counted, (0.7,)),
    Example(chained, (0.7,)),
    Example(shapes, (0.7,)),
    Example(slotted, (0.7,)),
    Example(uninitialised, (0.7,), raises=AttributeError),
    Example(missing, (0.7,), raises=TypeError),
    Example(unexpected, (0.7,), raises=TypeError),
    Example(excess, (0.7,), raises=TypeError),
    Example(abstract, (0.7,), raises=TypeError),
    Example(abstract_by_object, (0.7,), raises=TypeError),
    Example(not_a_class, (0.7,), raises=TypeError),
    Example(of_int, (0.7,), raises=TypeError),
    Example(without_class, (0.7,), raises=TypeError),
]
