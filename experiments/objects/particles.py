"""N bodies that attract one another: as objects of a class, and as lists of floats."""

from __future__ import annotations

import math

Body = tuple[float, float, float, float, float]  # x, y, vx, vy, mass

SOFTENING = 0.05


class Particle:
    """A body in the plane.

    x, y: its position. vx, vy: its velocity. mass: its mass.
    """

    def __init__(self, x: float, y: float, vx: float, vy: float, mass: float) -> None:
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy
        self.mass = mass

    def attract(self, other: Particle, dt: float) -> None:
        """Change the velocity by the attraction of another body."""
        dx = other.x - self.x
        dy = other.y - self.y
        square = dx * dx + dy * dy + SOFTENING
        pull = dt * other.mass / (square * math.sqrt(square))
        self.vx += pull * dx
        self.vy += pull * dy

    def move(self, dt: float) -> None:
        """Move by the velocity."""
        self.x += dt * self.vx
        self.y += dt * self.vy

    def energy(self) -> float:
        """Return the kinetic energy."""
        return 0.5 * self.mass * (self.vx * self.vx + self.vy * self.vy)


def of_objects(bodies: list[Body], steps: int, dt: float) -> float:
    """Return the kinetic energy after some steps; the bodies are objects with methods."""
    particles = [Particle(x, y, vx, vy, mass) for x, y, vx, vy, mass in bodies]
    for _ in range(steps):
        for body in particles:
            for other in particles:
                if other is not body:
                    body.attract(other, dt)
        for body in particles:
            body.move(dt)
    total = 0.0
    for body in particles:
        total += body.energy()
    return total


def of_lists(bodies: list[Body], steps: int, dt: float) -> float:
    """Return the same number; positions, velocities and masses are lists."""
    xs = [body[0] for body in bodies]
    ys = [body[1] for body in bodies]
    vxs = [body[2] for body in bodies]
    vys = [body[3] for body in bodies]
    masses = [body[4] for body in bodies]
    count = len(bodies)
    for _ in range(steps):
        for i in range(count):
            for j in range(count):
                if i != j:
                    dx = xs[j] - xs[i]
                    dy = ys[j] - ys[i]
                    square = dx * dx + dy * dy + SOFTENING
                    pull = dt * masses[j] / (square * math.sqrt(square))
                    vxs[i] += pull * dx
                    vys[i] += pull * dy
        for i in range(count):
            xs[i] += dt * vxs[i]
            ys[i] += dt * vys[i]
    total = 0.0
    for i in range(count):
        total += 0.5 * masses[i] * (vxs[i] * vxs[i] + vys[i] * vys[i])
    return total


def bodies_of(count: int) -> list[Body]:
    """Return bodies on a circle, with different masses."""
    found = []
    for i in range(count):
        angle = 2.0 * math.pi * i / count
        found.append((math.cos(angle), math.sin(angle), -math.sin(angle), math.cos(angle), 1.0 + 0.1 * i))
    return found
