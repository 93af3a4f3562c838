"""Sampler: Hamiltonian Monte Carlo that learns the sizes of its own steps.

The sampler moves along the gradient of the density, taken by `grad` in its inmost loop. How far it gets in a
turn depends on its step sizes, one for each coordinate; they are found by ascent along the gradient of the
distance that a turn covers, which goes through the sampler, its derivatives, and its chance to accept.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

import checkpoint
from checkpoint import grad

LEAPS = 12  # of a turn
SCALES = (1.5, 0.3)  # of the density's two directions
BEND = 0.25


def energy(x: float, y: float) -> float:
    """Return minus the logarithm of the density: a bent ridge, narrow across and long along."""
    across = y - BEND * x * x
    return 0.5 * (x / SCALES[0]) ** 2 + 0.5 * (across / SCALES[1]) ** 2


def turn(
    place: tuple[float, float], push: tuple[float, float], steps: tuple[float, float]
) -> tuple[float, ...]:
    """Return where the leapfrog method ends from here, and how much the total energy has grown."""
    (x, y), (u, v), (h, k) = place, push, steps
    before = energy(x, y) + 0.5 * (u * u + v * v)
    slope = grad(energy, (0, 1))
    a, b = slope(x, y)
    for _ in range(LEAPS):
        u, v = u - 0.5 * h * a, v - 0.5 * k * b
        x, y = x + h * u, y + k * v
        a, b = slope(x, y)
        u, v = u - 0.5 * h * a, v - 0.5 * k * b
    return x, y, energy(x, y) + 0.5 * (u * u + v * v) - before


def chain(steps: tuple[float, float], noise: list[tuple[float, float, float]]) -> list[tuple[float, float]]:
    """Return the places of a chain from (0, 0), a turn for each item of the noise."""
    x, y, places = 0.0, 0.0, []
    for u, v, luck in noise:
        a, b, growth = turn((x, y), (u, v), steps)
        if luck < math.exp(min(0.0, -growth)):
            x, y = a, b
        places.append((x, y))
    return places


def slowness(
    logarithms: tuple[float, float],
    starts: list[tuple[float, float]],
    noise: list[tuple[float, float, float]],
) -> float:
    """Return minus the logarithms of how far turns go, in the mean, along the ridge and across it."""
    h, k = math.exp(logarithms[0]), math.exp(logarithms[1])
    total_along, total_across = 0.0, 0.0
    for (x, y), (u, v, _) in zip(starts, noise, strict=True):
        a, b, growth = turn((x, y), (u, v), (h, k))
        accepted = math.exp(min(0.0, -growth))
        total_along += accepted * ((a - x) / SCALES[0]) ** 2
        total_across += accepted * (((b - BEND * a * a) - (y - BEND * x * x)) / SCALES[1]) ** 2
    return -math.log(total_along / len(starts)) - math.log(total_across / len(starts))


@dataclass(frozen=True)
class Sampled:
    """steps: the first sizes and those learnt. losses: slowness of each ascent. chains: by both sizes."""

    steps: list[tuple[float, float]]
    losses: list[float]
    chains: list[list[tuple[float, float]]]


def noise_of(count: int, seed: int) -> list[tuple[float, float, float]]:
    """Return pushes of normal size, and a number of [0, 1) that decides, for each turn."""
    rng = np.random.default_rng(seed)
    pushes, luck = rng.normal(size=(count, 2)), rng.random(count)
    return [(float(u), float(v), float(w)) for (u, v), w in zip(pushes, luck, strict=True)]


def solve(ascents: int = 50, turns: int = 100, length: int = 400) -> Sampled:
    """Learn the step sizes on places of a first chain, then sample by them."""
    first = (0.03, 0.03)
    starts = [(SCALES[0] * u, BEND * (SCALES[0] * u) ** 2 + SCALES[1] * v) for u, v, _ in noise_of(turns, 1)]
    noise, logarithms, losses = noise_of(turns, 2), (math.log(first[0]), math.log(first[1])), []
    value_and_gradient = checkpoint.value_and_grad(slowness)
    for i in range(ascents):
        value, (a, b) = value_and_gradient(logarithms, starts, noise)
        losses.append(value)
        rate = 0.15 * (1.0 - i / ascents) / (math.hypot(a, b) + 1e-12)
        logarithms = (logarithms[0] - rate * a, logarithms[1] - rate * b)
    learnt = (math.exp(logarithms[0]), math.exp(logarithms[1]))
    chains = [chain(steps, noise_of(length, 3)) for steps in (first, learnt)]
    return Sampled([first, learnt], losses, chains)


def effective(values: list[float]) -> float:
    """Return how many independent values say as much about the mean, whose true value is 0."""
    series = np.array(values)
    lags = [float(np.mean(series[: len(series) - k] * series[k:])) for k in range(len(series) // 2)]
    total = 1.0
    for k in range(1, len(lags) - 1, 2):
        if lags[k] + lags[k + 1] < 0.0:
            break
        total += 2.0 * (lags[k] + lags[k + 1]) / lags[0]
    return len(series) / total


def report(found: Sampled) -> str:
    """Return what was found, as text."""
    rows = []
    for name, (h, k), places in zip(("first", "learnt"), found.steps, found.chains, strict=True):
        number = effective([x for x, _ in places])
        rows.append(
            f"{name} step sizes {h:.3f} and {k:.3f}: {len(places)} turns are worth {number:.0f} samples"
        )
    return "\n".join(rows)


def draw(found: Sampled, file: str) -> None:
    """Draw the two chains on the density."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
    x, y = np.meshgrid(np.linspace(-4.5, 4.5, 150), np.linspace(-1.2, 6.0, 150))
    density = np.exp(-0.5 * (x / SCALES[0]) ** 2 - 0.5 * ((y - BEND * x * x) / SCALES[1]) ** 2)
    for axis, (h, k), places in zip(axes, found.steps, found.chains, strict=True):
        axis.contourf(x, y, density, levels=8, cmap="Greys", alpha=0.5)
        axis.plot(*zip(*places, strict=True), ".-", linewidth=0.4, markersize=3, color="tab:blue")
        axis.set(title=f"steps of {h:.2f} and {k:.2f}", xlim=(-4.5, 4.5), ylim=(-1.2, 6.0))
    figure.savefig(file, dpi=80)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
