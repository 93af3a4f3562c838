"""Classes defined inside functions: used in loops, recursion, factories and methods."""

# mypy: ignore-errors
# Written without annotations, as people write them; what Python says of it is compared.

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

from tests.python.corpus import Example

RATE = 0.25


class Body:
    unit = 2.0

    def __init__(self, m):
        self.m = m

    def weight(self):
        return self.m * self.unit


def managers(x):
    class Guard:
        def __enter__(self):
            print("in")
            return x

        def __exit__(self, *args):
            print("out")
            return False

        @contextmanager
        def opened(self):
            yield x * 3.0

    with Guard() as v, Guard().opened() as w:
        return v * w


def node_tree(x):
    class Node:
        def __init__(self, v, left=None, right=None):
            self.v, self.left, self.right = v, left, right

        def insert(self, v):
            side = "left" if v < self.v else "right"
            child = getattr(self, side)
            if child is None:
                setattr(self, side, Node(v))
            else:
                child.insert(v)

        def total(self):
            return self.v + sum(c.total() for c in (self.left, self.right) if c is not None)

    root = Node(x)
    for i in range(5):
        root.insert(x * (i - 2) + 0.1)
    return root.total() * root.left.v


def helper_class(x, n):
    class Acc:
        def __init__(self):
            self.t = 0.0

        def add(self, v):
            self.t += v

    acc = Acc()
    for _ in range(n):
        acc.add(x)
    return acc.t


def many_times(x):
    return sum(helper_class(x, n) for n in range(4))


def in_branches(x):
    if x > 0.0:

        class Up:
            def go(self, y):
                return y + x

        result = Up().go(x)
    else:
        result = 0.0
    for _ in range(1):

        class Once:
            k = 3.0

            def get(self):
                return self.k * x

        result += Once().get()
    return result


def factory(x):
    def make(k):
        class Layer:
            def __init__(self, w):
                self.w = w

            def __call__(self, v):
                return self.w * v + k

        return Layer

    layer = make(x)
    return layer(2.0)(x) + layer(3.0)(x)


def class_passed_on(x):
    class A:
        rate = 2.0

        def __init__(self, v):
            self.v = v

    class B(A):
        rate = 3.0

    def build(cls, v):
        return cls(v).v * cls.rate

    table = {"a": A, "b": B}
    return build(table["a"], x) + build(B, x * x), [c.__name__ for c in (A, B)]


def recursive(x, n):
    class Part:
        def __init__(self, v):
            self.v = v

    if n == 0:
        return Part(x).v
    return Part(x).v + recursive(x * 0.5, n - 1)


def nested_in_method(x):
    class Outer:
        class Inner:
            def __init__(self, v):
                self.v = v

        def run(self, v):
            class Local:
                def go(self):
                    return v * x

            return Local().go() + self.Inner(v).v

    return Outer().run(2.0 * x)


def matched(x):
    @dataclass
    class Circle:
        r: float

    @dataclass
    class Box:
        w: float
        h: float

    total = 0.0
    for shape in [Circle(x), Box(x, 2.0)]:
        match shape:
            case Circle(r=r):
                total += 3.0 * r * r
            case Box(w, h):
                total += w * h
    return total


class Maker:
    def __init__(self, k):
        self.k = k

    def run(self, x):
        k = self.k

        class Scaled:
            def __call__(self, y):
                return y * k

        return Scaled()(x) + self.k


def in_a_method(x):
    return Maker(x * 3.0).run(x)


def generator_with_class(x):
    def items():
        class Item:
            def __init__(self, v):
                self.v = v * x

        for i in range(3):
            yield Item(i + 1.0)

    return sum(item.v for item in items())


class Positive:
    """A descriptor that keeps its value in the object, and takes what is positive."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, of, owner=None):
        return self if of is None else of.__dict__[self.name]

    def __set__(self, of, value):
        if value <= 0.0:
            raise ValueError(f"{self.name} is to be positive")
        of.__dict__[self.name] = 2.0 * value


def descriptors(x):
    class Scaled(Positive):
        def __init__(self, factor):
            self.factor = factor

        def __get__(self, of, owner=None):
            return super().__get__(of, owner) * self.factor

    class Spring:
        stiffness, mass = Positive(), Positive()
        length = Scaled(factor=3.0)

        def __init__(self, stiffness, mass):
            self.stiffness, self.mass, self.length = stiffness, mass, 1.5

    spring = Spring(x, 2.0)
    try:
        spring.mass = -x
    except ValueError as error:
        print(error)
    return spring.stiffness / spring.mass * spring.length


EXAMPLES = [
    Example(descriptors, (0.7,)),
    Example(managers, (0.7,)),
    Example(node_tree, (0.7,)),
    Example(many_times, (0.7,)),
    Example(in_branches, (0.7,)),
    Example(factory, (0.7,)),
    Example(class_passed_on, (0.7,), differentiable=False),
    Example(recursive, (0.7, 3)),
    Example(nested_in_method, (0.7,)),
    Example(matched, (0.7,)),
    Example(in_a_method, (0.7,)),
    Example(generator_with_class, (0.7,)),
]
