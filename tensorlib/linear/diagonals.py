"""Triangles and diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from tensorlib.layout.moving import linear, matrices, with_options


def _triangle(name: str, function: Any) -> Any:
    return linear(
        f"np.{name}",
        lambda xp, m, k=0: getattr(xp, name)(m, k),
        lambda xp, g, y, m, k=0: (
            getattr(xp, name)(g, k).reshape(m.shape)
            if m.ndim > 1
            else xp.sum(getattr(xp, name)(xp.ones(g.shape), k) * g, axis=0)
        ),
        implements=(function,),
        shape="(..., n, m) -> (..., n, m)",
        samples=with_options((), (1,), (-1,), low=1),
    )


TRIL = _triangle("tril", np.tril)
TRIU = _triangle("triu", np.triu)


def _undiag(xp: Any, g: Any, y: Any, v: Any, k: int = 0) -> Any:
    if v.ndim == 1:
        return xp.diagonal(g, k)
    whole = zeros_beside(g, v.shape, g.dtype)
    rows = xp.arange(g.shape[0])
    whole[rows + max(-k, 0), rows + max(k, 0)] = g
    return whole


DIAG = linear(
    "np.diag",
    lambda xp, v, k=0: xp.diag(v, k),
    _undiag,
    views=True,
    implements=(np.diag,),
    shape="(n, m) -> (min(n, m),), (n,) -> (n, n)",
    samples=lambda rng: [
        (x, *k) for k in ((), (1,), (-1,)) for (x,) in matrices(rng) if x.ndim in (1, 2) and x.size
    ],
)


def _undiagonal(xp: Any, g: Any, y: Any, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    whole = zeros_beside(g, a.shape, g.dtype)
    moved = xp.moveaxis(whole, (axis1, axis2), (-2, -1))
    index = xp.arange(g.shape[-1])
    moved[..., index + max(-offset, 0), index + max(offset, 0)] = g
    return whole


DIAGONAL = linear(
    "np.diagonal",
    lambda xp, a, offset=0, axis1=0, axis2=1: xp.diagonal(a, offset, axis1, axis2),
    _undiagonal,
    views=True,
    implements=(np.diagonal,),
    methods=("diagonal",),
    shape="(n, m) -> (min(n, m),)",
    samples=with_options((), (1,), (-1, 1, 0), (0, -1, -2), low=2),
)
DIAGFLAT = linear(
    "np.diagflat",
    lambda xp, v, k=0: xp.diagflat(v, k),
    lambda xp, g, y, v, k=0: xp.diagonal(g, k).reshape(v.shape),
    implements=(np.diagflat,),
    shape="(n,) -> (n, n)",
    samples=with_options((), (1,), low=1),
)
