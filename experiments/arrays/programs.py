"""Programs over arrays for the comparison with other packages, in what NumPy's namespaces have in common."""

from __future__ import annotations

from typing import Any

import numpy as np


def heat(u: Any) -> Any:
    """A ring that warms and cools for 50 turns."""
    for _ in range(50):
        u = u + 0.2 * (np.roll(u, 1, 0) - 2.0 * u + np.roll(u, -1, 0))
    return np.sum(u * u * u)


def network(parameters: Any) -> Any:
    """Return the loss of a recurrent network of width 32 over 25 turns."""
    w, v, b, h = parameters
    loss = 0.0
    for i in range(25):
        h = np.tanh(w @ h + b)
        y = v @ h
        loss = loss + np.log(np.sum(np.exp(y))) - y[i]
    return loss


def mixture(parameters: Any) -> Any:
    """Return the log-likelihood of points under Gaussians with weights, means and scales of their own."""
    alphas, means, logs, x = parameters
    scaled = (x[:, None, :] - means[None, :, :]) * np.exp(logs)
    terms = alphas + np.sum(logs, 1) - 0.5 * np.sum(scaled * scaled, 2)
    return np.sum(np.log(np.sum(np.exp(terms), 1))) - 500.0 * np.log(np.sum(np.exp(alphas)))


PROGRAMS = (heat, network, mixture)


def arguments(numpy: Any) -> dict[str, Any]:
    """Return the argument of each program, as NumPy's arrays."""
    rng = numpy.random.default_rng(3)
    return {
        "heat": rng.normal(size=100),
        "network": (
            0.2 * rng.normal(size=(32, 32)),
            0.2 * rng.normal(size=(32, 32)),
            rng.normal(size=32),
            rng.normal(size=32),
        ),
        "mixture": (
            rng.normal(size=10),
            rng.normal(size=(10, 5)),
            0.1 * rng.normal(size=(10, 5)),
            rng.normal(size=(500, 5)),
        ),
    }
