"""Gradients by plans see every change of what a function reads from its surroundings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import engines, grad, value_and_grad
from tests.python.agreement import outcome, same_values
from tests.support.small import agrees

pytestmark = pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not available")

NUMBER: Any = 3.0
ROWS: Any = [[1.0, 2.0], [3.0]]
NAMED: Any = {"a": 2.0, "b": [0.5, 1]}
TEXT = "wide"


def double(x: float) -> float:
    return 2.0 * x


def cube(x: float) -> float:
    return x * x * x


helper: Any = double


class Scaled:
    rate = 2.0


def by_number(x: float) -> float:
    return float(x * NUMBER * x)


def by_list(x: float) -> float:
    total = 0.0
    for row in ROWS:
        for each in row:
            total += each * x * x
    return total


def by_dict(x: float) -> float:
    return float(NAMED["a"] * x * x + NAMED["b"][0] * x)


def by_text(x: float) -> float:
    return x * x if TEXT == "wide" else 3.0 * x


def by_helper(x: float) -> float:
    return float(helper(x) * x)


def by_builtin(x: float) -> float:
    return float(abs(x) * x)


def by_module(x: float) -> float:
    return math.sin(x) * x


def by_default(x: float, scale: float = 2.0, *, shift: float = 1.0) -> float:
    return x * x * scale + shift * x


def by_class(x: float) -> float:
    return x * x * Scaled.rate


READERS = [by_number, by_list, by_dict, by_text, by_helper, by_builtin, by_module, by_default, by_class]


@pytest.mark.parametrize("f", READERS)
def test_plans_take_what_reads_its_surroundings(f: Any) -> None:
    assert agrees(f, 1.5) >= 2
    assert agrees(f, -0.25) >= 2


class Items(dict[int, Any]):
    """The items of a list by their positions, for monkeypatch: what is set here is set there."""

    def __init__(self, items: list[Any]) -> None:
        super().__init__(enumerate(items))
        self.items_of = items

    def __setitem__(self, i: int, item: Any) -> None:
        super().__setitem__(i, item)
        self.items_of[i] = item


CHANGES: dict[str, tuple[Any, Callable[[pytest.MonkeyPatch], None]]] = {
    "a global": (by_number, lambda patch: patch.setitem(globals(), "NUMBER", 7.0)),
    "to an int": (by_number, lambda patch: patch.setitem(globals(), "NUMBER", 7)),
    "to a large int": (by_number, lambda patch: patch.setitem(globals(), "NUMBER", 2**70)),
    "to a text": (by_number, lambda patch: patch.setitem(globals(), "NUMBER", "seven")),
    "to an array": (by_number, lambda patch: patch.setitem(globals(), "NUMBER", np.array(2.0))),
    "no global": (by_number, lambda patch: patch.delitem(globals(), "NUMBER")),
    "a list": (by_list, lambda patch: patch.setitem(globals(), "ROWS", [[5.0], [], [1.0, 2.0, 4.0]])),
    "a list in place": (by_list, lambda patch: patch.setitem(Items(ROWS), 0, [9.0, 8.0, 7.0])),
    "a list in a list": (by_list, lambda patch: patch.setitem(Items(ROWS[0]), 1, 9.0)),
    "to a tuple": (by_list, lambda patch: patch.setitem(globals(), "ROWS", ((7.0,), [1.0]))),
    "a dict in place": (by_dict, lambda patch: patch.setitem(NAMED, "a", 11.0)),
    "a list in a dict": (by_dict, lambda patch: patch.setitem(Items(NAMED["b"]), 0, 11.0)),
    "a key": (by_dict, lambda patch: patch.delitem(NAMED, "a")),
    "what a branch reads": (by_text, lambda patch: patch.setitem(globals(), "TEXT", "narrow")),
    "a callee": (by_helper, lambda patch: patch.setitem(globals(), "helper", cube)),
    "a callee's code": (by_helper, lambda patch: patch.setattr(double, "__code__", cube.__code__)),
    "to a function of C": (by_helper, lambda patch: patch.setitem(globals(), "helper", math.cos)),
    "a shadowed builtin": (by_builtin, lambda patch: patch.setitem(globals(), "abs", cube)),
    "a module's function": (by_module, lambda patch: patch.setattr(math, "sin", math.cos)),
    "a default": (by_default, lambda patch: patch.setattr(by_default, "__defaults__", (5.0,))),
    "of a keyword": (by_default, lambda patch: patch.setattr(by_default, "__kwdefaults__", {"shift": 5.0})),
    "a class attribute": (by_class, lambda patch: patch.setattr(Scaled, "rate", 5.0)),
    "the code": (by_number, lambda patch: patch.setattr(by_number, "__code__", by_module.__code__)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_between_two_calls_is_seen(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f, make = CHANGES[change]
    agrees(f, 1.5)
    before = value_and_grad(f)(1.5)
    make(monkeypatch)
    after = outcome(lambda: value_and_grad(f)(1.5))
    assert not same_values(before, after.value)  # by the first call
    agrees(f, 1.5)
    monkeypatch.undo()
    assert same_values(before, value_and_grad(f)(1.5))
    agrees(f, 1.5)


def test_cells_are_read_at_each_call() -> None:
    def made(a: float, data: list[float]) -> tuple[Any, Callable[[float], None]]:
        def inner(x: float) -> float:
            total = a * x
            for each in data:
                total += each * x * x
            return total

        def change(to: float) -> None:
            nonlocal a
            a = to

        return inner, change

    data = [1.0]
    inner, change = made(2.0, data)
    assert agrees(inner, 1.5) >= 2
    for i in range(5):
        change(float(i))
        data.append(0.5 * i)
        assert value_and_grad(inner)(1.5)[1] == i + 2.0 * 1.5 * sum(data)
    other, _ = made(10.0, [])  # of the same code
    assert grad(other)(1.5) == 10.0
    assert grad(inner)(1.5) == 4.0 + 2.0 * 1.5 * sum(data)
