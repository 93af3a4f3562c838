"""Descriptors, `__format__`, keys that are classes, fields before properties, defaults set later."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import math

import numpy as np

from tests.python.corpus import Example


class Scaled:
    def __init__(self, by):
        self.by = by

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return getattr(obj, self.name) * self.by

    def __set__(self, obj, value):
        if value < 0.0:
            raise ValueError("negative")
        setattr(obj, self.name, value / self.by)


class Named:
    def __get__(self, obj, owner=None):
        return f"{owner.__name__}:{obj.kind}"


class Stored:
    def __set_name__(self, owner, name):
        self.name = name

    def __set__(self, obj, value):
        obj.count = obj.count + 1.0
        setattr(obj, "kept_" + self.name, value)

    def __delete__(self, obj):
        obj.count = -1.0


class Body:
    mass = Scaled(2.0)
    speed = Scaled(0.5)
    label = Named()
    kept = Stored()
    kind = "body"

    def __init__(self, mass, speed):
        self.count = 0.0
        self.mass = mass
        self.speed = speed

    def energy(self):
        return 0.5 * self.mass * self.speed**2


class Heavy(Body):
    kind = "heavy"

    def energy(self):
        return super().energy() + self.mass


class Watched(Body):
    """Assigns by `object`'s method, which runs descriptors and properties."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 1.5 if name == "speed" else value)


class Plain:
    """Has an attribute of its own under the name of another class's descriptor."""

    mass = 1.0

    def __init__(self, mass):
        super().__setattr__("mass", mass)


class Rated:
    def __init__(self, x):
        self.x = x

    @property
    def rate(self):
        return 2.0 * self.x

    def paid(self):
        return self.x * self.rate


class Flat(Rated):
    rate = 0.5


class Settled(Flat):
    pass


class Again(Settled):
    @property
    def rate(self):
        return 5.0 * self.x

    @rate.setter
    def rate(self, value):
        self.x = value


class Length:
    def __init__(self, value):
        self.value = value
        self.shown = 0

    def __format__(self, spec):
        self.shown += 1
        return f"{self.value:{spec or '.1f'}} m"

    def __str__(self):
        self.shown += 10
        return "length"


def descriptors(x):
    found = []
    for cls in (Body, Heavy):
        body = cls(x, x + 1.0)
        body.mass += x
        body.speed = body.mass * math.sin(x)
        found += [body.energy(), body.mass, body._mass, body.label]
    return found


def counted(x):
    body = Body(x, 1.0)
    body.kept = x
    body.kept = x * x
    first = body.count
    before = body.kept_kept
    del body.kept
    return first, body.count, before, hasattr(body, "label"), hasattr(body, "kept_kept")


def by_name(x):
    body = Body(x, 2.0)
    setattr(body, "mass", 3.0 * x)  # noqa: B010
    return getattr(body, "mass") * getattr(body, "speed")  # noqa: B009


def negative(x):
    Body(x, 1.0).mass = -x


def formatted(x):
    a = Length(x)
    return f"{a} {a:.3f} {a!s} {[1]}", format(a, ".2f"), a.shown, x


class Abstract:
    __slots__ = ()

    @property
    def azimuth(self):
        raise NotImplementedError


class Concrete(Abstract):
    __slots__ = ("azimuth",)

    def __init__(self, azimuth):
        self.azimuth = azimuth


class Fixed(Concrete):
    __slots__ = ()

    @property
    def azimuth(self):
        return 7.0

    @azimuth.setter
    def azimuth(self, value):
        pass


def fields_before_properties(x):
    a = Concrete(x)
    a.azimuth += 1.0
    try:
        Abstract().azimuth  # noqa: B018
    except NotImplementedError:
        a.azimuth *= x
    return a.azimuth + Fixed(x).azimuth, hasattr(a, "azimuth")


def with_default(x, factor):
    return x * factor


def with_keyword_default(x, *, shift):
    return x + shift


with_default.__defaults__ = (3.0,)
with_keyword_default.__kwdefaults__ = {"shift": 2.0, "unused": 1.0}


def defaults_from_elsewhere(x):
    return with_default(x) * with_keyword_default(x)


class Where:
    """Is an index by `__index__`, and another number by `__int__`."""

    def __init__(self, at, x):
        self.at, self.x = at, x

    def __index__(self):
        return self.at

    def __int__(self):
        return 7


def indexed(x):
    """Indices that are objects, and NumPy's integers."""
    values, first, last = [x, 2.0 * x, x * x, 5.0], Where(1, x), np.int64(-1)
    values[first] += x * values[first]
    values[last] = values[first] * 3.0
    found = values[first] + (x, 3.0 * x)[first] + values[last]
    values.insert(first, 5.0 * x)
    found += values.pop(first) + values.pop(np.int32(0)) * values.pop(Where(-1, x))
    del values[np.int64(0)]
    return found, values, [1.0, 2.0 * x, 3.0][first:][0], "abc"[first]


def descriptors_by_methods_of_object(x):
    watched, plain = Watched(x, 2.0), Plain(x)
    watched.mass = watched.mass * x
    object.__setattr__(watched, "speed", x)
    return watched.energy() + watched._speed, plain.mass


def attributes_in_place_of_properties(x):
    """A class attribute takes the place of a property; objects may have their own beside it."""
    total = 0.0
    for thing in (Rated(x), Flat(x), Settled(x), Again(x)):
        before = thing.paid()
        try:
            thing.rate = 3.0 * x
        except AttributeError as error:
            total -= len(str(error))
        total = 1.5 * total + before * thing.paid()
    thing = Settled(x)
    thing.rate = x
    del thing.rate
    return total + thing.paid()


def attributes_of_classes(x):
    """Classes as values are asked for their attributes."""
    found = [hasattr(type(thing), "paid") for thing in (Rated(x), Settled(x), Plain(x))]
    found += [hasattr(cls, name) for cls in (Rated, Again, Plain) for name in ("mass", "rate", "nothing")]
    return x * sum(i * each for i, each in enumerate(found))


EXAMPLES = [
    Example(attributes_of_classes, (0.7,)),
    Example(attributes_in_place_of_properties, (0.7,)),
    Example(descriptors_by_methods_of_object, (0.7,)),
    Example(indexed, (0.7,)),
    Example(fields_before_properties, (0.7,)),
    Example(defaults_from_elsewhere, (0.7,)),
    Example(descriptors, (0.7,)),
    Example(counted, (0.7,)),
    Example(by_name, (0.7,)),
    Example(negative, (0.7,), raises=ValueError),
    Example(formatted, (0.7,)),
]
