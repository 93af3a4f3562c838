"""Objects that change: attributes, aliases, methods, inheritance, properties, class attributes."""

from __future__ import annotations

import math
from typing import Any

from tests.python.corpus import Example


class Particle:
    """A mass that moves."""

    count = 0
    __slots__ = ("mass", "name", "trace", "v", "x")

    def __init__(self, x: float, v: float = 0.0, *, mass: float = 1.0, name: str = "p") -> None:
        self.x, self.v = x, v
        self.mass = mass
        self.name = name
        self.trace: list[float] = []

    def step(self, force: float, dt: float) -> Particle:
        self.v += dt * force / self.mass
        self.x += dt * self.v
        self.trace.append(self.x)
        return self

    @property
    def energy(self) -> float:
        return 0.5 * self.mass * self.v**2


class World:
    """Particles that attract each other."""

    def __init__(self, particles: list[Particle]) -> None:
        self.particles = particles
        self.time = 0.0

    def force(self, at: Particle) -> float:
        total = 0.0
        for other in self.particles:
            if other is not at:
                d = other.x - at.x
                total += other.mass * d / (abs(d) ** 3 + 0.1)
        return total

    def advance(self, dt: float) -> None:
        forces = [self.force(p) for p in self.particles]
        for p, f in zip(self.particles, forces, strict=True):
            p.step(f, dt)
        self.time += dt


def n_body(x: float, v: float) -> tuple[float, ...]:
    world = World([Particle(x, v), Particle(1.0, mass=2.0), Particle(-1.5, -v, name="third")])
    for _ in range(5):
        world.advance(0.1)
    first = world.particles[0]
    return first.x, first.energy, sum(p.trace[2] for p in world.particles), world.time


def aliases(x: float) -> tuple[Any, ...]:
    a = Particle(x)
    b = a
    c = Particle(x)
    table = {"a": a, "c": c}
    b.x *= 3.0
    table["a"].v = b.x * x
    return a.x, b.v, a is b, a is c, a == b, a != c, table["a"] is b, len(a.trace)


class Node:
    """A node of a tree that knows its parent."""

    def __init__(self, weight: float, parent: Node | None = None) -> None:
        self.weight = weight
        self.parent = parent
        self.children: list[Node] = []
        if parent is not None:
            parent.children.append(self)

    def total(self) -> float:
        return self.weight + sum(child.total() for child in self.children)

    def depth(self) -> int:
        return 0 if self.parent is None else 1 + self.parent.depth()

    def scale(self, k: float) -> None:
        self.weight *= k
        for child in self.children:
            child.scale(k * 0.5)


def parent_links(x: float) -> tuple[float, int, float]:
    root = Node(x)
    left = Node(2.0 * x, root)
    leaf = Node(x * x, left)
    Node(1.0, left)
    leaf.parent.weight += 0.5  # type: ignore[union-attr]
    root.scale(x)
    return root.total(), leaf.depth(), leaf.parent.parent.children[0].weight  # type: ignore[union-attr]


class Account:
    """An account whose balance is a property with a setter and a deleter."""

    rate = 0.05
    opened: tuple[str, ...] = ()

    def __init__(self, balance: float) -> None:
        self._balance = balance
        self.log: dict[str, float] = {}

    @property
    def balance(self) -> float:
        return self._balance

    @balance.setter
    def balance(self, value: float) -> None:
        if value < 0.0:
            raise ValueError(f"overdrawn by {-value:.2f}")
        self.log["last"] = value - self._balance
        self._balance = value

    @balance.deleter
    def balance(self) -> None:
        self._balance = 0.0

    @property
    def double(self) -> float:
        return 2.0 * self.balance

    def grow(self) -> None:
        self.balance *= 1.0 + self.rate

    @classmethod
    def with_bonus(cls, balance: float, bonus: float = 1.0) -> Account:
        made = cls(balance + bonus)
        made.log["bonus"] = bonus * cls.rate
        return made

    @staticmethod
    def fee(amount: float) -> float:
        return 0.01 * amount


class Savings(Account):
    """An account with another rate, and a limit of its own."""

    rate = 0.1

    def __init__(self, balance: float, limit: float = 100.0) -> None:
        super().__init__(balance)
        self.limit = limit

    @property
    def double(self) -> float:
        return super().double + self.limit

    def grow(self) -> None:
        super().grow()
        self.limit -= self.fee(self.balance)


def accounts(x: float) -> tuple[Any, ...]:
    found: list[Account] = [Account(x), Savings(x, 10.0), Savings.with_bonus(x)]
    found.append(Account.with_bonus(x, bonus=x))
    found[0].rate = 0.5
    for each in found:
        each.grow()
        each.balance -= each.fee(x)
    return (
        [each.balance for each in found],
        [each.double for each in found],
        found[2].log["bonus"],
        Account.rate,
        found[1].with_bonus(x).double,
        isinstance(found[1], Account),
        isinstance(found[0], Savings),
    )


def overdrawn(x: float) -> float:
    account = Account(x)
    try:
        account.balance -= 2.0 * x
    except ValueError as error:
        print(error, account.balance, account.log)
    del account.balance
    print(account.balance)
    account.balance = -x
    return account.balance


def without_setter(x: float) -> float:
    account = Savings(x)
    try:
        setattr(account, "double", x)  # noqa: B010  (mypy knows that it cannot)
    except AttributeError as error:
        print(error)
    del account.double
    return account.double


