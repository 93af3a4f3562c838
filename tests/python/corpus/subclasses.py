"""Classes that derive from dict and list, with methods and attributes of their own."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import copy
import json

import numpy as np

from tests.python.corpus import Example


class Row(list):
    def __init__(self, items=(), name="row"):
        super().__init__(items)
        self.name = name

    def norm(self):
        return sum(v * v for v in self) ** 0.5

    def append(self, v):
        super().append(v * 2)
        self.count = len(self)


class Plain(list):
    def first(self, by):
        return self[0] * by + len(self)


class Logged(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.log = []

    def __setitem__(self, key, value):
        self.log.append(key)
        super().__setitem__(key, value)

    def total(self):
        return sum(self.values())


class Dotted(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value


class Default(dict):
    def __missing__(self, key):
        self[key] = 1.0
        return self[key]


class Doubling(dict):
    """Names the methods of dict by their class."""

    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value * 2)

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def whole(self):
        return dict.items(self), dict.get({"a": 1}, "a")


def row(x):
    found = Row([x, 2 * x])
    found.append(x)
    return found.norm() * found.count + len(found)


def changed(x):
    found = Plain([x, x * x])
    found.append(3.0)
    found[0] += 1.0
    found[1:2] = [x, x]
    del found[-1]
    found += [x]
    found.insert(0, 7.0)
    found.sort()
    found.reverse()
    found *= 2
    return sum(found) * found[0] + found.pop() + found.index(7.0) + found.count(x) + sum(found[1:3])


def shown(x):
    plain, named = Plain([x, 1]), Row([x], name="z")
    print(plain, [plain], {"a": named}, repr(named), f"{plain}", str(named), named.name)
    compared = plain == [x, 1], [x, 1] == plain, plain != [1], plain < [9.0], plain > [0.0], 1 in plain
    joined = (
        plain + [1],  # noqa: RUF005
        [1] + plain,  # noqa: RUF005
        plain * 2,
        2 * plain,
        type(plain + [1]).__name__,  # noqa: RUF005
        plain[:1],
        plain[::-1],
    )
    kinds = isinstance(plain, list), bool(Plain()), bool(plain), type(plain).__name__
    return compared, joined, kinds, tuple(plain), list(plain), sorted(plain), max(plain)


def logged(x):
    found = Logged(a=x)
    found["b"] = x * x
    found.update(c=2.0)
    found.setdefault("d", x)
    last = found.pop("d", 0.0) + found.pop("d", 0.0)
    return found.total() + found["a"] * found.get("b") + len(found.log) + last + len(found)


def logged_shown(x):
    found = Logged({"a": x}, b=1)
    print(found, list(found), dict(found), {**found}, "a" in found, len(found))
    equal = found == {"a": x, "b": 1}, {"a": x, "b": 1} == found, found != {}
    united = found | {"c": 1}, {"c": 1} | found, found.copy(), type(found.copy()).__name__
    kinds = isinstance(found, dict), vars(found), sorted(found), list(found.values()), found.pop("z", None)
    return equal, united, kinds, found, found.popitem()


def dotted(x):
    found = Dotted()
    found.u = x
    found["v"] = x * x
    found.u *= 2
    return found.u * found.v + found["u"]


def dotted_missing(x):
    return Dotted().u


def default(x):
    found = Default()
    return found["q"] * x + len(found)


def doubling(x):
    found = Doubling()
    found["a"] = x
    found.update({"b": x}, c=1.0)
    print(found.whole()[1])
    return found["a"] * found["b"] + found["c"] + len(found.whole()[0])


def spread(x):
    def product(a, b=2.0):
        return a * b

    a, *b = Plain([x, 2.0, 3.0])
    found = product(**Logged(a=x, b=x)) + product(*Plain([x, 3.0])) + a * b[1]
    return found + sum(v * w for v, w in zip(Plain([x, 1.0]), reversed(Plain([2.0, 3.0])), strict=True))


def copied(x):
    plain = Plain([x])
    shallow, deep = copy.copy(plain), copy.deepcopy(plain)
    shallow.append(1.0)
    deep.append(2.0)
    deep.tag = 1
    return plain, shallow, deep, type(shallow).__name__, type(plain.copy()).__name__


def nested(x):
    grid = Plain([Plain([x, 1.0]), Plain([2.0, x])])
    grid[0][1] = x * x
    for each in grid:
        for i, value in enumerate(each):
            each[i] = value * 2
    return sum(sum(each) for each in grid)


def arrays(x):
    plain, table = Plain([np.zeros(2)]), Logged()
    plain[0][1] = x
    table["w"] = np.zeros(2)
    table["w"][0] += x * x
    return float(plain[0].sum() + table["w"].sum())


def matched(x):
    match Logged(a=x):
        case {"a": value, **rest}:
            found = value * 2 + len(rest)
    match Plain([x, 2.0]):
        case [a, b]:
            return a * b + found


def bound(x):
    plain = Plain([1.0])
    add, get = plain.append, Logged(a=x).get
    add(x)
    return plain[1] * get("a") + next(iter(plain))


def deleted(x):
    found = Logged(a=x, b=1.0)
    del found["a"]
    try:
        del found["q"]
    except KeyError as error:
        print(error)
    for key in list(found):
        found.pop(key)
    return len(found) + x


def argument(plain):
    return plain.first(plain[1])


def as_json(x):
    return json.dumps(Logged(a=1)), json.dumps(Plain([1]))


def no_key(x):
    return Logged()["q"]


def no_index(x):
    return Plain()[3]


def unhashable(x):
    return {Plain(): 1}


def wrong_sum(x):
    return Plain([1]) + 3


def wrong_items(x):
    return Plain(3)


def wrong_count(x):
    return Plain([1], [2])


EXAMPLES = [
    Example(row, (0.7,)),
    Example(changed, (0.7,)),
    Example(shown, (0.7,), differentiable=False),
    Example(logged, (0.7,)),
    Example(logged_shown, (0.7,), differentiable=False),
    Example(dotted, (0.7,)),
    Example(dotted_missing, (0.7,), raises=AttributeError),
    Example(default, (0.7,)),
    Example(doubling, (0.7,)),
    Example(spread, (0.7,)),
    Example(copied, (0.7,), differentiable=False),
    Example(nested, (0.7,)),
    Example(arrays, (0.7,)),
    Example(matched, (0.7,)),
    Example(bound, (0.7,)),
    Example(deleted, (0.7,), differentiable=False),
    Example(as_json, (0.7,), differentiable=False),
    Example(argument, (Plain([0.7, 2.0]),)),
    Example(no_key, (0.7,), raises=KeyError),
    Example(no_index, (0.7,), raises=IndexError),
    Example(unhashable, (0.7,), raises=TypeError),
    Example(wrong_sum, (0.7,), raises=TypeError),
    Example(wrong_items, (0.7,), raises=TypeError),
    Example(wrong_count, (0.7,), raises=TypeError),
]
