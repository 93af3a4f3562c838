"""Syntax of Python 3.12: variables of types, `type` statements, quotes within f-strings, as text of a module.

In: functions that Python 3.11 cannot read. Out: on every engine, Python's values, and gradients that are
those of differences.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import checkpoint
from checkpoint import engines
from checkpoint.errors import SourceError

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")

TEXT = """
from dataclasses import dataclass

type Pair[T] = tuple[T, T]


def first[T](items: list[T]) -> T:
    return items[0]


class Box[T]:
    def __init__(self, value: T):
        self.value = value

    def mapped[U](self, f) -> "Box[U]":
        return Box(f(self.value))


def generic(x):
    pair: Pair[float] = (x, 2 * x)
    return first([x * x]) * Box[float](x).mapped(lambda v: v * v).value * pair[1]


def local(x):
    type Row = list[float]

    def twice[T](row: Row, by: T) -> T:
        return row[0] * by + row[-1]

    class Held[T, *Ts, **P](Box[T]):
        factors = [i * 0.5 for i in range(4)]

        def __init__(self, value: T, *more: *Ts):
            super().__init__(value)
            self.more = more

        def scaled[U](self, by: U) -> T:
            return self.value * by * sum(self.factors)

        @property
        def parts(self) -> tuple[T, ...]:
            return (self.value, *self.more)

    held = Held(x, 2.0, x)
    return twice([x, 3.0], x) + held.scaled(x) * sum(held.parts)


def generic_dataclass(x):
    @dataclass(slots=True)
    class Point[T]:
        a: T
        b: T | None = None

    return Point(x).a * Point[float](2.0, x).b


def again(x):
    total = 0.0
    for _ in range(3):
        type Row = list[float]

        class Turn[T]:
            def __init__(self, value: T):
                self.value = value

        total += Turn(x).value ** 2
    return total


def quoted(x):
    held = {"a": x}
    return x * len(f"{held["a"]:.3f} {f"{x:{8}.{2}f}"}")


def used(x):
    type Row = list[float]
    return x * len(f"{Row}")
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path: Path = tmp_path_factory.mktemp("newer") / "newer_syntax.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("newer_syntax", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["newer_syntax"] = made
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("name", ["generic", "local", "generic_dataclass", "again", "quoted"])
def test_values_and_gradients(module: ModuleType, name: str, engine: str) -> None:
    function, x, h = getattr(module, name), 1.3, 1e-6
    value, gradient = checkpoint.value_and_grad(function, engine=engine)(x)
    assert value == function(x)
    assert gradient == pytest.approx((function(x + h) - function(x - h)) / (2 * h), rel=1e-6)


def test_an_alias_as_a_value(module: ModuleType) -> None:
    with pytest.raises(SourceError, match="Row of a `type` statement, as a value,"):
        checkpoint.grad(module.used)(1.3)
