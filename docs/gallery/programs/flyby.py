"""Flyby: launch a probe so that the pull of a moon sends it to a target.

The step of the integration shrinks near the planet and the moon, so no two runs have the same number of
steps; the gradient is that of the steps that were taken. Descent by the gradient with a step that adapts
finds the launch velocity.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import checkpoint

Point = tuple[float, float]
MOON_RADIUS, MOON_MASS = 1.0, 0.04  # the planet has mass 1, at the origin
START: Point = (0.25, 0.0)
TARGET: Point = (-0.9, 1.1)
DURATION = 3.0


def moon(time: float) -> Point:
    """Return where the moon is."""
    angle = 0.9 + time
    return MOON_RADIUS * math.cos(angle), MOON_RADIUS * math.sin(angle)


def pull(x: float, y: float, mass: float) -> tuple[float, float, float]:
    """Return the acceleration towards a mass at (x, y) from here, and the distance."""
    square = x * x + y * y + 1e-4
    distance = math.sqrt(square)
    strength = mass / (square * distance)
    return strength * x, strength * y, distance


def miss(velocity: Point, path: list[Point] | None = None) -> float:
    """Return the squared distance from the target after the flight; `path` collects positions."""
    (x, y), (vx, vy) = START, velocity
    time = 0.0
    while time < DURATION:
        mx, my = moon(time)
        ax, ay, planet = pull(-x, -y, 1.0)
        bx, by, near = pull(mx - x, my - y, MOON_MASS)
        step = min(0.01 * min(planet, near) ** 1.5 + 1e-5, DURATION - time + 1e-12)
        vx, vy = vx + step * (ax + bx), vy + step * (ay + by)
        x, y = x + step * vx, y + step * vy
        time += step
        if path is not None:
            path.append((x, y))
    return (x - TARGET[0]) ** 2 + (y - TARGET[1]) ** 2


@dataclass(frozen=True)
class Flown:
    """velocities: the launch velocities that were accepted. misses: the squared distances from the target."""

    velocities: list[Point]
    misses: list[float]


def solve(velocity: Point = (0.35, 2.6), turns: int = 60) -> Flown:
    """Descend along the gradient; a step that makes the miss larger is halved, one that helps grows."""
    value_and_gradient = checkpoint.value_and_grad(miss)
    value, gradient = value_and_gradient(velocity)
    velocities, misses, rate = [velocity], [value], 0.01
    for _ in range(turns):
        length = math.hypot(*gradient) + 1e-30
        trial = (velocity[0] - rate * gradient[0] / length, velocity[1] - rate * gradient[1] / length)
        trial_value, trial_gradient = value_and_gradient(trial)
        if trial_value >= value:
            rate *= 0.4
            continue
        velocity, value, gradient, rate = trial, trial_value, trial_gradient, rate * 1.3
        velocities.append(velocity)
        misses.append(value)
    return Flown(velocities, misses)


def report(found: Flown) -> str:
    """Return what was found, as text."""
    x, y = found.velocities[-1]
    away = [math.sqrt(found.misses[0]), math.sqrt(found.misses[-1])]
    return f"velocity ({x:.5f}, {y:.5f}); misses by {away[0]:.3g} at first, by {away[1]:.2g} in the end"


def draw(found: Flown, file: str) -> None:
    """Draw the first and the last flight, and some between."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, axes = pyplot.subplots(figsize=(5, 5.4), layout="constrained")
    shown = sorted({0, len(found.velocities) // 8, len(found.velocities) // 3, len(found.velocities) - 1})
    for number in shown:
        path: list[Point] = [START]
        miss(found.velocities[number], path)
        last = number == shown[-1]
        axes.plot(
            *zip(*path, strict=True),
            color="tab:orange" if last else "tab:blue",
            alpha=1.0 if last else 0.4,
            label=f"after {number} descents: {math.sqrt(found.misses[number]):.2g} away",
        )
    axes.plot(*zip(*[moon(DURATION * i / 100) for i in range(101)], strict=True), ":", color="grey")
    axes.plot(0.0, 0.0, "o", color="tab:green", markersize=14)
    axes.plot(*moon(DURATION), "o", color="grey", markersize=8)
    axes.plot(*TARGET, "x", color="black", markersize=10)
    axes.set_aspect("equal")
    figure.legend(fontsize="small", loc="outside lower center", ncols=2)
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
