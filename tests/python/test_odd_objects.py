"""Odd objects that a program reads: some answer any name; modules, system tuples, packaged functions.

Each is a variable of the module, a default or an argument; errors show the place of the use.
"""

from __future__ import annotations

import functools
import math
import pprint
import sys
import threading
import types
from typing import Any, Protocol
from unittest import mock

import pytest

import checkpoint
from checkpoint.errors import CheckpointError, SourceError
from tests.python.test_refusals import check_place, plain
from tests.python.texts import defined, run


class Answers:
    """An object that answers any name."""

    def __getattr__(self, name: str) -> Any:
        return Answers()

    def __call__(self, x: float) -> float:
        return 2.0 * x


class Compiled:
    """An object like those that compilers make of functions: it answers any name, and has no text."""

    __slots__ = ("function",)
    __call__ = functools.partial(lambda x: x)

    def __getattr__(self, name: str) -> Any:
        return Answers()


MOCK = mock.Mock()
ANSWERED = "the attribute {} of a Mock comes from its `__getattr__`, which no program runs: read it outside"
A_LOCK = threading.Lock()
HELD = "is of type _thread.lock, which no program can take: do it outside of the function"
PACKAGE = "pprint.pformat, a function of a package outside of your code"
LOCKED: Any = types.ModuleType("settings")
LOCKED.lock = threading.Lock()
LOCK = "lock is of type _thread.lock, which no program can take: do it outside of the function"
USES = {
    "def f(x):\n    return «h.sin(x)»\n": (MOCK, ANSWERED.format("sin")),
    "def f(x, o=h):\n    return x if o is None else «o.f(x)»\n": (MOCK, ANSWERED.format("f")),
    "def f(x):\n    return «x + h»\n": (A_LOCK, HELD),
    "def f(x, o=h):\n    return x if o is None else «o.locked()» + x\n": (A_LOCK, HELD),
    "def f(x):\n    return «h['m'].sin(x)»\n": ({"m": math}, "h['m'] is the module math"),
    "def f(x):\n    return «h[0](x)»\n": ([pprint.pformat], PACKAGE),
    "def f(x):\n    return x + «len(h.lock)»\n": (LOCKED, LOCK),
}


@pytest.mark.parametrize("text", USES)
def test_what_no_program_can_hold(text: str, engine: str) -> None:
    value, said = USES[text]
    module = defined(plain(text), h=value)
    with pytest.raises(CheckpointError) as caught:
        run(module["f"], 3.0, engine=engine)
    check_place(caught.value, text, module["__file__"])
    assert said in caught.value.message


def test_a_cell_has_its_name() -> None:
    def make(inner: Any) -> Any:
        return lambda x: inner.sin(x) + x

    with pytest.raises(CheckpointError, match=r"objects.py:\d+:\d+: inner is of type _thread.lock"):
        run(make(A_LOCK), 3.0)


def test_objects_that_answer_any_name(engine: str) -> None:
    h: Any = Answers()
    assert run(lambda x: h(x) + x, 3.0, engine=engine) == 9.0
    assert checkpoint.grad(lambda x, o: o(x), engine=engine)(3.0, h) == 2.0
    assert checkpoint.grad(h, engine=engine)(3.0) == 2.0
    assert run(lambda x: h.foo.bar(x) + x, 3.0, engine=engine) == 9.0
    with pytest.raises(CheckpointError, match=r"Compiled has no `__call__` of your own code to translate"):
        checkpoint.grad(Compiled(), engine=engine)(3.0)
    with pytest.raises(CheckpointError, match=r"Mock has no `__call__` of your own code to translate"):
        checkpoint.grad(MOCK, engine=engine)(3.0)


def test_tuples_of_the_system(engine: str) -> None:
    version, limits = sys.version_info, sys.float_info

    def f(x: float) -> Any:
        new = x if sys.version_info >= (3, 11) and sys.version_info.major == 3 else 0.0
        return new * sys.version_info[0] + sys.float_info.epsilon + version[1] + limits.max * 0.0

    assert run(f, 2.0, engine=engine) == f(2.0)
    assert checkpoint.grad(f, engine=engine)(2.0) == 3.0


def test_partial_objects_and_bound_methods_as_arguments(engine: str) -> None:
    def scaled(a: float, x: float) -> float:
        return a * x

    def apply(f: Any, x: float) -> Any:
        return f(x)

    h: Any = Answers()
    table = {"partial": functools.partial(scaled, 3.0)}
    derivative = checkpoint.grad(apply, argnums=1, engine=engine)
    assert derivative(functools.partial(scaled, 3.0), 1.0) == 3.0
    assert derivative(h.__call__, 1.0) == 2.0
    assert checkpoint.grad(lambda x: table["partial"](x) + x, engine=engine)(1.0) == 4.0
    with pytest.raises(
        CheckpointError, match=r"pprint\.pformat, a function of a package outside of your code"
    ):
        derivative(pprint.pformat, 1.0)


