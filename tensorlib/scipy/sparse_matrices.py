"""Sparse matrices of scipy.sparse: products with dense arrays, transposes, multiples.

In: csr, csc, coo and dia matrices and arrays of two axes, from outside of a program. In it each is an object
of a class below, which is translated in place of SciPy's. Out: arrays, to SciPy's last bit: what makes one
element of a product is added in SciPy's order. Both operands may be differentiated; the places of a matrix's
elements are constant. Left out: sums and products of two sparse matrices, elements, rows, changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from checkpoint.errors import refusal
from checkpoint.prims.arrays import StandIn, stands_for, translated_as
from tensorlib.sparse import csr_matmat, csr_matvec, csr_rmatmat, csr_rmatvec

_DENSE = "write it with its product M @ x, or with the dense array M.toarray()"


class Sparse:
    """A sparse matrix.

    data: its elements. _rows, _columns: how many it has. The rest says where the elements are.
    """

    data: Any
    _rows: Any
    _columns: Any

    def _times(self, x: Any) -> Any:
        """Return the product with a dense vector or matrix."""
        raise NotImplementedError

    def _turned(self) -> Any:
        """Return the transpose."""
        raise NotImplementedError

    def _with_data(self, data: Any) -> Any:
        """Return a matrix with other elements at the same places."""
        raise NotImplementedError

    def _product(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            raise refusal("the product of two sparse matrices has no rule here: write A @ (B @ x)")
        x = np.asarray(other)
        if x.ndim not in (1, 2):
            raise ValueError("could not interpret dimensions")
        if x.shape[0] != self.shape[1]:
            rest = ",1?)->(n,1?)" if x.ndim == 1 or x.shape[1] == 1 else ",m)->(n,m)"
            raise ValueError(
                f"matmul: dimension mismatch with signature (n,k={self.shape[1]}),(k={x.shape[0]}{rest}"
            )
        return self._times(x)

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, Sparse) and np.ndim(other) == 0:
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._product(other)

    def __rmatmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._turned()._product(np.asarray(other).T).T

    def dot(self, other: Any) -> Any:
        if not isinstance(other, Sparse) and np.ndim(other) == 0:
            return self._with_data(self.data * other)
        return self._product(other)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Sparse) and np.ndim(other) == 0:
            return self._with_data(self.data * other)
        return self._beside(other, False)

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self._with_data(self.data * other)
        return self._beside(other, True)

    def _beside(self, other: Any, is_left: Any) -> Any:
        """Return what * of a matrix and something larger than a number is."""
        raise refusal(f"element by element, products with a sparse array have no rule here: {_DENSE}")

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Sparse) or np.ndim(other) != 0:
            raise refusal(f"a sparse matrix divided by another array has no rule here: {_DENSE}")
        return self._with_data(self.data * (1.0 / other))

    def __neg__(self) -> Any:
        return self._with_data(-self.data)

    def __add__(self, other: Any) -> Any:
        raise refusal(f"a sum with a sparse matrix has no rule here: {_DENSE}")

    def __radd__(self, other: Any) -> Any:
        raise refusal(f"a sum with a sparse matrix has no rule here: {_DENSE}")

    def __sub__(self, other: Any) -> Any:
        raise refusal(f"a difference with a sparse matrix has no rule here: {_DENSE}")

    def __rsub__(self, other: Any) -> Any:
        raise refusal(f"a difference with a sparse matrix has no rule here: {_DENSE}")

    def __getitem__(self, key: Any) -> Any:
        raise refusal(f"elements and rows of a sparse matrix have no rule here: {_DENSE}")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise refusal(f"changing a sparse matrix has no rule here: {_DENSE}")

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")

    @property
    def T(self) -> Any:
        return self._turned()

    def transpose(self) -> Any:
        return self._turned()

    @property
    def shape(self) -> Any:
        return self._rows, self._columns

    @property
    def nnz(self) -> Any:
        return len(self.data)

    @property
    def ndim(self) -> Any:
        return 2

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    def copy(self) -> Any:
        return self._with_data(self.data.copy())

    def _places(self) -> Any:
        """Return the row and the column of each element."""
        raise NotImplementedError

    def toarray(self) -> Any:
        made = np.zeros(self.shape, self.data.dtype)
        np.add.at(made, self._places(), self.data)
        return made


class Compressed(Sparse):
    """A matrix in compressed rows or columns.

    indices: the place of each element in its row or column. indptr: where each of these begins, and the end.
    """

    def __init__(self, data: Any, indices: Any, indptr: Any, shape: Any) -> None:
        self.data = data
        self.indices = indices
        self.indptr = indptr
        self._rows = shape[0]
        self._columns = shape[1]


def _lines(indptr: Any) -> Any:
    """Return the row, or column, of each element."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


translated_as(_lines, _lines)


class Rows(Compressed):
    """A matrix in compressed rows."""

    def _times(self, x: Any) -> Any:
        if x.ndim == 1:
            return csr_matvec(self.data, self.indices, self.indptr, self.shape, x)
        return csr_matmat(self.data, self.indices, self.indptr, self.shape, x)

    def _places(self) -> Any:
        return _lines(self.indptr), self.indices


class Columns(Compressed):
    """A matrix in compressed columns."""

    def _times(self, x: Any) -> Any:
        shape = self.shape[::-1]
        if x.ndim == 1:
            return csr_rmatvec(self.data, self.indices, self.indptr, shape, x)
        return csr_rmatmat(self.data, self.indices, self.indptr, shape, x)

    def _places(self) -> Any:
        return self.indices, _lines(self.indptr)


