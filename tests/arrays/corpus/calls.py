"""Functions, methods and attributes of NumPy, with the options that people give them."""

from __future__ import annotations

from typing import Any

import numpy
import numpy as np
import numpy.linalg as la
from numpy import cos, sin
from numpy.linalg import solve

from tests.arrays.corpus import Example, filled


def keywords(a: Any) -> Any:
    """axis, keepdims, by name and by position."""
    return (
        np.sum(a, axis=0),
        np.sum(a, 1),
        a.mean(axis=1, keepdims=True),
        np.max(a, axis=-1),
        np.var(a, ddof=1),
        a.std(0),
        np.prod(a, axis=(0, 1)),
        a.sum(),
    )


def imports(a: Any, b: Any) -> Any:
    """Names that were imported in all ways."""
    return la.solve(a, b), solve(a, b), numpy.linalg.det(a), sin(b) + cos(b), np.linalg.norm(a, ord="fro")


def methods(a: Any) -> Any:
    """Methods in chains."""
    return (
        a.T.dot(a).trace(),
        a.reshape(-1).clip(-1.0, 1.0).cumsum()[-1],
        a.ravel().copy().argmax(),
        a.astype(float).flatten().round(2).max(),
        a.transpose().swapaxes(0, 1).squeeze().min(),
        a.diagonal().prod(),
        a.repeat(2).take([0, 3]),
    )


def attributes(a: Any) -> Any:
    """shape, size, ndim, dtype, T."""
    n, m = a.shape
    return a / n + m, a.size, a.ndim, a.T.shape[0], str(a.dtype), a.T @ np.ones(a.shape[0]), len(a)


def elementary(x: Any) -> Any:
    """A chain of elementary functions."""
    y = np.exp(-(x**2)) + np.log1p(np.abs(x)) - np.arctan(x)
    return np.sqrt(np.square(y) + 1.0) + np.tanh(y) * np.sinh(0.1 * y) + np.cbrt(np.abs(y) + 1.0)


def operators(x: Any, y: Any) -> Any:
    """All operators of Python, with floats on either side."""
    return (
        x + y - 2.0 * x / y,
        x**2 + 2**x,
        -x + +y,
        x // 0.7,
        x % 0.7,
        1.0 - x,
        3 / y,
        abs(x),
        x @ y,
        np.abs(x) ** y,
        divmod(x, 0.5)[1],
    )


def selections(x: Any, y: Any) -> Any:
    """np.where and its kin."""
    return (
        np.where(x > y, x * y, x - y),
        np.maximum(x, y),
        np.minimum(x, 0.0),
        np.clip(x, -0.5, 0.5),
        np.select([x < -1, x > 1], [x**2, -x], 0.0),
        np.sign(x) * y,
        x[np.where(y > 0)],
    )


def sorts(x: Any) -> Any:
    """Sorting and searching."""
    s = np.sort(x)
    return (
        s * np.arange(len(x)),
        np.searchsorted(s, 0.1),
        np.argsort(-x),
        np.median(x),
        np.ptp(x),
        np.quantile(x, 0.3),
    )


def products(a: Any, b: Any) -> Any:
    """All kinds of products."""
    return (
        np.dot(a, b),
        np.einsum("ij,jk->ik", a, b),
        np.outer(a[0], b[0]),
        np.tensordot(a, b, axes=1),
        np.inner(a, b.T),
        np.kron(a[0], b[0]),
        np.vdot(a, b.T),
        np.matmul(a, b)[0],
        np.cross(a[0], np.array([1.0, 2.0, 3.0])),
    )


def linear_algebra(a: Any) -> Any:
    """Decompositions and what follows from them."""
    s = a @ a.T + np.eye(a.shape[0])
    values, vectors = np.linalg.eigh(s)
    r = np.linalg.qr(s)[1]
    sign, logdet = np.linalg.slogdet(s)
    return (
        np.linalg.inv(s),
        np.linalg.cholesky(s),
        values,
        np.abs(vectors[:, 0]),
        np.abs(np.diag(r)),
        sign * logdet,
        np.linalg.svd(a, compute_uv=False),
        np.linalg.matrix_power(s, 2)[0],
    )


