"""The experiment about published benchmarks runs on small cases, and its derivatives are right."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import checkpoint
from experiments.adbench import run
from experiments.adbench.programs import observations, residuals, spread


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small = ["--cameras", "2", "--points", "3", "--observations", "4", "--items", "50", "--repeats", "1"]
    monkeypatch.setattr(sys, "argv", ["run", *small])
    monkeypatch.setattr(run, "jax_of", lambda: None)
    run.main()
    assert capsys.readouterr().out.count("\n") == 5


def test_the_sparse_jacobian_of_a_bundle_adjustment() -> None:
    flat, *rest = observations(2, 3, 4)
    found = checkpoint.jacobian(residuals, mode="forward")(flat, *rest)
    assert found.nnz == 4 * (2 * 14 + 1)  # of the principal point a pixel reads its own coordinate
    dense = checkpoint.jacfwd(residuals)(flat, *rest)
    assert np.array_equal(found.toarray(), dense)


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
