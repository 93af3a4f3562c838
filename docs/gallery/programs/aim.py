"""Aim: throw a ball through wind so that it lands at the foot of a flag.

The run ends when the ball touches the ground, after a number of steps that depends on the throw. Newton's
method on the distance needs its derivative by the angle; the derivative of a `while` loop is taken as it is
written.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import checkpoint

SPEED = 28.0  # of the throw, m/s
STEP = 0.002  # of the integration, s


def flight(angle: float, path: list[tuple[float, float]] | None = None) -> float:
    """Return how far the ball flies, in m, for an angle in radians; `path` collects its positions."""
    x, y = 0.0, 0.0
    vx, vy = SPEED * math.cos(angle), SPEED * math.sin(angle)
    while y >= 0.0:
        wind = -6.0 if y > 4.0 else 0.0  # above the trees
        drag = 0.012 * math.hypot(vx - wind, vy)
        if path is not None:
            path.append((x, y))
        x, y = x + STEP * vx, y + STEP * vy
        vx, vy = vx - STEP * drag * (vx - wind), vy - STEP * (9.81 + drag * vy)
    return x - y * vx / vy  # where it crossed the ground


@dataclass(frozen=True)
class Aimed:
    """target: where the flag is, in m. angles: those tried, in radians. misses: by how much, in m."""

    target: float
    angles: list[float]
    misses: list[float]


def solve(target: float = 40.0, angle: float = 0.3, tries: int = 6) -> Aimed:
    """Correct the angle by Newton's method."""
    distance_and_slope = checkpoint.value_and_grad(flight)
    angles, misses = [], []
    for _ in range(tries):
        distance, slope = distance_and_slope(angle)
        angles.append(angle)
        misses.append(distance - target)
        angle -= (distance - target) / slope
    return Aimed(target, angles, misses)


def report(found: Aimed) -> str:
    """Return what was found, as text."""
    shown = ", ".join(f"{miss:.3g}" for miss in found.misses)
    return f"angle {found.angles[-1]:.6f}; missed by {shown} m"


def draw(found: Aimed, file: str) -> None:
    """Draw the flights of all tries."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, axes = pyplot.subplots(figsize=(7, 3), layout="constrained")
    for number, angle in enumerate(found.angles[:4]):
        path: list[tuple[float, float]] = []
        flight(angle, path)
        axes.plot(*zip(*path, strict=True), label=f"try {number + 1}: missed by {found.misses[number]:.3g} m")
    axes.plot([found.target] * 2, [0.0, 3.0], color="black")
    axes.fill([found.target, found.target + 1.6, found.target], [3.0, 2.5, 2.0], color="tab:red")
    axes.axhspan(4.0, axes.get_ylim()[1], color="tab:blue", alpha=0.07, label="wind")
    axes.set(xlabel="distance (m)", ylabel="height (m)", ylim=(0.0, None))
    axes.legend(fontsize="small")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
