"""Bundle adjustment and k-means as others are measured by, in NumPy; with another `np` JAX runs them.

Sources: Srajer, Kukelova, Fitzgibbon 2018, "A benchmark of selected algorithmic differentiation tools"
(bundle adjustment); Schenck, Ronning, Henriksen, Oancea 2022, "AD for an array language with nested
parallelism" (k-means by Newton's method: the Hessian's diagonal by one derivative of the gradient).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from tensorlib.sparse import csr_matmat, csr_parts

CAMERA = 11  # rotation, center, focal length, principal point, two coefficients of radial distortion


def residuals(flat: Any, cameras: Any, points: Any, features: Any, n: int, m: int, np: Any = np) -> Any:
    """Return weighted errors of projection, and how far weights are from one, of n cameras and m points.

    flat: cameras, points and weights in a row. cameras, points: which of them belong to each observation.
    """
    start, end = CAMERA * n, CAMERA * n + 3 * m
    camera, point = flat[:start].reshape(n, CAMERA)[cameras], flat[start:end].reshape(m, 3)[points]
    weights = flat[end:]
    weighted = errors(*parts_of(camera), point, weights[:, None], features, np)
    return np.concatenate([weighted.ravel(), 1.0 - weights**2])


def parts_of(camera: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return the rotations, centers, focal lengths, principal points and distortions of cameras, as rows."""
    return camera[:, :3], camera[:, 3:6], camera[:, 6:7], camera[:, 7:9], camera[:, 9:]


def errors(
    rotation: Any,
    center: Any,
    focal: Any,
    principal: Any,
    radial: Any,
    point: Any,
    weights: Any,
    features: Any,
    np: Any = np,
) -> Any:
    """Return the weighted errors of projection of each observation, by its own camera, point and weight."""
    theta = np.sqrt(np.sum(rotation * rotation, axis=1, keepdims=True))
    sine, cosine = np.sin(theta), np.cos(theta)
    axis, moved = rotation / theta, point - center
    along = np.sum(axis * moved, axis=1, keepdims=True) * (1.0 - cosine)
    seen = moved * cosine + np.cross(axis, moved) * sine + axis * along
    plane = seen[:, :2] / seen[:, 2:]
    radius = np.sum(plane * plane, axis=1, keepdims=True)
    factor = 1.0 + radial[:, :1] * radius + radial[:, 1:] * radius**2
    return weights * (plane * factor * focal + principal - features)


def observations(n: int, m: int, count: int, seed: int = 0) -> tuple[Any, ...]:
    """Return arguments of `residuals`: cameras before which points lie, and which sees which."""
    rng = np.random.default_rng(seed)
    cameras = 0.1 * rng.normal(size=(n, CAMERA))
    cameras[:, 6] += 1.5
    points = rng.normal(size=(m, 3)) + np.array([0.0, 0.0, 6.0])
    flat = np.concatenate([cameras.ravel(), points.ravel(), 0.5 + rng.random(count)])
    which = rng.integers(0, n, count), rng.integers(0, m, count)
    return (flat, *which, rng.normal(size=(count, 2)), n, m)


def spread(centers: Any, points: Any, np: Any = np) -> Any:
    """Return the sum of the squared distances of points from the nearest center."""
    products = points @ centers.T
    squares = np.sum(points * points, axis=1)[:, None] + np.sum(centers * centers, axis=1)[None, :]
    return np.sum(np.min(squares - 2.0 * products, axis=1))


def sparse_spread(
    centers: Any,
    values: Any,
    indices: Any,
    indptr: Any,
    squares: Any,
    np: Any = np,
    product: Callable[..., Any] = csr_matmat,
) -> Any:
    """Return `spread` of points that are the rows of a sparse matrix. squares: of their lengths."""
    shape = len(indptr) - 1, centers.shape[1]
    products = product(values, indices, indptr, shape, centers.T)
    apart = squares[:, None] + np.sum(centers * centers, axis=1)[None, :]
    return np.sum(np.min(apart - 2.0 * products, axis=1))


def ratings(rows: int, columns: int, count: int, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Return the parts of a sparse matrix with so many ratings from 1 to 5, and the squares of its rows."""
    rng = np.random.default_rng(seed)
    density = count / (rows * columns)
    matrix = sp.random_array(
        (rows, columns),
        density=density,
        format="csr",
        rng=rng,
        data_sampler=lambda size: rng.integers(1, 6, size).astype(float),
    )
    values, indices, indptr, _ = csr_parts(matrix)
    return values, indices, indptr, matrix.multiply(matrix).sum(axis=1)
