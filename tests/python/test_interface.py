"""The forms of a user's call: functions of every kind, arguments by name, pytrees; output, and errors."""

from __future__ import annotations

import functools
import io
import math
import operator
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import optree
import pytest

import checkpoint
from checkpoint import RunError, SourceError, grad, hvp, jacfwd, jacrev, value_and_grad

pytestmark = pytest.mark.engines_in_turn


def poly(x: float, *cs: float, shift: float = 0.0, **more: float) -> float:
    total = shift
    for c in cs:
        total = total * x + c
    return total + more.get("extra", 0.0) * x


# Kinds of functions


@dataclass
class Line:
    slope: float
    shift: float = 1.0
    label: str | None = None
    points: list[float] = field(default_factory=list)

    def at(self, x: float) -> float:
        return self.slope * x + self.shift

    def error(self) -> float:
        total = 0.0
        for i, y in enumerate(self.points):
            total += (self.at(float(i)) - y) ** 2
        return total

    def __call__(self, x: float) -> float:
        return self.at(x) * self.at(x)

    @staticmethod
    def doubled(x: float) -> float:
        return 2.0 * x

    @classmethod
    def through_origin(cls, x: float) -> float:
        return cls(x, 0.0).at(3.0)


def traced(f: Callable[[float], float]) -> Callable[[float], float]:
    @functools.wraps(f)
    def wrapper(x: float) -> float:
        return f(x) + 1.0

    return wrapper


def scaled(k: float) -> Callable[[Callable[[float], float]], Callable[[float], float]]:
    def decorate(f: Callable[[float], float]) -> Callable[[float], float]:
        def wrapper(*args: float, **kwargs: float) -> float:
            return k * f(*args, **kwargs)

        return wrapper

    return decorate


@scaled(5.0)
@traced
def decorated(x: float) -> float:
    return x * x


@functools.lru_cache
def cached(x: float) -> float:
    return x * x * x


@functools.cache
def fibonacci(n: int) -> float:
    return 1.0 if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


