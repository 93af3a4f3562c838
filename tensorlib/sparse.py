"""Products with sparse matrices of a fixed structure, in compressed rows.

A matrix is given by its parts: `values`, the elements that are kept, in the order of rows; `indices`, the
column of each; `indptr`, where each row begins, and the end; `shape`. The values may be differentiated, and
so may the dense operand. SciPy does the work where it is there, for NumPy's arrays. An element may be given
more than once: such elements are added.

    values, indices, indptr, shape = csr_parts(scipy_matrix)
    y = csr_matvec(values, indices, indptr, shape, x)
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from checkpoint.ad.tensors import SAME
from checkpoint.prims.arrays import tensor
from tensorlib.rules import real_only, unbroadcast


@functools.cache
def _scipy() -> Any:
    """Return scipy.sparse, imported when it is first needed; None where it is not installed."""
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError:
        return None


def csr_parts(matrix: Any) -> tuple[Any, Any, Any, tuple[int, int]]:
    """Return the values, indices, indptr and shape of a sparse matrix of SciPy's, of any format."""
    rows = matrix.tocsr()
    return rows.data, rows.indices, rows.indptr, tuple(rows.shape)


def csr_matvec(values: Any, indices: Any, indptr: Any, shape: tuple[int, int], x: Any) -> Any:
    """Return the product of a sparse matrix and a vector."""
    return _matvec(np, values, indices, indptr, shape, x)


def csr_matmat(values: Any, indices: Any, indptr: Any, shape: tuple[int, int], X: Any) -> Any:
    """Return the product of a sparse matrix and a dense one."""
    return _matmat(np, values, indices, indptr, shape, X)


def csr_rmatvec(values: Any, indices: Any, indptr: Any, shape: tuple[int, int], x: Any) -> Any:
    """Return the product of a sparse matrix's transpose and a vector."""
    return _rmatvec(np, values, indices, indptr, shape, x)


def csr_rmatmat(values: Any, indices: Any, indptr: Any, shape: tuple[int, int], X: Any) -> Any:
    """Return the product of a sparse matrix's transpose and a dense matrix."""
    return _rmatmat(np, values, indices, indptr, shape, X)


def _check(
    name: str,
    values: Any,
    indices: Any,
    indptr: Any,
    shape: Any,
    dense: Any,
    ndim: int,
    is_turned: bool = False,
) -> None:
    """Raise ValueError unless the operands fit. is_turned: the product is of the transpose."""
    real_only(name, values, dense)
    rows, columns = shape
    if dense.ndim != ndim or dense.shape[0] != shape[0 if is_turned else 1]:
        raise ValueError(f"{name}: a matrix of shape {(rows, columns)} and an operand of shape {dense.shape}")
    if values.ndim != 1 or values.shape != indices.shape or indptr.shape != (rows + 1,):
        raise ValueError(
            f"{name}: values of shape {values.shape}, indices of shape {indices.shape} and indptr of shape "
            f"{indptr.shape} are no parts of a matrix of shape {(rows, columns)}"
        )


def _matvec(xp: Any, values: Any, indices: Any, indptr: Any, shape: Any, x: Any) -> Any:
    _check("csr_matvec", values, indices, indptr, shape, x, 1)
    return _product(xp, values, indices, indptr, shape, x)


def _matmat(xp: Any, values: Any, indices: Any, indptr: Any, shape: Any, X: Any) -> Any:
    _check("csr_matmat", values, indices, indptr, shape, X, 2)
    return _product(xp, values, indices, indptr, shape, X)


def _rmatvec(xp: Any, values: Any, indices: Any, indptr: Any, shape: Any, x: Any) -> Any:
    _check("csr_rmatvec", values, indices, indptr, shape, x, 1, is_turned=True)
    return _transposed_product(xp, values, indices, indptr, shape, x)


def _rmatmat(xp: Any, values: Any, indices: Any, indptr: Any, shape: Any, X: Any) -> Any:
    _check("csr_rmatmat", values, indices, indptr, shape, X, 2, is_turned=True)
    return _transposed_product(xp, values, indices, indptr, shape, X)


def _row_of_each(xp: Any, indptr: Any) -> Any:
    """Return the row of each value."""
    return xp.repeat(xp.arange(indptr.shape[0] - 1), xp.diff(indptr))


def _product(xp: Any, values: Any, indices: Any, indptr: Any, shape: Any, dense: Any) -> Any:
    library = _scipy() if xp is np else None
    if library is not None:
        return library.csr_array((values, indices, indptr), shape=tuple(shape)) @ dense
    return _gathered(xp, values, _row_of_each(xp, indptr), indices, shape[0], dense)


def _transposed_product(xp: Any, values: Any, indices: Any, indptr: Any, shape: Any, dense: Any) -> Any:
    library = _scipy() if xp is np else None
    if library is not None:
        return library.csr_array((values, indices, indptr), shape=tuple(shape)).T @ dense
    return _gathered(xp, values, indices, _row_of_each(xp, indptr), shape[1], dense)


