"""Rectifier: find the parts of a circuit from what an oscilloscope shows.

A diode charges a capacitor, a resistor empties it. The diode's current grows so fast with its voltage that
each step of the simulation has to solve an equation: Newton's method does, with the slope taken by `jvp`
inside of the program. The gradient of the misfit goes through all these solutions, and each takes as many
turns as it needs.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import checkpoint

STEP, STEPS, EVERY = 1e-4, 1000, 10  # seconds; steps; steps between two measurements
RESISTOR = 900.0  # ohm
TRUE = [47e-6, 2e-9, 1.9]  # farad, ampere, the ideality of the diode
FIRST = [15e-6, 1e-7, 1.2]
NAMES = ("capacitor (F)", "saturation current (A)", "ideality")


def root(f: Callable[[float], float], x: float) -> float:
    """Return where f is 0, by Newton's method."""
    for _ in range(100):
        value, slope = checkpoint.jvp(f, x, 1.0)
        step = value / slope
        x -= step
        if abs(step) < 1e-12:
            break
    return x


def voltages(parts: list[float]) -> list[float]:
    """Return the voltage of the capacitor when it is measured, in V, by the implicit Euler method."""
    capacitor, saturation, ideality = parts
    v, found = 0.0, []
    for i in range(1, STEPS + 1):
        source, before = 6.0 * math.sin(2.0 * math.pi * 50.0 * STEP * i), v

        def excess(after: float, source: float = source, before: float = before) -> float:
            u = (source - after) / (0.02585 * ideality)
            bent = math.exp(u) if u < 30.0 else math.exp(30.0) * (u - 29.0)  # no overflow far off
            return after - before - STEP / capacitor * (saturation * (bent - 1.0) - after / RESISTOR)

        v = root(excess, v)
        if i % EVERY == 0:
            found.append(v)
    return found


@dataclass(frozen=True)
class Measured:
    """parts: as found. losses: the misfit at each gradient. shown: what the oscilloscope showed, in V."""

    parts: list[float]
    losses: list[float]
    shown: list[float]


def solve(iterations: int = 60) -> Measured:
    """Minimise the misfit over the logarithms of the parts by SciPy's BFGS with our gradient."""
    noise = np.random.default_rng(0).normal(size=STEPS // EVERY)
    shown = [value + 0.03 * float(error) for value, error in zip(voltages(TRUE), noise, strict=True)]

    def misfit(changes: np.ndarray) -> float:
        parts = [first * math.exp(change) for first, change in zip(FIRST, changes, strict=True)]
        return sum([(a - b) ** 2 for a, b in zip(voltages(parts), shown, strict=True)]) / len(shown)

    value_and_gradient = checkpoint.value_and_grad(misfit)
    losses = []

    def both(changes: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = value_and_gradient(changes)
        losses.append(value)
        return value, gradient

    found = minimize(both, np.zeros(len(FIRST)), jac=True, method="BFGS", options={"maxiter": iterations})
    return Measured([float(part) for part in np.array(FIRST) * np.exp(found.x)], losses, shown)


def report(found: Measured) -> str:
    """Return what was found, as text."""
    lines = [f"misfit {found.losses[0]:.4f} V^2 at first, {found.losses[-1]:.6f} in the end"]
    rows = zip(NAMES, found.parts, TRUE, strict=True)
    return "\n".join([*lines, *(f"  {name}: {part:.4g}, in truth {true:.4g}" for name, part, true in rows)])


def draw(found: Measured, file: str) -> None:
    """Draw the measured voltage, and that of the first guess and of the parts that were found."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(9, 3), layout="constrained", width_ratios=(2.0, 1.0)
    )
    times = [1000.0 * STEP * EVERY * (i + 1) for i in range(len(found.shown))]
    every = np.arange(1, STEPS + 1) * STEP
    source = np.maximum(6.0 * np.sin(2.0 * np.pi * 50.0 * every), 0.0)
    left.fill_between(1000.0 * every, source, color="whitesmoke", label="source")
    left.plot(times, voltages(FIRST), color="silver", label="first guess")
    left.plot(times, voltages(found.parts), color="tab:blue", label="found")
    left.plot(times, found.shown, ".", color="tab:orange", label="measured")
    left.set(xlabel="time (ms)", ylabel="voltage (V)", ylim=(0.0, 7.2))
    left.legend(fontsize="small", ncols=4, loc="upper center")
    right.semilogy(found.losses)
    right.set(xlabel="gradient", ylabel="misfit (V²)")
    figure.savefig(file, dpi=100)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
