"""Schedule: learn the learning rates of gradient descent.

A small network is trained by gradient descent with momentum; each of its 80 turns has a learning rate of
its own. We differentiate the validation loss at the end of the training by all learning rates: reverse mode
over a run that itself takes a gradient at every turn.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import checkpoint
from checkpoint import grad


def features(x: np.ndarray) -> np.ndarray:
    """Return the features of each point, shape (len(x), 8): what the model is linear in."""
    return np.stack([np.cos(k * x) / (1 + k) for k in range(8)], axis=1)


def wave(x: np.ndarray) -> np.ndarray:
    """Return what is to be learnt."""
    return np.sin(2.0 * x) * np.exp(-0.3 * x)


TRAIN, CHECK = np.linspace(0.0, 3.0, 30), np.linspace(0.05, 2.95, 31)
INPUTS, WANTED = features(TRAIN), wave(TRAIN)
CHECK_INPUTS, CHECK_WANTED = features(CHECK), wave(CHECK)


def training_loss(w: np.ndarray) -> float:
    """Return the mean squared error on the points of the training."""
    return float(np.mean((np.tanh(INPUTS @ w) - WANTED) ** 2))


def trained(logarithms: np.ndarray) -> np.ndarray:
    """Return the weights after a training with these logarithms of learning rates."""
    w, speed = np.zeros(8), np.zeros(8)
    for i in range(len(logarithms)):
        speed = 0.8 * speed - np.exp(logarithms[i]) * grad(training_loss)(w)
        w = w + speed
    return w


def validation_loss(logarithms: np.ndarray) -> float:
    """Return the mean squared error elsewhere, after the training."""
    return float(np.mean((np.tanh(CHECK_INPUTS @ trained(logarithms)) - CHECK_WANTED) ** 2))


@dataclass(frozen=True)
class Learnt:
    """rates: the learning rates that were learnt. first: the one that all were. losses: of each descent."""

    rates: np.ndarray
    first: float
    losses: list[float]


def solve(descents: int = 40, turns: int = 80) -> Learnt:
    """Descend on the logarithms of the learning rates along the sign of the gradient."""
    first = 0.3
    logarithms = np.full(turns, np.log(first))
    value_and_gradient = checkpoint.value_and_grad(validation_loss)
    losses, mean = [], np.zeros(turns)
    for _ in range(descents):
        value, gradient = value_and_gradient(logarithms)
        losses.append(value)
        mean = 0.7 * mean + 0.3 * gradient
        logarithms = logarithms - 0.05 * mean / (np.max(np.abs(mean)) + 1e-30)
    return Learnt(np.exp(logarithms), first, losses)


def report(found: Learnt) -> str:
    """Return what was found, as text."""
    return (
        f"loss {found.losses[0]:.3g} by rates of {found.first}, {found.losses[-1]:.3g} by those learnt, "
        f"{found.rates[0]:.3f} to {found.rates[-1]:.3f}"
    )


def draw(found: Learnt, file: str) -> None:
    """Draw the learnt rates and the losses."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3), layout="constrained")
    left.axhline(found.first, color="grey", linestyle=":", label="at first")
    left.plot(found.rates, label="learnt")
    left.set(xlabel="turn of the training", ylabel="learning rate")
    left.legend(fontsize="small")
    right.semilogy(found.losses)
    right.set(xlabel="descent on the learning rates", ylabel="validation loss")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
