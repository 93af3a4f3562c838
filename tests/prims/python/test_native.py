"""The conversion of values to Python's own objects and back."""

from __future__ import annotations

import collections
import functools
import math
from enum import Enum
from typing import Any

import pytest
from hypothesis import given

from checkpoint.ad.containers import Dict, Layout, List, Record
from checkpoint.ad.numbers import Dual, Tape
from checkpoint.ad.record import OperandError
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.values import EMPTY, Closure, Failure
from checkpoint.errors import RunError, Source, Span
from checkpoint.lang import core
from checkpoint.lang.python.source.plain_objects import is_plain_object
from checkpoint.prims.python.native import from_native, native
from tests.prims.python.support import Body, Plain, Point, Ranked, no_other, value_of
from tests.prims.python.test_operations import VALUES


class Slotted:
    __slots__ = ("left", "right")


class Colour(Enum):
    RED = 1


class OwnError(ValueError):
    def __init__(self, value: float, more: str) -> None:
        super().__init__(value, more)
        raise AssertionError("objects are made without their classes' code")


@given(VALUES)
def test_there_and_back(x: Any) -> None:
    back = native(value_of(x))
    assert repr(back) == repr(x)
    assert type(back) is type(x)


def test_objects() -> None:
    plain = native(value_of(Plain(2.0)))
    assert type(plain) is Plain
    assert vars(plain) == {"value": 2.0}
    slotted = Slotted()
    slotted.left = [1.0]  # type: ignore[attr-defined]
    value = value_of(slotted)
    assert value.layout == Layout(Slotted, ("left",))
    assert native(value).left == [1.0]
    assert native(value_of(Ranked(1, "x"))) == Ranked(1, "x")


def test_exceptions() -> None:
    for error in (ValueError("a", 1.5), KeyError("k"), ZeroDivisionError(), OSError(2, "no")):
        back = native(value_of(error))
        assert (type(back), back.args, str(back)) == (type(error), error.args, str(error))
    own = OwnError.__new__(OwnError, 1.0, "x")
    assert native(value_of(own)).args == (1.0, "x")
    refused = native(Failure(OperandError("operand 1 is not a real"), "text"))
    assert (type(refused), refused.args) == (TypeError, ("operand 1 is not a real",))


def test_what_comes_in_is_frozen_and_a_location_of_its_own() -> None:
    x = 1.5
    value = from_native({"a": [x, x]}, no_other)
    assert isinstance(value, Dict)
    inner = value.items["a"]
    assert isinstance(inner, List)
    assert value.owner is FROZEN is inner.owner
    assert inner.items[0] is not x is not inner.items[1]
    assert inner.items[0] is not inner.items[1]


def test_derivatives_stay_behind() -> None:
    number = Dual(2, Tape().leaf(1.5), 3.0)
    assert native(Record(value_of(()).layout, (number,))) == (1.5,)


def test_deep_and_shared_values() -> None:
    deep: Any = 1.0
    shared: Any = (1.0,)
    for _ in range(100_000):
        deep = (deep,)
    for _ in range(50):
        shared = Record(value_of(()).layout, (shared, shared)) if type(shared) is Record else value_of(shared)
    back = native(value_of(deep))
    for _ in range(100_000):
        back = back[0]
    assert back == 1.0
    assert len(native(shared)) == 2


def test_cycles_are_refused() -> None:
    cycle: list[Any] = [1.0]
    cycle.append({"x": (cycle,)})
    with pytest.raises(RunError, match="a list that contains itself"):
        value_of(cycle)
    twice = [1.0]
    assert native(value_of([twice, twice])) == [[1.0], [1.0]]


def test_keys_are_checked() -> None:
    assert native(value_of({(1, ("a", None)): 1.0, True: 2})) == {(1, ("a", None)): 1.0, True: 2}
    assert native(value_of({1.5: 1.0, (1, 2.0): 2})) == {1.5: 1.0, (1, 2.0): 2}
    assert native(value_of({2j: 1.0, (1, 2j): 2, 1 + 0j: 3})) == {2j: 1.0, (1, 2j): 2, 1: 3}
    for key in (frozenset((1,)), (1, frozenset((2,))), Ranked(1, "x")):
        with pytest.raises(RunError, match="cannot enter a program"):
            value_of({key: 1})


def test_the_rest_is_asked_for() -> None:
    others: list[Any] = [
        *(
            math.sin,
            test_keys_are_checked,
            Plain,
            functools.partial(max, 1),
            frozenset((1.5,)),
            bytearray(b"a"),
        ),
        *(collections, object(), iter([])),
    ]
    for other in others:
        assert not is_plain_object(other) or callable(other)
        value = from_native([other, 1.0], lambda given: ("asked", given))
        assert value.items[0] == ("asked", other)


def test_functions_are_placeholders() -> None:
    body = core.Const(Span(Source("t", ""), 0, 0), None)
    closure = Closure(core.Lambda(body.span, (), body, name="helper"), EMPTY)
    stand_in = native(closure)
    assert type(stand_in).__name__ == "function"
    assert stand_in.__name__ == "helper"
    assert native(Body(1.0, [2.0])) == Body(1.0, [2.0])
    assert native((closure,), None, lambda given: given) == (closure,)
    assert Point(1, 2) == (1, 2)
