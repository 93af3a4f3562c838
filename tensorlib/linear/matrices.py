"""The rest of numpy.linalg: trace, cross and outer of its own, tensorsolve, tensorinv, cond."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.ad.tensors import SAME
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY, NEGATIVE
from tensorlib.linear.einsum import EINSUM
from tensorlib.linear.linalg import of_arrays, regular, shape_in
from tensorlib.linear.products import BILINEAR, TENSORDOT, outer_left, outer_right
from tensorlib.linear.singular import svdvals_cotangent, svdvals_tangent
from tensorlib.linear.vectors import cross_cotangent, trace_cotangent
from tensorlib.rules import real_only, record, shape_of, unbroadcast

# tensorsolve, tensorinv


def _order(ndim: int, axes: Any) -> list[int]:
    """Return the axes of the tensor of an equation, those of the solution last."""
    moved = [] if axes is None else list(axes)
    return [i for i in range(ndim) if i not in moved] + moved


def _solve_left(xp: Any, g: Any, y: Any, a: Any, b: Any, axes: Any = None) -> Any:
    order = _order(a.ndim, axes)
    found = -xp.tensordot(_solve_back(xp, g, a, b, order), y, axes=0)
    return unbroadcast(xp, xp.transpose(found, [order.index(i) for i in range(a.ndim)]), a)


def _solve_right(xp: Any, g: Any, y: Any, a: Any, b: Any, axes: Any = None) -> Any:
    return unbroadcast(xp, _solve_back(xp, g, a, b, _order(a.ndim, axes)), b)


def _solve_back(xp: Any, g: Any, a: Any, b: Any, order: list[int]) -> Any:
    count = len(shape_of(b))
    return xp.linalg.tensorsolve(xp.transpose(a, order[count:] + order[:count]), g)


def _solve_jvp(tangent: Any, y: Any, a: Any, b: Any, axes: Any = None) -> Any:
    order = _order(len(shape_in(a)), [] if axes is None else getattr(axes, "items", axes))
    moved = EINSUM(_permutation(order), tangent)
    side = NEGATIVE(TENSORDOT(moved, y, len(shape_in(y))))
    return TENSORSOLVE(a, side, axes)


def _permutation(order: list[int]) -> str:
    """Return the subscripts that bring axes into an order."""
    letters = [chr(ord("a") + i) for i in range(len(order))]
    return f"{''.join(letters)}->{''.join(letters[i] for i in order)}"


def _inv_vjp(xp: Any, g: Any, y: Any, a: Any, ind: int = 2) -> Any:
    shape = (math.prod(a.shape[ind:]), math.prod(a.shape[:ind]))
    turned = y.reshape(shape).T
    return -(turned @ g.reshape(shape) @ turned).reshape(a.shape)


def _inv_jvp(tangent: Any, y: Any, a: Any, ind: int = 2) -> Any:
    return NEGATIVE(TENSORDOT(TENSORDOT(y, tangent, ind), y, len(shape_in(a)) - ind))


# cond


def _cond(xp: Any, x: Any, p: Any = None) -> Any:
    real_only("np.linalg.cond", x)
    if p not in (None, 2, -2):
        raise refusal(
            f"np.linalg.cond(x, {p!r}) has no record: write np.linalg.norm(x, {p!r}) * "
            f"np.linalg.norm(np.linalg.inv(x), {p!r})"
        )
    return xp.linalg.cond(x, p)


def _ends(s: Any, p: Any) -> tuple[int, int]:
    """Return the singular values of which cond is the quotient."""
    return (s - 1, 0) if p == -2 else (0, s - 1)


def _cond_vjp(xp: Any, g: Any, y: Any, x: Any, p: Any = None) -> Any:
    s = xp.linalg.svdvals(x)
    top, bottom = _ends(s.shape[-1], p)
    gs = xp.zeros(s.shape, s.dtype)
    gs[..., top] += g / s[..., bottom]
    gs[..., bottom] -= g * y / s[..., bottom]
    return svdvals_cotangent(xp, gs, x)


def _cond_jvp(tangent: Any, y: Any, x: Any, p: Any = None) -> Any:
    s = record("np.linalg.svdvals")(x)
    size = shape_in(s)[-1]
    top, bottom = (np.eye(size)[i] for i in _ends(size, p))
    relative = DIVIDE(svdvals_tangent(tangent, x), s)
    return MULTIPLY(y, EINSUM("...i,i->...", relative, top - bottom))


# Samples


def _vectors(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(4, 3))
    return [(x, rng.normal(size=(4, 3))), (x.T, rng.normal(size=(3, 4)), 0)]


def _stacks(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(2, 3, 4))
    return [(x,), (x, 1), (x, -1), (x[0],), (x.T, 1)]


def _tensors(rng: Any) -> list[tuple[Any, ...]]:
    a = regular(rng, 6, 6)
    found: list[tuple[Any, ...]] = [(a.reshape(2, 3, 6), rng.normal(size=(2, 3))), (a, rng.normal(size=6))]
    found.append((a.reshape(6, 3, 2), rng.normal(size=6)))
    return [*found, (np.moveaxis(a.reshape(6, 3, 2), 1, 0), rng.normal(size=6), (0,))]


def _invertible(rng: Any) -> list[tuple[Any, ...]]:
    a = regular(rng, 6, 6)
    return [(a.reshape(2, 3, 6),), (a.reshape(2, 3, 3, 2), 2), (a.reshape(6, 2, 3), 1)]


def _conditions(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(2, 3, 4))
    return [(x,), (x[0], 2), (x[1], -2), (regular(rng, 3, 3),)]


LINALG_TRACE = tensor(
    "np.linalg.trace",
    lambda xp, x, offset=0: xp.linalg.trace(x, offset=offset),
    vjps=(lambda xp, g, y, x, offset=0: trace_cotangent(xp, g, y, x, offset, -2, -1), None),
    linear=True,
    needs=((), ()),
    implements=(np.linalg.trace,),
    shape="(..., n, m) -> (...)",
    samples=_stacks,
)
LINALG_CROSS = tensor(
    "np.linalg.cross",
    lambda xp, x1, x2, axis=-1: xp.linalg.cross(x1, x2, axis=axis),
    vjps=(
        lambda xp, g, y, a, b, axis=-1: cross_cotangent(0)(xp, g, y, a, b, axis=axis),
        lambda xp, g, y, a, b, axis=-1: cross_cotangent(1)(xp, g, y, a, b, axis=axis),
        None,
    ),
    jvps=(SAME, SAME, None),
    needs=((1,), (0,), ()),
    implements=(np.linalg.cross,),
    shape="(..., 3), (..., 3) -> (..., 3)",
    samples=_vectors,
)
LINALG_OUTER = tensor(
    "np.linalg.outer",
    lambda xp, x1, x2: xp.linalg.outer(x1, x2),
    vjps=(outer_left, outer_right),
    **BILINEAR,
    implements=(np.linalg.outer,),
    shape="(n,), (m,) -> (n, m)",
    samples=lambda rng: [(rng.normal(size=3), rng.normal(size=4)), (rng.normal(size=0), rng.normal(size=2))],
)
TENSORSOLVE = of_arrays(
    "np.linalg.tensorsolve",
    lambda xp, a, b, axes=None: xp.linalg.tensorsolve(a, b, axes),
    vjps=(_solve_left, _solve_right, None),
    jvps=(_solve_jvp, SAME, None),
    implements=(np.linalg.tensorsolve,),
    shape="the axes of b, then those of the solution; those of b",
    samples=_tensors,
)
TENSORINV = of_arrays(
    "np.linalg.tensorinv",
    lambda xp, a, ind=2: xp.linalg.tensorinv(a, ind),
    vjps=(_inv_vjp, None),
    jvps=(_inv_jvp, None),
    implements=(np.linalg.tensorinv,),
    shape="(n, ..., m, ...) -> (m, ..., n, ...)",
    samples=_invertible,
)
COND = of_arrays(
    "np.linalg.cond",
    _cond,
    vjps=(_cond_vjp, None),
    jvps=(_cond_jvp, None),
    implements=(np.linalg.cond,),
    shape="(..., n, m) -> (...)",
    convention="infinite or NaN where the least singular value is zero",
    samples=_conditions,
)
