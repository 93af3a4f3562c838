"""Orbit: how well must we know an asteroid today to say where it is in many centuries?

The Sun, Jupiter and an asteroid of the Hilda group, which goes round three times while Jupiter goes round
twice, in 10^6 steps. One gradient of the asteroid's direction in the end says how much it changes with each
number of today, the mass of Jupiter among them. The run is never held: the gradient takes 1 MiB.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import checkpoint

STEP = 0.01  # years; distances in astronomical units
SUN = 4.0 * math.pi**2  # its gravity, in these units
TODAY = (1.0 / 1047.35, -4.76, 0.0, 0.0, -2.576)  # Jupiter's mass; the asteroid's x, y and velocity
JUPITER = 5.2044  # the radius of its orbit, a circle here
NAMES = ("mass of Jupiter", "x", "y", "velocity by x", "velocity by y")
Numbers = tuple[float, float, float, float, float]


def direction(today: Numbers, steps: int, path: list[tuple[float, float]] | None = None) -> float:
    """Return the angle by which the asteroid has gone round, in radians, seen from the Sun."""
    mass, x, y, vx, vy = today
    rate = math.sqrt(SUN * (1.0 + mass) / JUPITER**3)
    turned = 0.0
    for i in range(steps):
        x, y = x + 0.5 * STEP * vx, y + 0.5 * STEP * vy
        angle = rate * STEP * (i + 0.5)
        jx, jy = JUPITER * math.cos(angle), JUPITER * math.sin(angle)
        square, dx, dy = x * x + y * y, jx - x, jy - y
        apart = dx * dx + dy * dy
        sun, near = SUN / (square * math.sqrt(square)), mass * SUN / (apart * math.sqrt(apart))
        far = mass * SUN / JUPITER**3  # the Sun, at the origin, is pulled too
        ax, ay = -sun * x + near * dx - far * jx, -sun * y + near * dy - far * jy
        vx, vy = vx + STEP * ax, vy + STEP * ay
        px, py = x, y
        x, y = x + 0.5 * STEP * vx, y + 0.5 * STEP * vy
        turned += (px * vy - py * vx) / square * STEP
        if path is not None:
            path.append(
                (x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle))
            )
    return turned


@dataclass(frozen=True)
class Followed:
    """counts: numbers of steps. turned: the angle after each. gradients: by the numbers of today."""

    counts: list[int]
    turned: list[float]
    gradients: list[Numbers]


def solve(longest: int = 1_000_000, lengths: int = 13) -> Followed:
    """Return the gradient after a few lengths of time, up to the longest."""
    value_and_gradient = checkpoint.value_and_grad(direction, memory="1MiB")
    counts = [int(longest * 10 ** (-i / 4)) for i in range(lengths)][::-1]
    found = [value_and_gradient(TODAY, count) for count in counts]
    return Followed(counts, [value for value, _ in found], [gradient for _, gradient in found])


def report(found: Followed) -> str:
    """Return what was found, as text."""
    years = found.counts[-1] * STEP
    lines = [f"after {years:.0f} years the asteroid has gone round {found.turned[-1] / math.tau:.2f} times"]
    lines += [
        f"  derivative by {name}: {each:.6g}" for name, each in zip(NAMES, found.gradients[-1], strict=True)
    ]
    kilometres = 149597870.7 / abs(found.gradients[-1][1])
    return "\n".join([*lines, f"to know it to 1 radian then, know x to {kilometres:.0f} km today"])


def draw(found: Followed, file: str) -> None:
    """Draw the orbit as seen from Jupiter, and the derivatives over time."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    path: list[tuple[float, float]] = []
    direction(TODAY, 16000, path)
    left.plot(*zip(*path[::8], strict=True), linewidth=0.7)
    left.plot(0.0, 0.0, "o", color="gold", markersize=11)
    left.plot(JUPITER, 0.0, "o", color="tab:brown", markersize=8)
    left.set(title="turning with Jupiter, 160 years", aspect="equal", xticks=(), yticks=())
    years = [count * STEP for count in found.counts]
    for i, name in enumerate(NAMES):
        right.loglog(years, [abs(each[i]) for each in found.gradients], "o-", markersize=3, label=name)
    right.set(xlabel="years", title="derivative of the direction by")
    right.legend(fontsize="small")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
