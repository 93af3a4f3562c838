"""Mutated programs of the corpus end as in Python, or are refused as `checkpoint check` says.

`python -m experiments.random.mutated` tries thousands. Here: some, and each kind of program that once ended
otherwise.
"""

from __future__ import annotations

from random import Random

import pytest

from checkpoint.errors import RunError, SourceError
from experiments.random.mutated import drawn
from tests.python.corpus import examples
from tests.python.mutated import ENDS, ended, judge, module_of
from tests.python.texts import defined, run

KNOWN = [
    each for name, each in examples().items() if name.startswith(("exceptions.", "sorting.", "finance."))
]


@pytest.mark.parametrize("number", range(12))
def test_a_mutated_program_ends_as_in_python(number: int) -> None:
    text, name, args, random = drawn(number, 1, KNOWN)
    assert judge(text, name, args, random) in ENDS


# Programs that once ended otherwise, with how they end.
FOUND = {
    "def f(x):\n    del y\n    y = x\n": "error",
    "def f(x):\n    return reversed({1, 2})\n": "error",
    "def f(x):\n    return reversed(x)\n": "error",
    "class A:\n    def __iter__(self): return iter([1])\ndef f(x):\n    return sum(reversed(A()))\n": "error",
    "def f(x):\n    {'a': x}.pop()\n": "error",
    "def f(x):\n    [x].pop(0, 1)\n": "error",
    "def f(x):\n    return list(1, 2)\n": "error",
    "def f(x):\n    return sorted()\n": "error",
    "def f(x):\n    return x * int\n": "error",
    "def f(x):\n    return -float\n": "error",
    "def f(x):\n    g = sum\n    return g.nothing\n": "error",
    "def f(x):\n    return x < list\n": "error",
    "def f(x):\n    x @= x\n": "error",
    "def f(x):\n    x |= x\n": "error",
    "def f(x):\n    return {**'a'}\n": "error",
    "def f(x):\n    return {**[x]}\n": "error",
    "def f(x):\n    x.update(a=1)\n": "error",
    "def f(x):\n    n = 1\n    n.setdefault('a', x)\n": "error",
    "def f(x):\n    print(x, sep=1)\n": "error",
    "def f(x):\n    print(1, 2, sep=None, end=None)\n    return x\n": "value",
    "v = 7.0\ndef f(x):\n    return next((v for v in [x] if v > 9), v)\n": "value",
    "def f(x):\n    v = 2 * x\n    return next((v for v in [x] if v > 9), v)\n": "value",
    "def f(x):\n    v = 2 * x\n    return sum((v for v in [x]), v)\n": "value",
    "def f(x):\n    return next((v for v in [x]), 1 / 0)\n": "error",
    "def f(x):\n    return next(((y := v) for v in [x] if v > 9), (z := 3 * x)) + z\n": "value",
    "def f(x):\n    return sum((v for v in [x]), v)\n": "error",
    "def f(x):\n    return map(abs)\n": "error",
    "def f(x):\n    try:\n        return x / 0\n    except int:\n        return x\n": "error",
    "from collections import Counter\ndef f(x):\n    print(type(Counter('a')))\n    return x\n": "value",
    "def f(x):\n    None.append(x)\n": "refused",
    "def f(x):\n    2.0['z'] -= 2\n": "error",
    "def f(x):\n    super().__init__()\n": "refused",
    "def f(x):\n    return __class__\n": "error",
    "def f(x):\n    try:\n        return {x: 1}[x]\n    except TypeError:\n        return 0.0\n": "value",
    "def f(x):\n    raise ExceptionGroup('g', [ValueError(x)])\n": "refused",
}


@pytest.mark.parametrize("text", FOUND)
def test_programs_that_once_ended_otherwise(text: str) -> None:
    assert ended(vars(module_of(text))["f"], (1.5,), Random(1)) == FOUND[text]


def test_functions_that_leave_a_run() -> None:
    text = "def f(x):\n    def add(y, z=1.0): return x + y + z\n    return add, max, int\n"
    add, *known = run(defined(text)["f"], 2.0)
    assert add(3.0) == 6.0
    assert add(3.0, 5.0) == 10.0
    assert known == [max, int]
    with pytest.raises(TypeError, match=r"add\(\) cannot be called with 3 arguments"):
        add(1.0, 2.0, 3.0)


def test_super_outside_of_a_class(engine: str) -> None:
    f = defined("def f(x):\n    return x if x > 0.0 else super().nothing\n")["f"]
    assert run(f, 1.0, engine=engine) == 1.0
    with pytest.raises(SourceError, match="this use of `super` cannot be differentiated"):
        run(f, -1.0, engine=engine)


OUTSIDE = """
import enum
class A:
    count = 0
class B:
    count = 0
class Kind(enum.Enum):
    RED = 1
def of_classes(x):
    for each in (A, B):
        each.count = 3
    return x
def named_as_classes(x):
    for cls in (A, B):
        cls.count = 3
    return x * A.count * B.count
def of_members(x):
    kind = Kind.RED
    kind.shade = 3
    return x
def deleted(x):
    for cls in (A, B):
        del cls.count
    return x
"""


@pytest.mark.parametrize("name", ["of_classes", "of_members", "deleted"])
def test_what_is_outside_is_not_changed_by_a_refused_assignment(name: str, engine: str) -> None:
    module = defined(OUTSIDE)
    with pytest.raises(RunError, match="cannot be changed"):
        run(module[name], 1.0, engine=engine)
    assert module["A"].count == module["B"].count == 0
    assert not hasattr(module["Kind"].RED, "shade")


def test_what_is_outside_is_not_changed_by_an_assignment(engine: str) -> None:
    module = defined(OUTSIDE)
    assert run(module["named_as_classes"], 1.0, engine=engine) == 9.0
    assert module["A"].count == module["B"].count == 0
