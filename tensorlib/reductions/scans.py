"""Products, running sums and products, differences, along axes.

Products are never divided by an element, so that elements may be zero.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, MULTIPLY
from tensorlib.layout.moving import call, linear, matrices, shape_now, with_options
from tensorlib.moves import flipped, moved
from tensorlib.reductions.axes import like_result, lined_up, lines_now, on_lists, plain_axis, put_back
from tensorlib.reductions.sums import SHAPE, axes_samples
from tensorlib.rules import stacked, tangent_array

# Lines: what stands along the last axis


def _every(xp: Any, a: Any, start: int, stop: int, step: int) -> Any:
    return a[..., start:stop:step]


def _every_vjp(xp: Any, g: Any, y: Any, a: Any, start: int, stop: int, step: int) -> Any:
    whole = zeros_beside(g, a.shape, g.dtype)
    whole[..., start:stop:step] = g
    return whole


EVERY = linear(
    "tensorlib.every",
    _every,
    _every_vjp,
    shape="(..., n) -> (..., k)",
    samples=lambda rng: [(rng.normal(size=(2, 5)), 1, 5, 2), (rng.normal(size=5), 0, 4, 2)],
)


def _later(xp: Any, a: Any, by: int) -> Any:
    whole = xp.zeros_like(a)
    whole[..., by:] = a[..., : a.shape[-1] - by]
    return whole


def _later_vjp(xp: Any, g: Any, y: Any, a: Any, by: int) -> Any:
    whole = xp.zeros_like(g)
    whole[..., : g.shape[-1] - by] = g[..., by:]
    return whole


LATER = linear(
    "tensorlib.later",
    _later,
    _later_vjp,
    shape="that of the array: its lines moved to later places, zeros before",
    samples=lambda rng: [(rng.normal(size=(2, 5)), 1), (rng.normal(size=5), 3)],
)


def _both(first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return the product of two factors, and its tangent, for factors with theirs."""
    (x, dx), (y, dy) = first, second
    return MULTIPLY(x, y), ADD(MULTIPLY(dx, y), MULTIPLY(x, dy))


# Products


def _product_along(t: Any, a: Any) -> Any:
    """Return the tangent of the products of lines: by halves, without division; None of empty lines."""
    rest: Any = None
    n = shape_now(a)[-1]
    while n > 1:
        if n % 2:
            last = EVERY(a, n - 1, n, 1), EVERY(t, n - 1, n, 1)
            rest = last if rest is None else _both(last, rest)
        half = n - n % 2
        pairs = [(EVERY(a, i, half, 2), EVERY(t, i, half, 2)) for i in (0, 1)]
        a, t = _both(*pairs)
        n = half // 2
    return t if rest is None else _both((a, t), rest)[1]


def _others(xp: Any, lines: Any) -> Any:
    """Return for each element the product of the others of its line."""
    before, after = xp.ones_like(lines), xp.ones_like(lines)
    before[..., 1:] = xp.cumprod(lines[..., :-1], axis=-1)
    after[..., :-1] = flipped(xp, xp.cumprod(flipped(xp, lines[..., 1:], -1), axis=-1), -1)
    return before * after


def _prod_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
) -> Any:
    lines = lined_up(xp, a, axis)
    g = xp.reshape(g, (*lines.shape[:-1], 1))
    return put_back(xp, g * _others(xp, lines), a.shape, axis)


def _prod_jvp(t: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    lines = lines_now(stacked(a), axis)
    if shape_now(lines)[-1] == 0:
        return None
    return like_result(_product_along(lines_now(tangent_array(t), axis), lines), y)


_ZEROS = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 1.0], [4.0, 1.0, 2.0]])

PROD = tensor(
    "np.prod",
    lambda xp, a, axis=None, dtype=None, keepdims=False: xp.prod(
        a, axis=axis, dtype=dtype, keepdims=keepdims
    ),
    vjps=(on_lists(_prod_vjp), None, None, None),
    jvps=(_prod_jvp, None, None, None),
    needs=((0,),),
    implements=(np.prod,),
    methods=("prod",),
    shape=SHAPE,
    samples=lambda rng: [*axes_samples((1, None, True), (None, None, True))(rng), (_ZEROS, 1), (_ZEROS[0],)],
)

# Running sums and products


