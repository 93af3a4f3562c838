"""Decompositions of real matrices, and of stacks of them: Cholesky, QR, eigenvalues, singular values, lstsq.

Conventions:
- Of a symmetric matrix NumPy reads one triangle. The derivatives are those of what it computes: by an element
  off the diagonal they count both places that it stands for, and the triangle that is not read gets zeros.
  The mean of a cotangent and its transpose is the symmetric form that other libraries give.
- Eigenvectors and singular vectors keep the signs that LAPACK gives them, and stay of length one.
- Where eigenvalues or singular values coincide, their vectors have no derivative: it is infinite or NaN. What
  does not depend on the vectors is not affected in reverse mode; tangents of the values never are.
- What is not determined has no derivative and is refused: full_matrices=True, or mode='complete', where it
  gives more than the reduced form.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from checkpoint.ad.array_library import as_dtype
from checkpoint.errors import refusal
from tensorlib.elementwise.pointwise import ADD, DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.linear.einsum import EINSUM, transposed
from tensorlib.linear.linalg import SOLVE, of_arrays, regular, shape_in, solved, swapped
from tensorlib.linear.products import MATMUL
from tensorlib.rules import raw, real_only


def quiet(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule that computes with infinities and NaN without NumPy's warnings."""

    @functools.wraps(rule)
    def quietly(*operands: Any) -> Any:
        with np.errstate(all="ignore"):
            return rule(*operands)

    return quietly


def identity(x: Any, size: int) -> Any:
    """Return the unit matrix of an array's dtype."""
    return np.eye(size, dtype=dtype_in(x))


def dtype_in(x: Any) -> Any:
    """Return the dtype of an array under whatever derivatives it carries."""
    return raw(x).dtype


def lower_half(x: Any, size: int) -> Any:
    """Return ones below the diagonal and halves on it, of an array's dtype."""
    return (np.tril(np.ones((size, size)), -1) + 0.5 * np.eye(size)).astype(dtype_in(x))


def strictly_lower(x: Any, size: int) -> Any:
    """Return ones below the diagonal, of an array's dtype."""
    return np.tril(np.ones((size, size)), -1).astype(dtype_in(x))


# Symmetric matrices, of which one triangle is read


def symmetric_read(tangent: Any, lower: bool) -> Any:
    """Return the symmetric matrix that one triangle of a tangent says."""
    size = shape_in(tangent)[-1]
    half = lower_half(tangent, size)
    part = MULTIPLY(tangent, half if lower else half.T)
    return ADD(part, transposed(part))


def for_triangle(xp: Any, g: Any, lower: bool) -> Any:
    """Return the cotangent of a matrix of which one triangle is read, for that of the symmetric matrix."""
    both = (g + swapped(xp, g)) * lower_half(g, g.shape[-1])
    return both if lower else swapped(xp, both)


# Cholesky


def _cholesky(xp: Any, a: Any, upper: Any = False) -> Any:
    real_only("np.linalg.cholesky", a)
    return xp.linalg.cholesky(a, upper=upper)


def cholesky_cotangent(xp: Any, g: Any, factor: Any) -> Any:
    """Return the cotangent of a symmetric matrix for that of its lower factor."""
    turned = swapped(xp, factor)
    inner = (turned @ g) * lower_half(g, g.shape[-1])
    inner = inner + swapped(xp, inner)
    half = xp.linalg.solve(turned, inner)
    return 0.5 * swapped(xp, xp.linalg.solve(turned, swapped(xp, half)))


def cholesky_tangent(symmetric: Any, factor: Any) -> Any:
    """Return the tangent of the lower factor for that of the symmetric matrix."""
    half = SOLVE(factor, symmetric)
    inner = transposed(SOLVE(factor, transposed(half)))
    return MATMUL(factor, MULTIPLY(inner, lower_half(symmetric, shape_in(symmetric)[-1])))


def _cholesky_vjp(xp: Any, g: Any, y: Any, a: Any, upper: Any = False) -> Any:
    if upper:
        g, y = swapped(xp, g), swapped(xp, y)
    return for_triangle(xp, cholesky_cotangent(xp, g, y), not upper)


