"""The benchmarks as Python functions, by any system's gradients: those of `checkpoint`, and of its peers.

In: *gradients*, functions from a function of a list of reals to the function that returns its gradient, a
list. Out: reals. Nothing here belongs to one system, so `x ** 0.5` stands for a root, and `exp` is given.

Sources: Pearlmutter & Siskind, "Using programming language theory to make AD sound and efficient", AD 2008
(particle, saddle); Siskind & Pearlmutter, "Efficient implementation of a higher-order language with built-in
AD", AD 2016 (the others).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Vector = list[Any]
Function = Callable[[Vector], Any]
Gradient = Callable[[Function], Callable[[Vector], Vector]]


def length(v: Vector) -> Any:
    return sum([x * x for x in v]) ** 0.5


def minus(x: Vector, k: Any, y: Vector) -> Vector:
    """Return x - k y."""
    return [a - k * b for a, b in zip(x, y, strict=True)]


def argmin(f: Function, gradient: Gradient, x: Vector) -> Vector:
    """Return where f is least, as the small language's `argmin` finds it from x."""
    slope = gradient(f)
    value, g, eta, moves = f(x), slope(x), 1e-5, 0
    while length(g) > 1e-5:
        if moves == 10:
            eta, moves = 2 * eta, 0
            continue
        there = minus(x, eta, g)
        if length(minus(x, 1.0, there)) <= 1e-5:
            break
        found = f(there)
        if found < value:
            x, value, g, moves = there, found, slope(there), moves + 1
        else:
            eta, moves = eta / 2, 0
    return x


# backprop

WEIGHTS = [0.0, -0.284227, 1.16054, 0.0, 0.617194, 1.30467, 0.0, -0.084395, 0.648461]
CASES = ((0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))


def half_squared_error(w: Vector, exp: Callable[[Any], Any]) -> Any:
    """Return the error on XOR of a network of two hidden units; w: for each unit a bias and two weights."""
    total = 0.0
    for a, b, wanted in CASES:
        u = 1.0 / (exp(-(w[0] + w[1] * a + w[2] * b)) + 1.0)
        v = 1.0 / (exp(-(w[3] + w[4] * a + w[5] * b)) + 1.0)
        missed = 1.0 / (exp(-(w[6] + w[7] * u + w[8] * v)) + 1.0) - wanted
        total = total + 0.5 * (missed * missed)
    return total


def backprop(gradient: Gradient, steps: int, exp: Callable[[Any], Any]) -> Any:
    """Return the error after steps of gradient descent at rate 0.3."""

    def error(w: Vector) -> Any:
        return half_squared_error(w, exp)

    slope, w = gradient(error), WEIGHTS
    for _ in range(steps):
        w = minus(w, 0.3, slope(w))
    return error(w)


# particle


def landing(w: Any, gradient: Gradient) -> Any:
    """Return the square of the abscissa where a particle among charges, one at 10 - w, meets the ground."""
    charges = ((10.0, 10.0 - w), (10.0, 0.0))

    def potential(x: Vector) -> Any:
        total = 0.0
        for a, b in charges:
            total = total + 1.0 / length([x[0] - a, x[1] - b])
        return total

    uphill = gradient(potential)
    x, v = [0.0, 8.0], [0.75, 0.0]
    while True:
        force = uphill(x)
        there = minus(x, -0.1, v)
        if there[1] <= 0.0:
            break
        x, v = there, minus(v, 0.1, force)
    across = x[0] - x[1] / v[1] * v[0]
    return across * across


def particle(outer: Gradient, inner: Gradient) -> Any:
    """Return the w that lets the particle land nearest to 0."""
    return argmin(lambda w: landing(w[0], inner), outer, [0.0])[0]


def particle_step(outer: Gradient, inner: Gradient) -> Any:
    """Return the derivative of `landing` at w = 0: one step of `particle`."""
    return outer(lambda w: landing(w[0], inner))([0.0])[0]


# saddle

START = [1.0, 1.0]


def height(p: Vector, q: Vector) -> Any:
    return p[0] * p[0] + p[1] * p[1] - (q[0] * q[0] + q[1] * q[1])


def highest_point(p: Vector, inner: Gradient) -> Vector:
    return argmin(lambda q: 0.0 - height(p, q), inner, START)


def saddle(outer: Gradient, inner: Gradient) -> Any:
    """Return the coordinate x1 of the saddle point of `height`, which all four equal."""
    return argmin(lambda p: height(p, highest_point(p, inner)), outer, START)[0]


def saddle_step(outer: Gradient, inner: Gradient) -> Any:
    """Return the derivative by x1 of the greatest height over q, at (1, 1): one step of `saddle`."""
    return outer(lambda p: height(p, highest_point(p, inner)))(START)[0]


def ascent(f: Function, gradient: Gradient, x: Vector, steps: int) -> Vector:
    """Return the point after steps of gradient ascent of length 0.1."""
    slope = gradient(f)
    for _ in range(steps):
        x = minus(x, -0.1, slope(x))
    return x
