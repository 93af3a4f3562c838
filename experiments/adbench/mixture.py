"""ADBench's mixture of Gaussians with a Wishart prior, in NumPy; with another `np` JAX and PyTorch run it.

Source: Srajer, Kukelova, Fitzgibbon 2018. Of k Gaussians in d dimensions: the logarithms of
weights, the means, and the inverses of the factors of covariances, the logarithms of their diagonals first.
Derivatives are taken by all of these. Data are random, as in its generator.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Parameters = tuple[Any, Any, Any]


def log_posterior(
    parameters: Parameters, x: Any, below: Any, degrees: float, scale: float, np: Any = np
) -> Any:
    """Return the logarithm of the posterior density.

    x: points, in rows. below: for each element of a factor its place among the columns of those below the
    diagonal, with zeros behind them. degrees, scale: of the prior.
    """
    alphas, means, factors = parameters
    n, d = x.shape
    k = len(alphas)
    logs = factors[:, :d]
    lower = np.concatenate([factors[:, d:], 0.0 * factors[:, :1]], 1)[:, below]
    inverse = lower + np.exp(logs)[:, :, None] * np.eye(d)
    apart = x[None] - means[:, None]
    moved = np.matmul(apart, np.swapaxes(inverse, 1, 2))
    terms = (alphas + np.sum(logs, 1))[:, None] - 0.5 * np.sum(moved**2, 2)
    likelihood = np.sum(log_of_sum(terms, 0, np)) - n * log_of_sum(alphas, 0, np)
    squares = np.sum(np.exp(logs) ** 2) + np.sum(factors[:, d:] ** 2)
    prior = 0.5 * scale**2 * squares - degrees * np.sum(logs)
    return (
        likelihood - prior - 0.5 * n * d * math.log(2.0 * math.pi) - k * wishart_constant(d, degrees, scale)
    )


def log_of_sum(x: Any, axis: int, np: Any) -> Any:
    """Return the logarithm of the sum of exponentials along an axis."""
    most = np.amax(x, axis)
    return most + np.log(np.sum(np.exp(x - most), axis))


def wishart_constant(d: int, degrees: float, scale: float) -> float:
    """Return the logarithm of what the prior of one Gaussian is divided by."""
    n = degrees + d + 1
    gammas = 0.25 * d * (d - 1) * math.log(math.pi) + sum([math.lgamma(0.5 * (n - j)) for j in range(d)])
    return n * d * (math.log(scale) - 0.5 * math.log(2.0)) - gammas


def data(n: int, d: int, k: int, seed: int = 0) -> tuple[Parameters, Any, Any, float, float]:
    """Return arguments of `log_posterior` for n points."""
    rng = np.random.default_rng(seed)
    parameters = rng.normal(size=k), rng.random((k, d)), rng.normal(size=(k, d * (d + 1) // 2))
    below = np.full((d, d), d * (d - 1) // 2)
    below[np.tril_indices(d, -1)] = np.arange(d * (d - 1) // 2)
    return parameters, rng.normal(size=(n, d)), below, 0.0, 1.0
