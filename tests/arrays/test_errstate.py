"""NumPy's settings of errors: they hold for a whole run, are left as they were, and belong to capsules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import Bisection, engines, grad, interrupt, primitive, resume, vjp

ENGINES = pytest.mark.parametrize("engine", engines.usable())
X = np.array([0.5, 0.0, 2.0])


def inverses(x: Any) -> Any:
    for _ in range(4):
        x = x + 1.0
    return np.sum(1.0 / x)


def vanishing(x: Any) -> Any:
    return np.sum(1.0 / (x * 1.0))


@ENGINES
def test_errors_are_raised_where_the_caller_asks_for_that(engine: str) -> None:
    with np.errstate(all="raise"):
        assert grad(inverses, engine=engine, schedule=Bisection(1))(X).shape == (3,)
        with pytest.raises(FloatingPointError, match="divide by zero"):
            grad(vanishing, engine=engine)(X)


@ENGINES
def test_they_belong_to_capsules_where_they_change_what_happens(engine: str) -> None:
    capsule = interrupt(inverses, X, 20, engine=engine)
    _, cotangent = vjp(resume, capsule, 1.0, engine=engine)
    with np.errstate(all="ignore"):
        vjp(lambda x: interrupt(inverses, x, 20), X, cotangent, engine=engine)
    with np.errstate(divide="raise"), pytest.raises(checkpoint.RunError, match="NumPy's divide='raise'"):
        vjp(lambda x: interrupt(inverses, x, 20), X, cotangent, engine=engine)


@ENGINES
def test_a_step_leaves_them(engine: str) -> None:
    def silences(x: Any) -> Any:
        np.seterr(all="ignore")
        return x * 2.0

    def rule(ybar: Any, y: Any, x: Any) -> tuple[Any]:
        np.seterr(all="ignore")
        return (ybar * 2.0,)

    step = primitive(silences, vjp=rule)
    before = np.geterr()
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        grad(lambda x: np.sum(1.0 / step(x)), engine=engine)(X)
    assert grad(lambda x: np.sum(step(x) ** 2), engine=engine)(X)[2] == 16.0
    assert np.geterr() == before
