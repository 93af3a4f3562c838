"""Functions that a run has returned: called, run and differentiated by themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.errors import RunError, SourceError
from tests.python.agreement import outcome
from tests.python.texts import run
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines()]


def maker(a: float) -> Any:
    def inner(x: Any, y: Any = 2.0) -> Any:
        total = x * 0.0
        for _ in range(5):
            total = total + a * x * x * y
        return total

    return {"inner": inner, "sine": lambda x: a * math.sin(x), "norm": lambda v: np.sum(v * v) * a}


def made(engine: str) -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = run(maker, 3.0, engine=engine)
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_are_those_of_the_function_itself(engine: str) -> None:
    own, found = maker(3.0), made(engine)
    assert found["sine"](0.7) == own["sine"](0.7)
    assert checkpoint.grad(found["sine"])(0.7) == checkpoint.grad(own["sine"])(0.7)
    assert checkpoint.vjp(found["inner"], 0.7, 2.0) == checkpoint.vjp(own["inner"], 0.7, 2.0)
    assert checkpoint.jvp(found["inner"], 0.7, 2.0) == checkpoint.jvp(own["inner"], 0.7, 2.0)
    both = checkpoint.value_and_grad(found["inner"], argnums=(0, 1))(0.7, 1.5)
    assert both == checkpoint.value_and_grad(own["inner"], argnums=(0, 1))(0.7, 1.5)
    assert checkpoint.hessian(found["inner"])(0.7) == checkpoint.hessian(own["inner"])(0.7)
    assert checkpoint.grad(found["inner"], schedule="bisection")(0.7) == checkpoint.grad(own["inner"])(0.7)
    vector = np.array([0.5, 1.5])
    np.testing.assert_array_equal(checkpoint.grad(found["norm"])(vector), 6.0 * vector)


@pytest.mark.parametrize("engine", ENGINES)
def test_runs_may_be_counted_and_cut(engine: str) -> None:
    inner = made(engine)["inner"]
    steps = checkpoint.primops(inner, 0.7)
    rest = checkpoint.interrupt(inner, 0.7, steps // 2)
    assert checkpoint.resume(rest) == inner(0.7) == maker(3.0)["inner"](0.7)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_cannot_be_done_says_what_to_write(engine: str) -> None:
    inner = made(engine)["inner"]
    advised = (
        r"a function that a run returned, in another program, cannot be differentiated: differentiate it"
    )
    with pytest.raises(SourceError, match=advised):
        checkpoint.grad(lambda x: inner(x) * 2.0)(0.7)
    with pytest.raises(SourceError, match=advised):
        checkpoint.grad(lambda f, x: f(x) * 2.0, argnums=1)(inner, 0.7)
    other = next(name for name in ("interp", "hybrid") if name != engine)
    with pytest.raises(RunError, match=f"belongs to a run on engine {engine}, and runs there"):
        checkpoint.grad(inner, engine=other)(0.7)
    with pytest.raises(RunError, match="was returned by a run: pass its arguments by position"):
        checkpoint.grad(inner)(0.7, y=1.0)
    assert "pass its arguments by position" in str(outcome(lambda: inner(0.7, y=1.0)).error)
