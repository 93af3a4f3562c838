"""Classes that functions define: one class for each statement in a run, whatever its methods read.

tests/python/corpus/local_classes.py has what works. Here: what leaves a run, statements that run again, and
attributes of classes that a program assigns through `type(x)` or `cls`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.errors import RunError, SourceError
from tests.python.texts import defined

OBJECTS = """\
def free(x):
    class Point:
        def __init__(self, v):
            self.v = v
        def twice(self):
            return 2.0 * self.v
    return Point(x)

def bound(x):
    class Point:
        def __init__(self, v):
            self.v = v
        def scaled(self):
            return self.v * x
    return Point(x)

def the_class(x):
    class Point:
        def scaled(self):
            return x
    return Point

def used(x):
    return bound(x).scaled() + free(x).twice()

def failing(x):
    class TooLarge(ValueError):
        pass
    raise TooLarge(int(x))
"""

WITHIN = """\
from enum import Enum
from checkpoint import grad, vmap

def enumerated(x):
    class Mode(Enum):
        LOW = 1
        HIGH = 2
    class Scaled:
        def by(self, k):
            return k * x * Mode.HIGH.value
    first, second = Scaled(), Scaled()
    found = {first: x, second: x * x}
    return sum(found.values()) * Scaled().by(0.5)

def slopes(x):
    return grad(enumerated)(x) + grad(enumerated)(2.0 * x)

def in_lanes(xs):
    return vmap(grad(enumerated))(xs)

def twice(x):
    return enumerated(x) + enumerated(x)

def twice_within(x):
    return grad(twice)(x)
"""


@pytest.mark.parametrize("engine", engines.usable())
def test_each_derivative_and_lane_has_classes_and_identities_of_its_own(engine: str) -> None:
    module = defined(WITHIN)  # x (x + x x), with the derivative 2 x + 3 x x
    assert checkpoint.value_and_grad(module["slopes"], engine=engine)(1.0) == (21.0, 36.0)
    assert checkpoint.primops(module["slopes"], 1.0, engine=engine) == checkpoint.primops(
        module["slopes"], 1.0
    )
    assert checkpoint.vmap(module["enumerated"], engine=engine)(np.array([1.0, 2.0])).tolist() == [2.0, 12.0]
    xs = np.array([1.0, 2.0, 1.0])
    half = checkpoint.primops(module["in_lanes"], xs, engine=engine) // 2
    cut = checkpoint.interrupt(module["in_lanes"], xs, half, engine=engine)
    assert checkpoint.resume(cut).tolist() == [5.0, 16.0, 5.0]
    with pytest.raises(SourceError, match="the class Mode, which is defined a second time in one run"):
        checkpoint.grad(module["twice_within"], engine=engine)(1.0)


def test_an_object_leaves_its_run_unless_its_methods_read_variables() -> None:
    module = defined(OBJECTS)
    left = checkpoint.resume(checkpoint.interrupt(module["free"], 2.0, 1))
    assert (type(left).__qualname__, left.v, left.twice()) == ("free.<locals>.Point", 2.0, 4.0)
    for name in ("bound", "the_class"):
        with pytest.raises(RunError, match=r"whose methods read variables of the function .* module level"):
            checkpoint.resume(checkpoint.interrupt(module[name], 2.0, 1))
    assert checkpoint.value_and_grad(module["used"])(3.0) == (15.0, 8.0)
    with pytest.raises(ValueError, match="3") as caught:
        checkpoint.grad(module["failing"])(3.0)
    assert type(caught.value).__name__ == "TooLarge"


def test_a_class_is_the_same_at_each_call() -> None:
    module = defined(OBJECTS)
    classes = {type(checkpoint.resume(checkpoint.interrupt(module["free"], x, 1))) for x in (1.0, 2.0)}
    assert len(classes) == 1


# Functions in which a statement runs again: whether a second class could be told from the first.
AGAIN = {
    "captures": ("def __init__(self): self.v = x", "R().v", False),
    "compares": ("def __eq__(self, other): return type(self) is type(other)", "R() == R()", False),
    "names itself": ("def same(self, other): return isinstance(other, R)", "R().same(R())", False),
    "state": ("n = 0\n        def bump(self): R.n += 1; return R.n", "R().bump()", False),
    "plain": ("def __init__(self, v=2.0): self.v = v", "R().v", True),
    "attribute": ("rate = 3.0", "R.rate", True),
    "values": ("def __repr__(self): return 'R'", "[str(c) for c in [R()]] == ['R']", True),
}


@pytest.mark.parametrize("name", AGAIN)
def test_a_statement_runs_again_only_where_nothing_can_tell(name: str) -> None:
    body, used, works = AGAIN[name]
    text = f"def make(x):\n    class R:\n        {body}\n    return {used}\n"
    f = defined(text + "def once(x): return x * make(x)\ndef twice(x): return x * make(x) + make(2.0 * x)\n")
    assert checkpoint.vjp(f["once"], 0.5, 1.0)[0] == f["once"](0.5)
    if works:
        assert checkpoint.vjp(f["twice"], 0.5, 1.0)[0] == f["twice"](0.5)
    else:
        with pytest.raises(SourceError, match="the class R, which is defined a second time in one run"):
            checkpoint.grad(f["twice"])(0.5)


@pytest.mark.parametrize(
    "made", ["@dataclass\n    class R:\n        a: float", "class R(Enum):\n        A = 1"]
)
def test_records_and_enumerations_are_defined_once(made: str) -> None:
    head = "from dataclasses import dataclass\nfrom enum import Enum\n"
    text = f"{head}def make(x):\n    {made}\n    return x\ndef twice(x): return make(x) + make(x)\n"
    f = defined(text)
    assert checkpoint.grad(f["make"])(0.5) == 1.0
    with pytest.raises(SourceError, match="defined a second time"):
        checkpoint.grad(f["twice"])(0.5)


REGISTRY = """\
class Reg:
    total = 0.0
    items = 0
    def __init__(self, v):
        self.v = v
    @classmethod
    def reset(cls):
        cls.total = 0.0
        cls.items = 0
    def put(self):
        type(self).total += self.v
        self.__class__.items += 1

