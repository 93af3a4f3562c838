"""Norms, and logarithms of sums of exponentials, along axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.ad.array_library import dtype_kind
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.comparison import EQUAL
from tensorlib.elementwise.complex import CONJ, REAL
from tensorlib.elementwise.elementary import EXP
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.elementwise.powers import POWER
from tensorlib.elementwise.selection import ABSOLUTE, SIGN, WHERE
from tensorlib.layout.moving import call, shape_now
from tensorlib.linear.matrix_norms import of_matrices
from tensorlib.moves import spread
from tensorlib.reductions.axes import kept, on_lists, plain_axis
from tensorlib.reductions.sums import SHAPE, axes_samples, safe
from tensorlib.rules import is_complex, raw, real_only, record, stacked, tangent_array, unbroadcast

# Norms of vectors, and the one of matrices that is that of their elements


def _norm(xp: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if ord is not None and ord != 2:
        real_only(f"np.linalg.norm of order {ord}", x)
    return xp.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)


def _is_matrix(ndim: int, ord: Any, axis: Any) -> bool:
    """Return whether it is a norm of matrices other than that of their elements."""
    if ord in (None, "fro"):
        return False
    return len(axis) == 2 if isinstance(axis, tuple) else axis is None and ndim == 2


def _real(ord: Any) -> Any:
    """Return the order of a norm, which may be differentiated, as a real number if it is a number."""
    return float(ord) if type(ord) is int else ord


def _slope(x: Any, y: Any, ord: Any, axis: Any) -> Any:
    """Return the derivative of the norm y, which broadcasts, by each element."""
    shape = shape_now(x) if type(x) in NUMBERS else x.shape
    axis, order, ord = plain_axis(axis), _real(ord), raw(ord)
    if _is_matrix(len(shape), ord, axis):
        return of_matrices(x, ord, (0, 1) if axis is None else axis)
    is_fixed = type(order) not in NUMBERS or type(order) is float
    if ord in (None, "fro") or (ord == 2 and is_fixed):
        return DIVIDE(CONJ(x) if is_complex(x) else x, safe(y))
    if ord == 1 and is_fixed:
        return SIGN(x)
    if ord == 0:
        return 0.0
    size = ABSOLUTE(x)
    if ord in (math.inf, -math.inf):
        chosen = EQUAL(size, y)
        return DIVIDE(MULTIPLY(SIGN(x), chosen), record("np.sum")(chosen, axis, None, True))
    return MULTIPLY(SIGN(x), POWER(DIVIDE(size, safe(y)), SUBTRACT(order, 1.0)))


def _norm_vjp(
    xp: Any, g: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    slope = _slope(x, kept(xp, y, x.ndim, axis, keepdims), ord, axis)
    return spread(xp, kept(xp, g, x.ndim, axis, keepdims) * slope, x.shape)


def _norm_jvp(t: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    t, x = tangent_array(t), stacked(x)
    slope = _slope(x, call("np.linalg.norm", x, ord, axis, True), ord, axis)
    total = call("np.sum", MULTIPLY(slope, t), axis, None, keepdims)
    return REAL(total) if is_complex(t) else total


def _slope_by_order(x: Any, y: Any, ord: Any, axis: Any) -> Any:
    """Return what adds up, over the axes, to the derivative of the norm y by a real order."""
    ndim = len(shape_now(x) if type(x) in NUMBERS else x.shape)
    axis, order, ord = plain_axis(axis), _real(ord), raw(ord)
    if _is_matrix(ndim, ord, axis) or ord == 0 or math.isinf(ord):
        return MULTIPLY(x, 0.0)
    share = DIVIDE(ABSOLUTE(x), safe(y))
    logarithm = record("np.log")(WHERE(EQUAL(share, 0.0), 1.0, share))
    return MULTIPLY(MULTIPLY(POWER(share, order), logarithm), DIVIDE(y, order))


def _order_vjp(
    xp: Any, g: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    x = xp.asarray(x)
    slope = _slope_by_order(x, kept(xp, y, x.ndim, axis, keepdims), ord, axis)
    return float(xp.sum(kept(xp, g, x.ndim, axis, keepdims) * slope))


def _order_jvp(t: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    x = stacked(x)
    slope = _slope_by_order(x, call("np.linalg.norm", x, ord, axis, True), ord, axis)
    return MULTIPLY(call("np.sum", slope, axis, None, keepdims), t)


def _norm_samples(rng: Any) -> list[tuple[Any, ...]]:
    x, m = rng.normal(size=5), rng.normal(size=(3, 4))
    orders = [(x, p) for p in (None, 1, 2, 3, 1.5, 0, math.inf, -math.inf, -1)]
    along = [(m, p, 1) for p in (2, 1, math.inf, 3)] + [
        (m, 2, 0, True),
        (m, None, -1),
        (m, "fro"),
        (m, None, (0, 1)),
    ]
    more = [(m, None, None, True), (rng.normal(size=(2, 3, 2)), "fro", (0, 2)), (rng.normal(size=(2, 3, 2)),)]
    stack = rng.normal(size=(2, 3, 4))
    orders_of_matrices = (1, -1, math.inf, -math.inf, 2, -2, "nuc")
    matrices = [(m, p) for p in orders_of_matrices] + [(stack, p, (2, 0), True) for p in orders_of_matrices]
    turned = [(m.T, None, 0), (m[:, ::2], 3, 1), (x.astype(np.float32),), ([1.0, 2.0],)]
    return [*orders, *along, *more, *matrices, *turned, (x + 1j * rng.normal(size=5),)]


NORM = tensor(
    "np.linalg.norm",
    _norm,
    vjps=(on_lists(_norm_vjp), _order_vjp, None, None),
    jvps=(_norm_jvp, _order_jvp, None, None),
    implements=(np.linalg.norm,),
    shape=SHAPE,
    convention="of orders 2 and 'fro' 0 where it is 0; of order inf what is equally great shares evenly",
    samples=_norm_samples,
)

# logsumexp


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False) -> Any:
    """Return log(sum(b * exp(a))) over axes, without overflow; b: factors, 1 if left out."""
    return LOGSUMEXP(a, axis, b, keepdims)


def _logsumexp(xp: Any, a: Any, axis: Any = None, b: Any = None, keepdims: Any = False) -> Any:
    a = xp.asarray(a)
    if dtype_kind(a.dtype) in "iub":
        a = a * 1.0
    if b is not None:
        a = xp.broadcast_to(a, xp.broadcast_shapes(a.shape, xp.shape(b)))
    top = xp.max(a, axis=axis, keepdims=True, initial=-math.inf)
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    terms = xp.exp(a - top)
    with np.errstate(divide="ignore"):
        total = xp.log(xp.sum(terms if b is None else b * terms, axis=axis, keepdims=True))
    found = total + top
    return found if keepdims else xp.squeeze(found, axis=axis)[()]


def _weights(xp: Any, y: Any, a: Any, axis: Any, b: Any, keepdims: Any) -> Any:
    ndim = max(a.ndim, xp.ndim(b))
    return xp.exp(a - kept(xp, y, ndim, axis, keepdims))


def _logsumexp_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any = None, b: Any = None, keepdims: Any = False
) -> Any:
    terms = _weights(xp, y, a, axis, b, keepdims)
    g = kept(xp, g, terms.ndim, axis, keepdims)
    return unbroadcast(xp, g * terms if b is None else g * terms * b, a)


def _factor_vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any, b: Any, keepdims: Any = False) -> Any:
    terms = _weights(xp, y, xp.asarray(a), axis, b, keepdims)
    g = kept(xp, g, terms.ndim, axis, keepdims)
    return unbroadcast(xp, xp.broadcast_to(g * terms, terms.shape), b)


def _weighted_sum(t: Any, a: Any, axis: Any, b: Any, keepdims: Any) -> Any:
    terms = EXP(SUBTRACT(a, call("tensorlib.logsumexp", a, axis, b, True)))
    return call("np.sum", MULTIPLY(t, terms), axis, None, keepdims)


def _logsumexp_jvp(t: Any, y: Any, a: Any, axis: Any = None, b: Any = None, keepdims: Any = False) -> Any:
    t, a, b = tangent_array(t), stacked(a), stacked(b)
    return _weighted_sum(t if b is None else MULTIPLY(t, b), a, axis, b, keepdims)


def _factor_jvp(t: Any, y: Any, a: Any, axis: Any, b: Any, keepdims: Any = False) -> Any:
    return _weighted_sum(tangent_array(t), stacked(a), axis, stacked(b), keepdims)


def _factors(rng: Any) -> list[tuple[Any, ...]]:
    a = rng.normal(size=(3, 4))
    with_factors = [(a, 0, rng.uniform(0.5, 2.0, (3, 4))), (a, 1, rng.uniform(0.5, 2.0, 4)), (a, None, 2.0)]
    large = [(np.array([1000.0, 1000.5]),), (np.array([-np.inf, 0.5]),)]
    return [*axes_samples((1, None, True), (None, None, True), empty=False)(rng), *with_factors, *large]


LOGSUMEXP: Tensor = tensor(
    "tensorlib.logsumexp",
    _logsumexp,
    vjps=(on_lists(_logsumexp_vjp), None, _factor_vjp, None),
    jvps=(_logsumexp_jvp, None, _factor_jvp, None),
    implements=(logsumexp,),
    shape=SHAPE,
    samples=_factors,
)
