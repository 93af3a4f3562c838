"""Deep: train a network of 400 residual layers within 4 MiB.

Every layer has weights of its own. A tape of the whole run would hold the activations of all layers; the
budget holds some, and runs the layers between them again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import checkpoint

WIDTH = 8
Weights = dict[str, np.ndarray]


def spirals(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of two spirals, shape (2 count, 2), and to which each belongs, -1.0 or 1.0."""
    angle = np.linspace(0.6, 8.0, count)
    arm = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1) / 8.0
    return np.concatenate([arm, -arm]), np.concatenate([np.ones(count), -np.ones(count)])


def scores(weights: Weights, points: np.ndarray) -> np.ndarray:
    """Return the network's score of each point: its sign is the class."""
    u = np.tanh(points @ weights["into"])
    layers, shifts = weights["layers"], weights["shifts"]
    step = 8.0 / len(layers)
    for i in range(len(layers)):
        u = u + step * np.tanh(u @ layers[i] + shifts[i])
    score: np.ndarray = u @ weights["out"]
    return score


def loss(weights: Weights, points: np.ndarray, classes: np.ndarray) -> float:
    """Return the mean logistic loss."""
    return float(np.mean(np.logaddexp(0.0, -classes * scores(weights, points))))


@dataclass(frozen=True)
class Trained:
    """weights: as trained. losses: of each descent. points, classes: what it was trained on."""

    weights: Weights
    losses: list[float]
    points: np.ndarray
    classes: np.ndarray


def solve(turns: int = 250, layers: int = 400, count: int = 60) -> Trained:
    """Train by Adam."""
    points, classes = spirals(count)
    rng = np.random.default_rng(1)
    weights: Weights = {
        "into": rng.normal(size=(2, WIDTH)),
        "layers": rng.normal(size=(1, WIDTH, WIDTH)) / np.sqrt(WIDTH) + np.zeros((layers, 1, 1)),
        "shifts": np.zeros((layers, WIDTH)),
        "out": rng.normal(size=WIDTH) / np.sqrt(WIDTH),
    }
    value_and_gradient = checkpoint.value_and_grad(loss, memory="4MiB")
    mean = {name: np.zeros_like(part) for name, part in weights.items()}
    square = {name: np.zeros_like(part) for name, part in weights.items()}
    losses = []
    for turn in range(1, turns + 1):
        value, gradient = value_and_gradient(weights, points, classes)
        losses.append(value)
        for name, part in gradient.items():
            mean[name] = 0.9 * mean[name] + 0.1 * part
            square[name] = 0.99 * square[name] + 0.01 * part**2
            scale = np.sqrt(1 - 0.99**turn) / (1 - 0.9**turn)
            weights[name] = weights[name] - 0.02 * scale * mean[name] / (np.sqrt(square[name]) + 1e-12)
    return Trained(weights, losses, points, classes)


def report(found: Trained) -> str:
    """Return what was found, as text."""
    right = np.mean(np.sign(scores(found.weights, found.points)) == found.classes)
    return f"loss {found.losses[0]:.3f}, in the end {found.losses[-1]:.5f}; {100 * right:.0f}% right"


def draw(found: Trained, file: str) -> None:
    """Draw the classes that the network sees in the plane, and the losses."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    x, y = np.meshgrid(np.linspace(-1.2, 1.2, 90), np.linspace(-1.2, 1.2, 90))
    seen = scores(found.weights, np.stack([x.ravel(), y.ravel()], axis=1)).reshape(x.shape)
    left.contourf(x, y, np.tanh(seen), levels=20, cmap="RdBu", vmin=-1.0, vmax=1.0)
    left.scatter(*found.points.T, c=found.classes, cmap="RdBu", edgecolors="black", s=14)
    left.set_aspect("equal")
    left.set_axis_off()
    right.semilogy(found.losses)
    right.set(xlabel="descent", ylabel="loss")
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
