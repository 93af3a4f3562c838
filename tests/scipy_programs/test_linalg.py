"""scipy.linalg inside of programs: SciPy's values to the bit, derivatives by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import linalg

import checkpoint
from checkpoint.errors import SourceError
from tests.arrays.agreement import ENGINES
from tests.support.sampling import in_turn

RNG = np.random.default_rng(3)
A = RNG.normal(size=(3, 3)) + 3.0 * np.eye(3)
B = RNG.normal(size=(3, 2))
S = A @ A.T


def symmetric(a: Any) -> Any:
    return a + a.T


def upper(a: Any) -> Any:
    return np.stack(
        [np.concatenate([np.zeros(1), np.diag(a, 1)]), np.diag(a), np.append(np.diag(a, -1), 0.0)]
    )


def half(a: Any) -> Any:
    return np.stack([np.diag(a) + 4.0, np.append(np.diag(a, -1), 0.0)])


FUNCTIONS = {
    "inv": linalg.inv,
    "det": linalg.det,
    "solve": lambda a: linalg.solve(a, a @ B),
    "solve a vector": lambda a: linalg.solve(a @ a, B[:, 0] * a[0, 0], transposed=True),
    "solve pos": lambda a: linalg.solve(a @ a.T, B * a[0, 0], assume_a="pos"),
    "solve sym": lambda a: linalg.solve(symmetric(a), B, assume_a="sym", lower=True),
    "lu_factor": lambda a: linalg.lu_factor(a)[0],
    "lu_solve": lambda a: linalg.lu_solve(linalg.lu_factor(a.T @ a[[2, 0, 1]]), a @ B),
    "lu_solve turned": lambda a: linalg.lu_solve(linalg.lu_factor(a[[2, 0, 1]]), B[:, 0], trans=1),
    "lu": lambda a: np.concatenate(linalg.lu(a[[2, 0, 1]])),
    "lu permuted": lambda a: np.concatenate(linalg.lu(a[[2, 0, 1]], permute_l=True)),
    "cholesky": lambda a: linalg.cholesky(a @ a.T, lower=True),
    "cho_solve": lambda a: linalg.cho_solve(linalg.cho_factor(a @ a.T), B),
    "solve_triangular": lambda a: linalg.solve_triangular(a, a @ B, lower=True),
    "solve_banded": lambda a: linalg.solve_banded((1, 1), upper(a), a @ B),
    "solveh_banded": lambda a: linalg.solveh_banded(half(a), B[:, 0], lower=True),
    "lyapunov": lambda a: linalg.solve_continuous_lyapunov(a, symmetric(a)),
    "lyapunov, by its old name": lambda a: linalg.solve_lyapunov(a, symmetric(a)),
    "discrete lyapunov": lambda a: linalg.solve_discrete_lyapunov(0.1 * a, symmetric(a)),
    "riccati": lambda a: linalg.solve_continuous_are(a, B, a @ a.T, np.eye(2)),
    "discrete riccati": lambda a: linalg.solve_discrete_are(a, B, a @ a.T, np.eye(2)),
    "sylvester": lambda a: linalg.solve_sylvester(a, a[:2, :2], B),
    "expm": lambda a: linalg.expm(0.3 * a),
    "sqrtm": lambda a: linalg.sqrtm(a @ a.T),
    "logm": lambda a: linalg.logm(a @ a.T),
    "eigh": lambda a: linalg.eigh(symmetric(a))[0],
    # The signs of vectors are LAPACK's choice, and may differ between two points: squares are differentiated.
    "eigh vectors": lambda a: linalg.eigh(symmetric(a), lower=False)[1] ** 2,
    "eigvalsh": lambda a: linalg.eigvalsh(symmetric(a)),
    "svd": lambda a: np.concatenate([linalg.svd(a)[0], linalg.svd(a)[2]]) ** 2,
    "singular values": lambda a: linalg.svd(a @ B, full_matrices=False)[1] * linalg.svdvals(a)[:2],
    "qr": lambda a: np.concatenate(linalg.qr(a)),
    "qr economic": lambda a: np.concatenate(linalg.qr(a @ B, mode="economic")),
    "pinv": lambda a: linalg.pinv(a @ B),
    "norm": lambda a: linalg.norm(a) + linalg.norm(a, 1) + linalg.norm(a[0], np.inf) + linalg.norm(a[1]),
    "block_diag": lambda a: linalg.block_diag(a, a[0], a[:2, :1]),
    "toeplitz": lambda a: linalg.toeplitz(a[0], a[1]) @ linalg.toeplitz(a[2]) @ linalg.circulant(a[0]),
}


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    f = FUNCTIONS[name]
    y = f(A)
    ybar: Any = np.cos(np.arange(np.size(y))).reshape(np.shape(y))
    ybar = float(ybar) if np.ndim(ybar) == 0 else ybar
    along = np.random.default_rng(0).normal(size=A.shape)
    expected = (f(A + 1e-6 * along) - f(A - 1e-6 * along)) / 2e-6
    for engine in in_turn(ENGINES):
        value, cotangent = checkpoint.vjp(f, A, ybar, engine=engine)
        np.testing.assert_array_equal(value, y)
        assert np.sum(cotangent * along) == pytest.approx(np.sum(ybar * expected), rel=1e-5, abs=1e-6)
        tangent = checkpoint.jvp(f, A, along, engine=engine)[1]
        np.testing.assert_allclose(tangent, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("name", ["inv", "lu_solve", "eigh vectors", "svd", "logm", "riccati"])
def test_second_derivatives(name: str) -> None:
    def f(a: Any) -> Any:
        return np.sum(FUNCTIONS[name](a) ** 2)

    along = np.random.default_rng(0).normal(size=A.shape)
    found = checkpoint.hvp(f, A, along)
    gradient = checkpoint.grad(f)
    expected = (gradient(A + 1e-5 * along) - gradient(A - 1e-5 * along)) / 2e-5
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda a: linalg.eigh(a, a)[0][0], "take all of one matrix"),
        (lambda a: linalg.qr(a, pivoting=True)[0][0, 0], "mode='economic' without it"),
        (lambda a: linalg.qr(a @ B)[0][0, 0], "pass mode='economic'"),
        (lambda a: linalg.lu(a @ B)[0][0, 0], "factor a square part"),
        (lambda a: linalg.solve_continuous_are(a, B, a, B, e=a)[0, 0], "without them"),
    ],
)
def test_what_is_refused(f: Any, text: str) -> None:
    with pytest.raises(SourceError, match=text):
        checkpoint.grad(f)(A)


def test_singular_matrices() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        checkpoint.grad(lambda a: linalg.inv(a)[0, 0])(np.zeros((2, 2)))
