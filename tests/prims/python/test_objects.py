"""Attributes, classes, identity, exceptions, dictionaries, and plain reals."""

from __future__ import annotations

import io
import math
import operator
import types
from collections.abc import Sequence
from contextlib import redirect_stdout
from itertools import product
from typing import Any

import pytest

from checkpoint.ad.containers import TUPLE, Layout, Record, Types
from checkpoint.ad.graph import numbers
from checkpoint.ad.numbers import Dual, Node, Tape
from checkpoint.ad.record import PYTHON_FAILURES, Effect, OperandError, Operator, Select, lookup, records
from checkpoint.ad.tensors import Tensor
from checkpoint.ad.values import EMPTY, Closure, Failure
from checkpoint.driver.effects import Effects
from checkpoint.errors import RunError, Source, Span
from checkpoint.lang import core
from checkpoint.prims.python.native import native
from tests.prims.python.support import (
    Body,
    Moment,
    Outcome,
    Plain,
    Point,
    Ranked,
    perform,
    same_as_python,
    value_of,
)

OBJECTS: list[Any] = [
    *(1.5, 2, True, None, "a", (1.0,), [1], {"a": 1}, range(2), Point(1.0, 2), Body(1.0, [])),
    *(Ranked(1, "x"), Plain(1.0), KeyError("k"), ZeroDivisionError("no")),
]


def closure(name: str, captured: Any = EMPTY) -> Closure:
    """Return a procedure that nothing calls."""
    body = core.Const(Span(Source("t", ""), 0, 0), None)
    return Closure(core.Lambda(body.span, (), body, name=name, shown=True), captured)


def test_attributes() -> None:
    for x, name in product(OBJECTS, ("x", "mass", "place", "rank", "value", "args", "nothing", "numerator")):
        if name == "args" and isinstance(x, BaseException):
            continue  # a list and a tuple of them are told apart by their layouts alone
        same_as_python("attribute", getattr, x, name)
    same_as_python("attribute", getattr, range(1, 8, 2), "step")
    same_as_python("attribute", getattr, KeyError("a", 1), "args")
    same_as_python("attribute", getattr, 1.5, "imag")
    for x, name in ((Point(1, 2), "count"), ([1], "append"), (1.5, "real"), (Body(1.0, []), "__eq__")):
        with pytest.raises(RunError, match="cannot be used as a value here"):
            perform(Moment(), "attribute", value_of(x), name)


def test_places_are_where_the_copies_come_from() -> None:
    now = Moment()
    for x, name, i in (
        *(((1.0, 2.0), "item", -1), ([1.0, 2.0], "item", True), ({"a": 1.0}, "item", "a")),
        *(
            (Point(1.0, 2.0), "item", 0),
            (Point(1.0, 2.0), "attribute", "y"),
            (Body(1.0, []), "attribute", "mass"),
        ),
        *(([1.0, 2.0], "pop-item", -2), ({1: 2.0}, "pop-item", 1)),
    ):
        value, record = value_of(x), lookup(f"py.{name}")
        assert isinstance(record, Select)
        place = record.place(now, value, i)
        copy = perform(now, name, value, i)
        assert copy == value.items[place]
        assert copy is not value.items[place]
    reading = lookup("py.item")
    assert isinstance(reading, Select)
    assert reading.place(now, "ab", 1) is None


def test_popped_elements() -> None:
    for x in ([1.0, 2.0], [], {"a": 1.0}, (1.0,), 3.0):
        for i in (-1, 0, 5, True, 1.0, "a"):
            if not (isinstance(x, dict) and i == 1.0 and type(i) is float):
                same_as_python(
                    "pop-item", lambda x, i: x.copy().pop(i) if x in ([], [1.0, 2.0]) else x.pop(i), x, i
                )


def test_instances() -> None:
    classes: tuple[Any, ...] = (
        float,
        int,
        bool,
        str,
        tuple,
        list,
        dict,
        range,
        type(None),
        Point,
        Body,
        Exception,
        LookupError,
    )
    for x, cls in product(OBJECTS, (*classes, Sequence, object)):
        same = perform(Moment(), "instance", value_of(x), Types((cls,)))
        assert same is isinstance(x, cls), (x, cls)
    assert perform(Moment(), "instance", value_of(1.0), Types((int, float))) is True
    assert perform(Moment(), "instance", closure("f"), Types((types.FunctionType,))) is True
    assert perform(Moment(), "instance", value_of(Point(1, 2)), Layout(Point, ("x", "y"))) is True


def test_identity_of_what_has_one() -> None:
    for x, y in product(OBJECTS, repeat=2):
        if x is None or y is None or type(x) is bool or type(y) is bool or type(x) is not type(y):
            assert perform(Moment(), "is", value_of(x), value_of(y)) is (x is y)
    assert perform(Moment(), "is", 5, 5) is True
    assert perform(Moment(), "is", 5, 6) is False
    one, other = value_of([1]), value_of([1])
    assert perform(Moment(), "is", one, one) is True
    assert perform(Moment(), "is", one, other) is False
    for x in (1.5, 10**9, "a", (1.0,)):
        with pytest.raises(RunError, match="no identity to compare with 'is'"):
            perform(Moment(), "is", value_of(x), value_of(x))


def test_objects_without_equality_are_not_compared() -> None:
    now = Moment()
    assert perform(now, "eq", value_of(Plain(1.0)), value_of(Body(1.0, []))) is False
    one = value_of([Plain(1.0)])
    assert perform(now, "eq", one, one) is True
    assert perform(now, "eq", one, value_of([Plain(1.0)])) is False
    f = closure("f")
    assert perform(now, "eq", f, f) is True
    assert perform(now, "eq", f, closure("g")) is False
    assert perform(now, "eq", f, None) is False


