"""Classes with several bases, whose order decides which member an object has, and what `super()` finds."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

from tests.python.corpus import Example


class Base:
    def __init__(self, x):
        self.x = x

    def area(self):
        return self.x


class Tripled(Base):
    def area(self):
        return super().area() * 3.0


class Raised(Base):
    def area(self):
        return super().area() + self.x**2


class Both(Tripled, Raised):
    pass


def diamond(x):
    """A class of nothing but bases puts one of them between another and its own base."""
    return Tripled(x).area(), Both(x).area(), [cls(x).area() for cls in (Base, Raised, Both)]


class First:
    factor = 2.0

    def __init__(self, x):
        self.x = x

    @property
    def scaled(self):
        return self.factor * self.x

    def __len__(self):
        return 1

    def __add__(self, other):
        return self.x + other


class Longer(Raised):
    factor = 5.0

    @property
    def scaled(self):
        return self.x

    def __len__(self):
        return 2

    def __add__(self, other):
        return self.x * other

    def area(self):
        return super().area() * self.x


class Mixed(First, Longer):
    """The first base wins, though the second one has more bases itself."""


class Further(Mixed):
    pass


def first_base(x):
    found = []
    for cls in (Mixed, Further):
        o = cls(x)
        found += [o.scaled, o.factor, len(o), o + 3.0, o.area()]
    return found


class Mixin:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.more = 2.0

    def area(self):
        return super().area() * self.more


class Wide(Mixin, Base):
    pass


class Wider(Mixin, Raised):
    def area(self):
        return super().area() + 1.0


def mixin(x):
    """The method that a mixin's `super()` finds is one of classes beside it."""
    return Wide(x).area(), Wider(x=x).area()


def mixin_alone(x):
    """Without these, `super()` has no such method, and `object` takes no arguments."""
    caught = [Mixin().more * x]
    for made in (lambda: Mixin().area(), lambda: Mixin(x), lambda: Mixin(x=x)):
        try:
            caught.append(made())
        except (AttributeError, TypeError) as error:
            caught.append(str(error))
    return caught, Wide(x).area()


class Watch:
    """A context manager that asks the class of what has been raised for its name."""

    def __enter__(self):
        return self

    def __exit__(self, cls, error, trace):
        self.seen = None if cls is None else (cls.__name__, cls.__qualname__, str(error))
        return True


def named(x):
    watch, seen = Watch(), []
    for i in range(3):
        with watch:
            x *= 2.0
            [1.0, x][i]
        seen.append(watch.seen)
    return x, seen


EXAMPLES = [
    Example(diamond, (0.7,)),
    Example(first_base, (0.7,)),
    Example(mixin, (0.7,)),
    Example(mixin_alone, (0.7,)),
    Example(named, (0.7,)),
]
