"""Capsules taken inside one derivative and resumed inside another are right, wherever they are cut."""

from __future__ import annotations

import math

import pytest

from checkpoint.driver.engine import Engine
from tests.support.check import agree
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.modes import MODES, PAIRS, with_modes

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]


def steps_of(procedure: str, x: str, modes: tuple[str, ...], engine: Engine) -> range:
    return range(int(value_of(with_modes(f"(primops {procedure} {x})", modes), engine)) + 1)


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
def test_cut_inside_one_resumed_inside_another(modes: tuple[str, str], engine: Engine) -> None:
    """A run is cut with D1 open; its rest is a factor under D2 and does not depend on v."""
    f = "(lambda (y) (D1 (lambda (w) (* (sin w) w y)) y))"
    value = 1.5 * (math.sin(1.5) + 1.5 * math.cos(1.5))
    for cut in steps_of(f, "1.5", modes, engine):
        text = f"(let ((z (interrupt {f} 1.5 {cut}))) (D2 (lambda (v) (* v v (resume z))) 3))"
        agree(value_of(with_modes(text, modes), engine), 6 * value, 1e-14)


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
def test_cut_and_resumed_under_a_derivative(modes: tuple[str, str], engine: Engine) -> None:
    """The cut is inside D2; the derivative that is cut, D1, is inside the capsule."""
    f = "(lambda (y) (D1 (lambda (w) (* w w w y)) y))"  # 3 y^3
    for cut in steps_of(f, "2", modes, engine):
        text = f"(D2 (lambda (x) (* x (resume (interrupt {f} x {cut})))) 2)"
        assert value_of(with_modes(text, modes), engine) == 12 * 2.0**3


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
def test_a_capsule_leaves_the_derivative_that_made_it(modes: tuple[str, str], engine: Engine) -> None:
    """A capsule is returned out of D1's run, without D1's perturbation, and resumed under D2."""
    mode = modes[0]
    text = f"""
    (define (f y) (* y y y))
    (define (cut x) (interrupt f x 3))
    (let* ((r ({mode} (lambda (x) (list (* x x) (cut x))) 2 ONE)) (z (car (cdr (car r)))))
      (D2 (lambda (v) (* v (resume z) (resume z))) 5))"""
    cotangent = "(list 1 (cdr (*j resume (cut 2) 0)))"
    one = "1" if mode == "j*" else cotangent
    assert value_of(with_modes(text.replace("ONE", one), modes), engine) == 64.0


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
def test_resumed_twice_under_two_derivatives(modes: tuple[str, str], engine: Engine) -> None:
    text = """
    (define (f y) (let ((a (* y y))) (lambda (b) (* a b y))))
    (D1 (lambda (x)
          (let ((z (interrupt f x 5)))
            (* ((resume z) x) (D2 (lambda (v) (* ((resume z) v) ((resume z) (* v v)))) x))))
        1.5)"""  # x^4 times 3 x^8 is 3 x^12
    agree(value_of(with_modes(text, modes), engine), 36 * 1.5**11, 1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_a_cut_changes_no_bit(mode: str, engine: Engine) -> None:
    """The derivative through a cut and its resumption equals the derivative without one, to the bit."""
    f = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 3) (* x y) (loop (+ i 1) (sin (* x y))))))"
    whole = value_of(with_modes(f"(D1 {f} 0.7)", (mode,)), engine)
    for cut in steps_of(f, "0.7", (), engine):
        text = with_modes(f"(D1 (lambda (x) (resume (interrupt {f} x {cut}))) 0.7)", (mode,))
        assert value_of(text, engine) == whole


def test_counting_a_rest_inside_a_derivative(engine: Engine) -> None:
    """The steps of a rest may depend on the derivative that is open in it; they are counted as it runs."""
    text = """
    (define (g x) (if (> (cdr (j* (lambda (w) (* w w)) x 1)) 0) (sin (sin (sin x))) x))
    (let loop ((l 0))
      (if (> l (primops g 3))
          #t
          (and (= (primops g 3) (+ l (primops resume (interrupt g 3 l)))) (loop (+ l 1)))))"""
    assert value_of(text, engine) is True


def test_a_capsule_that_is_raised_keeps_its_tags_apart(engine: Engine) -> None:
    """A capsule leaves an operator by an exception and meets a derivative that starts later."""
    text = """
    (define (f y) (cdr (j* (lambda (w) (* w w y)) y 1)))
    (define (cut x) (interrupt f x 6))
    (let ((z (handle (primops (lambda (x) (raise (cut x))) 3) (z) z)))
      (cdr (j* resume z (cdr (j* cut 3 1)))))"""
    assert value_of(text, engine) == 12.0
