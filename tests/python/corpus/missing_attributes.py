"""Attributes that a property, a descriptor or a slot lacks, and that `__getattr__` gives then."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

from functools import cached_property

from tests.python.corpus import Example


class Late:
    """A descriptor that finds its value in the object, or nothing."""

    def __get__(self, owner, cls):
        if owner is None:
            return self
        if owner.ready:
            return owner.x
        raise AttributeError("not ready")


class Plain:
    def __init__(self, x, ready):
        self.x, self.ready = x, ready

    @property
    def area(self):
        if self.ready:
            return self.x * self.x
        raise AttributeError("no area")

    @property
    def missing(self):
        return self.nowhere

    @cached_property
    def volume(self):
        if self.ready:
            return self.x**3
        raise AttributeError("no volume")

    late = Late()


class Given(Plain):
    def __getattr__(self, name):
        if name == "nowhere":
            raise AttributeError(name)
        return len(name) * self.x


class Derived(Given):
    @property
    def area(self):
        return super().area + 1.0


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return 3.0 * self.x


class Failing:
    def __init__(self, x):
        self.x = x

    @property
    def area(self):
        raise ValueError(self.x)

    def __getattr__(self, name):
        return self.x


class Script:
    """Records calls of methods whose names Python's own types have, too."""

    def __init__(self):
        self.steps = []

    def __getattr__(self, name):
        if name.startswith("_") or name == "index":
            raise AttributeError(name)

        def record(*args, scale=1.0):
            self.steps.append((name, args, scale))
            return self

        return record

    def count(self, x):
        for name, args, scale in self.steps:
            x = x + args[0] * scale if name in ("add", "append") else x * args[0]
        return x


class Stored:
    def __init__(self, x):
        self.x, self.keys = x, lambda: 3.0 * x

    def __getattr__(self, name):
        return lambda *args, **named: self.x * len(name)


def chained(x):
    script = Script().add(x).update(3.0).append(x, scale=2.0)
    script.pop(x)
    script.append(x, scale=x)
    return script.count(x), [step[0] for step in script.steps]


def stored(x):
    made = Stored(x)
    total = made.sum() * made.keys() + made.sort(key=1) + sum([x, 2.0].count(x) for _ in range(2))
    return total + sum(each.pop() for each in (Stored(x), [x, 3.0], {x}))


def not_given(x):
    return Script().index(x)


def given(x):
    found = [Given(x, ready) for ready in (True, False)] + [Derived(x, ready) for ready in (True, False)]
    areas = [each.area for each in found] + [each.late for each in found]
    return areas, [each.volume for each in found], [each.missing for each in found[:2]]


def mixed(x):
    """Objects with and without `__getattr__` at one place."""
    total = 0.0
    for each in (Plain(x, True), Given(x, False), Plain(2 * x, True), Derived(x, False)):
        total += each.area * each.volume - each.late
    return total


def asked(x):
    found = [Plain(x, False), Given(x, False), Derived(x, True), Slotted(x)]
    has = [hasattr(each, "area") for each in found], [hasattr(each, "missing") for each in found]
    return has, [getattr(each, "area", -x) for each in found], [getattr(each, "nowhere", x) for each in found]


def slotted(x):
    made = Slotted(x)
    before = made.y
    made.y = x * x
    after = made.y
    del made.y
    return before * after * made.y, getattr(made, "y", 7.0)


def plain(x):
    return Plain(x, False).area


def failing(x):
    return Failing(x).area


EXAMPLES = [
    Example(chained, (0.7,)),
    Example(stored, (0.7,)),
    Example(not_given, (0.7,), raises=AttributeError),
    Example(given, (0.7,)),
    Example(mixed, (0.7,)),
    Example(asked, (0.7,)),
    Example(slotted, (0.7,)),
    Example(plain, (0.7,), raises=AttributeError),
    Example(failing, (0.7,), raises=ValueError),
]
