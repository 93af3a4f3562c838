"""Hessian-vector products in all modes, and second derivatives of loops and recursions."""

from __future__ import annotations

import math
from itertools import product

import pytest

from checkpoint.ad.values import list_value
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.functions import runs
from tests.support.check import agree
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.modes import MODES, PAIRS, with_modes
from tests.support.same import difference

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

F = "(define (f (list a b)) (* (sin (* a b)) (exp a)))"
REVERSE = ("*j", "checkpoint-*j")


def hessian_vector(a: float, b: float, v: float, w: float) -> list[float]:
    """Return the product by hand, for f = sin(ab) exp(a)."""
    s, c, e = math.sin(a * b), math.cos(a * b), math.exp(a)
    aa = e * (-b * b * s + 2 * b * c + s)
    ab = e * (-a * b * s + c + a * c)
    bb = -a * a * s * e
    return [aa * v + ab * w, ab * v + bb * w]


WAYS = {
    **{f"j* of {r}": f"(cdr (j* (lambda (x) (cdr ({r} f x 1))) x v))" for r in REVERSE},
    **{f"{r} of j*": f"(cdr ({r} (lambda (x) (cdr (j* f x v))) x 1))" for r in REVERSE},
    **{
        f"{r} of {s}": f"(cdr ({r} (lambda (x) (dot v (cdr ({s} f x 1)))) x 1))"
        for r, s in product(REVERSE, repeat=2)
    },
    **{
        f"{r} by its cotangent": f"(cdr ({r} (lambda (x) (cdr ({s} f x 1))) x v))"
        for r, s in zip(REVERSE, reversed(REVERSE), strict=True)
    },
    "j* of j*": """
        (map (lambda (e) (cdr (j* (lambda (x) (cdr (j* f x e))) x v))) '((1 0) (0 1)))""",
}


@pytest.mark.parametrize("way", WAYS)
def test_hessian_vector_products(way: str, engine: Engine) -> None:
    result = value_of(f"{F} (let ((x '(0.5 1.5)) (v '(1 -2))) {WAYS[way]})", engine)
    for got, wanted in zip((result.car, result.cdr.car), hessian_vector(0.5, 1.5, 1.0, -2.0), strict=True):
        agree(got, wanted, 1e-13)


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
def test_second_derivatives_of_a_loop(modes: tuple[str, str], engine: Engine) -> None:
    """Iterating y(2 - xy) converges to 1/x quadratically; two iterations are a polynomial."""
    loop = "(lambda (x) (let loop ((i 0) (y 0.5)) (if (= i 2) y (loop (+ i 1) (* y (- 2 (* x y)))))))"
    # y2 = a - x b with y1 = 1 - x/4: 2 y1 - x y1^2 = 2 - 3x/2 + x^2/2 - x^3/16
    value = value_of(with_modes(f"(D1 (lambda (x) (D2 {loop} x)) 2)", modes), engine)
    assert value == 1 - 6 * 2 / 16


@pytest.mark.parametrize("modes", PAIRS, ids="-".join)
def test_second_derivatives_of_a_recursion(modes: tuple[str, str], engine: Engine) -> None:
    power = "(lambda (x) (letrec ((power (lambda (n) (if (zero? n) 1 (* x (power (- n 1))))))) (power 5)))"
    assert value_of(with_modes(f"(D1 (lambda (x) (D2 {power} x)) 2)", modes), engine) == 160.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("base", [1, 3, 20])
def test_gradients_of_derivatives_have_the_same_bits_by_all_schedules(
    mode: str, base: int, engine: Engine
) -> None:
    f = value_of(
        with_modes(
            "(lambda (x) (D1 (lambda (y) (let ((p (cons x y))) (* (sin (cdr p)) (car p)))) x))", (mode,)
        ),
        engine,
    )
    plain = runs.vjp_values(f, 0.7, 1.0, engine, Plain())
    bisected = runs.vjp_values(f, 0.7, 1.0, engine, Bisection(base))
    assert difference(list_value(plain), list_value(bisected)) is None


@pytest.mark.parametrize("modes", list(product(REVERSE, repeat=2)), ids="-".join)
def test_a_shared_value_has_its_cotangent_once(modes: tuple[str, str], engine: Engine) -> None:
    """The inner value reaches one number by two paths; the outer derivative is by one path or by both."""
    outer, inner = modes
    g = "(lambda (x) (let ((p (cons (* 3 x) 0))) (cons p p)))"
    one = f"(lambda (x) (car (car (car ({inner} {g} x '((1 . 0) . (0 . 0)))))))"
    both = f"(lambda (x) (let ((y (car ({inner} {g} x '((1 . 0) . (0 . 0)))))) (+ (car (car y)) (cadr y))))"
    both = both.replace("(cadr y)", "(car (cdr y))")
    assert value_of(f"(cdr ({outer} {one} 2 1))", engine) == 3.0
    assert value_of(f"(cdr ({outer} {both} 2 1))", engine) == 6.0


@pytest.mark.parametrize("modes", list(product(REVERSE, repeat=2)), ids="-".join)
def test_procedures_that_share_an_environment(modes: tuple[str, str], engine: Engine) -> None:
    outer, inner = modes
    text = f"""
    (define (make x)
      (letrec ((f (lambda (n) (if (zero? n) x (g (- n 1)))))
               (g (lambda (n) (if (zero? n) (* x x) (f (- n 1))))))
        (cons f g)))
    (define (both p) (* ((car p) 0) ((cdr p) 0)))
    (cdr ({outer} (lambda (x) (both (car ({inner} make x (cdr ({inner} both (make x) 1)))))) 2 1))"""
    assert value_of(text, engine) == 12.0
