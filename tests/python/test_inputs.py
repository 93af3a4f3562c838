"""Hidden inputs: the values that a function reads from its closure or module are read when a call enters."""

from __future__ import annotations

import functools
import io
import linecache
import math
import types
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import checkpoint
from checkpoint import grad, value_and_grad
from checkpoint.lang.python.library import lanes
from checkpoint.lang.python.linking import inputs, program
from tests.support.recording import first_arguments

pytestmark = pytest.mark.engines_in_turn


@dataclass
class Config:
    rate: float
    names: dict[str, list[float]]

    def applied(self, x: float) -> float:
        return self.rate * x


@dataclass
class Squared:
    rate: float
    names: dict[str, list[float]]

    def applied(self, x: float) -> float:
        return self.rate * x * x


class Corner(NamedTuple):
    left: float
    right: float


class Model:
    rate = 2.0
    table: dict[str, float] = {"a": 1.0}  # noqa: RUF012

    def __init__(self, bias: float) -> None:
        self.bias = bias

    def value(self, x: float) -> float:
        return self.rate * x * x + self.bias


def double(x: float) -> float:
    return 2.0 * x


mapped, from_library = lanes.vmap, lambda x: mapped(double)(x[:])


def cube(x: float) -> float:
    return x * x * x


NUMBER: Any = 3.0
PAIR = (2.0, 5)
LIST = [1.0, 2.0]
CONFIG: Any = Config(2.0, {"a": [1.0, 4.0]})
CORNER = Corner(2.0, 3.0)
OPERATIONS: dict[str, Callable[[float], float]] = {"first": double, "second": cube}
MODEL = Model(1.0)
helper: Any = double
settings: Any = types.ModuleType("settings")
settings.rate = 2.0
settings.nested = types.ModuleType("settings.nested")
settings.nested.table = {"k": [3.0]}
settings.apply = double


def by_number(x: float) -> float:
    return float(x * NUMBER)


def by_pair(x: float) -> float:
    return x * PAIR[0] ** PAIR[1]


def by_list(x: float) -> float:
    total = 0.0
    for i, c in enumerate(LIST):
        total += c * x ** (i + 1)
    return total


def by_config(x: float) -> float:
    value: float = CONFIG.applied(x) + CONFIG.names["a"][1] * x
    return value


def by_corner(x: float) -> float:
    left, right = CORNER
    return left * x + right * x * CORNER.left


def by_operations(x: float) -> float:
    return OPERATIONS["first"](x) * OPERATIONS["second"](x)


def by_class(x: float) -> float:
    return Model.rate * x * Model.table["a"]


def by_object(x: float) -> float:
    return MODEL.value(x)


def by_module(x: float) -> float:
    value: float = settings.apply(x) * settings.rate * settings.nested.table["k"][0]
    return value


def by_helper(x: float) -> float:
    value: float = helper(x)
    return value


def by_default(x: float, scale: float = 2.0, *, table: Any = (1.0, 2.0)) -> float:
    value: float = x * scale * table[1]
    return value


FUNCTIONS = [value for name, value in list(globals().items()) if name.startswith("by_")]
CHANGES: dict[str, Any] = {
    "number": ({"NUMBER": 7.0}, by_number),
    "an int": ({"NUMBER": 7}, by_number),
    "tuple": ({"PAIR": (3.0, 2)}, by_pair),
    "list": ({"LIST": [1.0, 2.0, 3.0, 4.0]}, by_list),
    "empty list": ({"LIST": []}, by_list),
    "data class": ({"CONFIG": Config(3.0, {"b": [], "a": [0.0, 9.0]})}, by_config),
    "another class": ({"CONFIG": Squared(3.0, {"a": [0.0, 9.0]})}, by_config),
    "named tuple": ({"CORNER": Corner(5.0, 7.0)}, by_corner),
    "a tuple for a named one": ({"LIST": (4.0, 5.0)}, by_list),
    "functions in a dict": ({"OPERATIONS": {"second": math.sin, "first": cube}}, by_operations),
    "function": ({"helper": cube}, by_helper),
    "builtin": ({"helper": math.sin}, by_helper),
    "partial": ({"helper": functools.partial(by_default, scale=5.0)}, by_helper),
    "method": ({"helper": MODEL.value}, by_helper),
    "object": ({"MODEL": Model(5.0)}, by_object),
}


