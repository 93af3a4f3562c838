"""Functions given by their values at points: interpolation, integrals."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import added_at, as_like, call, listed, outline
from tensorlib.rules import discrete, unbroadcast

# Interpolation


def _interval(xp: Any, x: Any, points: Any) -> Any:
    """Return for each x the number of the interval between points that holds it."""
    return xp.clip(xp.searchsorted(points, x, side="right") - 1, 0, len(points) - 2)


def _interp_terms(xp: Any, x: Any, points: Any, values: Any) -> tuple[Any, ...]:
    """Return the interval, how far x is in it, the slope there, and whether x is between the ends."""
    points, values, x = xp.asarray(points), xp.asarray(values), xp.asarray(x)
    i = _interval(xp, x, points)
    length = points[i + 1] - points[i]
    inside = (x >= points[0]) & (x <= points[-1])
    part = xp.clip((x - points[i]) / length, 0.0, 1.0)
    slope = xp.where(inside, (values[i + 1] - values[i]) / length, 0.0)
    return i, part, slope, inside


def _interp(namespace: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    return namespace.interp(x, xp, fp, left, right)


def _outside(xp: Any, x: Any, points: Any, left: Any, right: Any) -> Any:
    """Return where the result is neither `left` nor `right`."""
    x, points = xp.asarray(x), xp.asarray(points)
    kept = xp.ones(x.shape, bool)
    if left is not None:
        kept &= x >= points[0]
    if right is not None:
        kept &= x <= points[-1]
    return kept


def _interp_x_vjp(xp: Any, g: Any, y: Any, x: Any, xtab: Any, ftab: Any, *ends: Any) -> Any:
    return unbroadcast(xp, g * _interp_terms(xp, x, xtab, ftab)[2], x)


def _interp_points_vjp(xp: Any, g: Any, y: Any, x: Any, xtab: Any, ftab: Any, *ends: Any) -> Any:
    i, part, slope, _ = _interp_terms(xp, x, xtab, ftab)
    like = outline(xp, xtab)
    return listed(
        xp,
        added_at(xp, like, i, -g * slope * (1.0 - part)) + added_at(xp, like, i + 1, -g * slope * part),
        xtab,
    )


def _interp_values_vjp(
    xp: Any, g: Any, y: Any, x: Any, xtab: Any, ftab: Any, left: Any = None, right: Any = None
) -> Any:
    i, part, _, _ = _interp_terms(xp, x, xtab, ftab)
    kept = xp.where(_outside(xp, x, xtab, left, right), g, 0.0)
    like = outline(xp, ftab)
    return listed(
        xp, added_at(xp, like, i, kept * (1.0 - part)) + added_at(xp, like, i + 1, kept * part), ftab
    )


def _end_vjp(first: bool) -> Any:
    def vjp(xp: Any, g: Any, y: Any, x: Any, xtab: Any, ftab: Any, *ends: Any) -> Any:
        x, points = xp.asarray(x), xp.asarray(xtab)
        beyond = x < points[0] if first else x > points[-1]
        return unbroadcast(xp, xp.where(beyond, g, 0.0), ends[0 if first else 1])

    return vjp


SLOPE = "tensorlib.interp-interval"
INTERVAL = discrete(
    SLOPE,
    lambda xp, x, points: _interval(xp, xp.asarray(x), xp.asarray(points)),
    2,
    shape="that of the first operand",
    samples=lambda rng: [(rng.uniform(0, 3, 4), np.arange(4.0))],
)
BETWEEN = discrete(
    "tensorlib.interp-between",
    lambda xp, x, points: ((x >= xp.asarray(points)[0]) & (x <= xp.asarray(points)[-1])) * 1.0,
    2,
    shape="that of the first operand",
    samples=lambda rng: [(rng.uniform(0, 3, 4), np.arange(4.0))],
)


def _local(x: Any, xtab: Any, ftab: Any) -> tuple[Any, Any, Any, Any]:
    """Return the same made of records; the last is 1 where x is between the ends."""
    i = call(SLOPE, x, xtab)
    next_i = call("np.add", i, 1)
    left = call("np.take", xtab, i)
    length = call("np.subtract", call("np.take", xtab, next_i), left)
    rise = call("np.subtract", call("np.take", ftab, next_i), call("np.take", ftab, i))
    inside = call("tensorlib.interp-between", x, xtab)
    return i, call("np.divide", call("np.subtract", x, left), length), call("np.divide", rise, length), inside


def _interp_x_jvp(tangent: Any, y: Any, x: Any, xtab: Any, ftab: Any, *ends: Any) -> Any:
    _, _, slope, inside = _local(x, xtab, ftab)
    return call("np.multiply", tangent, call("np.multiply", slope, inside))


def _interp_points_jvp(tangent: Any, y: Any, x: Any, xtab: Any, ftab: Any, *ends: Any) -> Any:
    i, part, slope, inside = _local(x, xtab, ftab)
    first, second = call("np.take", tangent, i), call("np.take", tangent, call("np.add", i, 1))
    moved = call("np.add", first, call("np.multiply", part, call("np.subtract", second, first)))
    return call("np.negative", call("np.multiply", call("np.multiply", slope, inside), moved))


def _interp_values_jvp(
    tangent: Any, y: Any, x: Any, xtab: Any, ftab: Any, left: Any = None, right: Any = None
) -> Any:
    return call("np.interp", x, xtab, tangent, None if left is None else 0.0, None if right is None else 0.0)


def _end_jvp(first: bool) -> Any:
    def jvp(tangent: Any, y: Any, x: Any, xtab: Any, ftab: Any, left: Any = None, right: Any = None) -> Any:
        zeros = call("np.astype", call("np.zeros_like", ftab), float)
        return call("np.interp", x, xtab, zeros, *((tangent, 0.0) if first else (0.0, tangent)))

    return jvp


INTERP = tensor(
    "np.interp",
    _interp,
    vjps=(_interp_x_vjp, _interp_points_vjp, _interp_values_vjp, _end_vjp(True), _end_vjp(False)),
    jvps=(_interp_x_jvp, _interp_points_jvp, _interp_values_jvp, _end_jvp(True), _end_jvp(False)),
    needs=((0, 1, 2), (0, 1, 2), (0, 1, 2), (0, 1), (0, 1)),
    implements=(np.interp,),
    shape="that of x",
    convention="at a point the slope to its right; at the last one that to its left; beyond both 0",
    samples=lambda rng: [
        (rng.uniform(-0.5, 4.5, (2, 3)), np.sort(rng.uniform(0, 4, 6)), rng.normal(size=6)),
        (rng.uniform(0, 4), np.arange(5.0), rng.normal(size=5)),
        (rng.uniform(-1, 6, 5), np.arange(5), rng.normal(size=5), -1.5, 2.5),
        (rng.uniform(-1, 6, 5), [0.0, 1.0, 3.0], [0.5, 2.0, 1.0]),
        (rng.uniform(-1, 6, ()), np.arange(5.0), rng.normal(size=5), 0.5),
    ],
)

# Integrals


def _widths_of(xp: Any, y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Return the widths of the intervals, as they broadcast with y."""
    if x is None:
        return dx
    d = xp.diff(x, axis=axis if np.ndim(x) > 1 else -1)
    if d.ndim == 1:
        shape = [1] * y.ndim
        shape[axis] = d.shape[0]
        return d.reshape(shape)
    return d


