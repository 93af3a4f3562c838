"""Sparse products against dense ones, with SciPy and without; softmax and the functions of scipy.special."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlib.sparse as sparse_module
from checkpoint.ad.record import records
from checkpoint.errors import SourceError
from tensorlib.sparse import csr_matmat, csr_matvec, csr_parts
from tensorlib.special import log_softmax, softmax
from tests.tensorlib.check import check
from tests.tensorlib.pulled import pulled, record

SHAPE = (4, 5)
INDPTR = np.array([0, 2, 2, 5, 6])
INDICES = np.array([1, 3, 0, 0, 4, 2])  # the row 2 holds its column 0 twice
ROWS = np.array([0, 0, 2, 2, 2, 3])


@pytest.fixture(params=["with SciPy", "without SciPy"])
def library(request: Any, monkeypatch: Any) -> Any:
    if request.param == "with SciPy":
        return pytest.importorskip("scipy")
    monkeypatch.setattr(sparse_module, "_scipy", lambda: None)
    return None


def dense(values: Any) -> Any:
    matrix = np.zeros(SHAPE)
    np.add.at(matrix, (ROWS, INDICES), values)
    return matrix


@pytest.mark.parametrize("rest", [(), (3,)])
@pytest.mark.usefixtures("library")
def test_products(rest: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    values, x, g = rng.normal(size=6), rng.normal(size=(5, *rest)), rng.normal(size=(4, *rest))
    function, name = (csr_matmat, "csr_matmat") if rest else (csr_matvec, "csr_matvec")
    operands = (values, INDICES, INDPTR, SHAPE, x)
    np.testing.assert_allclose(function(*operands), dense(values) @ x)
    by_values = np.multiply.outer(g, x) if not rest else np.einsum("ik,jk->ij", g, x)
    found = pulled(f"tensorlib.sparse.{name}", operands, [g], 0)
    np.testing.assert_allclose(found, by_values[ROWS, INDICES])
    np.testing.assert_allclose(pulled(f"tensorlib.sparse.{name}", operands, [g], 4), dense(values).T @ g)
    check(record(f"tensorlib.sparse.{name}"), operands)


@pytest.mark.usefixtures("library")
def test_single_precision_stays() -> None:
    operands = (np.ones(6, np.float32), INDICES, INDPTR, SHAPE, np.ones(5, np.float32))
    assert csr_matvec(*operands).dtype == np.float32
    for position in (0, 4):
        g = np.ones(4, np.float32)
        assert pulled("tensorlib.sparse.csr_matvec", operands, [g], position).dtype == np.float32


def test_parts_of_a_matrix_of_scipy() -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse")
    matrix = scipy_sparse.random_array((6, 4), density=0.5, rng=np.random.default_rng(0), format="coo")
    x = np.arange(4.0)
    np.testing.assert_allclose(csr_matvec(*csr_parts(matrix), x), matrix @ x)


REFUSED = [
    ((np.ones(6), INDICES, INDPTR, SHAPE, np.ones(4)), ValueError, r"csr_matvec.*\(4, 5\).*\(4,\)"),
    ((np.ones(6), INDICES, INDPTR, SHAPE, np.ones((5, 2))), ValueError, r"csr_matvec.*\(5, 2\)"),
    ((np.ones(5), INDICES, INDPTR, SHAPE, np.ones(5)), ValueError, r"values of shape \(5,\)"),
    ((np.ones(6), INDICES, INDPTR[1:], SHAPE, np.ones(5)), ValueError, r"indptr of shape \(4,\)"),
    ((np.ones(6) * 1j, INDICES, INDPTR, SHAPE, np.ones(5)), SourceError, "csr_matvec of a complex array"),
]


@pytest.mark.parametrize(("operands", "error", "text"), REFUSED)
def test_refused(operands: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        csr_matvec(*operands)


def test_softmax_without_scipy() -> None:
    x = np.array([[1.0, 1000.0], [-1000.0, 2.0]])
    np.testing.assert_allclose(softmax(x, axis=1), [[0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(log_softmax(x, axis=1), [[-999.0, 0.0], [-1002.0, 0.0]])
    np.testing.assert_allclose(softmax([0.0, 0.0]), [0.5, 0.5])


def test_softmax_is_scipys() -> None:
    special = pytest.importorskip("scipy.special")
    x = np.random.default_rng(0).normal(size=(3, 4))
    for axis in (None, 0, -1, (0, 1)):
        np.testing.assert_array_equal(softmax(x, axis), special.softmax(x, axis))
        np.testing.assert_allclose(log_softmax(x, axis), special.log_softmax(x, axis), rtol=1e-14)


@pytest.mark.filterwarnings("ignore")
def test_special_functions_against_autograd() -> None:
    autograd = pytest.importorskip("autograd")
    theirs = pytest.importorskip("autograd.scipy.special")
    rng = np.random.default_rng(0)
    x, y, g = rng.uniform(0.2, 0.8, (3, 5))
    tried = 0
    for name in ("gammaln", "psi", "gamma", "erf", "erfc", "erfinv", "expit", "logit", "betaln"):
        function, ours = getattr(theirs, name), record(f"scipy.special.{name}")
        operands = (x,) if len(ours.vjps) == 1 else (x, y)
        for position in range(len(operands)):
            expected = autograd.make_vjp(function, position)(*operands)[0](g)
            np.testing.assert_allclose(pulled(ours.name, operands, [g], position), expected, rtol=1e-10)
            tried += 1
    assert tried == 10


def test_every_record_of_scipy_is_scipys_function() -> None:
    scipy = pytest.importorskip("scipy")
    for name, found in records().items():
        library, _, rest = name.partition(".")
        if library == "scipy":
            package, _, function = rest.partition(".")
            assert getattr(getattr(scipy, package), function) in found.implements
