"""Operators, enumerations, private names, objects as arguments and results."""

# mypy: ignore-errors
# ruff: noqa: B015, B905, D106, F841, PLE0303, PLE0304, PLE0307, PLR0124, RUF012
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import math
from enum import Enum, IntEnum, auto

from tests.python.corpus import Example


class Kind(Enum):
    RED = 1.5
    BLUE = 2.0

    def twice(self):
        return self.value * 2

    @property
    def low(self):
        return self.name.lower()

    @classmethod
    def default(cls):
        return cls.BLUE


class Level(IntEnum):
    LOW = 1
    HIGH = auto()


def enums(x):
    k = Kind.RED if x > 1 else Kind.BLUE
    d = {Kind.RED: x, Kind.BLUE: 2 * x}
    out = [
        k is Kind.RED,
        k == Kind.BLUE,
        k.value * x,
        k.name,
        k.twice() * x,
        k.low,
        d[k],
        [c.value for c in Kind],
        Kind(2.0) is Kind.BLUE,
        Kind["RED"].name,
        str(k),
        Kind.default().value,
        Level.HIGH > Level.LOW,
        Level.HIGH + 1,
        isinstance(k, Kind),
        len(Kind),
        Kind.RED in d,
    ]
    print(k, [Kind.RED], f"{Level.LOW!r}")
    match k:
        case Kind.RED:
            out.append("red")
        case _:
            out.append("other")
    return out


def enum_arg(x, k):
    return x * k.value if k is Kind.RED else x


def bad_enum(x):
    return Kind(7)


class Secret:
    def __init__(self, x):
        self.__x = x
        self._y = x

    def get(self):
        return self.__x * self._y


class Secret2(Secret):
    def __init__(self, x):
        super().__init__(x)
        self.__x = 100.0

    def both(self):
        return self.get() + self.__x


def private(x):
    s = Secret2(x)
    t = s
    return (s.both(), s.get())


def private_arg(s):
    return s.both()


class P:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.near = None

    def move(self, dt):
        self.x += self.v * dt

    def at(self, dt):
        return self.x + self.v * dt


def of_args(ps, k):
    return sum(p.at(k) * q.x for p in ps for q in ps if p is not q)


def result(x):
    a = P(x, 2.0)
    b = P(x * x, 1.0)
    a.near = b
    b.near = None
    return [a, b, (a.near,)]


class Vec:
    def __init__(self, *c):
        self.c = list(c)

    def __add__(self, o):
        if not isinstance(o, Vec):
            return NotImplemented
        return Vec(*[a + b for a, b in zip(self.c, o.c)])

    def __radd__(self, o):
        if o == 0:
            return self
        return NotImplemented

    def __iadd__(self, o):
        for i in range(len(self.c)):
            self.c[i] += o.c[i]
        return self

    def __mul__(self, k):
        return Vec(*[k * a for a in self.c])

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __getitem__(self, i):
        return self.c[i]

    def __setitem__(self, i, v):
        self.c[i] = v

    def __delitem__(self, i):
        del self.c[i]

    def __len__(self):
        return len(self.c)

    def __contains__(self, v):
        return v in self.c

    def __eq__(self, o):
        return isinstance(o, Vec) and self.c == o.c

    def __hash__(self):
        return 1

    def __lt__(self, o):
        return sum(self.c) < sum(o.c)

    def __bool__(self):
        return any(self.c)

    def __call__(self, t, scale=1.0):
        return sum((a * t**i for i, a in enumerate(self.c))) * scale

    def __repr__(self):
        return f"Vec{tuple(self.c)}"

    def __abs__(self):
        return math.sqrt(sum(a * a for a in self.c))

    def __float__(self):
        return self.c[0]

    def __matmul__(self, o):
        return sum((a * b for a, b in zip(self.c, o.c)))

    def append(self, v):
        self.c.append(v)
        return self

    def pop(self, i=-1):
        return self.c.pop(i)

    def update(self, *vs, **ks):
        self.c.extend(vs)
        self.c.extend(ks.values())