@pytest.fixture
def translations(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the functions that have been translated since the test began."""
    return first_arguments(monkeypatch, program, "link")


def check(f: Callable[[float], float], engine: str, x: float = 1.3) -> None:
    """Check that the value is that of Python now, and the gradient that of finite differences."""
    value, slope = value_and_grad(f, engine=engine)(x)
    assert value == f(x)
    near, far = [(f(x + width) - f(x - width)) / (2 * width) for width in (5e-3, 1e-2)]
    assert slope == pytest.approx((4 * near - far) / 3, rel=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_inputs_of_all_kinds(f: Callable[[float], float], engine: str) -> None:
    check(f, engine)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_global_is_seen(change: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    changes, f = CHANGES[change]
    check(f, engine)
    for name, value in changes.items():
        monkeypatch.setitem(globals(), name, value)
    check(f, engine)
    monkeypatch.undo()
    check(f, engine)


def test_what_is_changed_in_place_is_seen(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for f in (by_list, by_config, by_class, by_object, by_module, by_operations, by_default):
        check(f, engine)
    monkeypatch.setitem(globals(), "LIST", LIST.copy())
    LIST.append(5.0)
    monkeypatch.setattr(CONFIG, "rate", 11.0)
    monkeypatch.setitem(CONFIG.names, "a", [1.0, 13.0, 2.0])
    monkeypatch.setattr(Model, "rate", 17.0)
    monkeypatch.setitem(Model.table, "a", 19.0)
    monkeypatch.setattr(MODEL, "bias", 23.0)
    monkeypatch.setattr(settings, "rate", 29.0)
    monkeypatch.setitem(settings.nested.table, "k", [31.0])
    monkeypatch.setattr(settings, "apply", cube)
    monkeypatch.setitem(OPERATIONS, "first", cube)
    monkeypatch.setattr(by_default, "__defaults__", (37.0,))
    monkeypatch.setattr(by_default, "__kwdefaults__", {"table": [0.0, 41.0]})
    for f in (by_list, by_config, by_class, by_object, by_module, by_operations, by_default):
        check(f, engine)


def test_data_of_the_same_kind_is_not_translated_again(
    engine: str, monkeypatch: pytest.MonkeyPatch, translations: list[Any]
) -> None:
    for f in (by_number, by_list, by_config, by_object):
        grad(f, engine=engine)(1.0)
    del translations[:]
    for i in range(20):
        monkeypatch.setitem(globals(), "NUMBER", float(i))
        monkeypatch.setitem(globals(), "LIST", [float(i)] * i)
        monkeypatch.setitem(globals(), "CONFIG", Config(float(i), {"a": [1.0] * (i + 2), str(i): []}))
        monkeypatch.setitem(globals(), "MODEL", Model(float(i)))
        for f in (by_number, by_list, by_config, by_object):
            check(f, engine)
    assert translations == []


def fresh(a: float, data: list[float], by: Callable[[float], float]) -> Callable[[float], float]:
    def inner(x: float) -> float:
        total = a
        for each in data:
            total += by(each) * x
        return total

    return inner


def test_a_thousand_fresh_closures_are_translated_once(engine: str, translations: list[Any]) -> None:
    grad(fresh(1.0, [], double), engine=engine)(2.0)  # it may be translated already, for another engine
    del translations[:]
    for i in range(1000):
        f = fresh(float(i), [0.5] * (i % 7), double)
        assert grad(f, engine=engine)(2.0) == 1.0 * (i % 7)
    assert translations == []
    for i in range(1000):
        f = fresh(float(i), [0.5] * (i % 7), lambda y: y * i)  # noqa: B023
        assert grad(f, engine=engine)(2.0) == 0.5 * i * (i % 7)
    assert len(translations) <= 1


def test_a_thousand_partials_and_methods_are_translated_once(engine: str, translations: list[Any]) -> None:
    for i in range(300):
        assert grad(functools.partial(by_default, scale=float(i)), engine=engine)(2.0) == 2.0 * i
        assert grad(Model(float(i)).value, engine=engine)(3.0) == 12.0
    assert len(translations) <= 2  # none, if another engine came first


def test_arguments_of_other_shapes_are_not_translated_again(engine: str, translations: list[Any]) -> None:
    def total(x: list[float], more: dict[str, Any]) -> float:
        value = 0.0
        for each in x:
            value += each * len(more)
        return value

    for i in range(50):
        more = {str(k): [None, k, {"deep": float(k)}] for k in range(i)}
        assert grad(total, engine=engine)([1.0] * (i + 1), more) == [float(i)] * (i + 1)
    assert len(translations) <= 1


class Changing(io.StringIO):
    """An output stream whose first line changes what the run reads."""

    def __init__(self, change: Callable[[], None]) -> None:
        super().__init__()
        self.change = change

    def write(self, text: str) -> int:
        self.change()
        return super().write(text)


def printing(x: float) -> float:
    y = x * NUMBER * LIST[0]
    print("here", y)
    return float(y * NUMBER * LIST[0])


@pytest.mark.parametrize("schedule", [checkpoint.Plain(), checkpoint.Bisection(2)])
def test_a_change_within_a_run_is_not_seen(
    engine: str, schedule: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "LIST", [5.0])

    def change() -> None:
        globals()["NUMBER"] = 100.0
        LIST[0] = 100.0

    monkeypatch.setitem(globals(), "NUMBER", 3.0)
    with redirect_stdout(Changing(change)) as printed:
        assert value_and_grad(printing, engine=engine, schedule=schedule)(2.0) == (450.0, 225.0)
    assert printed.getvalue() == "here 30.0\n"
    with redirect_stdout(io.StringIO()):
        assert value_and_grad(printing, engine=engine, schedule=schedule)(2.0) == (2e8, 1e8)


def test_capsules_hold_what_was_read(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    z = checkpoint.interrupt(by_config, 1.0, 0, engine=engine)
    monkeypatch.setattr(CONFIG, "rate", 100.0)
    monkeypatch.setitem(CONFIG.names, "a", [])
    assert checkpoint.resume(z) == 6.0


def renewed(text: str) -> Any:
    """Return a function `f` whose text is in linecache, as in a notebook cell."""
    name = f"<cell {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def test_a_function_of_other_code_is_seen(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, slope in (("2.0 * x", 2.0), ("x * x", 6.0), ("2.0 * x", 2.0), ("math.exp(0.0 * x) + x", 1.0)):
        f = renewed(f"import math\ndef f(x):\n    return {text}\n")
        monkeypatch.setitem(globals(), "helper", f)
        assert grad(by_helper, engine=engine)(3.0) == slope
        assert grad(f, engine=engine)(3.0) == slope


def test_code_that_is_assigned_is_seen(engine: str) -> None:
    def f(x: float) -> float:
        return 2.0 * x

    def g(x: float) -> float:
        return 5.0 * x

    assert grad(f, engine=engine)(1.0) == 2.0
    f.__code__ = g.__code__
    assert grad(f, engine=engine)(1.0) == 5.0


def test_a_number_that_becomes_a_function(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def either(x: float) -> float:
        value: float = NUMBER(x) if callable(NUMBER) else NUMBER * x
        return value

    for value, slope in ((3.0, 3.0), (double, 2.0), (cube, 12.0), (4, 4.0), (math.sin, math.cos(2.0))):
        monkeypatch.setitem(globals(), "NUMBER", value)
        assert grad(either, engine=engine)(2.0) == slope


def test_cells_that_are_assigned_to(engine: str) -> None:
    state: Any = 2.0

    def f(x: float) -> float:
        value: float = x * state  # noqa: F821
        return value

    assert grad(f, engine=engine)(1.0) == 2.0
    state = 5.0
    assert grad(f, engine=engine)(1.0) == 5.0
    del state
    with pytest.raises(NameError, match="cannot access free variable 'state'"):
        grad(f, engine=engine)(1.0)


def test_a_global_that_is_not_there_yet(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: float) -> float:
        value: float = x * LATER  # type: ignore[name-defined]  # noqa: F821
        return value

    with pytest.raises(NameError, match="name 'LATER' is not defined"):
        grad(f, engine=engine)(1.0)
    monkeypatch.setitem(globals(), "LATER", 3.0)
    assert grad(f, engine=engine)(1.0) == 3.0


def test_inputs_are_constants_and_captured_variables_are_not(engine: str) -> None:
    assert grad(lambda x: grad(lambda y: y * y * NUMBER * x)(1.0), engine=engine)(2.0) == 2.0 * NUMBER
    assert checkpoint.jvp(lambda x: x * 0.0 + NUMBER, 2.0, 1.0, engine=engine) == (NUMBER, 0.0)

    def outer(w: list[float]) -> float:
        config = Config(w[0], {"a": [w[1]]})

        def inner(x: float) -> float:
            return config.applied(x) * config.names["a"][0] * w[0]

        value: float = grad(inner)(3.0)
        return value

    assert grad(outer, engine=engine)([2.0, 5.0]) == [20.0, 4.0]


def test_what_the_library_names_is_not_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = inputs.Inputs(from_library)
    mapped, _ = found.find(0, "global", "mapped")
    found.find(found.find(mapped, "global", "one_by_one")[0], "global", "_loop")
    found.forget()
    names = [from_library, lanes.vmap, lanes.one_by_one, lanes._loop]
    monkeypatch.delattr(lanes, "_loop")
    assert found.read(from_library) == names
    monkeypatch.setitem(globals(), "mapped", double)  # what a user's function names is
    assert found.read(from_library) is None
