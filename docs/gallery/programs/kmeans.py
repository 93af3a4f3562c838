"""Clusters: k-means by Newton's method, with the diagonal of the Hessian from one derivative of the gradient.

The cost of k-means is a piecewise quadratic function of the centres, and no two coordinates of centres occur
in one product: its Hessian is diagonal. So the tangent of the gradient in the direction of all ones is that
diagonal, and a step of Newton's method is one `jvp` of a `grad`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import checkpoint

CLUSTERS = 6


def cost(centres: np.ndarray, points: np.ndarray) -> float:
    """Return the sum of the squared distances of the points from the nearest centre."""
    apart = points[:, None, :] - centres[None, :, :]
    return float(np.sum(np.min(np.sum(apart * apart, axis=2), axis=1)))


def points_of(count: int) -> np.ndarray:
    """Return points around six places, shape (count, 2)."""
    rng = np.random.default_rng(5)
    places = np.array([[0.0, 0.0], [3.0, 0.5], [1.2, 2.6], [-2.2, 1.6], [-1.0, -2.4], [2.4, -2.2]])
    return places[rng.integers(0, CLUSTERS, count)] + 0.55 * rng.normal(size=(count, 2))


@dataclass(frozen=True)
class Clustered:
    """centres: after each step, shape (steps + 1, CLUSTERS, 2). losses: the costs of these."""

    centres: list[np.ndarray]
    losses: list[float]
    points: np.ndarray


def solve(count: int = 1500, most: int = 60) -> Clustered:
    """Take steps of Newton's method until the centres stay."""
    points = points_of(count)
    gradient = checkpoint.grad(cost)
    start = np.random.default_rng(5).choice(count, CLUSTERS, replace=False)
    centres = [points[start]]
    losses = [cost(centres[0], points)]
    for _ in range(most):
        here = centres[-1]
        slope, curvature = checkpoint.jvp(lambda at: gradient(at, points), here, np.ones_like(here))
        centres.append(here - slope / np.maximum(curvature, 1.0))  # a centre without points stays
        losses.append(cost(centres[-1], points))
        if np.max(np.abs(centres[-1] - here)) < 1e-12:
            break
    return Clustered(centres, losses, points)


def report(found: Clustered) -> str:
    """Return what was found, as text."""
    return f"cost {found.losses[0]:.1f} at first, {found.losses[-1]:.2f} after {len(found.losses) - 1} steps"


def draw(found: Clustered, file: str) -> None:
    """Draw the points by their cluster, the ways of the centres, and the cost."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    apart = found.points[:, None, :] - found.centres[-1][None, :, :]
    nearest = np.argmin(np.sum(apart * apart, axis=2), axis=1)
    left.scatter(*found.points[::2].T, c=nearest[::2], cmap="Pastel2", s=6)
    for number in range(CLUSTERS):
        way = np.array([centres[number] for centres in found.centres])
        left.plot(*way.T, ".-", color="black", linewidth=0.8, markersize=4)
        left.plot(*way[-1], "o", color="tab:red", markersize=6)
    left.set_aspect("equal")
    left.set_axis_off()
    right.plot(found.losses, ".-")
    right.set(xlabel="step of Newton's method", ylabel="cost")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
