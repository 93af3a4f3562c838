"""Programs that repeat arithmetic on reals and small tuples, for tests of what their units do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Weights = tuple[tuple[tuple[float, float], tuple[float, float]], tuple[float, float]]


def backprop(weights: Weights, turns: int) -> float:
    """Online training of a network of two layers by its gradient, written out."""
    ((a, b), (c, d)), (p, q) = weights
    for i in range(turns):
        x = (i % 2) * 1.0
        y = (i // 2 % 2) * 1.0
        wanted = x + y - 2.0 * x * y
        u, v = math.tanh(a * x + b * y), math.tanh(c * x + d * y)
        error = p * u + q * v - wanted
        from_u, from_v = error * p * (1.0 - u * u), error * q * (1.0 - v * v)
        p, q = p - 0.1 * error * u, q - 0.1 * error * v
        a, b = a - 0.1 * from_u * x, b - 0.1 * from_u * y
        c, d = c - 0.1 * from_v * x, d - 0.1 * from_v * y
    return a + b + c + d + p + q


def flight(w: float, turns: int) -> float:
    """A particle among charges, its force written out, by Euler's method; what moves is in tuples."""
    at: tuple[float, float] = (0.0, 8.0)
    speed: tuple[float, float] = (0.75, 0.0)
    for _ in range(turns):
        force: tuple[float, float] = (0.0, 0.0)
        for charge in ((10.0, 10.0 - w), (10.0, 0.0)):
            dx, dy = at[0] - charge[0], at[1] - charge[1]
            cubed = math.sqrt(dx * dx + dy * dy) ** 3
            force = (force[0] + dx / cubed, force[1] + dy / cubed)
        at = (at[0] + 0.001 * speed[0], at[1] + 0.001 * speed[1])
        speed = (speed[0] + 0.001 * force[0], speed[1] + 0.001 * force[1])
    return at[0] * at[1]


def saddle(x: float, turns: int) -> float:
    """The least over p of the greatest over q of p * p - q * q + p * q, by steps of both gradients."""
    p, q = x, 0.5
    for _ in range(turns):
        p, q = p - 0.1 * (2.0 * p + q), q + 0.1 * (p - 2.0 * q)
    return p + q


class Particle:
    """A body in the plane, at x, y."""

    def __init__(self, x: float, y: float) -> None:
        self.x = x
        self.y = y
        self.vx = 0.0
        self.vy = 0.0

    def attract(self, other: Particle) -> None:
        dx = other.x - self.x
        dy = other.y - self.y
        square = dx * dx + dy * dy + 0.05
        pull = 0.001 / (square * math.sqrt(square))
        self.vx += pull * dx
        self.vy += pull * dy

    def move(self) -> None:
        self.x += 0.001 * self.vx
        self.y += 0.001 * self.vy


def bodies(x: float, turns: int) -> float:
    """Objects that attract one another; their methods assign to their attributes."""
    particles = [Particle(x, 0.0), Particle(0.0, x), Particle(-x, -x)]
    for _ in range(turns):
        for body in particles:
            for other in particles:
                if other is not body:
                    body.attract(other)
        for body in particles:
            body.move()
    return particles[0].x * particles[1].y


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (backprop, ((((0.1, 0.4), (-0.3, 0.2)), (0.7, -0.6)), 2000)),
    (flight, (0.2, 2000)),
    (saddle, (1.0, 2000)),
    (bodies, (1.0, 500)),
]