def _halves(y: Any, axis: int) -> tuple[Any, Any]:
    index = [slice(None)] * y.ndim
    index[axis] = slice(1, None)
    later = tuple(index)
    index[axis] = slice(None, -1)
    return later, tuple(index)


def _trapezoid_y_vjp(xp: Any, g: Any, z: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    later, earlier = _halves(y, axis)
    shape = list(y.shape)
    shape[axis] = max(shape[axis] - 1, 0)
    each = xp.broadcast_to(xp.expand_dims(g, axis) * _widths_of(xp, y, x, dx, axis) / 2.0, shape)
    whole = zeros_beside(each, y.shape, each.dtype)
    whole[later] += each
    whole[earlier] += each
    return whole


def _trapezoid_x_vjp(xp: Any, g: Any, z: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = xp.asarray(y)
    later, earlier = _halves(y, axis)
    each = xp.expand_dims(g, axis) * (y[later] + y[earlier]) / 2.0
    if np.ndim(x) == 1:
        each = xp.sum(xp.moveaxis(each, axis, -1).reshape(-1, each.shape[axis]), axis=0)
        axis = 0
    shape = list(each.shape)
    shape[axis] += 1
    whole = zeros_beside(each, shape, each.dtype)
    later, earlier = _halves(whole, axis)
    whole[later] += each
    whole[earlier] -= each
    return unbroadcast(xp, whole, x) if hasattr(x, "dtype") else listed(xp, whole, x)


def _trapezoid_dx_vjp(xp: Any, g: Any, z: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    return unbroadcast(xp, g * (0.0 if x is not None else xp.trapezoid(y, axis=axis)), dx)


def _trapezoid_dx_jvp(tangent: Any, z: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    if x is not None:
        return call("np.multiply", tangent, 0.0)
    return call("np.trapezoid", y, None, tangent, axis)


def _trapezoid_y_vjp_of(xp: Any, g: Any, z: Any, y: Any, *rest: Any) -> Any:
    given = _trapezoid_y_vjp(xp, g, z, outline(xp, y), *rest)
    return as_like(given, y) if hasattr(y, "dtype") else listed(xp, given, y)


TRAPEZOID = tensor(
    "np.trapezoid",
    lambda xp, y, x=None, dx=1.0, axis=-1: xp.trapezoid(y, x, dx, axis),
    vjps=(_trapezoid_y_vjp_of, _trapezoid_x_vjp, _trapezoid_dx_vjp, None),
    jvps=(
        lambda t, z, y, x=None, dx=1.0, axis=-1: call("np.trapezoid", t, x, dx, axis),
        lambda t, z, y, x=None, dx=1.0, axis=-1: call("np.trapezoid", y, t, dx, axis),
        _trapezoid_dx_jvp,
        None,
    ),
    needs=((1, 2), (0,), (0,), ()),
    implements=(np.trapezoid,),
    shape="(..., n), (n,) -> (...)",
    samples=lambda rng: [
        (rng.normal(size=5),),
        (rng.normal(size=5), rng.normal(size=5)),
        (rng.normal(size=(3, 4)), None, 0.5, 0),
        (rng.normal(size=(3, 4)), rng.normal(size=3), 1.0, 0),
        (rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), 1.0, 0),
        ([1.0, 2.0, 4.0], [0.0, 1.0, 2.5]),
        (rng.normal(size=1),),
    ],
)
