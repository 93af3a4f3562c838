"""The experiment about published benchmarks runs on small cases, and its derivatives are right."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import checkpoint
from experiments.adbench import mixture, run
from experiments.adbench.programs import observations, ratings, residuals, sparse_spread, spread


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small = ["--cameras", "2", "--points", "3", "--observations", "4", "--items", "50", "--repeats", "1"]
    monkeypatch.setattr(sys, "argv", ["run", *small, "--mixtures", "5,2,3", "--ratings", "9,12,30"])
    monkeypatch.setattr(run, "jax_of", lambda: None)
    monkeypatch.setattr(run, "torch_of", lambda: None)
    monkeypatch.setattr(run, "hips_of", lambda: None)
    run.main()
    assert capsys.readouterr().out.count("\n") == 9


def test_the_sparse_jacobian_of_a_bundle_adjustment() -> None:
    flat, *rest = observations(2, 3, 4)
    found = checkpoint.jacobian(residuals, mode="forward")(flat, *rest)
    assert found.nnz == 4 * (2 * 14 + 1)  # of the principal point a pixel reads its own coordinate
    dense = checkpoint.jacfwd(residuals)(flat, *rest)
    assert np.array_equal(found.toarray(), dense)


def test_the_jacobian_of_a_bundle_adjustment_by_observations() -> None:
    args = observations(3, 5, 8)
    found = run.by_observations(args)()
    assert found.has_canonical_format
    np.testing.assert_allclose(
        found.toarray(), checkpoint.jacobian(residuals)(*args).toarray(), rtol=1e-12, atol=1e-14
    )


def test_the_diagonal_of_k_means() -> None:
    points = np.random.default_rng(1).normal(size=(20, 2))
    centers = points[:3].copy()

    def slope(z: Any) -> Any:
        return checkpoint.grad(spread)(z, points)

    gradient, diagonal = checkpoint.jvp(slope, centers, np.ones_like(centers))
    nearest = np.argmin(((points[:, None] - centers) ** 2).sum(axis=2), axis=1)
    counts = np.bincount(nearest, minlength=3)
    assert diagonal == pytest.approx(2.0 * np.repeat(counts[:, None], 2, axis=1))
    sums = np.stack([points[nearest == k].sum(axis=0) for k in range(3)])
    assert gradient == pytest.approx(2.0 * (counts[:, None] * centers - sums))


def test_sparse_k_means_is_that_of_the_dense_matrix() -> None:
    parts = ratings(9, 6, 20)
    points = sp.csr_array(parts[:3], shape=(9, 6)).toarray()
    assert set(points.ravel()) <= {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}
    centers = np.random.default_rng(1).random((3, 6))
    found = checkpoint.value_and_grad(sparse_spread)(centers, *parts)
    expected = checkpoint.value_and_grad(spread)(centers, points)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_the_gradient_of_a_mixture() -> None:
    (alphas, means, factors), x, *rest = mixture.data(7, 3, 2)

    def density(alphas: Any, means: Any, factors: Any) -> Any:
        return mixture.log_posterior((alphas, means, factors), x, *rest)

    by = (0, 1, 2)
    found = checkpoint.grad(density, by)(alphas, means, factors)
    for part, forward in zip(found, checkpoint.jacfwd(density, by)(alphas, means, factors), strict=True):
        assert np.allclose(part, forward, rtol=1e-12)


def test_the_density_of_a_mixture_is_that_of_its_formula() -> None:
    (alphas, means, factors), x, below, degrees, scale = mixture.data(4, 2, 3)
    weights = np.exp(alphas) / np.sum(np.exp(alphas))
    total = 0.0
    for point in x:
        parts = []
        for weight, mean, (a, b, c) in zip(weights, means, factors, strict=True):
            inverse = np.array([[np.exp(a), 0.0], [c, np.exp(b)]])
            exponent = -0.5 * np.sum((inverse @ (point - mean)) ** 2)
            parts.append(weight * np.linalg.det(inverse) * np.exp(exponent) / (2.0 * np.pi))
        total += np.log(sum(parts))
    prior = np.sum(0.5 * (np.exp(factors[:, 0]) ** 2 + np.exp(factors[:, 1]) ** 2 + factors[:, 2] ** 2))
    prior += 3.0 * mixture.wishart_constant(2, degrees, scale)
    assert mixture.log_posterior((alphas, means, factors), x, below, degrees, scale) == pytest.approx(
        total - prior
    )