class Listed(Sparse):
    """A matrix as a list of elements: row, col: the places of each."""

    def __init__(self, data: Any, row: Any, col: Any, shape: Any) -> None:
        self.data = data
        self.row = row
        self.col = col
        self._rows = shape[0]
        self._columns = shape[1]

    def _times(self, x: Any) -> Any:
        factors = self.data if x.ndim == 1 else self.data[:, None]
        terms = factors * x[self.col]
        found = np.zeros((self._rows, *x.shape[1:]), terms.dtype)
        np.add.at(found, self.row, terms)
        return found

    def _places(self) -> Any:
        return self.row, self.col

    def _made(self, data: Any, row: Any, col: Any, shape: Any) -> Any:
        """Return a matrix of the object's own class."""
        raise NotImplementedError

    def _turned(self) -> Any:
        return self._made(self.data, self.col, self.row, self.shape[::-1])

    def _with_data(self, data: Any) -> Any:
        return self._made(data, self.row, self.col, self.shape)


class _Matrix(Sparse):
    """A matrix of SciPy's older classes, whose * is a product of matrices."""

    def _beside(self, other: Any, is_left: Any) -> Any:
        return other @ self if is_left else self @ other


class CSRArray(Rows):
    """See scipy.sparse.csr_array."""

    def _turned(self) -> Any:
        return CSCArray(self.data, self.indices, self.indptr, self.shape[::-1])

    def _with_data(self, data: Any) -> Any:
        return CSRArray(data, self.indices, self.indptr, self.shape)


class CSCArray(Columns):
    """See scipy.sparse.csc_array."""

    def _turned(self) -> Any:
        return CSRArray(self.data, self.indices, self.indptr, self.shape[::-1])

    def _with_data(self, data: Any) -> Any:
        return CSCArray(data, self.indices, self.indptr, self.shape)


class CSRMatrix(_Matrix, Rows):
    """See scipy.sparse.csr_matrix."""

    def _turned(self) -> Any:
        return CSCMatrix(self.data, self.indices, self.indptr, self.shape[::-1])

    def _with_data(self, data: Any) -> Any:
        return CSRMatrix(data, self.indices, self.indptr, self.shape)


class CSCMatrix(_Matrix, Columns):
    """See scipy.sparse.csc_matrix."""

    def _turned(self) -> Any:
        return CSRMatrix(self.data, self.indices, self.indptr, self.shape[::-1])

    def _with_data(self, data: Any) -> Any:
        return CSCMatrix(data, self.indices, self.indptr, self.shape)


class COOArray(Listed):
    """See scipy.sparse.coo_array."""

    def _made(self, data: Any, row: Any, col: Any, shape: Any) -> Any:
        return COOArray(data, row, col, shape)


class COOMatrix(_Matrix, Listed):
    """See scipy.sparse.coo_matrix."""

    def _made(self, data: Any, row: Any, col: Any, shape: Any) -> Any:
        return COOMatrix(data, row, col, shape)


class DIAArray(Listed):
    """See scipy.sparse.dia_array. Its elements are listed diagonal by diagonal."""

    def _made(self, data: Any, row: Any, col: Any, shape: Any) -> Any:
        return DIAArray(data, row, col, shape)


class DIAMatrix(_Matrix, Listed):
    """See scipy.sparse.dia_matrix. Its elements are listed diagonal by diagonal."""

    def _made(self, data: Any, row: Any, col: Any, shape: Any) -> Any:
        return DIAMatrix(data, row, col, shape)


def _shape(matrix: Any) -> dict[str, int]:
    if matrix.ndim != 2:
        raise refusal("sparse arrays of other than two axes have no rule here: reshape them outside")
    return {"_rows": int(matrix.shape[0]), "_columns": int(matrix.shape[1])}


def _compressed(matrix: Any) -> dict[str, Any]:
    parts = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    return {**parts, **_shape(matrix)}


def _listed(matrix: Any) -> dict[str, Any]:
    shape = _shape(matrix)
    return {"data": matrix.data, "row": matrix.coords[0], "col": matrix.coords[1], **shape}


def _diagonals(matrix: Any) -> dict[str, Any]:
    """Return the parts of a dia matrix: its diagonals one after another, with what they store as zeros."""
    shape = _shape(matrix)
    col = np.tile(np.arange(matrix.data.shape[1]), len(matrix.offsets))
    row = col - np.repeat(matrix.offsets, matrix.data.shape[1])
    kept = (col < shape["_columns"]) & (row >= 0) & (row < shape["_rows"])
    return {"data": matrix.data.ravel()[kept], "row": row[kept], "col": col[kept], **shape}


def _fill(made: Any, attributes: dict[str, Any]) -> None:
    """Make an object of SciPy's that has nothing yet a matrix of these parts."""
    data, one, two = (np.array(part) for name, part in attributes.items() if name[0] != "_")
    shape = attributes["_rows"], attributes["_columns"]
    parts: Any = (data, one, two) if "indptr" in attributes else (data, (one, two))
    if made.format == "dia":
        parts = sp.coo_array(parts, shape=shape)
    vars(made).update(vars(type(made)(parts, shape=shape)))


for _of, _cls, _taken in (
    (sp.csr_array, CSRArray, _compressed),
    (sp.csr_matrix, CSRMatrix, _compressed),
    (sp.csc_array, CSCArray, _compressed),
    (sp.csc_matrix, CSCMatrix, _compressed),
    (sp.coo_array, COOArray, _listed),
    (sp.coo_matrix, COOMatrix, _listed),
    (sp.dia_array, DIAArray, _diagonals),
    (sp.dia_matrix, DIAMatrix, _diagonals),
):
    stands_for(StandIn(_of, _cls, _taken, lambda attributes, of=_of: of.__new__(of), _fill))  # type: ignore[misc]