class Adding:
    def __init__(self, value: float) -> None:
        self.value = value

    def __add__(self, other: float) -> float:
        return self.value + other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Adding, float)) and other in (self.value, self)

    __hash__ = None  # type: ignore[assignment]


def test_code_of_classes_does_not_lose_derivatives() -> None:
    with pytest.raises(RunError, match="add of Adding and float is not supported"):
        perform(Moment(), "add", value_of(Adding(1.0)), 2.0)
    assert perform(Moment(), "contains", value_of([2.0, Adding(1.0)]), 1.0) is True


IN_MESSAGES: list[tuple[str, Any, tuple[Any, ...]]] = [
    *(("add", operator.add, (len, 1)), ("len", len, (len,)), ("item", operator.getitem, (len, 0))),
    *(("lt", operator.lt, (1.0, len)), ("math.sin", math.sin, (len,))),
    ("unpack", lambda x, n: _two(x), (len, 2)),
]


@pytest.mark.parametrize(("name", "function", "operands"), IN_MESSAGES)
def test_functions_in_messages(name: str, function: Any, operands: tuple[Any, ...]) -> None:
    def ours() -> Any:
        return perform(Moment(), name, *[closure("f") if x is len else x for x in operands])

    theirs = Outcome.of(lambda: function(*[test_stop if x is len else x for x in operands]))
    assert Outcome.of(ours) == theirs


def _two(x: Any) -> None:
    _, _ = x


# Exceptions


def test_caught_failures() -> None:
    now = Moment()
    for error in (ZeroDivisionError("division by zero"), KeyError(("a", 1)), OverflowError(34, "too large")):
        caught = perform(now, "caught", Failure(error, "text"))
        back = native(caught)
        assert (type(back), back.args, caught.layout.names) == (type(error), error.args, ("args",))
        assert native(perform(now, "caught", caught)).args == error.args
    refused = perform(now, "caught", Failure(OperandError("operand 1 is not a real"), "text"))
    assert refused.layout.cls is TypeError


def test_matching_and_raising() -> None:
    now = Moment()
    failure, own = Failure(KeyError("a"), "text"), value_of(ValueError(1.0))
    assert perform(now, "matches", failure, Types((LookupError,))) is True
    assert perform(now, "matches", own, Types((LookupError, ArithmeticError))) is False
    assert perform(now, "matches", 3.0, Types((Exception,))) is False
    assert native(perform(now, "raise-check", own)).args == (1.0,)
    with pytest.raises(TypeError, match="exceptions must derive from BaseException"):
        perform(now, "raise-check", 3.0)


# Dictionaries


def test_dictionaries() -> None:
    d = {"a": 1.0, (1, None): [2.0], True: "x"}
    same_as_python("keys", lambda d: tuple(d.keys()), d)
    same_as_python("values", lambda d: tuple(d.values()), d)
    cases: list[Any] = [d, [1.0, 2], (1,), None]
    for x in cases:
        same_as_python("copy", lambda x: x.copy(), x)
    cases = [d, {}, [], "", 3.0, [1], "ab"]
    for x in cases:
        same_as_python("dict-of", dict, x)
    assert native(perform(Moment(), "dict")) == {}
    with pytest.raises(RunError, match="for k, v in pairs"):
        perform(Moment(), "dict-of", value_of([("a", 1.0)]))


def test_keys() -> None:
    keys: list[Any] = [1, "a", None, True, (1, ("a",)), Point(1, 2)]
    for key in keys:
        same_as_python("key", lambda key: key, key)
    keys = [[1], {}, (1, [2]), Body(1.0, [])]
    for key in keys:
        same_as_python("key", hash, key)
    keys = [1.5, (1, 2.0), Point(1.0, 2)]
    for key in keys:
        with pytest.raises(RunError, match="a real cannot be a key here: use int"):
            perform(Moment(), "key", value_of(key))


# The rest


def test_stop() -> None:
    record = lookup("py.stop")
    assert isinstance(record, Operator)
    node, dual = Tape().leaf(1.5), Dual(3, 2.5, 1.0)
    value = Record(TUPLE, (node, dual, value_of([3.5, None])))
    stopped = record.value(None, value)
    assert native(stopped) == (1.5, 2.5, [3.5, None])
    assert all(type(number) is float for number in numbers(stopped))
    assert type(value.items[0]) is Node
    assert not {*map(id, numbers(stopped))} & {*map(id, numbers(value))}


def test_printing_happens_once() -> None:
    record = lookup("py.print")
    assert isinstance(record, Effect)
    effects = Effects()
    with redirect_stdout(io.StringIO()) as written:
        assert record.value(effects, 1, "a", " ") is None
        record.value(effects, 2, "b", "\n")
        record.value(effects, 1, "a", " ")
    assert written.getvalue() == "a b\n"


def test_a_python_function_is_known_by_its_number_of_operands() -> None:
    known: dict[tuple[Any, int], str] = {}
    for record in records().values():
        if isinstance(record, Tensor):  # known by its function alone
            continue
        for function in record.implements:
            assert (function, record.arity) not in known, record.name
            known[function, record.arity] = record.name
    assert known[math.log, 1] == "py.math.log"
    assert known[math.log, 2] == "py.math.log_base"
    assert known[operator.add, 2] == "py.add"


def test_failures_are_those_of_python() -> None:
    for record in records().values():
        if record.name.startswith("py.") and record.name != "py.gradient":  # its program fails
            assert set(PYTHON_FAILURES) <= set(record.failures) or Exception in record.failures