class Base:
    """The root of a diamond."""

    def __init__(self, x: float) -> None:
        self.x = x
        self.path = ["Base"]

    def value(self) -> float:
        return self.x


class Left(Base):
    def __init__(self, x: float, **more: float) -> None:
        super().__init__(x, **more)
        self.path.append("Left")

    def value(self) -> float:
        return 2.0 * super().value()


class Right(Base):
    def __init__(self, x: float, extra: float = 1.0) -> None:
        super().__init__(x)
        self.extra = extra
        self.path.append("Right")

    def value(self) -> float:
        return self.extra + super().value()


class Both(Left, Right):
    def value(self) -> float:
        self.path += ["Both"]
        return super().value() ** 2


def diamond(x: float) -> tuple[Any, ...]:
    found = [Both(x, extra=3.0), Left(x), Right(x, 2.0), Base(x)]
    return [each.value() for each in found], [each.path for each in found]


class Grid:
    """Rows of numbers in an attribute."""

    def __init__(self, n: int, x: float) -> None:
        self.rows = [[x * (i + j) for j in range(n)] for i in range(n)]
        self.named = {"sum": 0.0, "rows": [1.0]}
        self.best: Any = None

    def smooth(self) -> None:
        for i in range(1, len(self.rows)):
            self.rows[i][0] += self.rows[i - 1][-1]
            self.rows[i][-1], self.rows[0][0] = self.rows[0][0], self.rows[i][-1]
        self.named["sum"] = sum(sum(row) for row in self.rows)
        self.named["rows"].append(self.named["sum"])  # type: ignore[attr-defined]
        self.best = self.rows[0]


def paths_through_attributes(x: float) -> tuple[Any, ...]:
    grid = Grid(3, x)
    other = grid.rows[1]
    grid.smooth()
    grid.best.append(x * 7.0)
    grid.rows[1:2] = [[x], [x, x]]
    last = grid.rows.pop()
    grid.rows.sort(key=len)
    grid.rows[0].extend(other)
    del grid.named["sum"]
    return grid.rows, grid.named, last, other, grid.best is grid.rows[-1]


def chained_targets(x: float) -> tuple[Any, ...]:
    a, b = Particle(x), Particle(2.0)
    a.x = b.v = k = x * x
    a.v, b.x = b.v, a.v
    (a.mass, [b.mass, *a.trace]) = k, [1.0, x, 3.0]
    for a.name in ["one", "two"]:
        b.trace.append(a.mass)
    return a.x, a.v, b.x, b.v, a.mass, b.mass, a.trace, b.trace, a.name


class Counter:
    """Attributes that come and go."""

    total = 10.0

    def __init__(self) -> None:
        self.seen: list[float] = []

    def add(self, value: float) -> None:
        self.seen.append(value)
        self.total += value


def class_attribute_until_assigned(x: float) -> tuple[Any, ...]:
    c, d = Counter(), Counter()
    before = c.total
    c.add(x)
    c.add(2.0 * x)
    kept = c.total
    del c.total
    return before, kept, c.total, d.total, Counter.total, c.seen


def missing_attribute(x: float) -> float:
    c = Counter()
    c.extra = x  # type: ignore[attr-defined]
    print(c.extra)  # type: ignore[attr-defined]
    del c.extra  # type: ignore[attr-defined]
    try:
        return c.extra  # type: ignore[attr-defined, no-any-return]
    except AttributeError as error:
        print(error)
    del c.extra  # type: ignore[attr-defined]
    return x


def slot_that_is_not_there(x: float) -> float:
    p = Particle(x)
    p.colour = "red"  # type: ignore[attr-defined]
    return x


def slot_that_is_empty(x: float) -> float:
    p = Particle(x)
    del p.v
    return p.v


def wrong_constructor(x: float) -> float:
    return Particle(x, 1.0, 2.0).x  # type: ignore[call-arg]


def missing_argument(x: float) -> float:
    return Savings().limit * x  # type: ignore[call-arg]


class Plain:
    pass


def no_constructor(x: float) -> Any:
    p = Plain()
    p.x = x  # type: ignore[attr-defined]
    p.f = math.sin  # type: ignore[attr-defined]
    q = p
    q.x += 1.0  # type: ignore[attr-defined]
    print(p.f(0.0))  # type: ignore[attr-defined]
    return p.x * Plain(x).x  # type: ignore[attr-defined, call-arg]


EXAMPLES = [
    Example(n_body, (0.3, 0.2)),
    Example(aliases, (1.5,)),
    Example(parent_links, (0.7,)),
    Example(accounts, (12.5,)),
    Example(overdrawn, (3.0,), raises=ValueError),
    Example(without_setter, (3.0,), raises=AttributeError),
    Example(diamond, (1.5,)),
    Example(paths_through_attributes, (0.5,)),
    Example(chained_targets, (1.25,)),
    Example(class_attribute_until_assigned, (1.25,)),
    Example(missing_attribute, (1.0,), raises=AttributeError),
    Example(slot_that_is_not_there, (1.0,), raises=AttributeError),
    Example(slot_that_is_empty, (1.0,), raises=AttributeError),
    Example(wrong_constructor, (1.0,), raises=TypeError),
    Example(missing_argument, (1.0,), raises=TypeError),
    Example(no_constructor, (1.0,), raises=TypeError),
]