def _place(a: Any, axis: Any) -> Any:
    """Return the axis, of which None is the only one of the flattened array."""
    return tuple(range(a.ndim)) if axis is None else axis


def _cumsum_vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None) -> Any:
    along = 0 if axis is None else axis
    return flipped(xp, xp.cumsum(flipped(xp, g, along), axis=along), along).reshape(a.shape)


CUMSUM = linear(
    "np.cumsum",
    lambda xp, a, axis=None, dtype=None: xp.cumsum(a, axis=axis, dtype=dtype),
    _cumsum_vjp,
    implements=(np.cumsum,),
    methods=("cumsum",),
    shape="that of the array; without axis flat",
    samples=lambda rng: [*axes_samples((1,))(rng)[:-1][:11], ([1.0, 2.5],)],
)


def _received(xp: Any, g: Any, lines: Any) -> Any:
    """Return s[j] = g[j] + x[j + 1] s[j + 1] of all lines: by doubling, as the scan of these maps."""
    n = lines.shape[-1]
    total, factor = xp.array(g), xp.zeros_like(lines)
    factor[..., :-1] = lines[..., 1:]
    by = 1
    while by < n:
        total[..., :-by] += factor[..., :-by] * xp.array(total[..., by:])
        factor[..., :-by] *= xp.array(factor[..., by:])
        factor[..., -by:] = 0.0
        by *= 2
    return total


def _cumprod_vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None) -> Any:
    lines = lined_up(xp, a, _place(a, axis))
    g = lined_up(xp, g.reshape(a.shape), _place(a, axis))
    before = xp.ones_like(lines)
    before[..., 1:] = xp.cumprod(lines[..., :-1], axis=-1)
    return put_back(xp, before * _received(xp, g, lines), a.shape, _place(a, axis))


def _cumprod_jvp(t: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None) -> Any:
    t, a = tangent_array(t), stacked(a)
    shape, axis = shape_now(a), plain_axis(axis)
    x, dx = (lines_now(part, axis) for part in (a, t))
    n = shape_now(x)[-1]
    by = 1
    while by < n:
        ones = np.where(np.arange(n) < by, 1.0, 0.0)
        x, dx = _both((ADD(LATER(x, by), ones), LATER(dx, by)), (x, dx))
        by *= 2
    if axis is None:
        return like_result(dx, y)
    rest = tuple([m for i, m in enumerate(shape) if i != axis % len(shape)])
    return call("np.moveaxis", call("np.reshape", dx, (*rest, n)), -1, axis)


CUMPROD = tensor(
    "np.cumprod",
    lambda xp, a, axis=None, dtype=None: xp.cumprod(a, axis=axis, dtype=dtype),
    vjps=(on_lists(_cumprod_vjp), None, None),
    jvps=(_cumprod_jvp, None, None),
    needs=((0,),),
    implements=(np.cumprod,),
    methods=("cumprod",),
    shape="that of the array; without axis flat",
    samples=lambda rng: [
        *matrices(rng),
        *with_options((0,), (-1,), low=1)(rng),
        (_ZEROS, 1),
        (_ZEROS,),
        ([1.0, 2.5],),
    ],
)

# Differences


def _undone(xp: Any, g: Any, axis: int) -> Any:
    """Return the cotangent of an array whose differences have received g."""
    shape = [n + 1 if i == axis % g.ndim else n for i, n in enumerate(g.shape)]
    whole = zeros_beside(g, shape, g.dtype)
    lines, received = moved(xp, whole, axis, -1), moved(xp, g, axis, -1)
    lines[..., 1:] += received
    lines[..., :-1] -= received
    return whole


def _diff_vjp(xp: Any, g: Any, y: Any, a: Any, n: int = 1, axis: int = -1) -> Any:
    if prod(g.shape) == 0:
        return zeros_beside(g, a.shape, g.dtype)
    for _ in range(n):
        g = _undone(xp, g, axis)
    return g


DIFF = linear(
    "np.diff",
    lambda xp, a, n=1, axis=-1: xp.diff(a, n, axis),
    _diff_vjp,
    implements=(np.diff,),
    shape="that of the array, n less along the axis",
    samples=lambda rng: [
        *with_options((), (1, 0), (2,), low=1)(rng),
        (rng.normal(size=(3, 5)), 3, 1),
        (rng.normal(size=3), 3),
        (rng.normal(size=3), 0),
        ([1.0, 4.0, 9.0],),
    ],
)
