"""The Gaussian mixture of ADBench: log-likelihood and Wishart prior, beside its gradient in closed form.

Each component has a weight, a mean, and the lower triangular square root Q of its inverse covariance: the
logarithms of Q's diagonal, then what is below it, column by column.
Source: Srajer, Kukelova, Fitzgibbon 2018, "A benchmark of selected algorithmic differentiation tools".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.uses.support import engines, gradients, is_gradient

GAMMA, M = 1.3, 2


def log_sum_exp(x: Any, axis: int | None = None) -> Any:
    """Return the logarithm of a sum of exponentials."""
    top = np.max(x, axis=axis, keepdims=True)
    return np.squeeze(np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top, axis=axis)


def lower_triangle(entries: Any, d: int) -> Any:
    """Return a strictly lower triangular matrix from its entries, column by column."""
    matrix = np.zeros((d, d))
    start = 0
    for column in range(d - 1):
        count = d - 1 - column
        matrix[column + 1 :, column] = entries[start : start + count]
        start += count
    return matrix


def log_wishart_constant(d: int) -> float:
    """Return the part of the prior that no parameter enters."""
    n = d + M + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(1, d + 1):
        log_gamma += math.lgamma(0.5 * n + 0.5 * (1 - j))
    return n * d * (math.log(GAMMA) - 0.5 * math.log(2.0)) - log_gamma


def mixture(parameters: Any, x: Any) -> Any:
    """Return the logarithm of the posterior density, component by component."""
    alphas, means, factors = parameters
    (n, d), k = x.shape, len(alphas)
    columns = []
    prior = 0.0
    for j in range(k):
        logs = factors[j, :d]
        diagonal, below = np.exp(logs), lower_triangle(factors[j, d:], d)
        centered = x - means[j]
        scaled = diagonal * centered + centered @ below.T
        columns.append(alphas[j] + np.sum(logs) - 0.5 * np.sum(scaled**2, axis=1))
        frobenius = np.sum(diagonal**2) + np.sum(below**2)
        prior += 0.5 * GAMMA**2 * frobenius - M * np.sum(logs)
    likelihood = np.sum(log_sum_exp(np.stack(columns, axis=1), axis=1))
    constant = -0.5 * n * d * math.log(2.0 * math.pi) - k * log_wishart_constant(d)
    return constant + likelihood - n * log_sum_exp(alphas) + prior


def vectorised(parameters: Any, x: Any) -> Any:
    """Return the same log density without a loop over components."""
    alphas, means, factors = parameters
    (n, d), k = x.shape, len(alphas)
    logs = factors[:, :d]
    diagonals = np.exp(logs)
    columns, rows = np.triu_indices(d, 1)
    below = np.zeros((k, d, d))
    below[:, rows, columns] = factors[:, d:]
    centered = x[:, None, :] - means[None, :, :]
    scaled = diagonals * centered + np.einsum("kij,nkj->nki", below, centered)
    terms = alphas + logs.sum(axis=1) - 0.5 * np.sum(np.square(scaled), axis=2)
    prior = 0.5 * GAMMA**2 * ((diagonals**2).sum() + (factors[:, d:] ** 2).sum()) - M * logs.sum()
    constant = -0.5 * n * d * math.log(2.0 * math.pi) - k * log_wishart_constant(d)
    return constant + log_sum_exp(terms, axis=1).sum() - n * log_sum_exp(alphas) + prior


def closed_gradient(parameters: Any, x: Any) -> Any:
    """Return the gradient as its formulas give it: responsibilities times the scores of the components."""
    alphas, means, factors = parameters
    (n, d), k = x.shape, len(alphas)
    squares = np.array([np.diag(np.exp(f[:d])) + lower_triangle(f[d:], d) for f in factors])
    terms = np.empty((n, k))
    for j in range(k):
        scaled = (x - means[j]) @ squares[j].T
        terms[:, j] = alphas[j] + factors[j, :d].sum() - 0.5 * (scaled**2).sum(axis=1)
    responsible = np.exp(terms - log_sum_exp(terms, axis=1)[:, None])
    weights = np.exp(alphas - log_sum_exp(alphas))
    by_means, by_factors = np.empty_like(means), np.empty_like(factors)
    rows = np.concatenate([np.arange(c + 1, d) for c in range(d)]).astype(int)
    columns = np.repeat(np.arange(d), np.arange(d - 1, -1, -1))
    for j in range(k):
        r, centered = responsible[:, j], x - means[j]
        scaled = centered @ squares[j].T
        by_means[j] = (r[:, None] * scaled @ squares[j]).sum(axis=0)
        outer = np.einsum("n,na,nb->ab", r, scaled, centered)
        by_squares = -outer + GAMMA**2 * squares[j]
        diagonal = np.diag(squares[j])
        by_factors[j, :d] = r.sum() + np.diag(by_squares) * diagonal - M
        by_factors[j, d:] = by_squares[rows, columns]
    return responsible.sum(axis=0) - n * weights, by_means, by_factors


def problem(n: int, k: int, d: int) -> tuple[Any, Any]:
    """Return parameters and points."""
    rng = np.random.default_rng(4)
    parameters = (rng.normal(size=k), rng.normal(size=(k, d)), 0.4 * rng.normal(size=(k, d * (d + 1) // 2)))
    return parameters, rng.normal(size=(n, d))


@engines
@pytest.mark.parametrize("use", [mixture, vectorised])
def test_the_gradient_is_that_of_the_published_formulas(engine: str, use: Any) -> None:
    sizes = (40, 5, 4) if engine != "interp" else (6, 2, 3)
    parameters, x = problem(*sizes)
    _, gradient = gradients(use, parameters, x, engine=engine)
    for found, expected in zip(gradient, closed_gradient(parameters, x), strict=True):
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert is_gradient(gradient, use, parameters, x)


def test_both_ways_to_write_it_agree_where_it_is_large() -> None:
    parameters, x = problem(1000, 10, 8)
    _, one = gradients(mixture, parameters, x, engine="hybrid", base=100)
    _, other = gradients(vectorised, parameters, x, engine="hybrid", base=10)
    for a, b in zip(one, other, strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9)
