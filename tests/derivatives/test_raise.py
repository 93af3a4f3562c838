"""Derivatives through handle and raise: what is raised carries the derivatives around it, and no others."""

from __future__ import annotations

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection
from checkpoint.functions import runs
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.modes import MODES, PAIRS, with_modes

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

# (op F) runs F at x within one step, or as part of the run; it raises where F raises.
RUNNERS = {
    "j*": "(j* {} x 1)",
    "*j": "(*j {} x 1)",
    "checkpoint-*j": "(checkpoint-*j {} x 1)",
    "primops": "(primops {} x)",
    "interrupt": "(interrupt {} x 50)",
    "resume": "(resume (interrupt {} x 0))",
    "call": "({} x)",
}
RAISES = {
    "a real": ("(raise (* x x))", "e"),
    "data": ("(raise (list 'reason (cons 1 (* x x))))", "(cdr (car (cdr e)))"),
    "a procedure": ("(let ((y (* x x))) (raise (lambda (k) (* k y))))", "(e 1)"),
    "a capsule": ("(let ((y (* x x))) (raise (interrupt (lambda (k) (* k y)) 1 2)))", "(resume e)"),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("what", RAISES)
def test_raised_out_of_a_runner(what: str, runner: str, mode: str, engine: Engine) -> None:
    raising, handling = RAISES[what]
    body = RUNNERS[runner].format(f"(lambda (x) {raising})")
    text = f"(D1 (lambda (x) (handle {body} (e) (* x {handling}))) 3)"
    assert value_of(with_modes(text, (mode,)), engine) == 27.0


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
def test_raised_out_of_two_derivatives(modes: tuple[str, str], engine: Engine) -> None:
    """A raise leaves both derivatives; the handler between them multiplies by the middle variable."""
    text = """
    (define (f x)
      (handle (D1 (lambda (y) (handle (D2 (lambda (z) (raise (* x y z))) y) (e) (raise (* y e)))) x)
              (e)
              (* x e)))
    (cdr (*j f 2 1))"""  # f is x^5
    assert value_of(with_modes(text, modes), engine) == 80.0


@pytest.mark.parametrize("mode", MODES)
def test_a_raised_value_has_left_its_derivative(mode: str, engine: Engine) -> None:
    """Outside, a raised value is an ordinary real, which a later derivative does not confuse."""
    text = with_modes(
        "(let ((e (handle (D1 (lambda (x) (raise (* x x))) 3) (e) e))) (list e (D1 sin e)))", (mode,)
    )
    value = value_of(text, engine)
    assert type(value.car) is float
    assert value.car == 9.0
    assert type(value.cdr.car) is float


@pytest.mark.parametrize("mode", MODES)
def test_the_way_through_a_handler_has_the_derivative(mode: str, engine: Engine) -> None:
    """The path depends on x: the body, a raise, or a failing primitive."""
    text = (
        "(D1 (lambda (x) (handle (if (> x 2) (raise (* x x x)) (* x (sqrt x))) (e) (if (real? e) e x))) AT)"
    )
    assert value_of(with_modes(text.replace("AT", "3"), (mode,)), engine) == 27.0
    assert value_of(with_modes(text.replace("AT", "1"), (mode,)), engine) == 1.5
    assert value_of(with_modes(text.replace("AT", "-1"), (mode,)), engine) == 1.0


@pytest.mark.parametrize("base", [1, 2, 5, 10_000])
def test_recomputation_raises_again(base: int, engine: Engine) -> None:
    """Cuts are between the installation of the handler and the raise, and the raise is in a taped segment."""
    text = """
    (lambda (x)
      (let loop ((i 0) (y x))
        (if (= i 5) y (loop (+ i 1) (handle (if (< y 1) (raise (* y 2)) (raise (cons y x))) (e)
                                            (if (pair? e) (/ (car e) (* 2 (cdr e))) (* e x)))))))"""
    f = value_of(text, engine)
    assert runs.vjp_values(f, 0.75, 1.0, engine, Bisection(base)) == runs.vjp_values(
        f, 0.75, 1.0, engine, Bisection(10_000)
    )
