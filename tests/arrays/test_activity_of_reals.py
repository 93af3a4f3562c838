"""Reals by which nothing is differentiated are constants, too: no rule of arrays is called for them.

The text of a program says of each operand by which arguments it can be made (checkpoint.lang.dependence).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import Bisection, Plain
from tests.arrays.agreement import ENGINES
from tests.arrays.corpus import Example
from tests.arrays.test_activity import check_wanted, counted

pytestmark = pytest.mark.engines_in_turn

W, X = np.linspace(0.1, 0.9, 4), np.linspace(0.2, 0.4, 4)
SHIFT = 0.3


@dataclass
class Settings:
    rate: float
    inner: dict[str, float]


def steps(w: Any, x: Any, rate: float, settings: Any) -> Any:
    """Reals by arithmetic, a loop, a function, a dictionary, the module, and arrays of what they make."""
    for i in range(3):
        scale = (0.5 * rate + settings["decay"]) / (i + 1) - SHIFT
        w = np.tanh(w) * scale
    return scaled(np.sum(w * x), rate)


def scaled(y: Any, rate: float) -> Any:
    return y * rate


def norms(w: Any, x: Any, rate: float, settings: Any) -> Any:
    """A real that is made of an array is constant as that is."""
    size = float(np.sqrt(np.sum(w * w))) + rate
    return np.sum(x / size)


def branches(w: Any, x: Any, rate: float, settings: Any) -> Any:
    """What may be made of a wanted argument is active on both paths."""
    chosen = rate if settings["decay"] > 1.0 else float(x[0])
    return np.sum(x * rate) * np.sum(w * chosen)


def written(w: Any, x: Any, rate: float, settings: Any) -> Any:
    buffer = np.zeros(4)
    buffer[0] = rate
    buffer[1:] = w[1:] * settings["decay"]
    return np.sum(buffer * x)


CASES: dict[Any, tuple[Any, dict[str, int]]] = {
    1: (steps, {"np.multiply": 2, "np.sum": 1}),
    0: (steps, {"np.multiply": 5, "np.sum": 1, "np.tanh": 3}),
    "norms": (norms, {"np.divide": 1, "np.sum": 1}),
    "written": (written, {"np.multiply": 1, "np.sum": 1}),
    "branches": (branches, {"np.float": 1, "np.getitem": 1, "np.multiply": 4, "np.sum": 2}),
}
ARGS = (W, X, 0.7, {"decay": 0.2})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("schedule", [Plain(), Bisection(7), checkpoint.Binomial(snapshots=3)], ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_rule_is_called_for_a_real_that_is_not_wanted(case: Any, schedule: Any, engine: str) -> None:
    f, expected = CASES[case]
    by = case if isinstance(case, int) else 1
    checkpoint.grad(f, by, engine=engine)(*ARGS)
    called = pulled(f, by, engine, schedule)
    assert Counter(called) == expected


def pulled(f: Any, by: Any, engine: str, schedule: Any = None) -> list[str]:
    with counted() as called:
        checkpoint.grad(f, by, engine=engine, schedule=schedule)(*ARGS)
    return called


# Programs in which it must be seen what a real is made of


def mixed_calls(w: Any, x: Any, rate: float, settings: Any) -> Any:
    """One function receives both kinds of reals."""
    return scaled(np.sum(w), rate) * scaled(np.sum(x), float(np.sum(w)))


def captured(w: Any, x: Any, rate: float, settings: Any) -> Any:
    def bent(v: Any) -> Any:
        return np.sin(v * rate) * float(v[0])

    return np.sum(bent(w) * bent(x)) + np.sum(checkpoint.grad(lambda v: np.sum(bent(v)))(w) * x)


def in_lists(w: Any, x: Any, rate: float, settings: Any) -> Any:
    """A list of the program may hold anything that is put into it later."""
    held = [rate, settings["decay"]]
    other = held
    first = other[0]
    held.append(float(np.sum(w)))
    held[0] = held[2] * first
    return np.sum(w * held[0]) + np.sum(x * held[-1]) * sum(held)


def of_pairs(w: Any, x: Any, rate: float, settings: Any) -> Any:
    low, high = (rate, float(x[1]))
    both = min(low, high), max([low, high])
    return np.sum(w * both[0]) + np.sum(x**2 * both[1])


def as_a_value(w: Any, x: Any, rate: float, settings: Any) -> Any:
    functions: list[Any] = [scaled, lambda y, z: y + z]
    total = rate
    for f in functions:
        total = f(np.sum(w * total), float(np.sum(x)))
    return total


def caught(w: Any, x: Any, rate: float, settings: Any) -> Any:
    try:
        if rate > 0.0:
            raise ValueError(float(np.sum(w)))
    except ValueError as error:
        rate = error.args[0]
    return np.sum(x * rate)


def along(w: Any, x: Any, rate: float, settings: Any) -> Any:
    y, tangent = checkpoint.jvp(lambda a: np.sum(w * a), rate, float(np.sum(x)))
    return y * tangent * np.sum(w * rate)


def in_two_parts(w: Any, x: Any, rate: float, settings: Any) -> Any:
    def rest(both: Any) -> Any:
        a, b = both
        for _ in range(3):
            a = np.sin(a) * rate
        return np.sum(a * b)

    return checkpoint.resume(checkpoint.interrupt(rest, (w, x), 9)) * rate


def grown(w: Any, x: Any, rate: float, settings: Any) -> Any:
    """A real that turns active in a later turn of a loop."""
    for _ in range(3):
        w = w * rate
        rate = rate + float(np.sum(x))
    return np.sum(w)


PROGRAMS = [
    *(steps, norms, branches, written, mixed_calls, captured, in_lists, of_pairs, as_a_value),
    *(caught, along, in_two_parts, grown),
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_wanted_cotangents_have_the_same_bits(f: Any) -> None:
    check_wanted(Example(f, ARGS), Random(f.__name__))


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "interp"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_engines_call_the_same_rules(f: Any, engine: str) -> None:
    """On a tape of engine interp reals that are made of constants are constants wherever they go."""
    for by in range(4):
        checkpoint.grad(f, by, engine=engine)(*ARGS)
        assert sorted(pulled(f, by, engine)) == sorted(pulled(f, by, "hybrid"))


# Arguments of other kinds


def of_settings(w: Any, settings: Settings) -> Any:
    return np.sum(w * settings.rate * settings.inner["decay"])


@pytest.mark.parametrize("engine", ENGINES)
def test_reals_in_objects(engine: str) -> None:
    args = W, Settings(0.5, {"decay": 0.25})
    both = checkpoint.grad(of_settings, (0, 1), engine=engine)(*args)
    assert np.array_equal(checkpoint.grad(of_settings, 0, engine=engine)(*args), both[0])
    assert checkpoint.grad(of_settings, 1, engine=engine)(*args) == both[1]
    with counted() as called:
        checkpoint.grad(of_settings, 0, engine=engine)(*args)
    assert Counter(called) == {"np.multiply": 2, "np.sum": 1}


def with_function(w: Any, f: Any, rate: float) -> Any:
    return np.sum(f(w * rate))


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_among_the_arguments(engine: str) -> None:
    """A function or a capsule holds what it was made of, which may be wanted now."""
    f = checkpoint.interrupt(lambda rate: np.sum(W * rate), 0.5, 2, engine=engine)
    wanted = checkpoint.grad(lambda rate, z: checkpoint.resume(z) * rate, 0, engine=engine)(2.0, f)
    assert wanted == np.sum(W * 0.5)
    slope = checkpoint.grad(with_function, 0, engine=engine)(W, np.sin, 0.5)
    assert np.allclose(slope, 0.5 * np.cos(W * 0.5))


@pytest.mark.parametrize("engine", ENGINES)
def test_second_derivatives(engine: str) -> None:
    def f(w: Any, rate: float) -> Any:
        return np.sum(np.sin(w * rate) * rate)

    both = checkpoint.hessian(f, (0, 1), engine=engine)(W, 0.5)
    assert checkpoint.hessian(f, 0, engine=engine)(W, 0.5).tobytes() == both[0][0].tobytes()
    assert checkpoint.hessian(f, 1, engine=engine)(W, 0.5) == both[1][1]
