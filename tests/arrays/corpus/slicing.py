"""Looking at parts of arrays, in all forms of an index."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def basic(x: Any) -> Any:
    """Elements, negative ones, and slices of a vector."""
    return x[0] * x[-1], x[1:-1], x[::-1], x[::2], x[-3:], x[:0], x[5:1:-2], x[None, 2]


def matrix(a: Any) -> Any:
    """Rows, columns, blocks, single elements."""
    return a[0], a[:, 1], a[1:, :2], a[-1, -1], a[..., 0], a[0][1], a[:, None, 0], a[np.newaxis].shape


def tensor(a: Any) -> Any:
    """Three axes."""
    return a[0, ..., 1], a[:, 0], a[..., ::-1][1, 0], a[1, 2, 3] * a[(0, 1, 2)], a[None, :, 1:, ::2].sum()


def fancy(x: Any) -> Any:
    """Arrays of integers, repeated too."""
    i = np.array([0, 2, 2, -1])
    return x[i], x[[1, 0]], x[i][::2], x[i.reshape(2, 2)]


def fancy_matrix(a: Any) -> Any:
    """Arrays of integers along some axes."""
    i, j = np.array([0, 1, 1]), np.array([2, 0, 0])
    return a[i, j], a[i], a[:, j], a[i, 1:], a[i[:, None], j]


def masked(x: Any) -> Any:
    """Boolean masks."""
    keep = x > 0
    return x[keep].sum(), x[~keep], x[(x > -1.0) & (x < 1.0)], x[np.array([True, False] * 3)]


def mask_of_rows(a: Any) -> Any:
    """A mask along the first axis, and of the whole."""
    return a[a[:, 0] > 0], a[a > 0].prod(), a[:, np.array([True, False, True])]


def differences(x: Any) -> Any:
    """Stencils by slices."""
    return (x[2:] - 2.0 * x[1:-1] + x[:-2]) / 0.01, x[1:] * x[:-1], np.diff(x)


def laplacian(u: Any) -> Any:
    """A stencil in two dimensions."""
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]


def computed_index(x: Any) -> Any:
    """Where to look depends on the data."""
    i = np.argmax(x)
    j = int(np.argmin(x))
    order = np.argsort(x)
    return x[i] - x[j], x[order], x[order[-2:]].sum(), i, order


def index_arithmetic(x: Any) -> Any:
    """Indices that are computed as arrays."""
    n = len(x)
    i = np.arange(n)
    return x[(i + 2) % n] * x[(3 * i) % n], x[i // 2], x[n - 1 - i]


def views_of_views(x: Any) -> Any:
    """Slices of slices, transposes of reshapes."""
    a = x.reshape(2, 3)
    return a.T[1:], a[1][1:][0], x[1:][1:][1:], a.T.reshape(-1)[::2], a.ravel()[2]


def windows(x: Any, k: int) -> Any:
    """A moving average by a comprehension of slices."""
    return np.array([x[i : i + k].mean() for i in range(len(x) - k + 1)])


def taken(a: Any) -> Any:
    """np.take and its kin."""
    order = np.argsort(a, axis=1)
    return np.take(a, [0, 1, 1], axis=1), np.take_along_axis(a, order, axis=1), a.take([0, 5]), a[:, [0, -1]]


def swapped(x: Any) -> Any:
    """Elements as numbers, through tuples and unpacking."""
    a, b, *rest = x
    (c, d), e = x[:2], x[2]
    return a * d - b * c + e, rest


EXAMPLES = [
    Example(basic, (filled(6),)),
    Example(matrix, (filled(3, 3),)),
    Example(tensor, (filled(2, 3, 4),)),
    Example(fancy, (filled(4),)),
    Example(fancy_matrix, (filled(2, 3),)),
    Example(masked, (filled(6),)),
    Example(mask_of_rows, (filled(4, 3),)),
    Example(differences, (filled(6),)),
    Example(laplacian, (filled(4, 4),)),
    Example(computed_index, (filled(5),)),
    Example(index_arithmetic, (filled(5),)),
    Example(views_of_views, (filled(6),)),
    Example(windows, (filled(6), 3)),
    Example(taken, (filled(2, 3),)),
    Example(swapped, (filled(5),)),
]