def _cholesky_jvp(tangent: Any, y: Any, a: Any, upper: Any = False) -> Any:
    symmetric = symmetric_read(tangent, not upper)
    if upper:
        return transposed(cholesky_tangent(symmetric, transposed(y)))
    return cholesky_tangent(symmetric, y)


# QR


def _qr(xp: Any, a: Any, mode: Any = "reduced") -> Any:
    real_only("np.linalg.qr", a)
    a = xp.asarray(a)
    if mode not in ("reduced", "r", "complete") or (mode == "complete" and a.shape[-2] > a.shape[-1]):
        refuse(f"np.linalg.qr(mode={mode!r})", a, "mode='reduced'")
    return xp.linalg.qr(a, mode)


def refuse(call: str, a: Any, instead: str) -> NoReturn:
    """Refuse a form of a decomposition that has no derivative."""
    raise refusal(f"{call} of shape {tuple(a.shape)} is not differentiable: write {instead}")


def _qr_square(xp: Any, gq: Any, gr: Any, q: Any, r: Any) -> Any:
    """Return the cotangent of a matrix that is no wider than high."""
    inner = r @ swapped(xp, gr) - swapped(xp, gq) @ q
    inner = inner * lower_half(inner, inner.shape[-1])
    inner = gq + q @ (inner + swapped(xp, inner))
    return swapped(xp, solved(xp, r, swapped(xp, inner)))


def _qr_vjp(xp: Any, g: Any, y: Any, a: Any, mode: Any = "reduced") -> Any:
    if mode == "r":
        q, r = xp.linalg.qr(a)
        gq, gr = xp.zeros(q.shape, q.dtype), g
    else:
        (q, r), (gq, gr) = y, g
    size = q.shape[-2]
    if a.shape[-1] <= size:
        return _qr_square(xp, gq, gr, q, r)
    gq = gq + a[..., size:] @ swapped(xp, gr[..., size:])
    left = _qr_square(xp, gq, gr[..., :size], q, r[..., :size])
    return xp.concatenate([left, q @ gr[..., size:]], axis=-1)


def _qr_jvp(tangent: Any, y: Any, a: Any, mode: Any = "reduced") -> Any:
    q, r = QR(a).items if mode == "r" else y.items
    high, wide = shape_in(a)[-2:]
    if wide <= high:
        dq, dr = _qr_tangents(tangent, q, r, wide)
    else:
        unit = identity(a, wide)
        first, rest = unit[:, :high], unit[:, high:]
        dq, left = _qr_tangents(MATMUL(tangent, first), q, MATMUL(r, first), high)
        right = MATMUL(MATMUL(transposed(dq), a), rest)
        right = ADD(right, MATMUL(MATMUL(transposed(q), tangent), rest))
        dr = ADD(MATMUL(left, first.T), MATMUL(right, rest.T))
    return dr if mode == "r" else (dq, dr)


def _qr_tangents(tangent: Any, q: Any, r: Any, size: int) -> tuple[Any, Any]:
    scaled = transposed(SOLVE(transposed(r), transposed(tangent)))
    inner = MATMUL(transposed(q), scaled)
    lower = MULTIPLY(inner, strictly_lower(tangent, size))
    turning = SUBTRACT(lower, transposed(lower))
    dq = ADD(MATMUL(q, SUBTRACT(turning, inner)), scaled)
    return dq, MATMUL(SUBTRACT(inner, turning), r)


# Eigenvalues of symmetric matrices


def _eigh(xp: Any, a: Any, UPLO: Any = "L") -> Any:
    real_only("np.linalg.eigh", a)
    return xp.linalg.eigh(a, UPLO)


def _eigvalsh(xp: Any, a: Any, UPLO: Any = "L") -> Any:
    real_only("np.linalg.eigvalsh", a)
    return xp.linalg.eigvalsh(a, UPLO)


def _eigh_cotangent(xp: Any, gw: Any, gv: Any, w: Any, v: Any) -> Any:
    """Return the cotangent of the symmetric matrix."""
    inner = gw[..., None, :] * identity(v, v.shape[-1])
    if xp.any(gv != 0):
        gaps = w[..., None, :] - w[..., :, None]
        off = ~xp.eye(v.shape[-1], dtype=bool)
        inner = inner + xp.where(off, (swapped(xp, v) @ gv) / xp.where(off, gaps, 1.0), 0.0)
    return as_dtype(v @ inner @ swapped(xp, v), v.dtype)


