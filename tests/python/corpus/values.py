"""Classes that derive from float, int and str, with attributes and methods of their own."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import functools
import math
import operator

import numpy as np

from tests.python.corpus import Example


class Length(float):
    unit = "m"

    def twice(self):
        return self * 2

    def __add__(self, other):
        return Length(float(self) + other)


class Named(float):
    def __new__(cls, value, name="x"):
        self = super().__new__(cls, value)
        self.name = name
        return self

    def __repr__(self):
        return f"Named({float(self)!r}, {self.name})"


class Angle(float):
    def __new__(cls, v=0.0):
        self = float.__new__(cls, v)
        self.half = v / 2
        return self


class Doubled(float):
    def __init__(self, v):
        self.double = v * 2


class Count(int):
    def up(self):
        return Count(self + 1)


class Tag(str):
    def __new__(cls, name, low=0.0):
        self = super().__new__(cls, name)
        self.low = low
        return self


class Real:
    """Is no float, and has one."""

    def __init__(self, v):
        self.v = v

    def __float__(self):
        return self.v


OUTSIDE = Named(1.5, "outside")
HEY, TAGS = Tag("hey", 2.0), (Tag("a", 1.0), Tag("b", 3.0))
TABLE = {Tag("k", 5.0): 2.0}


def arithmetic(x):
    a = Length(x)
    b = a + 1.0
    print(type(b).__name__, type(a * 2).__name__, a.unit, isinstance(a, float), type(a) is float, bool(a))
    print(a == x, a != x, a < 2, a >= 2, a > 1, Length(2.5) == Length(2.5), hash(a) == hash(x))
    return [
        a * 3,
        2 * a,
        a / 4,
        1 / a,
        a - a,
        3 - a,
        -a,
        +a,
        a.twice(),
        b.twice(),
        abs(a),
        a**2,
        2.0**a,
        a % 0.3,
    ]


def functions(x):
    a = Length(x)
    found = [math.sin(a), math.atan2(a, 2.0), math.hypot(1.0, a), math.log(a, 2), math.fsum([a, x])]
    found += [max(a, 0.1) * 1, min(3.0, a) * 1, sum([a, a]), sorted([Length(2.0), a])[0], divmod(a, 0.3)[1]]
    found += [functools.reduce(operator.mul, [a, 3.0]), float(a), float.__add__(a, 2.0), pow(a, 2), a.real]
    return found


def rounded(x):
    a = Length(x)
    return round(a, 1), round(a), int(a), math.floor(a), Length(2.5).is_integer(), x


def with_name(x):
    n = Named(x, name="q")
    n.other = x * n
    same = n
    same.other += 1.0
    print(isinstance(n, Named), n.name)
    return n, n + 1, n.other, [n], {"n": n}


def shown(x):
    n = Named(x)
    print(n, repr(n), str(n), f"{n:.3f}", f"{n}", "%.2f" % n, [n], "{}".format(n))  # noqa: UP031, UP032
    print(Length(2.0), repr(Length(2.0)), f"{Count(3):d}", "%d %s" % (Count(2), HEY), HEY, [HEY])  # noqa: UP031
    return x


def by_new(x):
    return Angle(), Angle(x), Angle(x).half, Angle(Angle(x)) * 1


def by_init(x):
    d = Doubled(x)
    return d, d.double, d + d.double


def from_outside(x):
    return OUTSIDE * x, OUTSIDE.name, OUTSIDE


def argument(n):
    return n * n, n.name


def integers(x):
    c = Count(3)
    print(c.up(), type(c.up()).__name__, c + 1, [1, 2, 3, 4][c], list(range(c)), c // 2, c & 1, ~c, c << 1, c)
    print("ab" * Count(2), Count(2) * [1], [1, 2][Count(1)], "abc"[Count(1) :], Count(7) % 4, Count(3) / 2)
    return c.up() * x, c * x


def texts(x):
    t = HEY
    print(t + "!", "oh " + t, t.upper(), len(t), t[0], list(t), "e" in t, t == "hey", t.split("e"))
    print("x".join([t, "b"]), f"{t:>5}", t * 2, isinstance(t, str), t.startswith("h"), sorted([t, "abc"]))
    print("abc".startswith(Tag("a")), "abc".replace(Tag("b"), "z"), Tag("b") in "abc", Tag("%d") % 3)
    print(
        Tag("a") in ["a"], ["a"].index(Tag("a")), Tag("a") != "a", Tag("a") < "b", str.upper(t), t.find("y")
    )
    return t.low * x, t


def keys(x):
    found = {tag: tag.low for tag in TAGS}
    print(found["a"], found[TAGS[1]], [key.low for key in found], "a" in found, len({"a", TAGS[0]}))
    print(TABLE["k"], [key.low for key in TABLE], {Named(0.5): 1}[0.5], {0.5: 2}[Named(0.5)])
    return {"a": x}[TAGS[0]], [tag.low * x for tag in TAGS if tag == "b"]


def beside_arrays(x):
    a, row = Length(x), np.array([1.0, x])
    found = row * a, a * row, np.sin(a), np.hypot(a, 2.0), np.full(Count(2), a), row.clip(Length(0.8), 3.0)
    return [float(np.sum(each)) for each in found]


def as_real(x):
    r = Real(x)
    return math.sin(r), math.hypot(r, 2.0), float(r)


def matched(x):
    match Length(x):
        case float():
            x = x * 2
    match Tag("a"):
        case "a":
            x = x * 3
    return x


def no_number(x):
    return Length("abc")


def no_text(x):
    return Tag("a") + 1


EXAMPLES = [
    Example(arithmetic, (0.7,)),
    Example(functions, (0.7,)),
    Example(rounded, (0.7,), differentiable=False),
    Example(with_name, (0.7,)),
    Example(shown, (0.7,), differentiable=False),
    Example(by_new, (0.7,)),
    Example(by_init, (0.7,)),
    Example(from_outside, (0.7,)),
    Example(argument, (Named(0.7, "n"),)),
    Example(integers, (0.7,)),
    Example(texts, (0.7,), differentiable=False),
    Example(keys, (0.7,)),
    Example(beside_arrays, (0.7,)),
    Example(as_real, (0.7,)),
    Example(matched, (0.7,)),
    Example(no_number, (0.7,), raises=ValueError),
    Example(no_text, (0.7,), raises=TypeError),
]
