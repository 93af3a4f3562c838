"""Singular values and what is made of them: svd, svdvals, pinv, lstsq. Real matrices, and stacks of them.

The conventions are those of tensorlib.linear.decompositions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlib.elementwise.pointwise import ADD, DIVIDE, MULTIPLY, NEGATIVE, SUBTRACT
from tensorlib.linear.decompositions import inverse_gaps, quiet, refuse
from tensorlib.linear.einsum import EINSUM, transposed
from tensorlib.linear.linalg import of_arrays, shape_in, swapped
from tensorlib.linear.products import MATMUL
from tensorlib.rules import raw, real_only, unbroadcast


def _svd(xp: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    real_only("np.linalg.svd", a)
    a = xp.asarray(a)
    if full_matrices and compute_uv and a.ndim > 1 and a.shape[-2] != a.shape[-1]:
        refuse("np.linalg.svd(full_matrices=True)", a, "full_matrices=False")
    return xp.linalg.svd(a, full_matrices=full_matrices) if compute_uv else xp.linalg.svdvals(a)


def _svdvals(xp: Any, x: Any) -> Any:
    real_only("np.linalg.svdvals", x)
    return xp.linalg.svdvals(x)


@quiet
def _svd_vjp(xp: Any, g: Any, y: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    if not compute_uv:
        return svdvals_cotangent(xp, g, a)
    (u, s, vh), (gu, gs, gvh) = y, g
    found = (u * gs[..., None, :]) @ vh
    v = swapped(xp, vh)
    if xp.any(gu != 0):
        found = found + _singular_side(xp, gu, u, s, v)
    if xp.any(gvh != 0):
        found = found + swapped(xp, _singular_side(xp, swapped(xp, gvh), v, s, u))
    return found.astype(a.dtype)


def svdvals_cotangent(xp: Any, g: Any, a: Any) -> Any:
    """Return the cotangent of matrices for that of their singular values."""
    u, _, vh = xp.linalg.svd(a, full_matrices=False)
    return (u * g[..., None, :]) @ vh


def _singular_side(xp: Any, g: Any, u: Any, s: Any, v: Any) -> Any:
    """Return what the left singular vectors u contribute, for their cotangent g."""
    off = ~xp.eye(s.shape[-1], dtype=bool)
    gaps = s[..., None, :] ** 2 - s[..., :, None] ** 2
    inner = swapped(xp, u) @ g
    turning = xp.where(off, (inner - swapped(xp, inner)) / xp.where(off, gaps, 1.0), 0.0)
    found = u @ (turning * s[..., None, :])
    if u.shape[-2] > u.shape[-1]:
        found = found + (g - u @ inner) / s[..., None, :]
    return found @ swapped(xp, v)


@quiet
def _svd_jvp(tangent: Any, y: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    if not compute_uv:
        return svdvals_tangent(tangent, a)
    u, s, vh = y.items
    v = transposed(vh)
    inner = MATMUL(MATMUL(transposed(u), tangent), v)
    gaps = inverse_gaps(MULTIPLY(s, s), shape_in(s)[-1])
    right = EINSUM("...ij,...j->...ij", inner, s)
    left = EINSUM("...i,...ij->...ij", s, inner)
    du = MATMUL(u, MULTIPLY(gaps, ADD(right, transposed(right))))
    dv = MATMUL(v, MULTIPLY(gaps, ADD(left, transposed(left))))
    du = _with_outside(du, u, MATMUL(tangent, v), s)
    dv = _with_outside(dv, v, MATMUL(transposed(tangent), u), s)
    return du, EINSUM("...ii->...i", inner), transposed(dv)


def _with_outside(du: Any, u: Any, moved: Any, s: Any) -> Any:
    """Return the tangent of singular vectors with what leaves their span."""
    if shape_in(u)[-2] <= shape_in(u)[-1]:
        return du
    outside = SUBTRACT(moved, MATMUL(u, MATMUL(transposed(u), moved)))
    return ADD(du, EINSUM("...ij,...j->...ij", outside, DIVIDE(1.0, s)))


def svdvals_tangent(tangent: Any, a: Any) -> Any:
    """Return the tangent of the singular values of matrices."""
    u, _, vh = SVD(a, False).items
    return EINSUM("...ik,...ij,...kj->...k", u, tangent, vh)


# pinv


def _pinv(xp: Any, a: Any, rcond: Any = None, hermitian: Any = False) -> Any:
    real_only("np.linalg.pinv", a)
    return xp.linalg.pinv(a, rcond, hermitian)


def pinv_cotangent(xp: Any, g: Any, p: Any, a: Any) -> Any:
    """Return the cotangent of matrices for that of their pseudoinverses p, the rank staying what it is."""
    gt, pt = swapped(xp, g), swapped(xp, p)
    outer, inner = a @ p, p @ a
    left = (gt - outer @ gt) @ (p @ pt)
    right = (pt @ p) @ (gt - gt @ inner)
    return left + right - pt @ g @ pt


def pinv_tangent(tangent: Any, p: Any, a: Any) -> Any:
    """Return the tangent of pseudoinverses p, the rank staying what it is."""
    tt, pt = transposed(tangent), transposed(p)
    first = MATMUL(MATMUL(p, pt), SUBTRACT(tt, MATMUL(tt, MATMUL(a, p))))
    second = MATMUL(SUBTRACT(tt, MATMUL(MATMUL(p, a), tt)), MATMUL(pt, p))
    return SUBTRACT(ADD(first, second), MATMUL(MATMUL(p, tangent), p))


# lstsq


def _lstsq(xp: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    real_only("np.linalg.lstsq", a, b)
    return xp.linalg.lstsq(a, b, rcond)


def _cutoff(a: Any, rcond: Any) -> Any:
    """Return the rcond of the pseudoinverse that lstsq applies."""
    if rcond is not None and rcond >= 0:
        return rcond
    eps = np.finfo(a.dtype).eps
    return eps if rcond is not None else eps * max(a.shape)


def _lstsq_left(xp: Any, g: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    gx, gr = _as_columns(g[0]), g[1]
    x, b = _as_columns(y[0]), _as_columns(b)
    p = xp.linalg.pinv(a, _cutoff(a, rcond))
    found = pinv_cotangent(xp, gx @ b.T, p, a) + svdvals_cotangent(xp, g[3], a)
    if gr.size:
        found = found - 2.0 * ((b - a @ x) * gr) @ x.T
    return unbroadcast(xp, found, a)


def _lstsq_right(xp: Any, g: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    p = xp.linalg.pinv(a, _cutoff(a, rcond))
    found = p.T @ _as_columns(g[0])
    if g[1].size:
        found = found + 2.0 * (_as_columns(b) - a @ _as_columns(y[0])) * g[1]
    return unbroadcast(xp, found.reshape(b.shape), b)


def _as_columns(x: Any) -> Any:
    return x[:, None] if x.ndim == 1 else x


def _lstsq_left_jvp(tangent: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    x, squares = y.items[0], y.items[1]
    p = PINV(a, _cutoff(raw(a), raw(rcond)))
    dx = MATMUL(pinv_tangent(tangent, p, a), b)
    change = MULTIPLY(SUBTRACT(b, MATMUL(a, x)), MATMUL(tangent, x))
    return dx, _squares_tangent(NEGATIVE(change), squares), svdvals_tangent(tangent, a)


def _lstsq_right_jvp(tangent: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    x, squares = y.items[0], y.items[1]
    p = PINV(a, _cutoff(raw(a), raw(rcond)))
    change = MULTIPLY(SUBTRACT(b, MATMUL(a, x)), tangent)
    return MATMUL(p, tangent), _squares_tangent(change, squares), None


def _squares_tangent(change: Any, squares: Any) -> Any:
    """Return the tangent of the sums of squares, which are left out where the rank is not full."""
    if shape_in(squares) == (0,):
        return None
    vector = len(shape_in(change)) == 1
    return MULTIPLY(EINSUM("i,j->j" if vector else "ij->j", change, *([np.ones(1)] if vector else [])), 2.0)


# Samples


def _svd_samples(rng: Any) -> list[tuple[Any, ...]]:
    shapes = [(4, 3), (3, 4), (3, 3), (2, 4, 2), (2, 2, 3), (0, 2, 3)]
    found: list[tuple[Any, ...]] = [(rng.normal(size=shape), False) for shape in shapes]
    return [
        *found,
        (found[2][0],),
        (found[1][0], True, False),
        (found[0][0], False, False),
        (found[0][0].T, False),
    ]


def _pinv_samples(rng: Any) -> list[tuple[Any, ...]]:
    shapes = [(4, 3), (3, 4), (3, 3), (2, 4, 2), (2, 0)]
    return [(rng.normal(size=shape),) for shape in shapes] + [(rng.normal(size=(2, 3)), 1e-10)]


def _lstsq_samples(rng: Any) -> list[tuple[Any, ...]]:
    tall, wide, square = rng.normal(size=(5, 3)), rng.normal(size=(2, 4)), rng.normal(size=(3, 3))
    found: list[tuple[Any, ...]] = [(tall, rng.normal(size=5)), (tall, rng.normal(size=(5, 2)))]
    found += [
        (wide, rng.normal(size=2)),
        (square, rng.normal(size=(3, 2))),
        (wide.T, rng.normal(size=(4, 1))),
    ]
    found += [(tall, rng.normal(size=5), cutoff) for cutoff in (1e-10, np.float64(1e-10))]
    return [*found, (tall, rng.normal(size=5), -1)]


SVD = of_arrays(
    "np.linalg.svd",
    _svd,
    vjps=(_svd_vjp, None, None),
    jvps=(_svd_jvp, None, None),
    implements=(np.linalg.svd,),
    shape="(..., n, m) -> (..., n, k), (..., k), (..., k, m), k the lesser of n and m",
    convention="vectors of equal singular values have infinite derivatives, or NaN; so have those outside "
    "of the span of a singular value that is zero",
    samples=_svd_samples,
)
SVDVALS = of_arrays(
    "np.linalg.svdvals",
    _svdvals,
    vjps=(lambda xp, g, y, x: svdvals_cotangent(xp, g, x),),
    jvps=(lambda t, y, x: svdvals_tangent(t, x),),
    needs=((0,),),
    implements=(np.linalg.svdvals,),
    shape="(..., n, m) -> (..., k), k the lesser of n and m",
    convention="at a singular value of zero the derivative is one of the directional ones",
    samples=lambda rng: [(rng.normal(size=shape),) for shape in ((3, 4), (4, 2), (2, 3, 3), (0, 2))],
)
PINV = of_arrays(
    "np.linalg.pinv",
    _pinv,
    vjps=(lambda xp, g, y, a, rcond=None, hermitian=False: pinv_cotangent(xp, g, y, a), None, None),
    jvps=(lambda t, y, a, rcond=None, hermitian=False: pinv_tangent(t, y, a), None, None),
    implements=(np.linalg.pinv,),
    shape="(..., n, m) -> (..., m, n)",
    convention="the rank stays what it is: where it changes nearby, the derivative is that among "
    "matrices of this rank",
    samples=_pinv_samples,
)
LSTSQ = of_arrays(
    "np.linalg.lstsq",
    _lstsq,
    vjps=(_lstsq_left, _lstsq_right, None),
    jvps=(_lstsq_left_jvp, _lstsq_right_jvp, None),
    implements=(np.linalg.lstsq,),
    shape="(n, m), (n,) or (n, k) -> (m,) or (m, k), (k,), (), (l,), l the lesser of n and m",
    convention="as for pinv: the rank stays what it is",
    samples=_lstsq_samples,
)
