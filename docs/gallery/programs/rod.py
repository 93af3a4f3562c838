"""Rod: find out what a rod is made of from how it cools.

The conductivity along the rod is unknown; its temperatures are measured at a few moments. The simulation
changes a NumPy array in place, thousands of times; one gradient by 40 unknowns costs about as much as a few
simulations, and holds as little memory as we ask for.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import checkpoint

CELLS = 40


def cooled(conductivity: np.ndarray, steps: int) -> np.ndarray:
    """Return the temperatures at four moments, shape (4, CELLS), for the conductivity between cells."""
    x = np.arange(CELLS)
    u = np.where((x > 5) & (x < 15), 1.0, 0.0) + np.where((x > 25) & (x < 33), 0.6, 0.0)
    measured = np.zeros((4, CELLS))
    for step in range(steps):
        flow = 0.2 * conductivity * (u[1:] - u[:-1])
        u[1:-1] += flow[1:] - flow[:-1]
        if (step + 1) % (steps // 4) == 0:
            measured[(step + 1) // (steps // 4) - 1] = u
    return measured


def truth() -> np.ndarray:
    """Return the conductivity that is to be found, shape (CELLS - 1,)."""
    x = np.arange(CELLS - 1)
    return np.where(x < 12, 0.9, np.where(x < 26, 0.35, 0.7))


@dataclass(frozen=True)
class Found:
    """conductivity: as found. losses: of each descent. data: the measured temperatures."""

    conductivity: np.ndarray
    losses: list[float]
    data: np.ndarray


def solve(turns: int = 100, steps: int = 1000) -> Found:
    """Descend by Adam on the squared error of the logarithm of the conductivity."""
    data = cooled(truth(), steps)

    def loss(logarithm: np.ndarray) -> float:
        error = cooled(np.exp(logarithm), steps) - data
        return float(np.sum(error * error))

    value_and_gradient = checkpoint.value_and_grad(loss, memory="2MiB")
    unknown = np.full(CELLS - 1, np.log(0.5))
    mean, square, losses = np.zeros_like(unknown), np.zeros_like(unknown), []
    for turn in range(1, turns + 1):
        value, gradient = value_and_gradient(unknown)
        losses.append(value)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        unknown = unknown - 0.05 * (mean / (1 - 0.9**turn)) / (np.sqrt(square / (1 - 0.99**turn)) + 1e-12)
    return Found(np.exp(unknown), losses, data)


def report(found: Found) -> str:
    """Return what was found, as text."""
    worst = np.max(np.abs(found.conductivity - truth()))
    return (
        f"squared error {found.losses[0]:.3g} at first, {found.losses[-1]:.2g} in the end; "
        f"conductivities differ by {worst:.2f} at most"
    )


def draw(found: Found, file: str) -> None:
    """Draw the conductivity, true and found, and the temperatures."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3), layout="constrained")
    for moment, temperatures in enumerate(found.data):
        left.plot(temperatures, label=f"moment {moment + 1}")
    left.set(xlabel="cell", ylabel="temperature", title="measured")
    left.legend(fontsize="small")
    right.step(range(CELLS - 1), truth(), color="black", label="true", where="mid")
    right.step(range(CELLS - 1), found.conductivity, color="tab:orange", label="found", where="mid")
    right.set(
        xlabel="cell", ylabel="conductivity", ylim=(0.0, 1.3), title=f"after {len(found.losses)} descents"
    )
    right.legend(fontsize="small")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