def test_functions_as_defaults() -> None:
    text = "def f(x, g=h):\n    return «g(x)»\ndef k(x):\n    return f(x)\n"
    module = defined(plain(text), h=functools.partial(lambda a, x: a * x, 3.0))
    assert run(module["k"], 2.0) == 6.0
    module = defined(plain(text), h=pprint.pformat)
    with pytest.raises(CheckpointError, match=PACKAGE) as caught:
        run(module["k"], 2.0)
    check_place(caught.value, text, module["__file__"])


def plain_double(x: float) -> float:
    return 2.0 * x


def test_attributes_of_functions(engine: str) -> None:
    def f(x: float) -> float:
        value: float = x * f.rate * g.rates[0]  # type: ignore[attr-defined]
        return value

    g: Any = functools.lru_cache(plain_double)
    f.rate = 2.0  # type: ignore[attr-defined]
    g.rates = [3.0]
    assert checkpoint.grad(f, engine=engine)(1.0) == 6.0
    f.rate = 5.0  # type: ignore[attr-defined]
    assert checkpoint.grad(f, engine=engine)(1.0) == 15.0
    del f.rate  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'function' object has no attribute 'rate'"):
        checkpoint.grad(f, engine=engine)(1.0)
    with pytest.raises(SourceError, match=r"plain_double.cache_info cannot be differentiated: leave it out"):
        checkpoint.grad(lambda x: x * g.cache_info().hits, engine=engine)(1.0)


class Ring:
    """An object that refers to itself."""

    def __init__(self, x: float) -> None:
        self.x = x
        self.next = self


def test_objects_that_contain_themselves(engine: str) -> None:
    assert checkpoint.grad(lambda x: Ring(x).next.next.x * x, engine=engine)(3.0) == 6.0
    with pytest.raises(CheckpointError, match="ybar belongs to a value with a Ring that contains itself"):
        checkpoint.vjp(Ring, 3.0, Ring(1.0), engine=engine)


class Named(Protocol):
    name: str

    def shown(self) -> str:
        return f"<{self.name}>"


class Weight(Named):
    def __init__(self, name: str, value: float) -> None:
        self.name = name
        self.value = value

    def shown(self) -> str:
        return super().shown() + "!"

    def __mul__(self, x: float) -> float:
        return self.value * x


def test_a_class_that_derives_from_a_protocol(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    def scaled(weight: Weight, x: float) -> float:
        print(weight.shown())
        return weight * x if weight.name == "w" else x

    assert checkpoint.grad(scaled, 1, engine=engine)(Weight("w", 3.0), 2.0) == 3.0
    assert capsys.readouterr().out == "<w>!\n"


def test_the_output_as_a_default(engine: str) -> None:
    def noted(x: float, out: Any = sys.stdout) -> float:
        print(x, file=out)
        return x * x

    with pytest.raises(CheckpointError, match=r"name it where it is used, print\(x, file=sys.stdout\)"):
        checkpoint.grad(noted, engine=engine)(3.0)


class Reads:
    """An object that decides what each of its attributes is, stored ones too."""

    def __init__(self) -> None:
        self.k = 3.0

    def __getattribute__(self, name: str) -> Any:
        return 7.0 if name == "k" else object.__getattribute__(self, name)

    def double(self, x: float) -> float:
        return 2.0 * x


reads = Reads()


class Reading:
    """A class that reads its own way only later."""

    k = 3.0


reading = Reading()


def test_objects_that_read_their_own_way_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no value of what they store pass for what Python reads."""
    with pytest.raises(CheckpointError, match="Reads, which no program can take"):
        checkpoint.value_and_grad(lambda x: x * reads.k)(1.5)
    with pytest.raises(CheckpointError, match="Reads, which no program can take"):
        checkpoint.value_and_grad(lambda x: 2.0 * reads.double(x))(1.5)
    with pytest.raises(CheckpointError, match="Reads, which no program can take"):
        checkpoint.value_and_grad(lambda x, o: x * o.k)(1.5, Reads())

    def by(x: float) -> float:
        return x * x * reading.k

    for _ in range(4):  # by a plan at the end
        assert checkpoint.value_and_grad(by)(2.0) == (12.0, 12.0)
    monkeypatch.setattr(Reading, "__getattribute__", Reads.__getattribute__, raising=False)
    with pytest.raises(CheckpointError, match="Reading, which no program can take"):
        checkpoint.value_and_grad(by)(2.0)
    monkeypatch.undo()
    assert checkpoint.value_and_grad(by)(2.0) == (12.0, 12.0)