def shapes(x: Any) -> Any:
    """Changing shapes."""
    a = x.reshape((2, 3))
    return (
        np.transpose(a, (1, 0)),
        np.expand_dims(x, 0) * a[:, :1],
        np.broadcast_to(x[:3], (2, 3)) - a,
        np.tile(x[:2], 2),
        np.repeat(x[:2], [1, 3]),
        np.roll(a, 1, axis=1),
        np.flip(a, 0),
        np.pad(x[:2], (1, 2)),
        np.moveaxis(a[None], 0, -1).shape,
        np.split(x, 3)[1],
        np.squeeze(a[:1]),
        np.triu(a),
    )


def creations(x: Any) -> Any:
    """Arrays made of nothing, beside one that is differentiated."""
    n = len(x)
    grid = np.linspace(0.0, 1.0, n)
    xs, ys = np.meshgrid(grid, x)
    return (
        x * np.arange(n) + np.ones_like(x) * np.full(n, 2.0),
        np.eye(n) @ x,
        xs * ys,
        np.zeros((2, n)) + x,
        np.linspace(x[0], x[1], 3),
        np.diag(x),
        np.interp(0.4, grid, x),
        np.trapezoid(x, grid),
    )


def scans(x: Any) -> Any:
    """Cumulative sums and products."""
    return (
        np.cumsum(x),
        np.cumprod(x + 2.0),
        np.diff(x, n=2),
        np.cumsum(x.reshape(2, 3), axis=1),
        np.gradient(x),
    )


def fourier(x: Any) -> Any:
    """Complex arrays between real ones."""
    spectrum = np.fft.rfft(x)
    power = np.abs(spectrum) ** 2
    return power, np.fft.irfft(spectrum * np.exp(-np.arange(len(spectrum))), len(x)), np.fft.fft(x).real[1]


def named_like_changes(x: Any) -> Any:
    """np.sort, np.append, np.insert, np.delete change nothing, in loops and conditions too."""
    for i in range(2):
        x = np.append(np.sort(x), x[i])
        if x[0] < 0:
            x = np.insert(x, 1, 2.0 * x[2])
    try:
        x = np.delete(x, 1)
    except IndexError:
        x = np.sort(-x)
    return x, [np.sort(x * i) for i in range(2)]


def reduced_by_index(x: Any) -> Any:
    """np.bincount with weights."""
    return np.bincount(np.array([0, 2, 1, 0]), weights=x, minlength=4), np.unique(np.array([3, 1, 3]))


def rounded_as_there(a: Any) -> Any:
    """Functions that are written by others round as NumPy's own do."""
    weights = np.arange(1.0, 1.0 + a.shape[1])
    covariances = np.cov(a), np.cov(a[0], a[1], bias=True), np.cov(a, aweights=weights), np.corrcoef(a)
    complex_one = np.cov(a + 1j * a[::-1] ** 2)
    return (
        covariances,
        complex_one.real,
        np.abs(complex_one),
        np.vander(a[0], 6),
        np.nanmedian(a),
        np.nanmedian(a, axis=1),
    )


EXAMPLES = [
    Example(rounded_as_there, (filled(3, 6),)),
    Example(keywords, (filled(2, 3),)),
    Example(imports, (filled(3, 3), filled(3))),
    Example(methods, (filled(2, 2),)),
    Example(attributes, (filled(2, 3),)),
    Example(elementary, (filled(4),)),
    Example(operators, (filled(3), filled(3) * 1.3 + 0.2)),
    Example(selections, (filled(5), filled(5)[::-1] + 0.1)),
    Example(sorts, (filled(5),)),
    Example(products, (filled(2, 3), filled(3, 2) + 1.0)),
    Example(linear_algebra, (filled(3, 3),)),
    Example(shapes, (filled(6),)),
    Example(creations, (filled(4),)),
    Example(scans, (filled(6),)),
    Example(fourier, (filled(8),)),
    Example(named_like_changes, (filled(4),)),
    Example(reduced_by_index, (filled(4),)),
]
