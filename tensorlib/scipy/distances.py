"""Distances of scipy.spatial.distance: between two vectors, between all rows, between all pairs of rows.

In a program these are translated. Values are SciPy's, derivatives those of a formula for each metric.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as


@solver("scipy.spatial.distance")
def _of_scipy(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(distance, name)(*operands, **{k: v for k, v in options.items() if v is not None})


def _measured(metric: Any, a: Any, b: Any, p: Any) -> Any:
    """Return the distances of vectors along the last axis."""
    apart = a - b
    if metric == "euclidean":
        return np.linalg.norm(apart, axis=-1)
    if metric == "sqeuclidean":
        return np.sum(apart**2, axis=-1)
    if metric in ("cityblock", "manhattan"):
        return np.sum(np.abs(apart), axis=-1)
    if metric == "chebyshev":
        return np.max(np.abs(apart), axis=-1)
    if metric == "minkowski":
        return np.linalg.norm(apart, p, axis=-1)
    if metric == "canberra":
        total = np.abs(a) + np.abs(b)
        return np.sum(np.where(total > 0.0, np.abs(apart) / np.where(total > 0.0, total, 1.0), 0.0), axis=-1)
    if metric == "braycurtis":
        return np.sum(np.abs(apart), axis=-1) / np.sum(np.abs(a + b), axis=-1)
    if metric == "correlation":
        a, b = a - np.mean(a, axis=-1, keepdims=True), b - np.mean(b, axis=-1, keepdims=True)
    if metric in ("cosine", "correlation"):
        sizes = np.sqrt(np.sum(a * a, axis=-1) * np.sum(b * b, axis=-1))
        return 1.0 - np.sum(a * b, axis=-1) / sizes
    raise refusal(
        f"distances by the metric {metric!r}: write them with arrays, np.linalg.norm(a[:, None] - b, axis=-1)"
    )


def _between(name: Any, u: Any, v: Any, p: Any) -> Any:
    u, v = np.asarray(u), np.asarray(v)
    options = {"p": p} if name == "minkowski" else {}
    value = prim("py.solver", "scipy.spatial.distance", (), (name, (u, v), options))
    return prim("py.attached", value, lambda both: _measured(name, both[0], both[1], p), (u, v))


def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    """See scipy.spatial.distance.euclidean; without weights, as all here."""
    return _between("euclidean", u, _alone(v, w), None)


def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    """See scipy.spatial.distance.sqeuclidean."""
    return _between("sqeuclidean", u, _alone(v, w), None)


def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    """See scipy.spatial.distance.cityblock."""
    return _between("cityblock", u, _alone(v, w), None)


def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    """See scipy.spatial.distance.chebyshev."""
    return _between("chebyshev", u, _alone(v, w), None)


def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """See scipy.spatial.distance.minkowski."""
    return _between("minkowski", u, _alone(v, w), p)


def cosine(u: Any, v: Any, w: Any = None) -> Any:
    """See scipy.spatial.distance.cosine."""
    return _between("cosine", u, _alone(v, w), None)


def correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    """See scipy.spatial.distance.correlation."""
    return _between("correlation" if centered else "cosine", u, _alone(v, w), None)


def braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    """See scipy.spatial.distance.braycurtis."""
    return _between("braycurtis", u, _alone(v, w), None)


def canberra(u: Any, v: Any, w: Any = None) -> Any:
    """See scipy.spatial.distance.canberra."""
    return _between("canberra", u, _alone(v, w), None)


def _alone(v: Any, w: Any) -> Any:
    """Return the second operand, if there are no weights."""
    if w is not None:
        raise refusal("distances with weights: multiply the vectors by the roots of the weights")
    return v


def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2, w: Any = None) -> Any:
    """See scipy.spatial.distance.cdist."""
    a, b = np.asarray(XA), np.asarray(_alone(XB, w))
    options = {"metric": metric, "p": p if metric == "minkowski" else None}
    value = prim("py.solver", "scipy.spatial.distance", (), ("cdist", (a, b), options))

    def measured(both: Any) -> Any:
        return _measured(metric, both[0][:, None, :], both[1][None, :, :], p)

    return prim("py.attached", value, measured, (a, b))


def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2, w: Any = None) -> Any:
    """See scipy.spatial.distance.pdist."""
    x = np.asarray(_alone(X, w))
    options = {"metric": metric, "p": p if metric == "minkowski" else None}
    value = prim("py.solver", "scipy.spatial.distance", (), ("pdist", (x,), options))
    first, second = np.triu_indices(len(x), 1)
    return prim("py.attached", value, lambda x: _measured(metric, x[first], x[second], p), x)


def squareform(X: Any, force: Any = "no", checks: Any = True) -> Any:
    """See scipy.spatial.distance.squareform."""
    x = np.asarray(X)
    if x.ndim == 2:
        first, second = np.triu_indices(len(x), 1)
        return x[first, second]
    size = int(np.ceil(np.sqrt(len(x) * 2)))
    first, second = np.triu_indices(size, 1)
    found = np.zeros((size, size))
    found[first, second] = x
    return found + found.T


_TRANSLATIONS: dict[Any, Any] = {
    getattr(distance, each.__name__): each
    for each in (
        euclidean,
        sqeuclidean,
        cityblock,
        chebyshev,
        minkowski,
        cosine,
        correlation,
        braycurtis,
        canberra,
        cdist,
        pdist,
        squareform,
    )
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
