"""Classes that derive from tuple: `__new__`, properties, operators, methods of tuple by super()."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import math

from tests.python.corpus import Example


class Vector(tuple):
    __slots__ = ()

    def __new__(cls, x, y):
        return tuple.__new__(cls, (x, y))

    def __getnewargs__(self):  # of copies, which the tests make of arguments
        return tuple(self)

    @property
    def x(self):
        return self[0]

    @property
    def y(self):
        return self[1]

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self[0] * k, self[1] * k)

    def norm(self):
        return math.sqrt(sum(c * c for c in self))

    def __repr__(self):
        return f"Vector({self[0]:.3f}, {self[1]:.3f})"


class Steep(Vector):
    def __new__(cls, x):
        return super().__new__(cls, x, x * 2)

    def norm(self):
        return super().norm() * 2


class Plain(tuple):
    """Adds nothing."""


class Announced(tuple):
    def __init__(self, items):
        print("made", len(self))

    def total(self):
        return sum(self)


class Doubled(tuple):
    __slots__ = ()

    def __new__(cls, *xs):
        return super().__new__(cls, xs)

    @classmethod
    def zeros(cls, n):
        return cls(*[0.0] * n)

    def __getitem__(self, i):
        return tuple.__getitem__(self, i) * 2

    def first(self):
        return super().__getitem__(0)

    def __eq__(self, other):
        return super().__eq__(other)

    def __hash__(self):
        return hash(tuple(self))

    def __add__(self, other):
        return Doubled(*super().__add__(other))

    def __iter__(self):
        return (x + 1 for x in tuple.__iter__(self))

    def __len__(self):
        return super().__len__()

    def index(self, x):
        return tuple.index(self, x) + 10

    def count(self, x):
        return super().count(x) + 20


HALF = Vector(0.5, 1.5)


def vectors(x):
    v = Vector(x, 2.0) + Vector(1.0, y=x)
    a, b = v
    print(v, len(v), isinstance(v, tuple), f"{v}", [v])
    return (v * 2.0).norm() + a * b + v[1] + HALF.norm() * x


def derived(x):
    s = Steep(x)
    return s.norm() + s.x + s[1], Vector.norm(s), s, type(s) is Steep, isinstance(s, Vector)


def plain(x):
    p = Plain((x, 2 * x))
    a, b = p
    q = Plain(c * 2 for c in p)
    same = p == (x, 2 * x), hash(p) == hash((x, 2 * x)), p == q, p < q, x in p, bool(Plain())
    made = p, Plain(), p + q, p * 2, p[0:1], p[::-1], list(p), tuple(p), sorted(p), [*p, 3], p.index(2 * x)
    return a * b + sum(q) + max(p), same, made, repr(p), str(p), "%s-%s" % p, isinstance((1,), Plain)  # noqa: UP031


def announced(x):
    made = Announced([x, x * x])
    return made.total(), made


def own_methods(x):
    d = Doubled(x, 2.0, 3.0)
    same = d == (x, 2.0, 3.0), d != (1.0,), {d: 1}[d]
    return (
        d[0] + d[-1],
        d.first(),
        len(d),
        same,
        [*d],
        d + (x,),  # noqa: RUF005  # the operator is what is tested
        Doubled.zeros(3)[1:],
        d.index(2.0),
        d.count(x),
    )


def in_a_loop(x):
    v = Vector(1.0, 0.5)
    for i in range(20):
        v = v * 0.9 + Vector(x, i)
    return v.norm()


def chosen(x):
    total = 0.0
    for cls in (Vector, Doubled):
        total += cls(x, 2.0)[0]
    return total


def matched(x):
    match Vector(x, 2.0):
        case Vector() as v:
            total = v.x
    match Vector(x, 2.0):
        case (a, b):
            total += a * b
    return total + max(Vector(2.0, x), Vector(3.0, x)).y


def of_an_argument(v, vs):
    return v.norm() * vs[0][1].x + v[1], v, vs


def no_attribute(x):
    return Vector(x, 1.0).z


def assigned_item(x):
    v = Vector(x, 1.0)
    v[0] = 3
    return v


def assigned_property(x):
    v = Vector(x, 1.0)
    v.x = 3
    return v


def two_arguments(x):
    return Plain(x, 2)


def no_iterable(x):
    return Plain(x)


EXAMPLES = [
    Example(vectors, (0.7,)),
    Example(derived, (0.7,)),
    Example(plain, (0.7,), differentiable=False),
    Example(announced, (0.7,)),
    Example(own_methods, (0.7,), differentiable=False),
    Example(in_a_loop, (0.7,)),
    Example(chosen, (0.7,)),
    Example(matched, (0.7,)),
    Example(of_an_argument, (Vector(0.7, 2.0), [(1.0, Vector(3.0, 0.2))])),
    Example(no_attribute, (0.7,), raises=AttributeError),
    Example(assigned_item, (0.7,), raises=TypeError),
    Example(assigned_property, (0.7,), raises=AttributeError),
    Example(two_arguments, (0.7,), raises=TypeError),
    Example(no_iterable, (0.7,), raises=TypeError),
]
