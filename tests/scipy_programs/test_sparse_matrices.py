"""Sparse matrices of SciPy in programs: its values to the bit, derivatives by differences, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import checkpoint
from checkpoint.errors import SourceError
from tests.arrays.agreement import ENGINES
from tests.scipy_programs.support import agrees

_RNG = np.random.default_rng(3)
DENSE = np.where(_RNG.uniform(size=(4, 3)) < 0.7, _RNG.normal(size=(4, 3)), 0.0)
X = np.array([0.7, 1.3, -0.4])
_SHUFFLED = _RNG.permutation(12)
_ROWS, _COLUMNS = _SHUFFLED // 3, _SHUFFLED % 3
KINDS = ("csr", "csc", "coo", "dia")
CLASSES = [getattr(sp, f"{kind}_{suffix}") for kind in KINDS for suffix in ("array", "matrix")]


def made(cls: Any) -> Any:
    """Return a matrix whose elements, where the format allows it, come in no order, one of them twice."""
    if "coo" in cls.__name__:
        rows, columns = np.append(_ROWS, 1), np.append(_COLUMNS, 2)
        return cls((np.append(DENSE[_ROWS, _COLUMNS], 0.3), (rows, columns)), shape=(4, 3))
    if "dia" in cls.__name__:
        return cls((_RNG.normal(size=(3, 3)), [1, -2, 0]), shape=(4, 3))
    return cls(DENSE)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_products(cls: Any) -> None:
    M = made(cls)
    both = X[:, None] * np.array([1.0, -0.3])

    def products(x: Any) -> Any:
        y = M @ x
        z = M.T @ (y * y) + y @ M + M.dot(x)[:3]
        back = (M @ (x[:, None] * both)) * 0.1
        scaled = (x[0] * M * 3.0 / x[1]) @ x - (-M) @ x
        return z @ x + back.sum() + (back.T @ M).sum() + scaled.sum() * M.shape[0] + M.nnz

    agrees(products, X)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_matrix_has_a_cotangent(cls: Any, engine: str) -> None:
    M = made(cls)
    gradient = checkpoint.grad(lambda M, x: ((M @ x) ** 2).sum(), engine=engine)(M, X)
    assert type(gradient) is cls
    expected = np.outer(2.0 * (M @ X), X)
    kept = M.toarray() != 0.0
    per_element = expected * (2.0 if "coo" in cls.__name__ else 1.0)  # toarray adds those of a place
    found = gradient.toarray()
    once = kept.copy()
    once[1, 2] = False
    np.testing.assert_allclose(found[once], expected[once])
    np.testing.assert_allclose(found[1, 2], per_element[1, 2] * kept[1, 2])


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_matrices_enter_and_leave(cls: Any) -> None:
    M = made(cls)
    value, _ = checkpoint.vjp(lambda x: ((M * x[0]), M.toarray()), X, (M, M.toarray()))
    assert type(value[0]) is cls
    np.testing.assert_array_equal(value[0].toarray(), (M * X[0]).toarray())
    np.testing.assert_array_equal(value[1], M.toarray())


def test_the_star_of_a_matrix_is_a_product() -> None:
    M = sp.csr_matrix(DENSE)
    agrees(lambda x: (M * x).sum() + (DENSE[:, 0] * M * x).sum(), X)


def test_errors_are_scipys() -> None:
    M = sp.csr_array(DENSE)
    for wrong in (lambda x: M @ x[:2], lambda x: M @ (x[0] * 1.0), lambda x: x @ M, lambda x: len(M)):
        with pytest.raises((ValueError, TypeError)) as expected:
            wrong(X)
        for engine in ENGINES:
            with pytest.raises(type(expected.value)) as found:
                checkpoint.grad(wrong, engine=engine)(X)
            assert str(found.value).splitlines()[0] == str(expected.value)


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        (lambda M, x: (M @ M.T) @ x[:1], "product of two sparse matrices"),
        (lambda M, x: M + M, "a sum with a sparse matrix"),
        (lambda M, x: x[0] * M[0, 1], "elements and rows of a sparse matrix"),
        (lambda M, x: M * x, "element by element"),
    ],
)
def test_what_is_refused_says_what_to_write(refused: Any, text: str) -> None:
    with pytest.raises(SourceError, match=text) as found:
        checkpoint.grad(refused, argnums=1)(sp.csr_array(DENSE), X)
    assert "M @ x" in str(found.value) or "A @ (B @ x)" in str(found.value)
    assert "test_sparse_matrices.py" in str(found.value)