LINE = Line(2.0)
FUNCTIONS: dict[str, tuple[Callable[[float], Any], float]] = {
    "builtin": (math.sin, math.cos(3.0)),
    "abs": (abs, 1.0),
    "operator": (operator.neg, -1.0),
    "lambda": (lambda x: x * 2.0, 2.0),
    "method": (LINE.at, 2.0),
    "static method": (Line.doubled, 2.0),
    "class method": (Line.through_origin, 3.0),
    "callable": (LINE, 28.0),
    "partial": (functools.partial(Line.at, LINE), 2.0),
    "partial by name": (functools.partial(poly, shift=2.0, extra=7.0), 7.0),
    "partial of a builtin": (functools.partial(math.pow, 2.0), math.log(2.0) * 8.0),
    "decorated": (decorated, 30.0),
    "cached": (cached, 27.0),
    "calls a cached one": (lambda x: x * fibonacci(7), 21.0),
    "derivative": (grad(lambda x: x * x * x), 18.0),
    "reduces": (lambda x: functools.reduce(operator.mul, [x, x, x]), 27.0),
    "itemgetter": (lambda x: operator.itemgetter(1)((0.0, x)), 1.0),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_kinds_of_functions(kind: str, engine: str) -> None:
    f, slope = FUNCTIONS[kind]
    assert grad(f, engine=engine)(3.0) == pytest.approx(slope, rel=1e-14)
    assert checkpoint.jvp(f, 3.0, 1.0, engine=engine) == pytest.approx((f(3.0), slope), rel=1e-14)


def test_builtins_without_a_wrapper(engine: str) -> None:
    assert checkpoint.vjp(math.sin, 1.0, engine=engine) == (math.sin(1.0), math.cos(1.0))
    assert checkpoint.vjp(sum, [1.0, 2.0], engine=engine) == (3.0, [1.0, 1.0])
    assert grad(math.hypot, argnums=(0, 1), engine=engine)(3.0, 4.0) == (0.6, 0.8)


def test_two_lambdas_on_one_line(engine: str) -> None:
    first, second = lambda x: x * 2.0, lambda x: x * 3.0
    pair = [lambda x, k=k: x * k for k in (5.0, 7.0)]
    assert [grad(f, engine=engine)(1.0) for f in (first, second, *pair)] == [2.0, 3.0, 5.0, 7.0]


def test_arguments_by_name(engine: str) -> None:
    assert value_and_grad(poly, engine=engine)(2.0, 3.0, 4.0, shift=1.0, extra=10.0) == (34.0, 17.0)
    assert grad(poly, argnums=(2, 0, -1), engine=engine)(2.0, 3.0, 4.0, extra=1.0) == (1.0, 4.0, 1.0)

    def keyword_only(x: float, *, k: float = 2.0, table: Any = None) -> Any:
        return k * x if table is None else (k * x * table["a"], table)

    assert grad(keyword_only, engine=engine)(1.0) == 2.0
    found = grad(keyword_only, has_aux=True, engine=engine)(1.0, table={"a": 3.0, "b": None}, k=4.0)
    assert found == (12.0, {"a": 3.0, "b": None})
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'j'"):
        grad(keyword_only, engine=engine)(1.0, j=1)  # type: ignore[call-arg]


# Pytrees


class Polar:
    def __init__(self, radius: float, angle: float, unit: str = "rad") -> None:
        self.radius, self.angle, self.unit = radius, angle, unit

    def x(self) -> float:
        return self.radius * math.cos(self.angle)


_trees: Any = optree
_trees.register_pytree_node(
    Polar,
    lambda p: ((p.radius, p.angle), p.unit),
    lambda unit, parts: Polar(parts[0], parts[1], unit),
    namespace="checkpoint",
)


def test_registered_objects_and_data_classes(engine: str) -> None:
    def f(nest: Any) -> Any:
        return nest["p"][0].x() + nest["line"].error()

    nest = {"p": (Polar(2.0, 0.0, "u"), None), "line": Line(1.0, 0.0, None, [1.0, 3.0])}
    found = grad(f, engine=engine)(nest)
    assert (found["p"][0].radius, found["p"][0].angle, found["p"][0].unit) == (1.0, 0.0, "u")
    assert found["p"][1] is None
    assert found["line"] == Line(-4.0, -6.0, None, [2.0, 4.0])
    assert nest["line"] == Line(1.0, 0.0, None, [1.0, 3.0])
    assert hvp(lambda m: m.error(), Line(1.0, 0.0), Line(1.0, 1.0), engine=engine) == Line(0.0, 0.0)


# Output, and what remains after a run


def printing(x: float) -> float:
    total = 0.0
    for i in range(5):
        total += x * total + i
        print(i, total, end=";")
    return total


@pytest.mark.parametrize("schedule", [checkpoint.Plain(), checkpoint.Bisection(7), "binomial"])
def test_what_a_run_prints_is_printed_once(schedule: Any, engine: str) -> None:
    actions: list[Callable[[], Any]] = [
        lambda: printing(2.0),
        lambda: value_and_grad(printing, engine=engine, schedule=schedule)(2.0),
        lambda: checkpoint.jvp(printing, 2.0, 1.0, engine=engine),
        lambda: hvp(printing, 2.0, 1.0, engine=engine, schedule=schedule),
        lambda: jacrev(printing, engine=engine)(2.0),
        lambda: jacfwd(printing, engine=engine)(2.0),
        lambda: checkpoint.resume(checkpoint.interrupt(printing, 2.0, 20, engine=engine)),
    ]
    texts = []
    for action in actions:
        with redirect_stdout(io.StringIO()) as printed:
            action()
        texts.append(printed.getvalue())
    assert texts == [texts[0]] * len(actions)


class Stopping(io.StringIO):
    """An output stream at which the user presses Ctrl-C."""

    def write(self, text: str) -> int:
        raise KeyboardInterrupt


def unsupported(x: float) -> float:
    with open("file", "w") as file:
        return x * len(file.read())


def test_failures_leave_nothing_behind(engine: str) -> None:
    limit, derivative = sys.getrecursionlimit(), grad(printing, engine=engine)
    for _ in range(2):
        with pytest.raises(SourceError, match="with"):
            grad(unsupported, engine=engine)(1.0)
        with pytest.raises(RunError, match="returned a list"):
            grad(lambda x: [x], engine=engine)(1.0)
        with pytest.raises(ValueError, match="math domain error"):
            grad(math.sqrt, engine=engine)(-1.0)
        with pytest.raises(KeyboardInterrupt), redirect_stdout(Stopping()):
            derivative(2.0)
        with redirect_stdout(io.StringIO()) as printed:
            assert derivative(2.0) == 42.0
        assert printed.getvalue().count(";") == 5
        assert grad(math.sqrt, engine=engine)(4.0) == 0.25
        assert sys.getrecursionlimit() == limit
