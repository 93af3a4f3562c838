"""Linear algebra: the cases that other libraries publish, singular and degenerate matrices, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlib.linear.scipy_linalg
import tensorlib.scipy_special  # noqa: F401
from checkpoint.ad.record import records
from checkpoint.errors import SourceError
from tests.tensorlib.check import check
from tests.tensorlib.pulled import called, pulled, pushed, record

Case = tuple[str, str, Callable[[Any], tuple[Any, ...]]]


def normal(rng: Any, *shape: int) -> Any:
    return rng.normal(size=shape)


def positive(rng: Any, *shape: int) -> Any:
    x = rng.normal(size=shape)
    return x @ np.swapaxes(x, -1, -2)


def shifted(rng: Any, by: float, *shape: int) -> Any:
    return rng.normal(size=shape) + by * np.eye(shape[-1])


AUTOGRAD: list[Case] = [
    ("inv", "np.linalg.inv", lambda r: (np.linalg.matrix_power(normal(r, 8, 8), 2) + np.eye(8),)),
    ("inv 3d", "np.linalg.inv", lambda r: (shifted(r, 5, 4, 4, 4),)),
    ("inv 4d", "np.linalg.inv", lambda r: (shifted(r, 5, 4, 4, 4, 4),)),
    ("solve", "np.linalg.solve", lambda r: (shifted(r, 10, 8, 8), normal(r, 8, 7))),
    ("solve 1d", "np.linalg.solve", lambda r: (shifted(r, 10, 8, 8), normal(r, 8))),
    ("solve right", "np.linalg.solve", lambda r: (shifted(r, 1, 6, 6), normal(r, 6, 5))),
    ("solve 3d", "np.linalg.solve", lambda r: (shifted(r, 5, 5, 4, 4), normal(r, 5, 4, 1))),
    ("solve 3d 3d", "np.linalg.solve", lambda r: (shifted(r, 5, 5, 4, 4), normal(r, 5, 4, 6))),
    ("det", "np.linalg.det", lambda r: (normal(r, 6, 6),)),
    ("det 3d", "np.linalg.det", lambda r: (normal(r, 3, 3, 3),)),
    ("slogdet", "np.linalg.slogdet", lambda r: (normal(r, 6, 6),)),
    ("slogdet negative", "np.linalg.slogdet", lambda r: (-normal(r, 6, 6),)),
    ("slogdet 3d", "np.linalg.slogdet", lambda r: (positive(r, 3, 5, 5) + 5 * np.eye(5),)),
    ("eigh lower", "np.linalg.eigh", lambda r: (positive(r, 6, 6),)),
    ("eigh upper", "np.linalg.eigh", lambda r: (positive(r, 6, 6), "U")),
    ("eigh lower stacks", "np.linalg.eigh", lambda r: (positive(r, 2, 3, 6, 6),)),
    ("eigh upper stacks", "np.linalg.eigh", lambda r: (positive(r, 2, 3, 6, 6), "U")),
    ("cholesky", "np.linalg.cholesky", lambda r: (positive(r, 6, 6) + np.eye(6),)),
    ("cholesky stacks", "np.linalg.cholesky", lambda r: (positive(r, 3, 6, 6) + np.eye(6),)),
    ("svd wide", "np.linalg.svd", lambda r: (normal(r, 3, 5), False)),
    ("svd wide 3d", "np.linalg.svd", lambda r: (normal(r, 4, 3, 5), False)),
    ("svd square", "np.linalg.svd", lambda r: (normal(r, 4, 4), False)),
    ("svd square 3d", "np.linalg.svd", lambda r: (normal(r, 3, 4, 4), False)),
    ("svd tall", "np.linalg.svd", lambda r: (normal(r, 5, 3), False)),
    ("svd tall 3d", "np.linalg.svd", lambda r: (normal(r, 4, 5, 3), False)),
    ("svd only s", "np.linalg.svd", lambda r: (normal(r, 5, 3), False, False)),
    ("svd only s 3d", "np.linalg.svd", lambda r: (normal(r, 4, 5, 3), False, False)),
]
JAX: list[Case] = [
    ("cholesky 1", "np.linalg.cholesky", lambda r: (positive(r, 1, 1),)),
    ("cholesky upper", "np.linalg.cholesky", lambda r: (positive(r, 2, 5, 5) + np.eye(5), True)),
    ("det 1", "np.linalg.det", lambda r: (normal(r, 1, 1),)),
    ("det stacks", "np.linalg.det", lambda r: (normal(r, 2, 4, 4),)),
    ("det of ones", "np.linalg.det", lambda r: (np.ones((16, 1, 1)),)),
    ("slogdet stacks", "np.linalg.slogdet", lambda r: (shifted(r, 3, 2, 7, 7),)),
    ("eigh 2", "np.linalg.eigh", lambda r: (positive(r, 2, 5, 5), "L")),
    ("svd 1", "np.linalg.svd", lambda r: (normal(r, 1, 1),)),
    ("qr square", "np.linalg.qr", lambda r: (normal(r, 4, 4),)),
    ("qr tall", "np.linalg.qr", lambda r: (normal(r, 2, 7, 3),)),
    ("qr wide", "np.linalg.qr", lambda r: (normal(r, 3, 7),)),
    ("solve stacks", "np.linalg.solve", lambda r: (shifted(r, 4, 1, 3, 3), normal(r, 5, 3, 2))),
    ("pinv tall", "np.linalg.pinv", lambda r: (normal(r, 2, 7, 4),)),
    ("pinv wide", "np.linalg.pinv", lambda r: (normal(r, 3, 6),)),
    ("lstsq", "np.linalg.lstsq", lambda r: (normal(r, 6, 4), normal(r, 6))),
    ("lstsq wide", "np.linalg.lstsq", lambda r: (normal(r, 3, 5), normal(r, 3, 2))),
    ("matrix_power", "np.linalg.matrix_power", lambda r: (shifted(r, 3, 4, 4), -3)),
    ("multi_dot", "np.linalg.multi_dot", lambda r: ([normal(r, 4), normal(r, 4, 2), normal(r, 2, 3)],)),
    ("cross", "np.cross", lambda r: (normal(r, 3, 5), normal(r, 5, 3), 0, 1, 0)),
]


@pytest.mark.parametrize(("case", "name", "operands"), AUTOGRAD + JAX, ids=[c[0] for c in AUTOGRAD + JAX])
def test_published_cases(case: str, name: str, operands: Callable[[Any], tuple[Any, ...]]) -> None:
    check(record(name), operands(np.random.default_rng(1)), tolerance=1e-4)


SINGULAR = [
    np.zeros((1, 1)),
    np.zeros((3, 3)),
    np.array([[50.0, -30, 45], [-30, 90, -81], [45, -81, 81]]),  # rank 2
    np.array([[36.0, -42, 18], [-42, 49, -21], [18, -21, 9]]),  # rank 1
    np.array([[1.0, 2.0], [2.0, 4.0]]),
]


@pytest.mark.parametrize("a", SINGULAR, ids=str)
def test_determinant_of_a_singular_matrix(a: Any) -> None:
    rows = range(len(a))
    expected = [
        [(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in rows] for i in rows
    ]
    found = pulled("np.linalg.det", (a,), [1.0])
    np.testing.assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(a).max()) ** 2)


def test_one_singular_matrix_of_a_stack() -> None:
    a = np.random.default_rng(0).normal(size=(2, 4, 4))
    a[0] = 0.0
    check(record("np.linalg.det"), (a,), order=1)


def test_the_logarithm_of_a_zero_determinant_has_no_derivative() -> None:
    found = pulled("np.linalg.slogdet", (np.array([[1.0, 2.0], [2.0, 4.0]]),), [None, np.float64(1.0)])
    assert np.isnan(found).all()


def test_equal_eigenvalues() -> None:
    values = pulled("np.linalg.eigh", (np.eye(3),), [np.array([1.0, 2.0, 3.0]), None])
    np.testing.assert_allclose(values, np.diag([1.0, 2.0, 3.0]))
    vectors = pulled("np.linalg.eigh", (np.eye(3),), [None, np.ones((3, 3))])
    assert not np.isfinite(np.tril(vectors, -1)).any(where=np.tri(3, k=-1, dtype=bool))
    tangents = pushed("np.linalg.eigh", (np.eye(2),), np.array([[1.0, 0.0], [5.0, 2.0]]))
    np.testing.assert_allclose(tangents[0], [1.0, 2.0])
    assert not np.isfinite(tangents[1]).all()


def test_equal_singular_values() -> None:
    s = pulled("np.linalg.svd", (np.eye(3), False), [None, np.array([1.0, 2.0, 3.0]), None])
    np.testing.assert_allclose(np.abs(s), np.diag([1.0, 2.0, 3.0]))
    assert not np.isfinite(pulled("np.linalg.svd", (np.eye(3), False), [np.ones((3, 3)), None, None])).all()


def test_symmetric_matrices_are_read_in_one_triangle() -> None:
    a = positive(np.random.default_rng(2), 3, 3)
    for name, option, above in (
        ("cholesky", False, True),
        ("cholesky", True, False),
        ("eigvalsh", "L", True),
    ):
        found = called(f"np.linalg.{name}", a)[0]
        g = pulled(f"np.linalg.{name}", (a, option), [np.ones_like(found)])
        assert not (np.triu(g, 1) if above else np.tril(g, -1)).any()
        assert (np.tril(g, -1) if above else np.triu(g, 1)).any()


COMPLEX_REFUSED = [
    "np.linalg.cholesky",
    "np.linalg.qr",
    "np.linalg.eigh",
    "np.linalg.eigvalsh",
    "np.linalg.svd",
    "np.linalg.svdvals",
    "np.linalg.pinv",
    "np.linalg.slogdet",
]


@pytest.mark.parametrize("name", COMPLEX_REFUSED)
def test_complex_matrices_are_refused_by_name(name: str) -> None:
    with pytest.raises(SourceError, match=name.replace(".", r"\.")):
        called(name, np.eye(2) * 1j)


REFUSED: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("np.linalg.svd", (np.ones((2, 3)),), SourceError, "np.linalg.svd.*2, 3.*full_matrices=False"),
    ("np.linalg.qr", (np.ones((3, 2)), "complete"), SourceError, "np.linalg.qr.*complete.*3, 2.*reduced"),
    ("np.linalg.solve", (np.zeros((2, 2)), np.ones(2)), np.linalg.LinAlgError, "Singular"),
    ("np.linalg.inv", (np.ones((2, 3)),), np.linalg.LinAlgError, "square"),
    ("np.linalg.cholesky", (-np.eye(2),), np.linalg.LinAlgError, "positive definite"),
    ("np.matmul", (np.ones((2, 3)), np.ones((2, 3))), ValueError, "mismatch"),
    ("np.dot", (np.ones((2, 3)), np.ones((2, 3))), ValueError, r"not aligned"),
    ("np.einsum", ("ij,jk", np.ones((2, 3)), np.ones((2, 3))), ValueError, "broadcast"),
    ("np.einsum", (np.ones((2, 3)), [0, 1]), SourceError, "np.einsum takes its subscripts as a string"),
    ("np.tensordot", (np.ones((2, 3)), np.ones((2, 4)), 1), ValueError, "shape-mismatch"),
    ("np.cross", (np.ones(4), np.ones(4)), ValueError, "dimension"),
    ("np.trace", (np.ones(3),), ValueError, "dim"),
]


@pytest.mark.parametrize(("name", "operands", "error", "text"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refused(name: str, operands: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        called(name, *operands)


def test_every_record_of_linear_algebra_is_numpys_function() -> None:
    for name, found in records().items():
        if name.startswith("np.linalg."):
            assert getattr(np.linalg, name.rpartition(".")[2]) in found.implements