class Sub(Reg):
    pass

def through_objects(x):
    Reg.reset()
    r = Reg(x)
    r.put()
    r.put()
    return r.total * r.items

def of_derived(x):
    Reg.reset()
    Sub.reset()
    Sub(x).put()
    Reg(x * 2.0).put()
    return Sub(x).total + 10.0 * Reg.total + 100.0 * Sub.items

def shadowed(x):
    Reg.reset()
    Sub.total = 1.0
    s = Sub(x)
    a = s.total
    Reg.total = 5.0 * x
    return a + Reg(x).total + s.total

def in_a_loop(x):
    Reg.reset()
    for cls in (Reg, Sub):
        cls.total = x * len(cls.__name__ + cls.__qualname__)
    return Reg.total - 2.0 * Sub.total

def inherited(x):
    Reg.total = x
    return Sub(x).total * x

def counted(x):
    Sub(x).put()
    return x * Sub.items

def of_base(x):
    Reg(x).put()
    return x * len(Sub.__name__)

def by_name(x):
    setattr(Reg, "total", x)
    return Reg.total * x
"""
CASES = ["through_objects", "of_derived", "shadowed", "in_a_loop", "inherited", "by_name"]


@pytest.mark.parametrize("name", CASES)
def test_classes_keep_what_is_assigned_through_objects(name: str) -> None:
    f, again = defined(REGISTRY)[name], defined(REGISTRY)[name]
    value, gradient = checkpoint.value_and_grad(f)(0.7)
    assert f.__globals__["Reg"].total == 0.0
    assert "total" not in vars(f.__globals__["Sub"])
    assert value == again(0.7)
    differences = (defined(REGISTRY)[name](0.7 + 1e-6) - defined(REGISTRY)[name](0.7 - 1e-6)) / 2e-6
    assert gradient == pytest.approx(differences, abs=1e-6)


def test_an_attribute_that_a_derived_class_is_left_with_is_refused() -> None:
    module: dict[str, Any] = defined(REGISTRY)
    with pytest.raises(SourceError, match=r"assigning to texts\.Sub\.total, which the run has read before"):
        checkpoint.grad(module["counted"])(0.7)
    gradient, state = checkpoint.grad(module["counted"], has_state=True)(0.7)
    assert gradient == 1.0
    unchanged = {"texts.Reg.total": 0.0, "texts.Reg.items": 0}
    assert state.globals == {"texts.Sub.total": 0.7, "texts.Sub.items": 1, **unchanged}
    _, state = checkpoint.grad(module["of_base"], has_state=True)(0.7)
    assert state.globals == {"texts.Reg.total": 0.7, "texts.Reg.items": 1}


ANNOTATED = """\
def f(x):
    class Tree:
        value: Unknown = 2.0
        def __init__(self, child: Leaf | None = None) -> Tree:
            self.child = child
    class Leaf:
        parent: Tree
        def grown(self, other: Leaf) -> "Tree":
            return Tree(other).value * x
    return Leaf().grown(Leaf())
"""


def test_annotations_are_read_where_python_reads_them() -> None:
    f = defined(f"from __future__ import annotations\n{ANNOTATED}")["f"]
    assert checkpoint.value_and_grad(f)(1.5) == (3.0, 2.0)
    with pytest.raises(SourceError, match="the class Tree inside a function, whose body reads"):
        checkpoint.grad(defined(ANNOTATED)["f"])(1.5)
    mutual = ANNOTATED.replace(": Unknown", "").replace("Leaf | None = None) -> Tree", "Leaf)")
    with pytest.raises(SourceError, match=r"the class .* inside a function, whose body reads"):
        checkpoint.grad(defined(mutual)["f"])(1.5)