def _gathered(xp: Any, values: Any, rows: Any, columns: Any, count: int, dense: Any) -> Any:
    """Return the product, without SciPy: what each value contributes, added to its row."""
    found = xp.zeros((count, *dense.shape[1:]), xp.result_type(values, dense))
    terms = values if dense.ndim == 1 else values[:, None]
    xp.add.at(found, rows, terms * dense[columns])
    return found


def _values_vjp(
    xp: Any, g: Any, y: Any, values: Any, indices: Any, indptr: Any, shape: Any, dense: Any
) -> Any:
    return _by_values(xp, g, dense, values, indices, indptr)


def _values_rvjp(
    xp: Any, g: Any, y: Any, values: Any, indices: Any, indptr: Any, shape: Any, dense: Any
) -> Any:
    return _by_values(xp, dense, g, values, indices, indptr)


def _by_values(xp: Any, at_rows: Any, at_columns: Any, values: Any, indices: Any, indptr: Any) -> Any:
    """Return for each value the product of what its row has and what its column has."""
    rows = _row_of_each(xp, indptr)
    if at_rows.ndim == 1:
        return unbroadcast(xp, at_rows[rows] * at_columns[indices], values)
    return unbroadcast(xp, xp.einsum("ij,ij->i", at_rows[rows], at_columns[indices]), values)


def _dense_vjp(
    xp: Any, g: Any, y: Any, values: Any, indices: Any, indptr: Any, shape: Any, dense: Any
) -> Any:
    return unbroadcast(xp, _transposed_product(xp, values, indices, indptr, shape, g), dense)


def _dense_rvjp(
    xp: Any, g: Any, y: Any, values: Any, indices: Any, indptr: Any, shape: Any, dense: Any
) -> Any:
    return unbroadcast(xp, _product(xp, values, indices, indptr, shape, g), dense)


# Samples


def _parts(rng: Any, rows: int, columns: int) -> tuple[Any, Any, Any, tuple[int, int]]:
    kept = rng.uniform(size=(rows, columns)) < 0.4
    indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    indices = np.nonzero(kept)[1]
    return rng.normal(size=indices.size), indices, indptr, (rows, columns)


def _samples(*rest: int) -> Any:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        found = [
            (*_parts(rng, *shape), rng.normal(size=(shape[1], *rest))) for shape in ((4, 5), (5, 3), (1, 1))
        ]
        values, indices, indptr, shape, x = found[0]
        twice = (
            np.append(values, 2.5),
            np.append(indices, 1),
            np.append(indptr[:-1], indptr[-1] + 1),
            shape,
            x,
        )
        empty = (values[:0], indices[:0], np.zeros(4, int), (3, 2), rng.normal(size=(2, *rest)))
        narrow = (np.float32(values), indices.astype(np.int32), indptr.astype(np.int32), shape, np.float32(x))
        return [*found, (np.repeat(values, 2)[::2], indices, indptr, shape, x), twice, empty, narrow]

    return samples


def _turned_samples(*rest: int) -> Any:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        found = _samples(*rest)(rng)
        return [(*parts, rng.normal(size=(parts[3][0], *rest)).astype(x.dtype)) for *parts, x in found]

    return samples


_RULES: dict[str, Any] = {
    "vjps": (_values_vjp, None, None, None, _dense_vjp),
    "jvps": (SAME, None, None, None, SAME),
    "needs": ((1, 2, 4), (), (), (), (0, 1, 2)),
}
_TRANSPOSED: dict[str, Any] = {**_RULES, "vjps": (_values_rvjp, None, None, None, _dense_rvjp)}

CSR_MATVEC = tensor(
    "tensorlib.sparse.csr_matvec",
    _matvec,
    **_RULES,
    implements=(csr_matvec,),
    shape="(k,), (k,), (n + 1,), a matrix's shape (n, m), (m,) -> (n,)",
    samples=_samples(),
)
CSR_MATMAT = tensor(
    "tensorlib.sparse.csr_matmat",
    _matmat,
    **_RULES,
    implements=(csr_matmat,),
    shape="(k,), (k,), (n + 1,), a matrix's shape (n, m), (m, l) -> (n, l)",
    samples=_samples(2),
)
CSR_RMATVEC = tensor(
    "tensorlib.sparse.csr_rmatvec",
    _rmatvec,
    **_TRANSPOSED,
    implements=(csr_rmatvec,),
    shape="(k,), (k,), (n + 1,), a matrix's shape (n, m), (n,) -> (m,)",
    samples=_turned_samples(),
)
CSR_RMATMAT = tensor(
    "tensorlib.sparse.csr_rmatmat",
    _rmatmat,
    **_TRANSPOSED,
    implements=(csr_rmatmat,),
    shape="(k,), (k,), (n + 1,), a matrix's shape (n, m), (n, l) -> (m, l)",
    samples=_turned_samples(2),
)
