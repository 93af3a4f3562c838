"""Exceptions with attributes, abstract classes, dataclasses of all kinds, attributes by name."""

# mypy: ignore-errors
# ruff: noqa: E721, E741
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import abc
import dataclasses
import math
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any

from tests.python.corpus import Example


class ModelError(Exception):
    def __init__(self, code, value, *, hint="none"):
        super().__init__(f"model failed with {code}")
        self.code = code
        self.value = value
        self.hint = hint

    @property
    def doubled(self):
        return 2 * self.value


class Deep(ModelError):
    def __init__(self, value):
        super().__init__(7, value, hint="deep")
        self.extra = [value]


class Plain(ValueError):
    pass


class Shown(Exception):
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"shown {self.v}"


def errors(x):
    out = []
    for k in range(4):
        try:
            if k == 0:
                raise ModelError(3, x)
            if k == 1:
                raise Deep(x * x)
            if k == 2:
                raise Plain("plain", x)
            raise Shown(x)
        except Deep as e:
            out.append((e.code, e.value, e.hint, e.extra, str(e), e.args, e.doubled))
        except ModelError as e:
            e.value += 1.0
            out.append((e.code, e.value, e.hint, str(e), e.args, isinstance(e, Exception)))
        except Plain as e:
            out.append((e.args, str(e)))
        except Shown as e:
            print(e, e.args)
            out.append(e.v)
    return out


def uncaught(x):
    raise Deep(x)


class Shape(abc.ABC):
    def __init__(self, s):
        self.s = s

    @abc.abstractmethod
    def area(self): ...

    @property
    @abc.abstractmethod
    def name(self): ...

    def describe(self):
        return f"{self.name}: {self.area():.3f}"


class Sq(Shape):
    def area(self):
        return self.s**2

    name = "square"


class Ci(Shape):
    def area(self):
        return math.pi * self.s**2

    @property
    def name(self):
        return "circle" + str(self.s)


def shapes(x):
    s = [Sq(x), Ci(x)]
    print([a.describe() for a in s])
    return (
        sum(a.area() for a in s),
        s[0].name,
        type(s[0]) is Sq,
        type(s[1]).__name__,
        s[0].__class__.__name__,
        type(s[0]) == type(s[1]),
        type(s[0])(2 * x).area(),
        s[1].__class__(x).s,
    )


def abstract(x):
    return Shape(x)


@dataclass
class M:
    a: float
    b: list = field(default_factory=list)
    c: float = field(init=False)
    k: InitVar[float] = 2.0
    d: dict = field(default_factory=lambda: {"q": 1.0})
    z: float = field(default=1.5, kw_only=True)
    n: int = field(init=False, default=4)

    def __post_init__(self, k):
        self.c = self.a * k
        self.b.append(self.c)


@dataclass
class N(M):
    e: float = 0.0

    def twice(self):
        self.e *= 2
        return self


@dataclass(order=True)
class Ord:
    key: float
    name: str = field(compare=False, default="")


@dataclass(frozen=True)
class Fr:
    a: float
    norm: float = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "norm", abs(self.a) * 2)


@dataclass(eq=False)
class NoEq:
    a: float


def dcs(x):
    m = M(x)
    n = N(x, [1.0], 3.0, e=x, z=2.0)
    m.a = 5.0
    o = m
    o.z += x
    return (
        m.a,
        m.b,
        m.c,
        m.d,
        m.z,
        m.n,
        n.twice().e,
        n.c,
        n.b,
        M(x) == M(x),
        M(x) == M(2 * x),
        Ord(x) < Ord(2 * x),
        max([Ord(x, "a"), Ord(x * 3, "b")]).name,
        NoEq(x) == NoEq(x),
        Fr(x).norm,
        repr(n),
        sorted([Ord(2.0), Ord(1.0)])[0].key,
    )


def frozen_set(x):
    f = Fr(x)
    try:
        f.a = 2.0
    except AttributeError as e:
        print(type(e).__name__, e)
    f.norm = 1.0


class Lazy:
    def __init__(self, x):
        self.x = x
        self.calls = 0

    @cached_property
    def big(self):
        self.calls += 1
        return self.x * 100


