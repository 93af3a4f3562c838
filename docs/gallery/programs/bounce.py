"""Bounce: fly through a hoop with the least thrust, off the floor if that helps.

A ball with a small engine starts at rest above the floor, and is to be in the hoop at a given moment. The
engine is weaker than gravity, so the ball has to bounce. When it touches the floor is not known ahead: the
program finds the moment within a step by Newton's method, and the derivative of that moment by the thrust is
part of the gradient.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import checkpoint

State = tuple[float, float, float, float]  # place x, y in m, velocity in m/s
START: State = (0.0, 1.0, 0.0, 0.0)
HOOP = (3.0, 1.3)
DURATION, STEPS, INTERVALS = 1.7, 200, 20  # the thrust is constant in each interval
STRONGEST = 7.0  # thrust in each direction, m/s^2: gravity is 9.81


def moved(state: State, thrust: tuple[float, float], h: float) -> State:
    """Return the state after a time h, by the midpoint rule."""
    x, y, vx, vy = state
    ax, ay = acceleration(vx, vy, thrust)
    mx, my = vx + 0.5 * h * ax, vy + 0.5 * h * ay
    ax, ay = acceleration(mx, my, thrust)
    return x + h * mx, y + h * my, vx + h * ax, vy + h * ay


def acceleration(vx: float, vy: float, thrust: tuple[float, float]) -> tuple[float, float]:
    """Return that of thrust, gravity and the drag of the air."""
    drag = 0.05 * math.sqrt(vx * vx + vy * vy + 1e-9)
    return thrust[0] - drag * vx, thrust[1] - 9.81 - drag * vy


def flight(thrusts: np.ndarray, path: list[State] | None = None) -> tuple[State, int]:
    """Return the last state and the number of bounces; thrusts has shape (INTERVALS, 2)."""
    state, bounces, h = START, 0, DURATION / STEPS
    for i in range(STEPS):
        x, y = thrusts[i * INTERVALS // STEPS]
        thrust, rest = (float(x), float(y)), h
        after = moved(state, thrust, rest)
        while after[1] < 0.0:  # the floor is touched within what is left of this step
            touch = 0.5 * rest
            for _ in range(6):  # Newton's method: the height after `touch` is 0
                below = moved(state, thrust, touch)
                touch -= below[1] / below[3]
            x, _, vx, vy = moved(state, thrust, touch)
            state, rest, bounces = (x, 0.0, 0.9 * vx, -0.85 * vy), rest - touch, bounces + 1
            after = moved(state, thrust, rest)
        state = after
        if path is not None:
            path.append(state)
    return state, bounces


def cost(thrusts: np.ndarray) -> float:
    """Return the fuel, and what missing the hoop costs."""
    (x, y, _, _), _ = flight(thrusts)
    miss = (x - HOOP[0]) ** 2 + (y - HOOP[1]) ** 2
    return float(np.sum(thrusts * thrusts)) * DURATION / INTERVALS + 1000.0 * miss


@dataclass(frozen=True)
class Steered:
    """thrusts: as found, shape (INTERVALS, 2), in m/s^2. losses: the cost after each iteration."""

    thrusts: np.ndarray
    losses: list[float]


def solve(iterations: int = 100) -> Steered:
    """Minimise the cost by SciPy's L-BFGS-B with our gradient."""
    value_and_gradient = checkpoint.value_and_grad(cost)
    losses = []

    def both(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = value_and_gradient(flat.reshape(INTERVALS, 2))
        losses.append(value)
        return value, gradient.ravel()

    first = np.tile([1.0, 2.0], INTERVALS)
    found = minimize(
        both,
        first,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations},
        bounds=[(-STRONGEST, STRONGEST)] * 2 * INTERVALS,
    )
    return Steered(found.x.reshape(INTERVALS, 2), losses)


def report(found: Steered) -> str:
    """Return what was found, as text."""
    (x, y, _, _), bounces = flight(found.thrusts)
    miss = math.hypot(x - HOOP[0], y - HOOP[1])
    return (
        f"cost {found.losses[0]:.1f} at first, {found.losses[-1]:.3f} after {len(found.losses)} gradients; "
        f"{bounces} bounces, {1000 * miss:.1f} mm from the middle of the hoop"
    )


def draw(found: Steered, file: str) -> None:
    """Draw the flight, the first one, and the thrust over time."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    first = np.tile([1.0, 2.0], (INTERVALS, 1))
    for thrusts, colour, label in (
        (first, "silver", "the first guess"),
        (found.thrusts, "tab:blue", "found"),
    ):
        path = [START]
        flight(thrusts, path)
        left.plot([state[0] for state in path], [state[1] for state in path], color=colour, label=label)
    left.plot([HOOP[0]] * 2, [HOOP[1] - 0.2, HOOP[1] + 0.2], color="tab:orange", linewidth=4, label="hoop")
    left.axhline(0.0, color="black")
    left.set(xlabel="x (m)", ylabel="height (m)")
    left.legend(fontsize="small")
    times = np.linspace(0.0, DURATION, INTERVALS + 1)
    for number, label in enumerate(("sideways", "upwards")):
        right.stairs(found.thrusts[:, number], times, label=label, baseline=None)
    right.set(xlabel="time (s)", ylabel="thrust (m/s²)")
    right.legend(fontsize="small")
    figure.savefig(file, dpi=100)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