@quiet
def _eigh_vjp(xp: Any, g: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    return for_triangle(xp, _eigh_cotangent(xp, g[0], g[1], y[0], y[1]), UPLO in "lL")


def _eigvalsh_vjp(xp: Any, g: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    v = xp.linalg.eigh(a, UPLO)[1]
    return for_triangle(xp, (v * g[..., None, :]) @ swapped(xp, v), UPLO in "lL")


@quiet
def _eigh_jvp(tangent: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    w, v = y.items
    size = shape_in(a)[-1]
    inner = MATMUL(MATMUL(transposed(v), symmetric_read(tangent, UPLO in "lL")), v)
    turning = MULTIPLY(inner, inverse_gaps(w, size))
    return EINSUM("...ii->...i", inner), MATMUL(v, turning)


def inverse_gaps(w: Any, size: int) -> Any:
    """Return 1 / (w_j - w_i) off the diagonal, zeros on it."""
    unit, ones = identity(w, size), np.ones(size, dtype_in(w))
    gaps = SUBTRACT(EINSUM("...j,i->...ij", w, ones), EINSUM("...i,j->...ij", w, ones))
    return DIVIDE(1.0 - unit, ADD(gaps, unit))


def _eigvalsh_jvp(tangent: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    v = EIGH(a, UPLO).items[1]
    return EINSUM("...ij,...ik,...kj->...j", v, symmetric_read(tangent, UPLO in "lL"), v)


# Samples


def _symmetric(rng: Any, *shape: int) -> Any:
    x = rng.normal(size=shape)
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])


def _symmetric_samples(option: Any) -> Any:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        square = _symmetric(rng, 3, 3)
        found = [(square,), (square, option), (_symmetric(rng, 2, 2, 3, 3),), (_symmetric(rng, 1, 1),)]
        return [*found, (square + np.triu(rng.normal(size=(3, 3)), 1),), (np.zeros((0, 2, 2)) + np.eye(2),)]

    return samples


def _qr_samples(rng: Any) -> list[tuple[Any, ...]]:
    shapes = [(3, 3), (4, 3), (2, 5, 2), (3, 5), (2, 2, 3), (0, 2, 2)]
    found: list[tuple[Any, ...]] = [(regular(rng, *shape),) for shape in shapes]
    return [*found, (found[1][0], "r"), (found[3][0], "r"), (found[3][0], "complete"), (found[3][0].T,)]


_TRIANGLE = "the triangle that is not read receives zeros, an element of the other one counts for both places"

CHOLESKY = of_arrays(
    "np.linalg.cholesky",
    _cholesky,
    vjps=(_cholesky_vjp, None),
    jvps=(_cholesky_jvp, None),
    implements=(np.linalg.cholesky,),
    shape="(..., n, n) -> (..., n, n)",
    convention=_TRIANGLE,
    samples=_symmetric_samples(True),
)
QR = of_arrays(
    "np.linalg.qr",
    _qr,
    vjps=(_qr_vjp, None),
    jvps=(_qr_jvp, None),
    implements=(np.linalg.qr,),
    shape="(..., n, m) -> (..., n, k), (..., k, m), k the lesser of n and m",
    convention="the signs are LAPACK's; the first k columns are independent",
    samples=_qr_samples,
)
EIGH = of_arrays(
    "np.linalg.eigh",
    _eigh,
    vjps=(_eigh_vjp, None),
    jvps=(_eigh_jvp, None),
    implements=(np.linalg.eigh,),
    shape="(..., n, n) -> (..., n), (..., n, n)",
    convention=_TRIANGLE + "; vectors of equal eigenvalues have infinite derivatives, or NaN",
    samples=_symmetric_samples("U"),
)
EIGVALSH = of_arrays(
    "np.linalg.eigvalsh",
    _eigvalsh,
    vjps=(_eigvalsh_vjp, None),
    jvps=(_eigvalsh_jvp, None),
    implements=(np.linalg.eigvalsh,),
    shape="(..., n, n) -> (..., n)",
    convention=_TRIANGLE,
    samples=_symmetric_samples("U"),
)
