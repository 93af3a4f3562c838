"""Derivatives of derivatives of functions of tensors, in all mixtures of modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.driver.engine import Engine
from checkpoint.functions import runs
from checkpoint.functions.procedures import to_language
from tests.arrays_vlad.support import value
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


# A list that a function of tensors has made, under an inner derivative, is alive where the outer one cuts.
LISTS = """
(define (wait n y) (if (zero? n) y (wait (- n 1) y)))
(define (of x) (reshape (list->tensor (list (* x x) (* x x x) x 1.5)) (list 2 2)))
(define (by-size x)
  (let ((y (list (size (of x)) (sumall (of x))))) (wait 9 (* (car (cdr y)) (car (cdr y))))))
(define (by-statistics x)
  (let ((y (list (batch-statistics (of x)) (sumall (of x))))) (wait 9 (* (car (cdr y)) (car (cdr y))))))
(define (by-scan x) (sumall (scan (lambda (a b) (+ a (* 0.5 b))) (reshape (of x) (list 4)))))
(define (by-index x)
  (sumall (reduce-by-index (lambda (a b) (+ a (* 0.5 b))) (list->tensor (list x 2))
                           (list->tensor (list 1 0 1 0)) (reshape (of x) (list 4)))))
"""


@pytest.mark.parametrize("name", ["by-size", "by-statistics", "by-scan", "by-index"])
@pytest.mark.parametrize("inner", ["(cdr (j* {} x 1))", "(cdr (*j {} x 1))"])
def test_lists_of_tensors_where_runs_are_cut(
    name: str, inner: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{LISTS}(define (h x) {inner.format(name)}) "
    plain = value(f"{text} (cdr (*j h 0.7 1))", engine)
    assert plain != 0.0
    for base in ("10", "20", "30"):
        monkeypatch.setenv("CHECKPOINT_BASE", base)
        assert value(f"{text} (cdr (checkpoint-*j h 0.7 1))", engine) == plain