def lazy(x):
    l = Lazy(x)
    a = l.big
    l.x = 5.0
    b = l.big
    del l.big
    c = l.big
    return (a, b, c, l.calls)


class Dyn:
    def __init__(self, x):
        self.x = x
        self.log = []

    def __getattr__(self, name):
        if name.startswith("no"):
            raise AttributeError(f"no {name}")
        return (name, self.x)

    def __setattr__(self, name, v):
        if name == "bad":
            raise ValueError("bad name")
        super().__setattr__(name, v)


class Rec:
    def __init__(self):
        object.__setattr__(self, "log", [])

    def __setattr__(self, n, v):
        self.log.append(n)
        object.__setattr__(self, n, v)

    def __delattr__(self, n):
        self.log.append("-" + n)
        super().__delattr__(n)


def dyn(x):
    d = Dyn(x)
    r = Rec()
    r.a = x
    r.a += 1
    del r.a
    out = [
        d.foo,
        d.x,
        hasattr(d, "nope"),
        hasattr(d, "yes"),
        getattr(d, "nothing", 3.0),
        d.x,
        hasattr(r, "a"),
        hasattr(r, "log"),
        r.log,
    ]
    for n in ["x", "p"]:
        setattr(d, n, getattr(d, n) if n == "x" else x * 2)
        out.append(getattr(d, n))
    out.append(getattr(r, "zz", None))
    delattr(d, "p")
    out.append(hasattr(d, "p"))
    out.append(hasattr(x, "real"))
    out.append(hasattr([], "append"))
    d.bad = 1
    return out


def dyn2(x):
    d = Dyn(x)
    r = Rec()
    r.a = x
    r.a += 1
    del r.a
    out = [
        d.foo,
        d.x,
        hasattr(d, "nope"),
        hasattr(d, "yes"),
        getattr(d, "nothing", 3.0),
        d.x,
        hasattr(r, "a"),
        hasattr(r, "log"),
        r.log,
    ]
    for n in ["x", "p"]:
        setattr(d, n, getattr(d, n) if n == "x" else x * 2)
        out.append(getattr(d, n))
    out.append(getattr(r, "zz", None))
    delattr(d, "p")
    out.append(hasattr(d, "p"))
    out.append(hasattr(x, "real"))
    out.append(hasattr([], "append"))
    return out


@dataclass
class Base:
    x: float
    items: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.y = self.x


class Late(Base):
    def __init__(self, x: float) -> None:
        super().__init__(x * 2.0)

    def __post_init__(self) -> None:
        self.y = 5.0 * self.x


@dataclass
class Watched(Base):
    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        object.__setattr__(self, "writes", getattr(self, "writes", 0) + 1)


class WatchedLate(Watched):
    def __init__(self, x: float) -> None:
        Base.__init__(self, x * 3.0)


class Shadow(Base):
    def __init__(self, x: float) -> None:
        super().__init__(x * 3.0)

    @property  # type: ignore[override]
    def x(self) -> float:
        return self.z

    @x.setter
    def x(self, value: float) -> None:
        self.z = value + 1.0

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def made_by_dataclasses(x: float) -> list[Any]:
    """The `__init__` that a dataclass makes assigns as its objects say, and calls their __post_init__."""
    late, watched, more, shadow = Late(x), Watched(x), WatchedLate(x), Shadow(x)
    writes: list[int] = [watched.writes, more.writes]  # type: ignore[attr-defined]
    return [late.y, watched.x, *writes, more.y, shadow.z, shadow.x, shadow.y]


EXAMPLES = [
    Example(made_by_dataclasses, (1.5,)),
    Example(errors, (1.5,)),
    Example(uncaught, (1.5,), raises=Deep),
    Example(shapes, (1.5,)),
    Example(abstract, (1.5,), raises=TypeError),
    Example(dcs, (1.5,)),
    Example(frozen_set, (1.5,), raises=dataclasses.FrozenInstanceError),
    Example(lazy, (1.5,)),
    Example(dyn, (1.5,), raises=ValueError),
    Example(dyn2, (1.5,)),
]
