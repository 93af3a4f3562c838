"""Eigenvalues and eigenvectors of square matrices that need not be symmetric, and of stacks of them.

The eigenvectors are those of LAPACK: of length one, with a real element where the absolute value is greatest.
The derivatives keep that. Where eigenvalues coincide, the vectors have no derivative: it is infinite or NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlib.elementwise.complex import CONJ, IMAG, REAL
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.layout.moving import call
from tensorlib.linear.decompositions import inverse_gaps, quiet
from tensorlib.linear.einsum import EINSUM
from tensorlib.linear.linalg import INV, of_arrays, shape_in, swapped
from tensorlib.linear.products import MATMUL
from tensorlib.rules import is_complex, raw


def _greatest(v: Any) -> Any:
    """Return ones where the elements of eigenvectors are real by convention, else zeros."""
    rows = np.argmax(np.abs(v), axis=-2, keepdims=True)
    return (np.arange(v.shape[-2])[:, None] == rows).astype(v.real.dtype)


def _eig_cotangent(xp: Any, gw: Any, gv: Any, w: Any, v: Any) -> Any:
    """Return the cotangent of a matrix, complex as the eigenvectors are."""
    inner = gw[..., None, :] * np.eye(w.shape[-1]) if gw is not None else 0.0
    if gv is not None:
        c = xp.sum(gv * v, axis=-2, keepdims=True)
        whole = gv - xp.real(c) * xp.conj(v)
        if v.dtype.kind == "c":
            chosen = _greatest(v)
            whole = whole - 1j * chosen * xp.imag(c) / xp.sum(chosen * xp.real(v), axis=-2, keepdims=True)
        gaps = w[..., None, :] - w[..., :, None]
        unit = np.eye(w.shape[-1])
        inner = inner + (1.0 - unit) / (gaps + unit) * (swapped(xp, v) @ whole)
    return xp.linalg.solve(swapped(xp, v), inner @ swapped(xp, v))


def _as_like(xp: Any, g: Any, a: Any) -> Any:
    return (g if a.dtype.kind == "c" else xp.real(g)).astype(a.dtype)


@quiet
def _eig_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    return _as_like(xp, _eig_cotangent(xp, g[0], g[1], y[0], y[1]), a)


@quiet
def _eig_jvp(tangent: Any, y: Any, a: Any) -> Any:
    w, v = y.items
    inner = MATMUL(MATMUL(INV(v), tangent), v)
    turned = MATMUL(v, MULTIPLY(inner, inverse_gaps(w, shape_in(a)[-1])))
    lengths = REAL(EINSUM("...ik,...ik->...k", CONJ(v), turned))
    moved = SUBTRACT(turned, MULTIPLY(v, call("np.expand_dims", lengths, -2)))
    if is_complex(v):
        chosen = _greatest(raw(v))
        phase = DIVIDE(
            EINSUM("...ik,...ik->...k", chosen, IMAG(turned)), EINSUM("...ik,...ik->...k", chosen, REAL(v))
        )
        moved = SUBTRACT(moved, MULTIPLY(MULTIPLY(v, 1j), call("np.expand_dims", phase, -2)))
    return EINSUM("...ii->...i", inner), moved


def _order(found: Any, wanted: Any) -> Any:
    """Return the positions among eigenvalues of those that another computation found."""
    if np.allclose(found, wanted, rtol=1e-6):
        return np.broadcast_to(np.arange(found.shape[-1]), found.shape)
    return np.argmin(np.abs(wanted[..., :, None] - found[..., None, :]), axis=-1)


@quiet
def _eigvals_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    w, v = xp.linalg.eig(a)
    v = xp.take_along_axis(v, _order(w, y)[..., None, :], -1)
    return _as_like(xp, _eig_cotangent(xp, g, None, y, v), a)


def _eigvals_jvp(tangent: Any, y: Any, a: Any) -> Any:
    w, v = EIG(a).items
    inner = EINSUM("...ii->...i", MATMUL(MATMUL(INV(v), tangent), v))
    return call("np.take_along_axis", inner, _order(raw(w), raw(y)), -1)


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    turning = np.array([[0.3, -2.0, 0.4], [1.5, 0.2, 0.1], [0.7, -0.3, 3.0]])
    real = np.diag([1.0, 2.5, -1.0]) + 0.2 * rng.normal(size=(3, 3))
    both = np.stack([turning, turning.T + 0.1 * np.eye(3)])
    return [
        (turning,),
        (real,),
        (both,),
        (turning.T,),
        (turning[:2, :2] + 0.5j * real[:2, :2],),
        (real[:1, :1],),
    ]


EIG = of_arrays(
    "np.linalg.eig",
    lambda xp, a: xp.linalg.eig(a),
    vjps=(_eig_vjp,),
    jvps=(_eig_jvp,),
    implements=(np.linalg.eig,),
    shape="(..., n, n) -> (..., n), (..., n, n)",
    convention="vectors of equal eigenvalues have infinite derivatives, or NaN",
    samples=_samples,
)
EIGVALS = of_arrays(
    "np.linalg.eigvals",
    lambda xp, a: xp.linalg.eigvals(a),
    vjps=(_eigvals_vjp,),
    jvps=(_eigvals_jvp,),
    implements=(np.linalg.eigvals,),
    shape="(..., n, n) -> (..., n)",
    convention="infinite or NaN where equal eigenvalues have too few vectors",
    samples=_samples,
)
