"""Functions of two numbers that take gradients of functions of their own in loops, long enough to be
translated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from checkpoint import grad, value_and_grad, vjp

TURNS = 120


def descent(x: float, y: float) -> float:
    """A function without captures."""

    def g(z: float) -> float:
        return z * z * 0.5 + z

    for _ in range(TURNS):
        x = x - 0.01 * grad(g)(x)
    return x + y


def captured(x: float, y: float) -> float:
    """A variable that the loop changes and the function reads, and one that calls another one twice."""

    def h(z: float) -> float:
        return z * y

    def g(z: float) -> float:
        return h(z) * h(z * 0.5) + math.sin(z)

    for _ in range(TURNS):
        x = x - 0.01 * grad(g)(x)
        y = y * 0.999
    return x + y


def several(x: float, y: float) -> float:
    """Two arguments, and the value."""

    def g(z: float, w: float) -> float:
        return z * z * w + math.exp(z * 0.1) * w

    for _ in range(TURNS):
        value, slope = value_and_grad(g, 1)(x, y)
        x = x - 0.01 * slope + 0.001 * value
    return x + y


def branches(x: float, y: float) -> float:
    """A path for each side, and a join behind them."""

    def g(z: float) -> float:
        if z > 0.2:
            z = z * z
        return z * y + abs(z)

    for i in range(TURNS):
        x = x - 0.01 * grad(g)(x) if i % 3 else -x * 0.9
    return x + y


def pulled(x: float, y: float) -> float:
    """A cotangent that is given."""

    def g(z: float) -> float:
        return z * z * z * 0.3 + math.sin(z)

    for _ in range(TURNS):
        x = x - 0.01 * vjp(g, x, y)[1]
        y = y * 0.99 + 0.001 * vjp(g, x)[0]
    return x + y


def made_before(x: float, y: float) -> float:
    """The gradient is a function that is a value."""

    def g(z: float) -> float:
        return math.sqrt(z * z) + y * 0.5 / (z - 0.25)

    slope = grad(g)
    for _ in range(TURNS):
        x = x - 0.02 * slope(x)
        y = y * 0.999
    return x + y


PROGRAMS: list[Callable[[float, float], Any]] = [
    descent,
    captured,
    several,
    branches,
    pulled,
    made_before,
]

# Programs of the language: the pair (x . y) to a real; BODY goes on with (loop (+ i 1) x y).
_LOOP = "(lambda ((cons x y)) (let loop ((i 0) (x x) (y y)) (if (< i 150) {} (+ x y))))"
TEXTS = {
    name: _LOOP.format(body)
    for name, body in {
        "pair": "(let ((r (*j (lambda ((cons z w)) (+ (* (* z w) y) (exp (* z w)))) (cons x y) 1))) "
        "(loop (+ i 1) (- x (* 0.01 (car (cdr r)))) (- y (* 0.01 (+ (car r) (cdr (cdr r)))))))",
        "results": "(let ((r (*j (lambda (z) (cons (* z z) (sin (* z y)))) x (cons y 0.5)))) "
        "(loop (+ i 1) (- x (* 0.01 (cdr r))) (+ y (* 0.001 (car (car r))))))",
        "twice": "(loop (+ i 1) (- x (* 0.01 (cdr (*j (lambda (z) (cdr (*j (lambda (w) (* (* w w) (* w z))) "
        "z 1))) x 1)))) (* y 0.999))",
        "singular": "(loop (+ i 1) (- x (* 0.01 (cdr (checkpoint-*j (lambda (z) (+ (sqrt (* z z)) (max (* y "
        "z) (abs z)))) (if (< i 110) x 0) y)))) (* y 0.999))",
        "helper": "(let ((h (lambda (w) (* w (expt (+ 1 (* w w)) y))))) (loop (+ i 1) (- x (* 0.01 (cdr (*j "
        "(lambda (z) (+ (h z) (h (* z 0.5)))) x 1)))) (* y 0.999)))",
    }.items()
}
