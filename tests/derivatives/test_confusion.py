"""Perturbation confusion: nested derivatives keep their variables apart, in every mixture of modes.

Sources: Siskind & Pearlmutter 2005 (nesting); Manzyuk et al. 2019, "Perturbation confusion in forward
automatic differentiation of higher-order functions", whose cases are eta-expanded here, because a derivative
that is a function is opaque in this language.
"""

from __future__ import annotations

import math

import pytest

from checkpoint.driver.engine import Engine
from tests.support.check import agree
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.modes import PAIRS, TRIPLES, with_modes

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

# Texts with D1 and D2, and their values; a comment states what confusion would give.
TWO_LEVELS = {
    # 2
    "(D1 (lambda (x) (* x (D2 (lambda (y) (+ x y)) 1))) 1)": 1.0,
    # x * x: 4 if the inner y and the outer x were one
    "(D1 (lambda (x) (* x (D2 (lambda (y) (* x y)) 2))) 3)": 6.0,
    "(D1 (lambda (x) (D2 (lambda (y) (* x (* y y))) x)) 3)": 12.0,
    "(D1 (lambda (x) (D2 (lambda (x) (* x x x)) x)) 2)": 12.0,
    # the inner derivative does not depend on the outer variable
    "(D1 (lambda (x) (D2 (lambda (y) (* y y)) 5)) 3)": 0.0,
    # nor does the inner function depend on its own variable
    "(D1 (lambda (x) (* x x (D2 (lambda (y) x) 5))) 3)": 0.0,
    # the inner derivative is taken at a point that is made of both
    "(D1 (lambda (x) (D2 (lambda (y) (* y y y)) (* x x))) 2)": 96.0,
    # a closure over the outer variable is applied inside the inner derivative
    "(D1 (lambda (x) (let ((g (lambda (y) (* x y y)))) (D2 g (g x)))) 2)": 64.0,
}

# Manzyuk et al.: s shifts a function, and its derivative at 0 is the derivative operator itself.
SHIFT = """
(define ((s u) f) (lambda (x) (f (+ x u))))
(define (d1 f) (lambda (x) (D1 (lambda (u) (((s u) f) x)) 0)))
(define (d2 f) (lambda (x) (D2 (lambda (u) (((s u) f) x)) 0)))
"""

HIGHER_ORDER = {
    # the published bug: 0 instead of the second derivative
    "((d1 (d2 exp)) 1)": math.e,
    "((d1 (d2 sin)) 0.5)": -math.sin(0.5),
    "((d1 (d1 (d2 sin))) 0.5)": -math.cos(0.5),
    "((d2 (lambda (x) (* x ((d1 (lambda (y) (* x y y))) x)))) 2)": 24.0,
    # a function that is made under one derivative is applied under another
    "(D1 (lambda (x) (let ((g (d2 (lambda (y) (* x y y))))) (* x (g x)))) 2)": 24.0,
    # a function that takes a function: (lambda (x) (lambda (g) (* x (g x)))), expanded
    "(D1 (lambda (z) (D2 (lambda (x) (* x ((lambda (y) (* y z)) x))) z)) 3)": 12.0,
    # pairs as procedures
    "(D1 (lambda (x) (let ((p (lambda (k) (k (* x x) (D2 sin x))))) (p (lambda (a b) (* a b))))) 0.5)": (
        math.cos(0.5) - 0.25 * math.sin(0.5)
    ),
    # the primal of a function-valued derivative
    "(D1 (lambda (x) (let ((g (car (j* (lambda (y) (lambda (z) (* x y z))) x 1)))) (D2 g x))) 3)": 6.0,
    # compositions of an operator with itself, chosen by a number
    "(letrec ((times (lambda (n f) (if (zero? n) f (d1 (d2 (times (- n 1) f))))))) ((times 2 exp) 0))": 1.0,
}

# D3 D2 D1 from the inside: 2xyz at z = y; times y; its derivative by y at x, 6x^3; that one's by x.
THREE_LEVELS = "(D1 (lambda (x) (D2 (lambda (y) (* y (D3 (lambda (z) (* x y z z)) y))) x)) 2)"


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
@pytest.mark.parametrize("text", TWO_LEVELS)
def test_two_levels(text: str, modes: tuple[str, str], engine: Engine) -> None:
    assert value_of(with_modes(text, modes), engine) == TWO_LEVELS[text]


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
@pytest.mark.parametrize("text", HIGHER_ORDER)
def test_higher_order_functions(text: str, modes: tuple[str, str], engine: Engine) -> None:
    value = value_of(with_modes(SHIFT + text, modes), engine)
    agree(value, HIGHER_ORDER[text], 1e-14)


@pytest.mark.parametrize("modes", TRIPLES, ids="-".join)
def test_three_levels(modes: tuple[str, str, str], engine: Engine) -> None:
    assert value_of(with_modes(THREE_LEVELS, modes), engine) == 72.0


@pytest.mark.parametrize("modes", TRIPLES, ids="-".join)
def test_three_levels_of_the_shift_operator(modes: tuple[str, str, str], engine: Engine) -> None:
    third = "(define (d3 f) (lambda (x) (D3 (lambda (u) (((s u) f) x)) 0)))"
    value = value_of(with_modes(SHIFT + third + "((d1 (d2 (d3 sin))) 0.5)", modes), engine)
    agree(value, -math.cos(0.5), 1e-14)


# The chain rule of opaque tangents and cotangents: a function-valued derivative is passed on, not called.


def test_opaque_tangents_obey_the_chain_rule(engine: Engine) -> None:
    text = """
    (define (make x) (lambda (y) (* x x y)))
    (let* (((cons g g-tangent) (j* make 3 1)))
      (cdr (j* (lambda (g) (g (g 2))) g g-tangent)))"""
    assert value_of(text, engine) == 4 * 3.0**3 * 2


@pytest.mark.parametrize("mode", ["*j", "checkpoint-*j"])
def test_opaque_cotangents_obey_the_chain_rule(mode: str, engine: Engine) -> None:
    text = f"""
    (define (make x) (lambda (y) (* x x y)))
    (let* (((cons _ g-cotangent) ({mode} (lambda (g) (g (g 2))) (make 3) 1)))
      (cdr ({mode} make 3 g-cotangent)))"""
    assert value_of(text, engine) == 4 * 3.0**3 * 2
