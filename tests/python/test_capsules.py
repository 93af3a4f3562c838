"""Capsules of Python functions: counted alike outside and inside of a program, their cotangents fit in both.

The law: where z = interrupt(f, x, l), the cotangent that vjp(resume, z, ybar) gives for z fits what
`lambda x: interrupt(f, x, l)` gives within a differentiated function, and leads to the gradient of f, to the
bit.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import math
import statistics
from collections.abc import Callable
from contextlib import redirect_stdout
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings

import checkpoint
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.driver.schedule import Plain
from checkpoint.errors import CheckpointError
from checkpoint.functions.python_functions import rest_of, run_of
from tests.python.corpus import examples
from tests.python.generator import HEAD, Program, programs
from tests.support.check import direction
from tests.support.corpus import usable_engines
from tests.support.same import difference as differing

pytestmark = pytest.mark.engines_in_turn

EXAMPLES = examples()
DIFFERENTIABLE = [n for n, each in EXAMPLES.items() if each.raises is None and each.differentiable]
ENGINES = [engine.name for engine in usable_engines()]


def weights(value: Any) -> Any:
    """Return a cotangent of a value, always the same."""
    if type(value) in NUMBERS and type(real_part(value)) is Array:
        return Array(np.ones_like(real_part(value).data), Memory())
    return direction(value, Random(3))


def cut_by(f: Callable[..., Any], x: Any, steps: int) -> Any:
    return checkpoint.interrupt(f, x, steps)


def first(zbar: Any, _: Any) -> Any:
    return zbar


def check_law(f: Callable[[Any], Any], x: Any, engine: str, cuts: Callable[[int], Any]) -> None:
    """Check that steps and cotangents are the same outside and inside."""
    with redirect_stdout(io.StringIO()):
        call = run_of(f, (x,), {}, engine)
        steps = call.steps()
        assert run_of(lambda x: checkpoint.primops(f, x), (x,), {}, engine).value() == steps
        y, xbar = call.vjp(weights, Plain())
        for cut in cuts(steps):
            z = call.interrupt(cut)
            again, zbar = rest_of(z).vjp(weights, Plain())
            assert differing(again, y) is None
            inside = run_of(functools.partial(cut_by, f, steps=cut), (x,), {}, engine)
            capsule, composed = inside.vjp(functools.partial(first, zbar), Plain())
            assert capsule.steps == cut
            assert differing(composed, xbar) is None, f"cut at {cut} of {steps}"


def sample(*key: Any) -> Callable[[int], list[int]]:
    """Return a choice of cuts by the number of steps: an end and one between."""
    random = Random(repr(key))
    return lambda steps: [random.choice((0, steps)), random.randint(0, steps)]


def every(steps: int) -> range:
    return range(steps + 1)


@pytest.mark.parametrize("name", DIFFERENTIABLE[::45])
def test_corpus(name: str) -> None:
    check_example(name)


@pytest.mark.long
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_whole_corpus(name: str) -> None:
    check_example(name)


def check_example(name: str) -> None:
    f, args = EXAMPLES[name].function, EXAMPLES[name].args

    def whole(args: Any) -> Any:
        return f(*args)

    for engine in ENGINES:
        check_law(whole, args, engine, sample(name, engine))


REPEATABLE = settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
MANY = settings(REPEATABLE, max_examples=1000, derandomize=False)


def check_program(program: Program) -> None:
    note(program.text.removeprefix(HEAD))
    f = program.function()

    def whole(args: Any) -> Any:
        return f(*args)

    for engine in ENGINES:
        try:
            with redirect_stdout(io.StringIO()):
                steps = run_of(whole, (program.args,), {}, engine).steps()
        except (Exception, CheckpointError):
            continue  # what fails is compared elsewhere
        if steps < 3_000:
            check_law(whole, program.args, engine, sample(steps, engine))


@given(program=programs())
@REPEATABLE
def test_random_programs(program: Program) -> None:
    check_program(program)


@pytest.mark.long
@pytest.mark.timeout(3600)
@given(program=programs(fuel=25))
@MANY
def test_many_random_programs(program: Program) -> None:
    check_program(program)


# Every kind of function


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def loss(self, x: float) -> float:
        return self.scale * x * x + math.sin(x)


@dataclasses.dataclass
class Line:
    slope: float
    start: float

    def __call__(self, x: float) -> float:
        return self.start + self.slope * x * x


@dataclasses.dataclass
class Point:
    a: float
    b: float

    def norm(self) -> float:
        return math.hypot(self.a, self.b)


def scaled(k: float) -> Callable[[float], float]:
    def inner(x: float) -> float:
        return k * x * x

    return inner


def several(a: float, b: float, n: int = 3, *, k: float = 2.0) -> float:
    total = a
    for _ in range(n):
        total = total * b + k
    return total


def with_default(x: float, y: float = 2.0, *more: float) -> float:
    return x * y


def of_a_point(p: Point) -> float:
    return p.norm() * p.a


def recursive(x: float) -> float:
    return x if x < 0.1 else x * recursive(x - 1.0)


def with_gradient(x: float) -> float:
    slope: float = checkpoint.grad(lambda y: y * y * x)(x)
    return slope


def interrupting(x: float) -> Any:
    return checkpoint.resume(checkpoint.interrupt(scaled(2.0), x, 4)) * x


def of_its_own(x: float) -> float:
    """Interrupt itself, at a smaller argument."""
    if x < 1.0:
        return x * x
    rest: float = checkpoint.resume(checkpoint.interrupt(of_its_own, x - 1.0, 6))
    return x * rest


cdf = checkpoint.primitive(
    statistics.NormalDist().cdf, vjp=lambda ybar, y, x: (statistics.NormalDist().pdf(x) * ybar,)
)
KINDS: dict[str, tuple[Callable[..., Any], Any]] = {
    "closure": (scaled(2.0), 1.5),
    "lambda": (lambda x: x * x + 1.0, 1.5),
    "partial": (functools.partial(several, b=1.1), 1.5),
    "partial by position": (functools.partial(several, 1.1, n=2), 1.5),
    "method": (Model(3.0).loss, 1.5),
    "derivative": (checkpoint.grad(scaled(3.0)), 1.5),
    "value and derivative": (checkpoint.value_and_grad(scaled(3.0)), 1.5),
    "defaults": (with_default, 1.5),
    "object": (Line(2.0, 1.0), 1.5),
    "builtin": (sum, [1.0, 2.0, 3.0]),
    "function of math": (math.sin, 0.5),
    "argument with methods": (of_a_point, Point(3.0, 4.0)),
    "recursive": (recursive, 3.3),
    "with a gradient inside": (with_gradient, 1.5),
    "with an interrupt inside": (interrupting, 1.5),
    "that interrupts itself": (of_its_own, 2.5),
    "of arrays": (lambda a: a * a + a[0], np.arange(3.0)),
    "function of numpy": (np.cumsum, np.arange(3.0)),
    "primitive": (cdf, 0.5),
    "procedure": (checkpoint.read("(lambda (x) (* x (sin (* x x))))"), 0.5),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_functions(kind: str, engine: str) -> None:
    f, x = KINDS[kind]
    if kind != "procedure":
        check_law(f, x, engine, every)
        return
    _, xbar = checkpoint.vjp(f, x, engine=engine)
    for cut in every(checkpoint.primops(f, x, engine=engine)):
        z = checkpoint.interrupt(f, x, cut, engine=engine)
        zbar = checkpoint.vjp(checkpoint.resume, z, engine=engine)[1]
        inside = checkpoint.vjp(lambda x, at=cut: checkpoint.interrupt(f, x, at), x, zbar, engine=engine)
        assert inside[1] == xbar


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_that_is_passed_on(engine: str) -> None:
    """The program that interrupts f knows it as a value only."""
    f = functools.partial(several, b=1.1)
    xbar = checkpoint.grad(f, engine=engine)(1.5)
    for cut in every(checkpoint.primops(f, 1.5, engine=engine)):
        z = checkpoint.interrupt(f, 1.5, cut, engine=engine)
        zbar = checkpoint.vjp(checkpoint.resume, z, engine=engine)[1]
        assert checkpoint.vjp(lambda x, at=cut: cut_by(f, x, at), 1.5, zbar, engine=engine)[1] == xbar


def long(x: float) -> float:
    total = 0.0
    for i in range(5):
        total = total + x * x * i
    return total


@pytest.mark.parametrize("engine", ENGINES)
def test_capsules_of_capsules(engine: str) -> None:
    """A rest that is interrupted is the capsule of f at the sum of the steps, inside as well."""
    gradient, steps = checkpoint.grad(long, engine=engine)(1.5), checkpoint.primops(long, 1.5, engine=engine)
    first = steps // 3
    z = checkpoint.interrupt(long, 1.5, first, engine=engine)

    def left(z: Any) -> int:
        return checkpoint.primops(checkpoint.resume, z)

    assert run_of(left, (z,), {}, engine).value() == steps - first
    for second in (0, 1, 7, steps - first):
        later = checkpoint.interrupt(checkpoint.resume, z, second, engine=engine)
        assert later.steps == first + second
        at_once = checkpoint.interrupt(long, 1.5, first + second, engine=engine)
        for rest in (later, at_once):
            zbar = checkpoint.vjp(checkpoint.resume, rest, 1.0, engine=engine)[1]

            def again(z: Any, second: int = second) -> Any:
                return checkpoint.interrupt(checkpoint.resume, z, second)

            def whole(x: float, second: int = second) -> Any:
                return checkpoint.interrupt(checkpoint.resume, checkpoint.interrupt(long, x, first), second)

            between = checkpoint.vjp(again, z, zbar, engine=engine)[1]
            cut = checkpoint.vjp(lambda x: checkpoint.interrupt(long, x, first), 1.5, between, engine=engine)
            assert cut[1] == gradient
            assert checkpoint.vjp(whole, 1.5, zbar, engine=engine)[1] == gradient


RATE = 0.5


def rated(x: float) -> float:
    return x * x * RATE


def of_rated(x: float) -> Any:
    return x * checkpoint.resume(checkpoint.interrupt(rated, x, 3))


@pytest.mark.parametrize("engine", ENGINES)
def test_hidden_inputs_are_read_once(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden inputs of an interrupted function are read at the call, not when the run reaches their use."""
    want = of_rated(1.5)
    z = checkpoint.interrupt(of_rated, 1.5, 2, engine=engine)
    monkeypatch.setitem(globals(), "RATE", 7.0)
    assert checkpoint.resume(z) == want
    assert checkpoint.resume(checkpoint.interrupt(of_rated, 1.5, 2, engine=engine)) == of_rated(1.5) != want
