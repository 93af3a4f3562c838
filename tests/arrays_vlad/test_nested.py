"""Derivatives of derivatives of functions of tensors, in all mixtures of modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.driver.engine import Engine
from checkpoint.functions import runs
from checkpoint.functions.procedures import to_language
from tests.support.corpus import engine_name, usable_engines
from tests.support.modes import PAIRS, TRIPLES

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

A = np.array([[2.0, 0.5, -1.0], [0.25, 1.0, 0.75], [-0.5, 0.125, 1.5]])
X, V = np.array([0.5, -0.25, 1.0]), np.array([1.0, 2.0, -0.5])

# f(x) = |tanh(A x)|^2, and the derivative of g along v by each mode.
DEFINITIONS = """
(define ((f a) x) (let ((y (tanh (matmul a x)))) (dot y y)))
(define (((j*-D v) g) x) (cdr (j* g x v)))
(define (((*j-D v) g) x) (dot v (cdr (*j g x 1))))
(define (((checkpoint-*j-D v) g) x) (dot v (cdr (checkpoint-*j g x 1))))
"""


def along(modes: tuple[str, ...], engine: Engine) -> float:
    """Return the derivative of f at X along V once for each mode, the last one innermost."""
    derived = "(f a)"
    for mode in reversed(modes):
        derived = f"(({mode}-D v) {derived})"
    program = checkpoint.read(f"{DEFINITIONS} (lambda ((list a x v)) ({derived} x))")
    return float(runs.call_values(program.on(engine), to_language([A, X, V], engine), engine))


def second(x: np.ndarray[Any, Any]) -> float:
    """Return V . H V by the formula."""
    y = np.tanh(A @ x)
    slope = 1.0 - y * y
    return float(np.sum((2.0 * slope * slope - 4.0 * y * y * slope) * (A @ V) ** 2))


@pytest.mark.parametrize("modes", PAIRS, ids=" of ".join)
def test_second_derivatives(modes: tuple[str, ...], engine: Engine) -> None:
    assert along(modes, engine) == pytest.approx(second(X), rel=1e-11)


@pytest.mark.parametrize("modes", TRIPLES, ids=" of ".join)
def test_third_derivatives(modes: tuple[str, ...], engine: Engine) -> None:
    """The third derivatives are the slope of the second ones along V."""
    width = 1e-4
    wanted = (second(X + width * V) - second(X - width * V)) / (2 * width)
    assert along(modes, engine) == pytest.approx(wanted, rel=1e-6)
