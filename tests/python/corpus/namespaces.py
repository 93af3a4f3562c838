"""The attributes of objects as dictionaries: `vars(x)`, `x.__dict__`; `**` of objects."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import copy
import json
from collections import OrderedDict, deque
from types import SimpleNamespace

import numpy as np

from tests.python.corpus import Example


class Box:
    kind = "box"

    def __init__(self, a, b):
        self.a, self.b = a, b

    def area(self):
        return self.a * self.b

    @property
    def total(self):
        return self.a + self.b

    @total.setter
    def total(self, value):
        self.b = value - self.a


class Doubled:  # noqa: PLW1641  # on purpose
    """An object whose `__setattr__` writes into its `__dict__`."""

    def __init__(self, a):
        self.__dict__["a"] = a

    def __setattr__(self, name, value):
        self.__dict__[name] = value * 2

    def __eq__(self, other):
        return isinstance(other, Doubled) and self.__dict__ == other.__dict__

    def __repr__(self):
        return f"Doubled({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class Pairs:
    """An object that `**` takes: with keys and items."""

    def __init__(self, x):
        self.x = x

    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return self.x if key == "a" else 2.0 * self.x


def weighted(x):
    box = Box(x, 2.0)
    total = 0.0
    for name, value in vars(box).items():
        total += value * len(name)
    return total * box.__dict__["a"] * vars(box).get("b") + box.__dict__.get("c", 3.0) * x


def asked(x):
    box = Box(x, x * x)
    found = ("a" in vars(box), "kind" in box.__dict__, vars(box) == [1], len(vars(box)), bool(vars(box)))
    return found, list(vars(box)), sorted(vars(box)), list(vars(box).values()), list(box.__dict__.keys())


def written(x):
    box = Box(x, 2.0)
    box.__dict__["c"] = x * 3
    box.__dict__.update(d=x * x, a=2 * x)
    vars(box).update({"e": 1.0})
    for name in ("a", "b"):
        box.__dict__[name] *= x
    return box.c * box.d * box.a * box.b + box.e


def seen(x):
    """A dictionary that was taken before shows later changes; properties and methods are passed by."""
    box = Box(x, 2.0)
    table = vars(box)
    box.z = x**3
    table["a"] = x * x
    table["total"] = 100.0
    table["area"] = lambda: 7.0 * x
    return table["z"] * box.a * box.area() + box.total


def deleted(x):
    box = Box(x, 2.0)
    del box.__dict__["b"]
    for act in (
        lambda: box.b,
        lambda: vars(box)["q"],
        lambda: vars(box).pop("zz"),
        lambda: vars(box).__delitem__("zz"),
        lambda: vars(box)[[1]],
    ):
        try:
            act()
        except (AttributeError, KeyError, TypeError) as error:
            print(type(error).__name__, error)
    print(box.__dict__.pop("a"), box.__dict__.pop("zz", 4), box.__dict__.setdefault("n", x), vars(box))
    vars(box).clear()
    return vars(box), hasattr(box, "n")


def copied(x):
    box, other = Box(x, 2.0), Box(x, 2.0)
    table = dict(vars(box))
    table["a"] = 5.0
    third = copy.copy(box)
    third.__dict__.update(vars(other))
    same = vars(box) == vars(third), vars(box) == {"a": x, "b": 2.0}, vars(box) != vars(other)
    return box.a, table, {**vars(box), "n": 1.0}, same, vars(box) | {"u": 1}, vars(box).copy(), vars(third)


def spread(x):
    box = Box(**Pairs(x))
    return Box(**vars(box)).area() * dict(Pairs(x))["b"] + sum({**Pairs(x)}.values())


def shown(x):
    box = Box(x, [1, 2])
    print(vars(box), f"{box.__dict__}", isinstance(vars(box), dict))
    text = "{a} {b}".format(**vars(box))
    del box.a
    return text, json.dumps(vars(box)), getattr(box, "__dict__"), list(map(vars, [box, Box(1, 2)]))  # noqa: B009


def doubled(x):
    one = Doubled(x)
    one.b = x
    print(one, one == Doubled(x))
    return one.a * one.b


def arrays(x):
    box = Box(np.zeros(3), {"r": np.zeros(2)})
    box.__dict__["a"][0] = x
    vars(box)["a"][1:] += x * x
    vars(box)["b"]["r"][0] = x
    return float(box.a.sum() + box.b["r"].sum())


def in_collections(x):
    """Arrays inside of collections are changed in place."""
    table, queue = OrderedDict(), deque([np.zeros(3)])
    table["a"] = np.zeros(3)
    table["a"][0] = x
    table["a"][1:] += x * x
    queue[0][1] = x
    queue[-1][2] = x * x
    return float(table["a"].sum() * queue[0].sum())


def of_slots(x):
    return vars(Slotted(x))


def of_real(x):
    return x.__dict__


def of_many(x):
    return vars(Box(x, x), 1)


SETTINGS = SimpleNamespace(rate=2.0, sizes=[1.0, 3.0], inner=SimpleNamespace(depth=3))


def settings(x):
    """Namespaces from outside."""
    kept = SETTINGS
    found = [
        getattr(kept, "missing", x),
        hasattr(kept, "rate"),
        len(vars(kept)),
        isinstance(kept, SimpleNamespace),
    ]
    return x * SETTINGS.rate * kept.sizes[1] ** kept.inner.depth, found


def made(x):
    """Namespaces that a program makes and changes."""
    space = SimpleNamespace(a=x, b=SimpleNamespace(c=x * x))
    space.a += space.b.c
    other = copy.copy(space)
    other.a, other.d = 1.0, [x]
    vars(space)["e"] = 2.0 * x
    space.f = 5.0
    del space.f
    print(SimpleNamespace(u=1, v="a"), len(vars(space)), space == other)
    same = SimpleNamespace(u=1) == SimpleNamespace(u=1), SimpleNamespace(u=1) == SimpleNamespace(u=2)
    return space.a * other.b.c + other.a * space.e + other.d[0], same, space


EXAMPLES = [
    Example(settings, (0.7,)),
    Example(made, (0.7,)),
    Example(weighted, (0.7,)),
    Example(asked, (0.7,), differentiable=False),
    Example(written, (0.7,)),
    Example(seen, (0.7,)),
    Example(deleted, (0.7,), differentiable=False),
    Example(copied, (0.7,), differentiable=False),
    Example(spread, (0.7,)),
    Example(shown, (0.7,), differentiable=False),
    Example(doubled, (0.7,)),
    Example(arrays, (0.7,)),
    Example(in_collections, (0.7,)),
    Example(of_slots, (0.7,), raises=TypeError),
    Example(of_real, (0.7,), raises=AttributeError),
    Example(of_many, (0.7,), raises=TypeError),
]
