"""Arguments by which nothing is differentiated are constants: nothing is taped or pulled for them.

The cotangents of the others have the bits that they have where all are wanted, on every engine, by every
schedule. Rules are called equally often everywhere, and none is called for what nobody wants.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import checkpoint
from checkpoint import Bisection
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from checkpoint.ctarget.plans import StepPlan
from checkpoint.driver.schedule import Plain
from checkpoint.functions.interface import Call, holds_real
from checkpoint.functions.python_functions import PythonFunction
from tests.arrays.agreement import ENGINES, call_on, natively, quietly, weights
from tests.arrays.corpus import Example, examples
from tests.arrays.generator import Program, programs
from tests.arrays.test_random import REPEATABLE
from tests.python.agreement import outcome
from tests.support.cuts import CutAt
from tests.support.same import difference

pytestmark = pytest.mark.engines_in_turn

EXAMPLES = {
    name: example
    for name, example in examples().items()
    if example.raises is None and example.differentiable and len(example.args) > 1
}
SCHEDULES = [Plain(), Bisection(7), checkpoint.Binomial(snapshots=3)]


@contextmanager
def counted() -> Iterator[list[str]]:
    """Return a context with a list of the names of the records of which a vjp rule is called in it.

    Engine c calls the rules there also of records that it reverses itself.
    """
    called: list[str] = []
    before = {}
    plans = [(plan, plan.operator) for plan in gc.get_objects() if isinstance(plan, StepPlan)]

    def counting(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            called.append(name)
            return rule(*given, **named)

        return call

    for name, record in records().items():
        if isinstance(record, Tensor):
            before[name] = record.vjps, record.operator
            rules = tuple([rule and counting(name, rule) for rule in record.vjps])
            object.__setattr__(record, "vjps", rules)
            object.__setattr__(record, "operator", "")
    for plan, _ in plans:
        plan.operator = 0
    try:
        yield called
    finally:
        for plan, number in plans:
            plan.operator = number
        for name, (rules, operator) in before.items():
            object.__setattr__(records()[name], "vjps", rules)
            object.__setattr__(records()[name], "operator", operator)


def call_of(example: Example, engine: str) -> Call:
    return PythonFunction(example.function).call(example.args, {}, engine)


def cotangents(example: Example, engine: str, schedule: Any, wanted: list[int] | None) -> tuple[Any, Any]:
    """Return the value and the cotangents of all arguments; those that are not wanted stand for nothing."""
    call = call_of(example, engine)
    if wanted is not None:
        call.differentiate_by(wanted)
    with quietly():
        y, xbar = call.run.vjp(weights, schedule)
    return y, call.unpacked(xbar)


def check_wanted(example: Example, random: Random) -> None:
    """Check that each argument's cotangent is the same with and without those of the others."""
    with quietly():
        steps = call_on(example, ENGINES[0]).steps()
    y, expected = cotangents(example, ENGINES[0], Plain(), None)
    places = [i for i, part in enumerate(call_of(example, ENGINES[0]).parts) if holds_real(part)]
    schedules: list[Any] = [Plain(), Bisection(max(1, steps // 5))]
    if steps > 1:
        schedules.append(CutAt(random.randrange(1, steps)))
    for engine in ENGINES:
        for schedule in schedules:
            for i in places:
                again, found = cotangents(example, engine, schedule, [i])
                where = f"{engine}, {schedule}, argument {i}"
                assert difference(again, y) is None, where
                assert difference(found[i], expected[i]) is None, where


@pytest.mark.parametrize("name", EXAMPLES)
def test_wanted_cotangents_have_the_same_bits(name: str) -> None:
    check_wanted(EXAMPLES[name], Random(name))


@REPEATABLE
@given(programs())
def test_of_random_programs_too(program: Program) -> None:
    example = Example(program.function(), program.args)
    if natively(example).error is not None or not _runs(example):
        return
    check_wanted(example, Random(program.text))


def _runs(example: Example) -> bool:
    with quietly():
        return outcome(call_on(example, ENGINES[0]).value).error is None


# What is called and taped


def layers(w: Any, x: Any) -> Any:
    for _ in range(40):
        w = np.tanh(w)
    return np.sum(w * x)


def mixed(w: Any, x: Any) -> Any:
    """Constants of several forms: literals, buffers, writes, lists, reductions, views."""
    rows = [w[i] * 2.0 + 1.0 for i in range(len(w))]
    buffer = np.zeros_like(w)
    for i in range(len(rows)):
        buffer[i] = rows[i] / np.sqrt(np.sum(rows[i] ** 2))
    stacked = np.concatenate([buffer, np.stack(rows)])
    return np.sum(np.exp(stacked.T[:, ::2]) @ x)


def branching(w: Any, x: Any) -> Any:
    for i in range(5):
        w = w + x if i == 3 else np.sin(w)
    return np.sum(w)


def rules_of(f: Any, args: tuple[Any, ...], argnums: Any, engine: str, schedule: Any) -> list[str]:
    checkpoint.grad(f, argnums, engine=engine)(*args)  # the records are registered
    with counted() as called:
        checkpoint.grad(f, argnums, engine=engine, schedule=schedule)(*args)
    return sorted(called)


ARRAYS = (np.linspace(0.1, 0.9, 4), np.linspace(0.2, 0.4, 4))
CASES: dict[str, tuple[Any, tuple[Any, ...], list[str]]] = {
    "layers": (layers, ARRAYS, ["np.multiply", "np.sum"]),
    "mixed": (mixed, (np.ones((4, 3)), np.ones(4)), ["np.matmul", "np.sum"]),
    "branching": (branching, ARRAYS, ["np.add", "np.sin", "np.sum"]),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_no_rule_is_called_for_what_is_not_wanted(name: str, schedule: Any, engine: str) -> None:
    f, args, expected = CASES[name]
    assert rules_of(f, args, 1, engine, schedule) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_second_derivatives_by_one_argument(engine: str) -> None:
    """No slope of what is constant is pulled; the bits are those where all second derivatives are wanted."""

    def f(w: Any, x: Any) -> Any:
        for _ in range(20):
            w = np.exp(-w)
        return np.sum(np.sin(x * x) * w)

    by_both = checkpoint.hessian(f, (0, 1), engine=engine)(*ARRAYS)
    with counted() as called:
        found = checkpoint.hessian(f, 1, engine=engine)(*ARRAYS)
    assert found.tobytes() == by_both[1][1].tobytes()
    assert "np.exp" not in called
    assert called.count("np.sin") == called.count("np.cos") == 4


def tape_bytes(f: Any, args: tuple[Any, ...], engine: str, wanted: list[int]) -> int:
    """Return the exact bytes of the tape of the whole run."""
    call = call_of(Example(f, args), engine)
    call.differentiate_by(wanted)
    run = call.run
    start = run.engine.start(0, run.u, run.tags)
    return int(run.engine.tape(start, None, run.effects).bytes)


@pytest.mark.parametrize("engine", ENGINES)
def test_constants_are_not_taped(engine: str) -> None:
    args = np.ones(1000), np.ones(1000)
    tape_bytes(layers, args, engine, [0, 1])  # all is translated and compiled
    whole, part = (tape_bytes(layers, args, engine, wanted) for wanted in ([0, 1], [1]))
    assert whole - part > 39 * args[0].nbytes
    assert part < 5 * args[0].nbytes


# Programs that hold constants in their own ways


def inner_of_one(w: Any, x: Any) -> Any:
    """What the inner gradient does not want is wanted outside."""
    slope = checkpoint.grad(lambda a, b: np.sum(np.tanh(a * b) * a), argnums=1)(w, x)
    return np.sum(slope * np.sin(w))


def inner_of_captured(w: Any, x: Any) -> Any:
    doubled = np.exp(w)
    y, slope = checkpoint.value_and_grad(lambda a: np.sum(np.tanh(a * doubled)))(x * w)
    return y + np.sum(slope * w)


def along(w: Any, x: Any) -> Any:
    y, tangent = checkpoint.jvp(lambda a: np.tanh(a * w), x, w)
    return np.sum(y * tangent)


def in_two_parts(w: Any, x: Any) -> Any:
    def rest(both: Any) -> Any:
        a, b = both
        for _ in range(3):
            a = np.sin(a)
        return np.sum(a * b)

    return checkpoint.resume(checkpoint.interrupt(rest, (w, x), 9))


class Weights:
    def __init__(self, rows: Any) -> None:
        self.rows = rows


def of_objects(w: Any, x: Any) -> Any:
    made = Weights([w, x])
    held = {"w": made.rows[0] * 2.0, "x": made.rows[1]}
    made.rows.append(held["w"] * held["x"])
    made.rows[0] = made.rows[2] - np.cos(made.rows[0])
    return np.sum(made.rows[0] * np.sin(w))


def written(w: Any, x: Any) -> Any:
    copy = w.copy()
    copy[1] = np.sum(x)
    other = np.tanh(copy)
    other[:2] = w[:2]
    copy[2:] = 1.0
    return np.sum(copy * other + np.sin(w))


def of_reals(w: Any, x: Any) -> Any:
    size = float(np.sum(w * w))
    return np.sum(x / size) * size


def of_failure(w: Any, x: Any) -> Any:
    try:
        return np.sum(np.linalg.solve(np.zeros((4, 4)), w) * x)
    except np.linalg.LinAlgError:
        return np.sum(w * x)


PROGRAMS = [inner_of_one, inner_of_captured, along, in_two_parts, of_objects, written, of_reals, of_failure]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_that_hold_constants(f: Any) -> None:
    check_wanted(Example(f, ARRAYS), Random(f.__name__))


@pytest.mark.parametrize("engine", ENGINES)
def test_one_array_may_be_wanted_as_one_argument_and_not_as_another(engine: str) -> None:
    x = np.array([1.0, 2.0])
    gradient = checkpoint.grad(lambda a, b: np.sum(a * np.exp(b)), argnums=0, engine=engine)
    assert np.array_equal(gradient(x, x), np.exp(x))
    assert np.array_equal(gradient(x, b=x), np.exp(x))
    assert np.array_equal(gradient(x, x[::-1][::-1]), np.exp(x))


def changed(w: Any, x: Any) -> Any:
    w[0][1] = 3.0 * np.sum(w[0])
    x["x"] *= w[0]
    return np.sum(x["x"] * w[0])


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_function_may_change(engine: str) -> None:
    args = [np.array([1.0, 2.0])], {"x": np.array([3.0, 4.0])}
    both, _ = checkpoint.grad(changed, (0, 1), has_state=True, engine=engine)(*args)
    for i in (0, 1):
        one, state = checkpoint.grad(changed, i, has_state=True, engine=engine)(*args)
        assert str(one) == str(both[i])
        assert state.args[0][0][1] == 9.0


# Derivatives within a program


def inner_layers(w: Any, x: Any) -> Any:
    return np.sum(checkpoint.grad(layers, argnums=1)(w, x))


def inner_second(w: Any, x: Any) -> Any:
    value, (of_x,) = checkpoint.value_and_grad(lambda *both: layers(*both) ** 2, argnums=(-1,))(w, x)
    return value * np.sum(of_x)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_inner_derivative_does_not_want_is_not_pulled(engine: str) -> None:
    checkpoint.vjp(lambda z: z * inner_layers(*ARRAYS), 2.0, engine=engine)
    with counted() as called:
        checkpoint.grad(layers, engine=engine)(*ARRAYS)
    assert "np.tanh" in called  # where it is wanted
    with counted() as called:
        checkpoint.jvp(lambda w: inner_layers(w, ARRAYS[1]), ARRAYS[0], ARRAYS[0], engine=engine)
    assert "np.tanh" not in called
    with counted() as called:
        checkpoint.vjp(lambda z: z * inner_layers(*ARRAYS), 2.0, engine=engine)
    assert "np.tanh" not in called


@pytest.mark.parametrize("f", [inner_layers, inner_second], ids=lambda f: f.__name__)
def test_it_stays_wanted_outside(f: Any) -> None:
    check_wanted(Example(f, ARRAYS), Random(f.__name__))
    w, x = ARRAYS
    along = np.cos(w)
    slope = checkpoint.grad(f)(w, x)
    difference_quotient = (f_of(f, w + 1e-6 * along, x) - f_of(f, w - 1e-6 * along, x)) / 2e-6
    assert np.isclose(np.sum(slope * along), difference_quotient, rtol=1e-7)
    assert np.any(slope)


def f_of(f: Any, *args: Any) -> Any:
    return checkpoint.value_and_grad(f)(*args)[0]