class Sub(Vec):
    def __radd__(self, o):
        return Sub(100.0)

    def __len__(self):
        return 3


def ops(x):
    a = Vec(x, 2.0, 3.0)
    b = Vec(1.0, x, -1.0)
    c = a
    c += b
    d = sum([a, b])
    a[0] = x * 5
    a[1] *= 2
    a[-1] += x
    e = Vec()
    a.append(x).append(1.0)
    z = a.pop()
    y = a.pop(0)
    e.update(1.0, k=x)
    out = [
        a.c,
        b.c,
        c is a,
        d.c,
        len(a),
        x in b,
        a == b,
        a != b,
        a == a,
        Vec(x) == Vec(x),
        a < b,
        a > b,
        bool(e),
        bool(Vec()),
        a(2.0),
        a(2.0, scale=x),
        str(a),
        repr([a, b]),
        abs(b),
        float(b),
        a @ b,
        z,
        y,
        e.c,
        (a + Sub(1.0)).c,
        (2 * b).c,
        (-b).c,
        max([a, b]).c,
        sorted([b, a])[0].c,
    ]
    if not Vec(0.0):
        out.append("empty")
    del b[0]
    out.append(b.c)
    out.append(f"{b}")
    try:
        a + 1
    except TypeError as err:
        print(err)
    try:
        a += 1
    except AttributeError as err:
        print(err)
    try:
        1 + a
    except TypeError as err:
        print(err)
    try:
        a - a
    except TypeError as err:
        print(err)
    try:
        a <= a
    except TypeError as err:
        print(err)
    xs = [1.0]
    xs.append(x)
    xs.pop()
    xs.extend([x])
    dd = {}
    dd.update({"a": x})
    out.append((xs, dd))
    return out


class Bad:
    def __len__(self):
        return -1

    def __bool__(self):
        return 1

    def __str__(self):
        return 3


def bad_len(x):
    return len(Bad())


def bad_bool(x):
    return 1 if Bad() else 2


def bad_str(x):
    return str(Bad())


S = Secret2(2.0)


class G:
    tbl = [1.0, 2.0]

    class Inner:
        def __init__(self, k=3.0):
            self.k = k

    def __init__(self):
        self.inner = self.Inner()
        self.fn = math.sin
        self.cb = lambda t: t * 2

    def go(self, x):
        return self.fn(x) + self.cb(x) + self.inner.k + self.tbl[1] + G.Inner(x).k


def misc(x):
    g = G()
    m = g.go
    g.go2 = m
    return (g.go(x), m(x), g.go2(x), [p.get() for p in map(Secret, [x, 2.0])], S.both() * x)


class Clock:
    """Hours and minutes; divmod gives what neither operator does."""

    def __init__(self, hours):
        self.hours = hours

    def __divmod__(self, other):
        return self.hours * 2.0, other

    def __rdivmod__(self, other):
        return self.hours * 3.0, other

    def __mod__(self, other):
        return divmod(self, other)[0] + 1.0


def divides(x):
    clock = Clock(x)
    return divmod(clock, 7.0), divmod(5.0, clock), clock % 2.0, divmod(x, 0.4)


def divides_by_nothing(x):
    return divmod("a", Clock)


EXAMPLES = [
    Example(divides, (1.5,)),
    Example(divides_by_nothing, (1.5,), raises=TypeError),
    Example(enums, (1.5,)),
    Example(bad_enum, (1.5,), raises=ValueError),
    Example(private, (1.5,)),
    Example(result, (1.5,)),
    Example(ops, (1.5,)),
    Example(bad_len, (1.5,), raises=ValueError),
    Example(bad_bool, (1.5,), raises=TypeError),
    Example(bad_str, (1.5,), raises=TypeError),
    Example(misc, (1.5,)),
    Example(enum_arg, (1.5, Kind.RED)),
    Example(private_arg, (Secret2(3.0),)),
    Example(of_args, ([P(1.0, 2.0), P(3.0, 1.0)], 0.5)),
]
